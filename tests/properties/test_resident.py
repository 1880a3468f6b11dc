"""A run with a `Resident` gives what a run without gives, whatever was done to the files."""

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import astedit
from astedit.engine.resident import Resident
from astedit.model.plan import Plan
from tests.support.forked_workers import children
from tests.support.patience import until
from tests.support.slowly import slow_after

_SETTLED = 0.03  # seconds here, so that a test need not wait for long
OPS = [{"pat": "f($A)", "out": "g($A)"}]


def planned(root: Path, resident: Resident | None, **more: object) -> Plan:
    return astedit.ast_edit(ops=OPS, root=root, jobs=1, resident=resident, **more)  # type: ignore[arg-type]


def told(plan: Plan) -> dict[str, object]:
    """Everything a plan says but how long it took."""
    return {key: value for key, value in plan.to_json().items() if key != "stats"}


def edit(root: Path) -> None:
    (root / "a.py").write_text("f(2)\n")


def edit_in_place_to_the_same_size_and_time(root: Path) -> None:
    before = os.stat(root / "plain.py")
    with open(root / "plain.py", "r+b") as file:
        file.write(b"f(9)")
    os.utime(root / "plain.py", ns=(before.st_atime_ns, before.st_mtime_ns))


def replace_by_rename(root: Path) -> None:
    (root / "new").write_text("f(7)\n")
    os.replace(root / "new", root / "plain.py")


def remove(root: Path) -> None:
    (root / "a.py").unlink()


def add(root: Path) -> None:
    (root / "sub/added.py").write_text("f(3)\n")


def a_directory_becomes_a_link(root: Path) -> None:
    (root / "sub").rename(root / "elsewhere")
    (root / "sub").symlink_to("elsewhere")


def a_file_becomes_a_link(root: Path) -> None:
    (root / "plain.py").rename(root / "far.py")
    (root / "plain.py").symlink_to("far.py")


def a_file_becomes_a_directory(root: Path) -> None:
    (root / "plain.py").unlink()
    (root / "plain.py").mkdir()
    (root / "plain.py/x.py").write_text("f(1)\n")


def two_directories_change_places(root: Path) -> None:
    (root / "sub").rename(root / "x")
    (root / "other").rename(root / "sub")
    (root / "x").rename(root / "other")


def another_directory_takes_the_place(root: Path) -> None:
    shutil.copytree(root / "sub", root.parent / "new")
    (root.parent / "new/c.py").write_text("f(6)\n")
    (root / "sub").rename(root.parent / "old")
    (root.parent / "new").rename(root / "sub")


def change_the_mode(root: Path) -> None:
    (root / "a.py").chmod(0o755)


def the_root_is_made_again(root: Path) -> None:
    shutil.copytree(root, root.parent / "copy", symlinks=True)
    shutil.rmtree(root)
    (root.parent / "copy").rename(root)
    (root / "plain.py").write_text("f(5)\n")


CHANGES = [
    edit, edit_in_place_to_the_same_size_and_time, replace_by_rename, remove, add,
    a_directory_becomes_a_link, a_file_becomes_a_link, a_file_becomes_a_directory,
    two_directories_change_places, another_directory_takes_the_place, change_the_mode,
    the_root_is_made_again,
]  # fmt: skip


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "project"
    files = {
        "a.py": b"f(1)\n",
        "plain.py": b"xxxx\n",
        "sub/b.py": b"h()\n",
        "sub/c.py": b"h(f(2))\n",
        "other/b.py": b"f(4)\n",
        "other/c.py": b"h()\n",
        "wide.py": "f(1)\n".encode("utf-16"),
        "coded.py": b"# coding: latin-1\nf('\xe9')\n",
        "binary.py": b"\0f(1)\n",
    }
    for path, content in files.items():
        place = made / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    return made


@pytest.mark.parametrize("watch", [True, pytest.param(False, marks=pytest.mark.slow)])
@slow_after(3, "change", CHANGES, ids=lambda change: change.__name__)
def test_the_answers_are_those_of_a_cold_run(
    root: Path, change: Callable[[Path], None], watch: bool
) -> None:
    time.sleep(2 * _SETTLED)
    with Resident(settled=_SETTLED, watch=watch) as resident:
        before = told(planned(root, None))
        for _ in range(2):
            assert told(planned(root, resident)) == before
        assert resident.reused > 0 and resident.known > 0
        change(root)
        after = told(planned(root, None))
        assert told(planned(root, resident)) == after
        time.sleep(2 * _SETTLED)
        for _ in range(2):
            assert told(planned(root, resident)) == after


def test_options_and_searches_too(root: Path) -> None:
    time.sleep(2 * _SETTLED)
    with Resident(settled=_SETTLED) as resident:
        options = [{}, {"max_file_size": 4}, {"encoding": "utf-16"}, {"encoding": "latin-1"}]
        options += [{"lang": "python"}, {"allow_loss": True}, {"glob": "sub/**"}]
        cold = [told(planned(root, None, **more)) for more in options]
        for _ in range(2):
            for more, expected in zip(options, cold, strict=True):
                assert told(planned(root, resident, **more)) == expected
                assert told(planned(root, resident)) == cold[0]
        found = [
            astedit.search("h($$$A)", root=root, resident=r).to_json() for r in (resident, None)
        ]
        for one in found:
            del one["stats"]
        assert found[0] == found[1]


def test_a_file_that_changed_just_now_is_read_again(root: Path) -> None:
    """Two changes within one tick of the clock leave the same status."""
    with Resident(settled=60, watch=False) as resident:
        planned(root, resident)
        planned(root, resident)
        assert resident.reused == 0
        assert resident.checked == "stat: not asked to watch"


def test_workers_live_on_and_no_descriptor_is_left_open(root: Path) -> None:
    with Resident(settled=_SETTLED) as resident:
        planned(root, resident)
        before = len(os.listdir("/proc/self/fd"))
        pids = children()
        assert pids
        inside = {pid: len(os.listdir(f"/proc/{pid}/fd")) for pid in pids}
        for _ in range(5):
            planned(root, resident)
        assert children() == pids
        assert len(os.listdir("/proc/self/fd")) == before
        # A worker may have had a file open when its descriptors were counted, or have one now.
        until(lambda: all(len(os.listdir(f"/proc/{pid}/fd")) <= inside[pid] for pid in pids))
    assert children() == set()


def test_no_more_is_kept_than_the_budget(root: Path) -> None:
    time.sleep(2 * _SETTLED)
    with Resident(budget=12, settled=_SETTLED) as resident:
        for _ in range(3):
            assert told(planned(root, resident)) == told(planned(root, None))
        assert 0 < resident.reused < 10
