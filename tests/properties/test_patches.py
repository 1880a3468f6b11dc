"""A plan's patch, given to the program that has to accept it."""

import hashlib
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings

from astedit.text.source import splice
from tests.support.trees import OPS, TREES, Tree, plan_of, read, write


def git_apply(root: Path, patch: bytes) -> None:
    """Raises with git's words if the patch is refused."""
    env = os.environ | {
        "GIT_CEILING_DIRECTORIES": str(root.parent),
        "GIT_CONFIG_GLOBAL": os.devnull,
    }
    command = ["git", "apply", "--whitespace=nowarn", "-"]
    done = subprocess.run(command, cwd=root, input=patch, env=env, capture_output=True, check=False)
    assert done.returncode == 0, (done.stderr, patch)


@settings(max_examples=60, deadline=None)
@given(TREES, OPS)
def test_git_apply_gives_the_planned_bytes(tree: Tree, ops: list[dict[str, Any]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        root = write(Path(name), tree)
        plan = plan_of(root, ops, allow_loss=True)
        assert read(root) == tree, "a preview wrote"
        expected = dict(tree)
        for file in plan.files:
            changes = [(edit.start, edit.end, edit.new) for edit in file.edits]
            expected[file.path] = splice(tree[file.path], changes)
            assert hashlib.sha256(tree[file.path]).hexdigest() == file.before_hash
            assert hashlib.sha256(expected[file.path]).hexdigest() == file.after_hash
            assert expected[file.path] != tree[file.path]
        if plan.files:
            git_apply(root, plan.patch())
        assert read(root) == expected
        assert plan.diff().encode("utf-8", "surrogateescape") == plan.patch()


SETTLING = OPS.filter(lambda ops: all(op["out"] != "foo($B, $A)" for op in ops))


@settings(max_examples=40, deadline=None)
@given(TREES, SETTLING)
def test_several_passes_make_one_patch(tree: Tree, ops: list[dict[str, Any]]) -> None:
    """Passes composed into one set of edits are passes applied one after another."""
    with tempfile.TemporaryDirectory() as name:
        root = write(Path(name), tree)
        twice = plan_of(root, ops, allow_loss=True, fixpoint=2)
        for _ in range(2):
            plan = plan_of(root, ops, allow_loss=True)
            if plan.files:
                git_apply(root, plan.patch())
        by_hand = read(root)
        write(root, tree)
        if twice.files:
            git_apply(root, twice.patch())
        assert read(root) == by_hand


@settings(max_examples=40, deadline=None)
@given(TREES, OPS)
def test_a_plan_counts_what_it_holds(tree: Tree, ops: list[dict[str, Any]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        plan = plan_of(write(Path(name), tree), ops, allow_loss=True)
    edits = [edit for file in plan.files for edit in file.edits]
    assert plan.files_touched == len(plan.files)
    assert plan.total_replacements == sum(edit.matches for edit in edits)
    assert [file.path for file in plan.files] == sorted(f.path for f in plan.files)
    assert len({(edit.id, edit.start) for edit in edits}) == len(edits)
