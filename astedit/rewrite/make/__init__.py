"""The new text of a match: which bytes of the source stay, and what is written between them.

In go a match and its op's template, out come pieces: text with the source bytes it was taken
from. Nothing here parses a result, or decides whether an edit is right.
"""
