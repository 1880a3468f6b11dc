"""Text as bytes: reading it, splicing it, and showing what changed."""
