"""From matches to edits: made, laid out, proved, and mended or blocked.

`plan_edits.py` takes the matches of one op in one file and returns edits. `make/` says which
bytes a rewrite keeps and which it writes, `lay/` where their lines go, `prove/` whether the
parsed result is what the template says, and `mend/` what becomes of an edit that is not.
`comments.py` and `loss.py` account for comments and names that a rewrite drops.
"""
