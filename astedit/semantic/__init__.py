"""What needs more than one file's syntax: rename, imports, qualified names, codemods."""
