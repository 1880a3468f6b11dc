"""Tests of rules: ast-grep's test files and snapshots, and what ours say beyond them."""
