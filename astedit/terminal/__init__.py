"""Reviewing a plan on a terminal: as questions, line by line, or full-screen."""
