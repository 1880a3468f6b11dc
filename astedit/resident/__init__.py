"""A process that is there already runs the command lines of others.

`client.py` hands a command line over, with its streams and its directory; `host.py` forks a
copy of a warm process for each. Nothing is kept of a tree between two of them, so no answer is
older than the files. Both sides look at whose process the other one is.
"""
