"""Trees so deep that queries lose their way are left out by name; others only take longer."""

from pathlib import Path

import pytest
from tree_sitter import Node

from astedit import ast_edit, search
from astedit.engine.files.file import DEFER, Engine
from astedit.language import load, named
from astedit.limits import DEEPEST, INLINE_LEVELS, is_deep, is_shallow
from astedit.model.request import EditRequest, Op
from astedit.workspace.root import Workspace

CALLS = b"app" + b"()" * 100_000 + b"\n"


def root_of(source: bytes) -> Node:
    row = named("python")
    assert row is not None
    return load(row).parser().parse(source).root_node


def levels(root: Node) -> int:
    most, level = 0, [root]
    while level:
        most, level = most + 1, [child for node in level for child in node.children]
    return most


@pytest.mark.parametrize(
    "source",
    [
        b"",
        b"f(1)\n",
        b"a = [" + b"1," * 500 + b"]\n",
        b"f" + b"()" * 50,
        b"x = " + b"-" * 40 + b"1",
    ],
)
def test_levels_are_counted_without_looking_at_every_node(source: bytes) -> None:
    root = root_of(source)
    depth = levels(root)
    assert is_deep(root, depth)
    assert not is_deep(root, depth + 1)


def test_what_brackets_do_not_tell_is_skipped_by_name(tmp_path: Path) -> None:
    assert is_shallow(CALLS)
    (tmp_path / "deep.py").write_bytes(CALLS)
    (tmp_path / "flat.py").write_text("app()\n")
    plan = ast_edit(ops=[{"pat": "app()", "out": "new()"}], lang="python", root=tmp_path)
    assert [file.path for file in plan.files] == ["flat.py"]
    assert [(one.path, one.reason) for one in plan.skipped] == [("deep.py", "too_deep")]
    rule = {"kind": "call", "inside": {"kind": "module", "stopBy": "end"}}
    found = search(rule={"id": "r", "language": "python", "rule": rule}, root=tmp_path)
    assert [match.file for match in found.matches] == ["flat.py"]
    assert [(one.path, one.reason) for one in found.skipped] == [("deep.py", "too_deep")]


def test_a_long_chain_is_matched_by_a_worker(tmp_path: Path) -> None:
    assert INLINE_LEVELS < 3_000 < DEEPEST
    (tmp_path / "chain.py").write_bytes(b"app" + b"()" * 3_000 + b"\n")
    plan = ast_edit(ops=[{"pat": "app()", "out": "new()"}], lang="python", root=tmp_path)
    assert plan.total_replacements == 1
    assert not plan.skipped
    with Workspace(tmp_path) as workspace:
        request = EditRequest(ops=(Op("app()"),), lang="python")
        engine = Engine(request, "text", False, workspace.read)
        assert engine.file("chain.py", "python", inline=True) == DEFER


@pytest.mark.parametrize("mode", ["text", "edit", "scan"])
def test_edits_in_edits_are_made_by_a_worker(tmp_path: Path, mode: str) -> None:
    (tmp_path / "sum.py").write_bytes(b"x = 1" + b" + 1" * 300 + b"\n")
    request = EditRequest(ops=(Op("$A + $B", "f($A)"),), lang="python")
    with Workspace(tmp_path) as workspace:
        engine = Engine(request, mode, False, workspace.read)
        assert (engine.file("sum.py", "python", inline=True) == DEFER) == (mode != "text")


def test_a_file_whose_edits_take_long_to_prove_is_edited_by_a_worker(tmp_path: Path) -> None:
    line = "test('t', () => { expect(z.array(z.number()).min(1).parse(x)).toEqual(y); });\n"
    (tmp_path / "a.ts").write_text(line * 60)
    request = EditRequest(ops=(Op("$F($$$A)", "await $F($$$A)"),), lang="typescript")
    with Workspace(tmp_path) as workspace:
        engine = Engine(request, "edit", False, workspace.read)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("astedit.engine.files.file.INLINE_SECONDS", 0.05)
            assert engine.file("a.ts", "typescript", inline=True) == DEFER
