"""One fingerprint for one content: nothing else about a run or a tree is part of it."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import astedit
from tests.support.trees import OPS, TREES, Tree, plan_of, read, write

SOURCE = b"import os\nx = foo(a, b)\nfoo(foo(1, 2), 3)\nbar('gr\xc3\xb6\xc3\x9fe')\n"
MANY: Tree = {f"pkg{n % 3}/file{n}.py": SOURCE * (n % 5) + b"y = 1\n" for n in range(24)}
SOME_OPS = [{"pat": "foo($A, $B)", "out": "foo($B, $A)"}, {"pat": "bar($A)", "out": "baz($A)"}]


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(TREES, OPS, st.randoms(use_true_random=False))
def test_root_order_times_and_modes_do_not_matter(
    tree: Tree, ops: list[dict[str, Any]], random: Random
) -> None:
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        first = plan_of(write(Path(one), tree), ops)
        names = list(tree)
        random.shuffle(names)
        root = write(Path(two), tree, names)
        for name in names:
            os.utime(root / name, (random.randint(0, 2**31), random.randint(0, 2**31)))
            (root / name).chmod(random.choice((0o600, 0o644, 0o755)))
        second = plan_of(root, ops)
    assert first.fingerprint == second.fingerprint
    assert first.patch() == second.patch()
    assert [blocked.to_json() for blocked in first.blocked] == [
        blocked.to_json() for blocked in second.blocked
    ]


@settings(max_examples=40, deadline=None)
@given(TREES, OPS, st.data())
def test_a_byte_of_a_file_in_the_plan_matters_and_no_other(
    tree: Tree, ops: list[dict[str, Any]], data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as name:
        root = write(Path(name), tree)
        before = plan_of(root, ops)
        path = data.draw(st.sampled_from(sorted(tree)))
        (root / path).write_bytes(tree[path] + b"\n\n")
        after = plan_of(root, ops)
    changed = path in {file.path for file in before.files}
    assert (before.fingerprint != after.fingerprint) == changed


@settings(max_examples=20, deadline=None)
@given(TREES, OPS)
def test_the_request_matters(tree: Tree, ops: list[dict[str, Any]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        root = write(Path(name), tree)
        plain = plan_of(root, ops)
        again = plan_of(root, ops)
        exact = plan_of(root, ops, reindent="exact")
    assert plain.fingerprint == again.fingerprint != exact.fingerprint


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_the_number_of_processes_does_not_matter(tmp_path: Path, count: int) -> None:
    root = write(tmp_path, MANY)
    here = plan_of(root, SOME_OPS)
    there = astedit.ast_edit(SOME_OPS, root=root, jobs=count)
    assert here.files_touched == 19
    assert here.fingerprint == there.fingerprint
    assert here.patch() == there.patch()
    assert read(root) == MANY


def test_the_hash_seed_does_not_matter(tmp_path: Path) -> None:
    root = write(tmp_path, MANY)
    program = (
        "import sys, astedit;"
        f"plan = astedit.ast_edit({SOME_OPS!r}, root=sys.argv[1], jobs=1);"
        "print(plan.fingerprint)"
    )
    found = set()
    for seed in ("0", "1", "4711"):
        env = os.environ | {"PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", program, str(root)]
        found.add(subprocess.run(command, env=env, capture_output=True, check=True).stdout)
    assert found == {plan_of(root, SOME_OPS).fingerprint.encode() + b"\n"}
