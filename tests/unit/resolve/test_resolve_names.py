"""The public names of `resolve`: each loads when it is asked for, and with it what it needs."""

import ast
from pathlib import Path

import pytest

import resolve
from tests.support.gate.program import output


@pytest.mark.parametrize("name", resolve.__all__)
def test_a_public_name_is_there(name: str) -> None:
    assert getattr(resolve, name).__name__.rpartition(".")[2] == name


def test_type_checkers_see_the_same_names() -> None:
    tree = ast.parse(Path(str(resolve.__file__)).read_text())
    (checked,) = [node for node in tree.body if isinstance(node, ast.If)]
    assert {
        (alias.name, node.module)
        for node in checked.body
        if isinstance(node, ast.ImportFrom) and node.module not in ("typing", "resolve")
        for alias in node.names
    } == {(name, getattr(resolve, name).__module__) for name in _but_handlers()}


def _but_handlers() -> list[str]:
    return [name for name in resolve.__all__ if name != "handlers"]


def test_another_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Sesion'"):
        resolve.__getattr__("Sesion")


def test_staging_needs_no_heavy_import() -> None:
    """One plan may cost a command 20 ms; pydantic alone costs 210, asyncio 50."""
    loaded = output(
        """
        import sys
        from resolve import Session, SqliteStore
        import tempfile, pathlib
        with tempfile.TemporaryDirectory() as directory:
            with SqliteStore(pathlib.Path(directory) / "state.db") as store:
                session = Session(store, workspace=True, lock=directory)
                session.stage(handler="h", payload={"a": 1}, label="x")
        heavy = ("pydantic", "asyncio", "rich", "click", "uuid", "resolve.tool", "resolve.memory")
        print([name for name in heavy if name in sys.modules])
        """
    )
    assert loaded == "[]\n"


def test_importing_resolve_imports_nothing_else_of_it() -> None:
    loaded = output(
        "import sys, resolve; print([name for name in sys.modules if name.startswith('resolve')])"
    )
    assert loaded == "['resolve']\n"
