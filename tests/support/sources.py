"""The modules of the packages as texts and trees, read and parsed once for all tests."""

import ast
import gc
from functools import cache

from tests.support import REPOSITORY

PACKAGES = ("astedit", "resolve")


@cache
def texts() -> dict[str, str]:
    """Every module by its path in the repository, with its text."""
    paths = (path for name in PACKAGES for path in sorted((REPOSITORY / name).rglob("*.py")))
    return {str(path.relative_to(REPOSITORY)): path.read_text() for path in paths}


@cache
def trees() -> dict[str, ast.Module]:
    """Every module by its path, parsed: in a third of the time if no garbage is looked for."""
    gc.disable()
    parsed = {path: ast.parse(text) for path, text in texts().items()}
    gc.freeze()
    gc.enable()
    return parsed


@cache
def nodes(tree: ast.AST) -> list[ast.AST]:
    """Every node of a tree: walking to them costs ten times what a look at each does."""
    return list(ast.walk(tree))


def trees_with(*words: str) -> dict[str, ast.Module]:
    """The modules whose text has one of some words: no other can have what a test looks for."""
    return {
        path: trees()[path] for path, text in texts().items() if any(word in text for word in words)
    }
