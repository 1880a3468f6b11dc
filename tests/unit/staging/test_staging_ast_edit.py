"""The handler of edits: staged as shown, applied whole or in part, and only as previewed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from astedit import ast_edit
from astedit.engine.run_context import Run
from astedit.errors import PreconditionError, StaleError
from astedit.model.plan import Plan
from astedit.staging.ast_edit import AstEdit, as_previewed, run_claimed
from astedit.staging.plan_label import NAMED, label
from astedit.staging.preview import preview
from astedit.staging.stage import stage
from astedit.staging.stored import unpacked
from astedit.staging.workspace_session import workspace_session
from astedit.workspace.root import Workspace
from resolve import AbortError, AbortSignal, Session, ToolError, ToolResult
from resolve.handlers import Context
from tests.support.requests import request_of

EDIT = [{"pat": "f($A)", "out": "g($A)"}]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.py").write_text("f(1)\nf(2)\n")
    (root / "b.py").write_text("f(3)\n")
    return root


@pytest.fixture
def session(root: Path, tmp_path: Path) -> Iterator[Session]:
    with workspace_session(str(root), str(tmp_path / "state"), who="test", create=True) as made:
        yield made


@pytest.fixture
def plan(root: Path) -> Plan:
    return ast_edit(EDIT, root=root)


def contents(root: Path) -> dict[str, str]:
    return {file.name: file.read_text() for file in sorted(root.iterdir())}


def test_staging_says_where_and_changes_no_file(root: Path, plan: Plan, session: Session) -> None:
    before, action = contents(root), stage(plan, session, details={"note": "kept"})
    assert plan.action_id == action.id
    assert plan.notice == (
        f"Staged as {action.id}: files are NOT modified yet. Call resolve to apply or discard."
    )
    assert action.label == "ast_edit: 3 replacements in 2 files"
    counts = {"replacements": 3, "files": 2, "fingerprint": plan.fingerprint, "title": plan.title}
    assert action.details == {"note": "kept", **counts, "by": "test"}
    assert contents(root) == before


def test_an_abort_while_files_are_prepared_leaves_them_and_no_sibling(
    root: Path, plan: Plan, session: Session
) -> None:
    before, signal = contents(root), AbortSignal()
    action = stage(plan, session)
    session.on_progress = lambda done, total: signal.abort("enough") if done > 2 else None
    with pytest.raises(AbortError, match="enough"):
        session.resolve("apply", "t", None, action.id, signal)
    assert contents(root) == before
    assert session.store.peek() == action


def test_protected_files_are_named_up_to_a_few(root: Path) -> None:
    for number in range(NAMED + 2):
        (root / f"{number}.lock").write_text("f(1)\n")
    locks = [f"{number}.lock" for number in range(NAMED + 2)]
    plan = ast_edit(EDIT, locks, root=root, lang="python", allow_protected=True)
    shown = ", ".join(locks[:NAMED])
    assert label(plan) == f"ast_edit: 7 replacements in 7 files, protected: {shown} and 2 more"


def test_the_label_of_a_rename_says_what_it_leaves(root: Path) -> None:
    (root / "a.py").write_text("class A:\n    def run(self): ...\n\n\ndef go(x):\n    x.run()\n")
    with Workspace(root) as workspace:
        request = request_of("rename", workspace, "a.py::A.run", "start")
        plan = preview(request, workspace, Run(inline=True))
    assert label(plan) == (
        "rename: sym:a.py::A.run -> start, 1 replacement in 1 file, 1 possible use not changed"
    )


def test_all_of_a_plan_is_applied(root: Path, plan: Plan, session: Session) -> None:
    action = stage(plan, session)
    result = session.resolve("apply", "wanted", target=action.id)
    assert result.text == f"Applied {action.id}: 3 replacements in 2 files."
    assert contents(root) == {"a.py": "g(1)\ng(2)\n", "b.py": "g(3)\n"}


def test_a_part_is_applied_and_the_rest_is_counted(
    root: Path, plan: Plan, session: Session
) -> None:
    action = stage(plan, session)
    first = plan.files[0].edits[0].id
    result = session.resolve("apply", "only this", target=action.id, extra={"only": [first]})
    assert result.text == (
        f"Applied {action.id}: 1 replacement in 1 file.\nNot applied: 2 other edits"
        " (2 dropped; --keep-rest stages them again)."
    )
    assert len(result.details["sourceResultDetails"]["notApplied"]) == 2
    assert contents(root) == {"a.py": "g(1)\nf(2)\n", "b.py": "f(3)\n"}


def test_a_tree_that_moved_is_stale_until_it_is_previewed_again(
    root: Path, plan: Plan, session: Session
) -> None:
    action = stage(plan, session)
    (root / "b.py").write_text("x = 1\n")
    with pytest.raises(ToolError) as refused:
        session.resolve("apply", "wanted", target=action.id)
    assert refused.value.code == "stale"
    assert contents(root)["a.py"] == "f(1)\nf(2)\n"
    with pytest.raises(ToolError) as renewed:
        session.resolve("apply", "again", target=action.id, extra={"refresh": True})
    (pending,) = session.records.select(("pending",))
    assert pending.id != action.id
    assert pending.id in str(renewed.value)
    assert pending.label == "ast_edit: 2 replacements in 1 file"
    session.resolve("apply", "wanted", target=pending.id)
    assert contents(root) == {"a.py": "g(1)\ng(2)\n", "b.py": "x = 1\n"}


def test_a_refresh_of_what_matches_nothing_leaves_the_action(
    root: Path, plan: Plan, session: Session
) -> None:
    action = stage(plan, session)
    for name in contents(root):
        (root / name).write_text("x = 1\n")
    with pytest.raises(ToolError) as refused:
        session.resolve("apply", "again", target=action.id, extra={"refresh": True})
    assert refused.value.code == "nothing_matches"
    assert [each.id for each in session.records.select(("pending",))] == [action.id]


def test_a_path_of_the_request_that_is_gone_is_a_reason(root: Path) -> None:
    plan = ast_edit(EDIT, ["a.py"], root=root)
    (root / "a.py").unlink()
    with Workspace(root) as workspace, pytest.raises(StaleError, match=r"a\.py: vanished"):
        as_previewed(plan, workspace, Run(inline=True))


def test_nothing_is_written_outside_of_a_claimed_action(
    root: Path, plan: Plan, session: Session
) -> None:
    stage(plan, session)
    before = contents(root)
    with Workspace(root) as workspace, pytest.raises(PreconditionError) as refused:
        run_claimed(plan.request, workspace, session, None)
    assert refused.value.code == "not_staged"
    assert contents(root) == before


class Calling(AstEdit):
    """The handler as a program of its own has it: it calls the edit with `dry_run=False`."""

    def apply(self, payload: Any, reason: str, extra: Any, context: Context) -> ToolResult:
        assert context.session.claimed == context.action
        plan = ast_edit(
            EDIT, root=Path(str(unpacked(payload).root)), session=context.session, dry_run=False
        )
        assert plan.applied and plan.action_id == context.action_id
        return ToolResult(str(plan.total_replacements))


@pytest.mark.parametrize("handler", [AstEdit, Calling])
def test_every_apply_is_the_one_rerun_inside_the_claim(
    root: Path, session: Session, monkeypatch: pytest.MonkeyPatch, handler: type[AstEdit]
) -> None:
    """Whether a surface applies or a program does: what is compared and written is the same."""
    ran = []
    run_again = AstEdit.run_again

    def noted(self: AstEdit, previewed: Plan, *rest: Any) -> Any:
        ran.append((previewed.fingerprint, session.claimed is not None))
        return run_again(self, previewed, *rest)

    monkeypatch.setattr(AstEdit, "run_again", noted)
    action = stage(ast_edit(EDIT, root=root), session)
    session.handlers["ast_edit"] = handler()
    (root / "a.py").write_text((root / "a.py").read_text() + "f(5)\n")
    with pytest.raises(ToolError):  # not as previewed: nothing is written
        session.resolve("apply", "r", target=action.id)
    assert contents(root)["a.py"].endswith("f(5)\n") and "g(" not in contents(root)["a.py"]
    stage(ast_edit(EDIT, root=root), session)
    session.resolve("apply", "r")
    assert "g(5)" in contents(root)["a.py"]
    assert [claimed for _, claimed in ran] == [True, True]
