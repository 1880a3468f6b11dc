"""Processes that do the parsing, and that may crash, hang or be killed."""
