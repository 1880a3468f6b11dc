"""One file to its outcome, in a worker or in the calling process alike.

In: the bytes of a file and a request compiled for its language. Out: `FileData`, plain data
that crosses to the caller: edits with what is blocked, matches, or findings. Nothing here
knows of other files, and nothing writes.
"""
