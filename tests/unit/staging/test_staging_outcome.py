"""Our errors pass the gate unchanged; an interrupted transaction says how it ended."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from astedit import ast_edit
from astedit.errors import StaleError
from astedit.language.traits.python import VERSION
from astedit.limits import Cancelled
from astedit.model.edit import FilePlan
from astedit.model.plan import Plan
from astedit.model.request import EditRequest
from astedit.staging.outcome import (
    LISTED,
    Count,
    differing,
    moved_meanwhile,
    prepared,
    stale_because,
    translated,
)
from astedit.staging.stored import packed, unpacked
from astedit.transaction.commit import FileChange
from astedit.workspace.root import Workspace
from resolve import AbortError, AbortSignal, ToolError


def test_an_error_keeps_its_code_and_its_hint() -> None:
    with pytest.raises(ToolError) as refused, translated():
        raise StaleError("a.py has changed.", hint="Look again.")
    assert (refused.value.code, refused.value.hint) == ("stale", "Look again.")
    assert isinstance(refused.value.__cause__, StaleError)


def test_who_cancels_aborts() -> None:
    with pytest.raises(AbortError, match="stopped"), translated():
        raise Cancelled("stopped")


def test_other_errors_are_left_alone() -> None:
    with pytest.raises(KeyError), translated():
        raise KeyError("ours")


def test_one_rising_count_over_looking_and_writing() -> None:
    told: list[tuple[int, int]] = []
    count = Count(2, lambda done, total: told.append((done, total)))
    for done in (1, 2, 3):
        count.looked(done, 3)
    count.written()
    count.written()
    assert told == [(1, 5), (2, 5), (3, 5), (4, 5), (5, 5)]


def changes() -> Iterator[FileChange]:
    return (FileChange(name, b"", "", b"", "", 0o644) for name in ("a", "b"))


def test_a_change_counts_when_the_next_is_asked_for() -> None:
    told: list[int] = []
    counted = prepared(changes(), Count(2, lambda done, total: told.append(done)), AbortSignal())
    assert [(change.path, len(told)) for change in counted] == [("a", 0), ("b", 1)]
    assert told == [1, 2]


def test_no_file_is_prepared_after_an_abort() -> None:
    signal = AbortSignal()
    coming = prepared(changes(), Count(2, lambda done, total: signal.abort("enough")), signal)
    assert next(coming).path == "a"
    with pytest.raises(AbortError, match="enough"):
        next(coming)


OPS = [{"pat": "f($A)", "out": "g($A)"}]


def planned(root: Path) -> Plan:
    return ast_edit(OPS, root=root)


def test_every_file_that_differs_is_named_with_how(tmp_path: Path) -> None:
    for name in "abcde":
        (tmp_path / f"{name}.py").write_text("f(1)\n")
    preview = planned(tmp_path)
    (tmp_path / "a.py").write_text("f(2)\n")
    (tmp_path / "b.py").unlink()
    (tmp_path / "c.py").write_text("h(1)\n")
    (tmp_path / "d.py").unlink()
    (tmp_path / "d.py").symlink_to("e.py")
    (tmp_path / "new.py").write_text("f(1)\n")
    with Workspace(tmp_path) as workspace:
        error = differing(preview, planned(tmp_path), workspace)
    assert error.code == "stale"
    assert error.message.splitlines() == [
        "The tree has changed since the preview; nothing was written.",
        "  a.py: changed",
        "  b.py: vanished",
        "  c.py: no longer matching",
        "  d.py: a link to e.py now",
        "  new.py: newly matching",
    ]


def test_the_same_files_are_another_astedit_or_grammar(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("f(1)\n")
    with Workspace(tmp_path) as workspace:
        error = differing(planned(tmp_path), planned(tmp_path), workspace)
    assert error.message.startswith("astedit, a grammar or a setting has changed")


def test_a_long_list_is_cut_short() -> None:
    error = stale_because([f"{number}.py: changed" for number in range(LISTED + 5)])
    assert f"  {LISTED - 1}.py: changed" in error.message
    assert f"  {LISTED}.py: changed" not in error.message


def test_a_file_that_moves_while_it_is_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "a\x1b.py").write_text("f(1)\n")
    error = moved_meanwhile(planned(tmp_path).files[0])
    assert "\x1b" not in error.message and "changed while it was looked at" in error.message


def plan(root: Path, interpreter: str | None, before: str, after: str) -> Plan:
    file = FilePlan("a.py", "modify", before, after, 0o644, 1, [])
    return Plan(root=str(root), request=EditRequest(), files=[file], interpreter=interpreter)


def message(root: Path, interpreter: str | None, old: str, new: str) -> str:
    previewed, now = plan(root, interpreter, old, "1"), plan(root, VERSION, new, "2")
    (root / "a.py").touch()
    with Workspace(root) as workspace:
        return differing(previewed, now, workspace).message


def test_another_python_is_the_reason(tmp_path: Path) -> None:
    assert f"Python was 3.1 and is {VERSION} now" in message(tmp_path, "3.1", "a", "a")
    assert "a.py: rewritten differently" in message(tmp_path, "3.1", "a", "a")


def test_a_file_that_has_changed_is_the_reason_first(tmp_path: Path) -> None:
    assert message(tmp_path, "3.1", "a", "b").startswith("The tree has changed")


def test_the_same_python_and_plans_of_old_are_no_reason(tmp_path: Path) -> None:
    for interpreter in (VERSION, None):
        assert "Python was" not in message(tmp_path, interpreter, "a", "a")


def test_the_stored_plan_knows_its_python(tmp_path: Path) -> None:
    assert unpacked(packed(plan(tmp_path, "3.1", "a", "b"))).interpreter == "3.1"
