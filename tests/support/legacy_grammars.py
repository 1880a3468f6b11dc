"""The mark of tests that need the grammars of tree-sitter-languages."""

import importlib.util

import pytest

legacy = pytest.mark.skipif(
    importlib.util.find_spec("tree_sitter_languages") is None,
    reason="tree-sitter-languages has no wheel for this Python",
)
