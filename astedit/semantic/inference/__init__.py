"""What expressions may be: followed through assignments, calls and imports."""
