"""A definition that nothing uses any more, taken away with all that belongs to it."""
