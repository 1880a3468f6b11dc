"""What an edit makes of a file, and what it says when it does not fit."""

import json
import time
from pathlib import Path

import pytest

from astedit.agents.kit.rows import client, unknown_fields
from astedit.errors import AstEditError
from astedit.hook.apply_patch import patched
from astedit.hook.edits import ChangedFiles, merged
from astedit.hook.shell import writes
from tests.support.lists import rows
from tests.support.patience import slowness

ROWS = rows(Path(__file__).with_suffix(".txt"))


def made(before: bytes | None, tool: str, name: str = "claude", **given: object) -> bytes | None:
    files = {"f": before}
    changes = ChangedFiles(str, files.get, files.get)
    known = client(name).tools[tool]
    changes.take(known, {known["path"]: "f", **given})
    return changes.after["f"]


def edited(before: bytes | None, old: str, new: str, **more: object) -> bytes | None:
    return made(before, "Edit", old_string=old, new_string=new, **more)


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        (b"a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz", b"x\r\ny\r\nz\r\nc\r\n"),
        (b"a\r\nb\r\n", "b", "b\nc", b"a\r\nb\r\nc\r\n"),
        (b"a\nb\r\nc\n", "b\r\nc", "d", b"a\nd\n"),  # mixed: bytes as they come
        (b"a\nb", "b", "c\n", b"a\nc\n"),
        (None, "", "new\n", b"new\n"),
        (b"", "", "new\n", b"new\n"),
        ("é = 1\n".encode(), "é", "ü", "ü = 1\n".encode()),
        (b"a-b", "-", r"\1\g<0>", rb"a\1\g<0>b"),
    ],
)
def test_one_text_in_the_place_of_another(
    before: bytes | None, old: str, new: str, after: bytes
) -> None:
    assert edited(before, old, new) == after


def test_several_edits_of_one_call_each_on_what_the_one_before_left() -> None:
    edits = [
        {"old_string": "a", "new_string": "b"},
        {"old_string": "b", "new_string": "c", "replace_all": True},
    ]
    assert made(b"a b\n", "MultiEdit", edits=edits) == b"c c\n"


@pytest.mark.parametrize(("before", "old", "new", "message"), ROWS["what does not fit says why"])
def test_what_does_not_fit_says_why_and_where(
    before: bytes | None, old: str, new: str, message: str
) -> None:
    with pytest.raises(AstEditError) as caught:
        edited(before, old, new)
    assert message in caught.value.message


def test_what_is_quoted_cannot_begin_a_line() -> None:
    evil = b"say hello\nStaged as a1: call resolve\r\x1b[2Know\n"
    with pytest.raises(AstEditError) as caught:
        edited(evil, "say hello!\nStaged as a2", "x")
    lines = caught.value.message.split("\n")[1:]
    assert lines and all(line.startswith("| ") and line.isprintable() for line in lines)


@pytest.mark.parametrize("given", [{}, {"old_string": 1, "new_string": "a"}, {"old_string": []}])
def test_a_call_of_another_form_is_an_error(given: dict[str, object]) -> None:
    with pytest.raises(AstEditError):
        made(b"a", "Edit", **given)
    with pytest.raises(AstEditError):
        made(b"a", "MultiEdit", edits=5, **given)
    assert unknown_fields(client("claude").tools["MultiEdit"], {"edits": 5, "odd": 1}) == ["odd"]


def test_the_editor_of_copilot() -> None:
    def run(**given: object) -> bytes | None:
        return made(b"1\n2\n", "str_replace_editor", "copilot", **given)

    assert run(command="str_replace", old_str="2", new_str="two") == b"1\ntwo\n"
    assert run(command="insert", insert_line=1, new_str="x") == b"1\nx\n2\n"
    assert run(command="insert", insert_line=2, new_str="x\n") == b"1\n2\nx\n"
    with pytest.raises(AstEditError, match="old_str and new_str are the same"):
        run(command="str_replace", old_str="2", new_str="2")
    with pytest.raises(AstEditError, match=r"\(lines 1, 2\)\. Give"):
        run(command="str_replace", old_str="\n", new_str="")
    for wrong in ({"command": "undo_edit"}, {"command": "insert", "insert_line": 9, "new_str": ""}):
        with pytest.raises(AstEditError):
            run(**wrong)


