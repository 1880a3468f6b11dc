"""Plans, matches and located names as text for models: bounded, and saying what was left out.

Lines that begin with `|` are quoted from files. Nothing a file or a file's name holds can
begin a line of ours, so an agent can tell what the tool says from what the code says.
"""
