"""What the files of a tree define, read once and kept."""
