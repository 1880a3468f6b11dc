"""What needs more than one file's syntax: rename, imports, qualified names, codemods."""

NAMES = "astedit.semantic.imports.edits:FileNames"
"""Who resolves names for rules. In plain text: it goes to workers, and costs no import."""
