"""From a request to a pending action, and from a resolved action to the disk."""
