"""Many files to one plan, or to the matches of a search.

In: a request, a tree and its workers. `prepare` finds the files, `jobs` has each looked at,
`replay` holds the outcomes in path order; `merge` and `plan` make a plan of them, `search`
tells them as they are. Reasons for what is missing are for `astedit.explanation` to say.
"""
