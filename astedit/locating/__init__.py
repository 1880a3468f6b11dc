"""From a name to a place in the code: symbols, routes and clients.

It answers which node an identifier names, so that an edit can be aimed at it. It is not a
search, and it never guesses: of several nodes it lists all.
"""
