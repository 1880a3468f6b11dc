"""The commands, one file each, named like the command; none imports another."""
