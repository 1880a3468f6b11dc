"""Commits out of a plan; the work tree, the index and HEAD stay as they are."""
