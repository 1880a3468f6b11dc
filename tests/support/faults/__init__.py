"""Trees, disks and commands that fail, die and are killed at a chosen place."""
