"""Writing: a plan lands wholly or not at all, whatever kills the process."""
