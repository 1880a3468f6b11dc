"""Which nodes a rule holds for, and what it captures there.

In go compiled rules and the tree of a file, out come matches with their captures. A rule is a
node's own (`atomic.py`), about its relations and a combination of others (`relational.py`),
or a utility that is called by name; `candidates.py` says from their names which files and nodes
can match at all. Nothing here changes source, or reads YAML.
"""
