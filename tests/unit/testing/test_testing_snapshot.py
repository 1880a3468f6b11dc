"""Snapshot files: what is written is what is read, by ast-grep too."""

import json
import subprocess
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from astedit.errors import AstEditError, OutsideRootError
from astedit.testing.snapshot import read_snapshots, same, snapshot_path, write_snapshots
from astedit.workspace.root import Workspace

AST_GREP = Path(sysconfig.get_path("scripts")) / "ast-grep"
ODD = st.text(alphabet="ab \n\t\r:#-|>'\"%{}[],&*!?@`~é1\x85\u2028\ufeff\x07🙂", max_size=20)
TEXTS = ODD | st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


def label(source: str) -> dict[str, Any]:
    return {"source": source, "message": source, "style": "primary", "start": 0, "end": 4}


def round_trip(id: str, snapshots: dict[str, Any]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder, Workspace(folder) as workspace:
        write_snapshots(workspace, "s.yml", id, snapshots)
        return read_snapshots(workspace, "s.yml")


@given(TEXTS, TEXTS, TEXTS)
@example("\n x\n", " a\n\n", "\n\n")
@example("true", "null", "~")
@example("a", "x: |\n  y", "---\n...\n")
@settings(max_examples=100, deadline=None)
def test_what_is_written_is_read_again(code: str, fixed: str, source: str) -> None:
    snapshots = {code: {"fixed": fixed, "labels": [label(source)]}}
    assert round_trip(source, snapshots) == snapshots


def test_a_rule_without_fix_or_labels() -> None:
    assert round_trip("a", {"x": {"labels": []}}) == {"x": {"labels": []}}


def test_it_looks_like_what_ast_grep_writes(tmp_path: Path) -> None:
    """Byte for byte, for the texts that snapshots usually hold."""
    (tmp_path / "rules").mkdir()
    (tmp_path / "tests").mkdir()
    (tmp_path / "sgconfig.yml").write_text("ruleDirs: [rules]\ntestConfigs: [{testDir: tests}]")
    (tmp_path / "rules/a.yml").write_text("id: a\nlanguage: js\nrule: {pattern: x($A)}\nfix: y($A)")
    codes = ["x(1);", "if (a) {\n  x('b')\n}\n", "// c\n\n  x([d, e])", "\tx(1)\r\n", "x(`é\n`)"]
    (tmp_path / "tests/a.yml").write_text(f"id: a\ninvalid: {json.dumps(codes)}")
    subprocess.run([AST_GREP, "test", "-U"], cwd=tmp_path, capture_output=True, check=True)
    path = "tests/__snapshots__/a-snapshot.yml"
    theirs = (tmp_path / path).read_bytes()
    with Workspace(tmp_path) as workspace:
        snapshots = read_snapshots(workspace, path)
        assert sorted(snapshots) == sorted(codes)
        write_snapshots(workspace, path, "a", snapshots)
    assert (tmp_path / path).read_bytes() == theirs
    subprocess.run([AST_GREP, "test"], cwd=tmp_path, capture_output=True, check=True)


def test_the_order_of_labels_means_nothing() -> None:
    one, other = {"labels": [label("a"), label("b")]}, {"labels": [label("b"), label("a")]}
    assert same(one, other)
    assert not same(one, {"labels": [label("a")]})
    assert not same(one, {**one, "fixed": ""})


@pytest.mark.parametrize("id", ["../a", "/a", "a\0", "x" * 201])
def test_no_id_leads_elsewhere(id: str) -> None:
    with pytest.raises(AstEditError, match="cannot be part of a file's name"):
        snapshot_path("tests/__snapshots__", id)


def test_a_link_out_of_the_root_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out.yml").write_text("kept")
    (tmp_path / "root").mkdir()
    (tmp_path / "root/s.yml").symlink_to(tmp_path / "out.yml")
    with Workspace(tmp_path / "root") as workspace:
        for act in (
            lambda: read_snapshots(workspace, "s.yml"),
            lambda: write_snapshots(workspace, "s.yml", "a", {}),
        ):
            with pytest.raises(OutsideRootError):
                act()
    assert (tmp_path / "out.yml").read_text() == "kept"


NONE = ["", "[]", "id: a", "snapshots: []", "snapshots: {a: 1}", "snapshots: {a: {labels: 3}}"]
NONE += ["snapshots: {a: {labels: [1]}}", "snapshots: {a: {labels: [], fixed: 1}}"]


@pytest.mark.parametrize("text", NONE)
def test_what_is_no_snapshot_file_says_what_to_do(tmp_path: Path, text: str) -> None:
    (tmp_path / "s.yml").write_text(text)
    with Workspace(tmp_path) as workspace, pytest.raises(AstEditError) as caught:
        read_snapshots(workspace, "s.yml")
    assert caught.value.message == "s.yml is not a snapshot file."
    assert caught.value.hint == "Remove it, and run with --update."
