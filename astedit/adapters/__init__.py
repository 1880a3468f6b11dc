"""The tools inside agent frameworks, on a `Session` that owns the conversation."""
