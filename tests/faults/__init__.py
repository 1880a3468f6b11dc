"""Harnesses that kill, fail, race and cut the power, as reusable code, and their sweeps."""
