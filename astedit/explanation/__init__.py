"""Why a pattern is refused or does not match a place, and what to write instead.

In: a pattern, and the places that the engine or a plan names. Out: reasons, and spellings
that were compiled or tried. Nothing of it is imported before somebody asks: a search that
finds what it looks for does none of it.
"""
