"""The Python interface: `functions` plan and look, `Work` stages through an open workspace.

Keywords and plain values go in; plans, results and the errors of `astedit.errors` come out.
Nothing here knows of a surface, and nothing writes but an apply at the gate.
"""
