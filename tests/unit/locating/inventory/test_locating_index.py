"""The index: the same answers as without it, never an old one, and never in the way."""

import os
import shutil
from pathlib import Path

import pytest

from astedit.facts import reading
from astedit.facts.store import FILE
from astedit.locating.inventory import inventory
from astedit.workspace.root import Workspace
from tests.support.database import opened
from tests.support.located import find, paths_parsed
from tests.support.web_trees import FLASK

QUESTIONS = ("size", "Box.size", "POST /new/in/b", "GET /new/a")
BOX = "class Box:\n    def size(self): pass\n\n\ndef other(): pass\n"
LATE = "from flask import Flask\napp = Flask(__name__)\n@app.get('/late')\ndef late(): pass\n"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Workspace, str]:
    """A tree of which the smallest file is worth the index, and where the index is kept."""
    monkeypatch.setattr(reading, "WORTH", 1)
    root = tmp_path / "tree"
    root.mkdir()
    for name, text in {**FLASK, "box.py": BOX, "box.js": "class Box { size() {} }"}.items():
        (root / name).write_text(text)
    return Workspace(root), str(tmp_path / "state")


def answers(place: tuple[Workspace, str], state: bool = True) -> list[object]:
    return [find(place[0], one, state=place[1] if state else None).to_json() for one in QUESTIONS]


def test_the_second_answer_is_the_first_and_parses_nothing(
    place: tuple[Workspace, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = answers(place, state=False)
    assert answers(place) == plain
    paths = paths_parsed(monkeypatch)
    assert answers(place) == plain
    assert paths == []


def test_a_changed_file_alone_is_parsed_again_and_its_old_facts_are_gone(
    place: tuple[Workspace, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    answers(place)
    box = Path(place[0].root) / "box.py"
    before = box.stat()
    box.write_text(BOX.replace("Box", "Bag"))
    os.utime(box, ns=(before.st_atime_ns, before.st_mtime_ns))  # same size, same time
    paths = paths_parsed(monkeypatch)
    names = {one.node.id for one in find(place[0], "size", state=place[1]).candidates}
    assert "sym:box.py::Bag.size" in names
    assert "sym:box.py::Box.size" not in names
    assert paths == ["box.py"]


def test_what_said_nothing_may_say_something_now(place: tuple[Workspace, str]) -> None:
    box = Path(place[0].root) / "box.py"
    box.write_text("#" * (len(LATE) - 1) + "\n")
    before = box.stat()
    assert find(place[0], "/late", state=place[1]).status == "none"
    box.write_text(LATE)
    os.utime(box, ns=(before.st_atime_ns, before.st_mtime_ns))  # same size, same time
    assert find(place[0], "/late", state=place[1]).status == "one"


def test_what_says_nothing_in_one_language_may_in_another(place: tuple[Workspace, str]) -> None:
    (Path(place[0].root) / "late.js").write_text(LATE)
    assert find(place[0], "/late", state=place[1]).status == "none"
    (Path(place[0].root) / "late.py").write_text(LATE)
    assert find(place[0], "/late", state=place[1]).status == "one"


def test_one_content_in_two_places_is_two_nodes(place: tuple[Workspace, str]) -> None:
    answers(place)
    shutil.copy(Path(place[0].root) / "box.py", Path(place[0].root) / "crate.py")
    found = find(place[0], "other", state=place[1])
    assert [one.node.id for one in found.candidates] == ["sym:box.py::other", "sym:crate.py::other"]


@pytest.mark.parametrize("damage", [b"", b"no database at all " * 300, b"half"])
def test_a_damaged_index_is_made_again(place: tuple[Workspace, str], damage: bytes) -> None:
    plain = answers(place)
    file = Path(place[1]) / FILE
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2] if damage == b"half" else damage)
    assert answers(place) == plain
    assert answers(place) == plain
    with opened(file) as connection:
        assert connection.execute("SELECT count(*) FROM facts").fetchone()[0] > 0


def test_a_row_that_does_not_add_up_is_read_again(place: tuple[Workspace, str]) -> None:
    plain = answers(place)
    with opened(Path(place[1]) / FILE) as connection:
        connection.execute("UPDATE facts SET data = (SELECT max(data) FROM facts)")
    assert answers(place) == plain


def test_rows_of_another_format_are_made_again(
    place: tuple[Workspace, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = answers(place, state=False)
    with monkeypatch.context() as before:
        before.setattr(inventory, "_FORMAT", inventory._FORMAT - 1)
        assert find(place[0], "GET /new/a", state=place[1]).status == "one"
    paths = paths_parsed(monkeypatch)
    assert answers(place) == plain
    assert "app.py" in paths


@pytest.mark.slow
def test_a_locked_index_costs_time_only(place: tuple[Workspace, str]) -> None:
    plain = answers(place)
    with opened(Path(place[1]) / FILE) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        assert answers(place) == plain


def test_where_nothing_can_be_kept_the_answer_is_the_same(place: tuple[Workspace, str]) -> None:
    Path(place[1]).write_text("a file where the directory would be")
    assert answers(place) == answers(place, state=False)


def test_nobody_else_may_read_it(place: tuple[Workspace, str]) -> None:
    answers(place)
    assert (Path(place[1]) / FILE).stat().st_mode & 0o777 == 0o600
    assert Path(place[1]).stat().st_mode & 0o777 == 0o700


def test_nothing_is_written_before_something_is_worth_it(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "box.py").write_text(BOX)
    find(Workspace(tmp_path / "tree"), "size", state=str(tmp_path / "state"))
    assert not (tmp_path / "state").exists()
