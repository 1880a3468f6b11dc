"""Killed while a cascade over files is applied: all of it is made, or nothing."""

from collections import Counter
from pathlib import Path

import pytest

import astedit
from tests.support.cases import tree
from tests.support.faults.cli import APPLY, Tree, need_strace

CALLS = ("renameat2", "unlinkat", "fchmod", "pwrite64", "fsync")
RULES = tree("kills-cascade")["rules.yml"]
BEFORE = {
    "flags.py": b"NEW = True\n",
    "src/b.py": b"import flags\n\nif flags.NEW:\n    new()\nelse:\n    old()\n",
    "src/c.py": b"import flags\n\nx = flags.NEW and y\n",
}
AFTER = {"src/b.py": b"import flags\n\nnew()\n", "src/c.py": b"import flags\n\nx = y\n"}

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    need_strace()
    tree = Tree(tmp_path).fresh()
    (tree.root / "a.py").unlink()
    for path, text in BEFORE.items():
        (tree.root / path).write_bytes(text)
    plan = astedit.open(tree.root, state_dir=tree.state).edit(rules=RULES)
    assert [file.operation for file in plan.files] == ["delete", "modify", "modify"]
    tree.keep("staged")
    return tree


def points(tree: Tree) -> list[tuple[str, int]]:
    """Every call that touches the project or its state, by its number among its like."""
    log = tree.root.parent / "log"
    done = tree.run(*APPLY, trace=("-y", "-o", str(log), "-e", f"trace={','.join(CALLS)}"))
    assert done.returncode == 0 and tree.contents() == AFTER, done.stderr
    made, found = Counter[str](), []
    lines = [line.split(maxsplit=1) for line in log.read_text().splitlines()]
    for text in (text for process, text in lines if process == lines[0][0]):
        call = text.partition("(")[0]
        made[call] += 1
        if call in CALLS and (str(tree.root) in text or str(tree.state) in text):
            found.append((call, made[call]))
    return found


def test_a_cascade_is_whole_wherever_it_is_killed(tree: Tree) -> None:
    seen = Counter[str]()
    for call, at in points(tree):
        tree.again("staged")
        trace = ("-o", "/dev/null", "-e", f"inject={call}:signal=KILL:when={at}")
        assert tree.run(*APPLY, trace=trace).returncode != 0
        astedit.open(tree.root, state_dir=tree.state).recover()
        contents = tree.contents()
        assert contents in (BEFORE, AFTER)
        seen["before" if contents == BEFORE else "after"] += 1
    assert min(seen["before"], seen["after"]) > 3
