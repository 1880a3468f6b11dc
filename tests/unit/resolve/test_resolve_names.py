"""The public names of `resolve`: each loads when it is asked for, and type checkers see them."""

import ast
from pathlib import Path

import pytest

import resolve


@pytest.mark.parametrize("name", resolve.__all__)
def test_a_public_name_is_there(name: str) -> None:
    assert getattr(resolve, name).__name__.rpartition(".")[2] == name


def test_type_checkers_see_the_same_names() -> None:
    tree = ast.parse(Path(str(resolve.__file__)).read_text())
    (checked,) = [node for node in tree.body if isinstance(node, ast.If)]
    imported = {
        (alias.name, node.module)
        for node in checked.body
        if isinstance(node, ast.ImportFrom) and node.module not in ("typing", "resolve")
        for alias in node.names
    }
    assert imported == {(name, getattr(resolve, name).__module__) for name in _but_handlers()}


def _but_handlers() -> list[str]:
    return [name for name in resolve.__all__ if name != "handlers"]


def test_another_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Sesion'"):
        resolve.__getattr__("Sesion")
