"""One request and one tree to one plan: nothing here writes."""

ENGINE = "astedit.engine.files.file"
"""What a worker imports before it is told its work."""
