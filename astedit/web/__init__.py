"""The review page: a server on this machine for one person and one staged plan."""
