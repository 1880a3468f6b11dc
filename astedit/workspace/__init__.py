"""The root of a run: confined reads below it, its configuration, its ignore patterns."""
