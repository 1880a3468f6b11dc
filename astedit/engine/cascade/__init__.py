"""Rules that cause rules, run to their end and planned as a whole.

In: a request whose rules have `then`, `when`, `deleteEmpty` or `preconditions`, and a tree.
`graph` says which rule calls which, `run` works off events, `places` keeps what became of
each place of a file. Out: the same `Plan` as of any other request. Nothing is written.
"""
