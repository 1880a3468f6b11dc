"""The lines of a rewrite: what stands between two pieces, and how kept lines are indented.

In go the pieces of `make/` and the layout of the source around them, out come the same pieces
with their white space, commas of lists and line ends. No token is added, dropped or moved.
"""
