"""A definition and every evident reference to it."""
