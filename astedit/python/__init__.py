"""One model of a Python module: what its names are bound to, and where they are used.

In goes the text of one module as UTF-8 without a mark; out come facts that hold names and
byte places only, so that they can be kept by the hash of the text. One mechanism reads them:
the tree of tree-sitter, in which every byte has its place, with scopes as Python has them.
Nothing here knows of a workspace, of requests, or of other modules.
"""
