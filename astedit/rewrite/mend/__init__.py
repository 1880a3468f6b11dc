"""What becomes of edits with a fault: brackets or other quotes help, or they are blocked.

In go edits and a way to prove them, out come those that are right and, for each other one, the
reason why it is blocked. The culprits are found by halving; no other edit pays for them.
"""
