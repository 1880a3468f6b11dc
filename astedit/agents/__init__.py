"""What agents may call and what they read, whatever carries it."""