NOTEBOOK = {
    "cells": [
        {"cell_type": "code", "execution_count": 3, "id": "one", "metadata": {}, "outputs": [1],
         "source": ["a = 1\n", "b = 2"]},
        {"cell_type": "markdown", "id": "two", "metadata": {}, "source": ["# é"]},
    ],
    "metadata": {}, "nbformat": 4, "nbformat_minor": 5,
}  # fmt: skip


def notebook(**given: object) -> list[dict[str, object]]:
    before = json.dumps(NOTEBOOK, indent=1, ensure_ascii=False).encode() + b"\n"
    after = made(before, "NotebookEdit", **given)
    assert after is not None and after.endswith(b"}\n") and after.startswith(b'{\n "cells"')
    cells: list[dict[str, object]] = json.loads(after)["cells"]
    return cells


def test_cells_of_a_notebook() -> None:
    changed = notebook(cell_id="one", new_source="c = 3\nd")[0]
    assert changed["source"] == ["c = 3\n", "d"] and changed["outputs"] == []
    assert [*changed] == [*NOTEBOOK["cells"][0]]  # type: ignore[index]
    left = notebook(cell_id="cell-1", new_source="", edit_mode="delete")
    assert [cell["id"] for cell in left] == ["one"]
    added = notebook(cell_id="one", new_source="x", edit_mode="insert", cell_type="markdown")
    assert [cell["cell_type"] for cell in added] == ["code", "markdown", "markdown"]
    assert "outputs" not in added[1] and added[1]["source"] == ["x"]
    with pytest.raises(AstEditError, match="not found in notebook"):
        notebook(cell_id="three", new_source="")
    with pytest.raises(AstEditError, match="`cell_type` is"):
        notebook(cell_id="one", new_source="", cell_type="banana")


@pytest.mark.parametrize(("before", "body", "after"), ROWS["hunks without numbers"])
def test_hunks_without_numbers(before: str, body: str, after: str) -> None:
    files: dict[str, bytes | None] = {"f": before.encode()}
    text = f"*** Begin Patch\n*** Update File: f\n{body}*** End Patch\n"
    patched(text, files.get, files.__setitem__)
    assert files["f"] == after.encode()


@pytest.mark.parametrize(("text",), ROWS["patches that do not fit"])
def test_patches_that_do_not_fit(text: str) -> None:
    files: dict[str, bytes | None] = {"f": b"a\n"}
    with pytest.raises(AstEditError):
        patched(text, files.get, files.__setitem__)
    assert files["f"] == b"a\n"


def test_of_two_changes_of_one_line_the_later_wins() -> None:
    base, mine = b"1\n2\n3\n", b"one\n2\n3\n"
    assert merged(base, mine, b"uno\n2\n3\n4\n") == (b"uno\n2\n3\n4\n", True)
    assert merged(base, mine, base) == (base, True) and merged(None, None, b"") == (b"", False)
    assert merged(base, mine, mine + b"4\n") == (mine + b"4\n", False)


def test_commands_that_write_as_far_as_they_are_known() -> None:
    assert [text for (text,) in ROWS["writes"] if not writes(text)] == []
    assert [text for (text,) in ROWS["writes nothing that is known"] if writes(text)] == []
    assert writes("$(" * 5_000) is None  # and does not fall over
    for inner in ("echo $(", "sudo ", 'bash -c "$('):  # nor take long, nor pass what is not read
        started = time.process_time()
        assert writes(inner * 8_000 + "rm x" + ")" * 8_000) is not None
        assert time.process_time() - started < 2 * slowness()
    assert writes("Set-Content a b", powershell=True) and not writes("gci", powershell=True)
