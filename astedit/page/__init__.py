"""A plan as HTML: what the static report and the served page have in common."""
