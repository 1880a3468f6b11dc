"""From matches to edits: rendered, composed, and checked before they are planned."""
