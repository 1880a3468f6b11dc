"""Whether edits are right: the parsed result is the template with whole captures in it.

In go a file, its tree and the edits, out comes the first fault with the edits that it is of.
Nothing here changes an edit.
"""
