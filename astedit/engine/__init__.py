"""One request and one tree to one plan: nothing here writes."""
