"""What a rule writes in the place of a match: its fix, transforms, rewriters and imports.

In go captures, out come templates, texts and positions for `rewrite/`. Nothing here edits a file.
"""
