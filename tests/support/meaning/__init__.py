"""An oracle for rewrites in Python that knows nothing of texts: nodes of `ast` put in place.

Calls with real arguments stand in real statements, or are real themselves. A template is
made at random. The tree of what the engine writes must be the tree in which the call's
node has become the template's, with the arguments' nodes in its holes.
"""
