"""Whether the tests pass with a plan, and which of its edits break them.

`prove.py` is how the surfaces use it; `culprits.py` is the search, which runs nothing itself.
"""
