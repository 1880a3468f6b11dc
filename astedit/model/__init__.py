"""What goes in and what comes out: requests, plans, edits, and how edits are grouped."""
