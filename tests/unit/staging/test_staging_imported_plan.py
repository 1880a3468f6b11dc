"""A plan that was made elsewhere is made again here: the same one, or none."""

import json
from pathlib import Path
from typing import Any

import pytest

from astedit import Plan, ast_edit
from astedit.engine.run_context import Run
from astedit.errors import AstEditError, OutsideRootError, RequestError, StaleError
from astedit.staging.imported_plan import SCHEMA, read, remade
from astedit.workspace.root import Workspace
from tests.support.lists import rows

ROWS = rows(Path(__file__).with_suffix(".txt"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text("f(1)\n")
    return tmp_path


def document(root: Path) -> dict[str, Any]:
    return {"schema": SCHEMA, **ast_edit([{"pat": "f($A)", "out": "g($A)"}], root=root).to_json()}


def imported(root: Path, value: Any) -> Plan:
    text = value if isinstance(value, bytes) else json.dumps(value).encode()
    with Workspace(root) as workspace:
        return remade(read(text, workspace), workspace, Run(inline=True))


def test_a_document_gives_the_plan_that_it_shows(root: Path) -> None:
    shown = document(root)
    assert imported(root, shown).fingerprint == shown["fingerprint"]


def test_a_tree_that_moved_is_stale_and_names_the_file(root: Path) -> None:
    shown = document(root)
    (root / "a.py").write_text("f(2)\n")
    with pytest.raises(StaleError) as refused:
        imported(root, shown)
    assert "since the plan was made; nothing was staged.\n  a.py: changed" in refused.value.message


def test_other_edits_than_those_of_the_fingerprint_are_refused(root: Path) -> None:
    shown = document(root)
    shown["files"][0]["edits"][0]["after"] = "harmless"
    with pytest.raises(RequestError) as refused:
        imported(root, shown)
    assert refused.value.code == "tampered"


@pytest.mark.parametrize(("change", "problem"), ROWS["what is no plan is refused"])
def test_what_is_no_plan_is_refused(root: Path, change: dict[str, Any], problem: str) -> None:
    with pytest.raises(RequestError, match=problem):
        imported(root, document(root) | change)


@pytest.mark.parametrize("text", [b"", b"[]", b"{", b'{"error": {}}', b"NaN"])
def test_what_is_no_document_is_refused(root: Path, text: bytes) -> None:
    with pytest.raises(RequestError):
        imported(root, text)


def test_a_path_that_leaves_the_root_is_refused(root: Path) -> None:
    shown = document(root)
    shown["files"][0]["path"] = "../a.py"
    with pytest.raises(AstEditError) as refused:
        imported(root, shown)
    assert isinstance(refused.value, OutsideRootError)
