"""A tree to work in that becomes a plan: the sandbox's overlay, kept open under a name.

In goes a workspace and any program; out comes what differs, as the edits of a plan. A draft
lies beside the state of its root, survives its program, and never writes to the root: what it
changed lands by an apply alone.
"""
