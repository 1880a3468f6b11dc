"""The tree as it is, changed where nobody sees it.

`sandbox.py` is how the rest of the house uses it. Whatever stands in `namespace.py`,
`overlay.py`, `tree_copy.py`, `contained_command.py` and `supervisor.py` runs in a process of
its own, which imports nothing but the standard library.
"""
