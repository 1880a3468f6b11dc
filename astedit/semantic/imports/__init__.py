"""Imports that an edit needs, and needs no more: one file a language, `edits` over them."""
