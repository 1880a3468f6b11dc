"""How a store lies on a disk: the database, its rows, the marker beside it.

In go the changes of `resolve.records`; what is committed survives a kill and a power cut.
Nothing here knows what a handler or a session does.
"""
