"""Handlers and programs for tests of the gate."""
