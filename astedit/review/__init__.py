"""What was decided about the edits of a plan, and in what order they are shown."""
