"""A preview on top of a pending one: of the tree as that action would leave it.

Nothing is written for it: the contents of the files that the other plan edits are laid over
those on the disk. It can be applied once the other one is, and is stale when that was
discarded, replaced or taken back instead.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING

from astedit.engine.run_context import Run
from astedit.errors import AstEditError, PreconditionError, StaleError
from astedit.model.plan import Plan, PlanBase
from astedit.model.request import EditRequest
from astedit.staging.preview import preview
from astedit.text.source import splice
from astedit.workspace.root import STATE_FILE, Workspace, content_with_hash

if TYPE_CHECKING:
    from astedit.staging.stored import Recorded
    from resolve import PendingAction, PendingActionStore

KEY = "after"  # in the details of an action


def chain(action: "PendingAction", records: "PendingActionStore") -> "list[PendingAction]":
    """The actions that one stands on, the nearest first, whatever became of them."""
    below: list[PendingAction] = []
    seen = {action.id}
    while True:
        name = action.notes.get(KEY)
        base = records.get(name) if isinstance(name, str) and name not in seen else None
        if base is None:
            return below
        below.append(base)
        seen.add(base.id)
        action = base


def pending_chain(action: "PendingAction", records: "PendingActionStore") -> "list[PendingAction]":
    """Those of them that have not been applied yet: the first ones, up to one that has."""
    below = chain(action, records)
    applied = (at for at, base in enumerate(below) if base.state == "applied")
    return below[: next(applied, len(below))]


def stands(action: "PendingAction", other_id: str | None, records: "PendingActionStore") -> bool:
    """Whether an action stands on another one."""
    return any(base.id == other_id for base in chain(action, records))


def refuse_dropped(plan: Plan, records: "PendingActionStore") -> None:
    """Raises `StaleError` if what a plan stands on will not be as it was previewed."""
    if plan.after is None:
        return
    base = records.get(plan.after.action_id)
    if base is None or base.state not in ("pending", "applying", "applied"):
        raise _dropped(plan, base, plan.after.action_id)
    if (records.payload(base.id) or {}).get("fingerprint") != plan.after.fingerprint:
        raise _dropped(plan, None, base.id)


def refuse_unless_applied(plan: Plan, records: "PendingActionStore") -> None:
    """As `refuse_dropped`; `PreconditionError` (`waits`) while the plan below is pending."""
    refuse_dropped(plan, records)
    base = None if plan.after is None else records.get(plan.after.action_id)
    if base is not None and base.state != "applied":
        raise PreconditionError(
            f"{plan.action_id} was previewed on top of {base.id}, which is {base.state}.",
            code="waits",
            hint=f"Apply {base.id} first.",
        )


def _dropped(plan: Plan, base: "PendingAction | None", base_id: str) -> StaleError:
    fate = "is not stored any more"
    if base is not None:
        why = f" ({base.reason})" if base.reason else ""
        fate = f"was {base.state}{why}"
    return StaleError(
        f"{base_id}, on top of which {plan.action_id} was previewed, {fate}.",
        hint="Preview the change again, or discard this one.",
    )


_LOOKED = 20  # the newest pending actions that are asked whether they would create a match
_SECONDS = 2.0  # for that


def preview_on_top(
    request: EditRequest, workspace: Workspace, run: Run, session: "Recorded | None" = None
) -> Plan:
    """As `preview`, where the request may name the pending action that it comes `after`.

    That one is looked up in the session, or else where the state of the workspace is. A plan
    of nothing says in its hints which pending action would create what the request looks for.
    Raises `ToolError` for an id that nothing has, `PreconditionError` for an action that is
    not pending or holds no plan, `StaleError` for one whose files have changed.
    """
    if request.after is not None:
        run = on_top_of(request.after, workspace, run, session)
        assert run.base is not None
        request.after = run.base.action_id
    plan = preview(request, workspace, run)
    if not (plan.total_replacements or plan.blocked or request.regions or run.overlay):
        with _records(workspace, run, session) as records:
            plan.hints += [] if records is None else _creators(request, workspace, run, records)
    return plan


def on_top_of(
    action_id: str, workspace: Workspace, run: Run, session: "Recorded | None" = None
) -> Run:
    """The run that sees the tree as this pending action would leave it.

    Raises what `preview_on_top` does of the action.
    """
    with _records(workspace, run, session, known=True) as records:
        assert records is not None
        return _based(records.find(action_id), workspace, run, records)


@contextmanager
def _records(
    workspace: Workspace, run: Run, session: "Recorded | None", *, known: bool = False
) -> Iterator["PendingActionStore | None"]:
    """What holds the pending actions; None without a state file, or with `known` an empty one."""
    if session is not None:
        yield session.records
        return
    state = run.state
    if state is None and known:
        state = run.state_of(workspace)
    path = os.path.join(state, STATE_FILE) if state else ""
    exists = os.path.lexists(path)
    if not exists and not known:
        yield None  # and nothing is imported: most previews that find nothing end here
        return
    from resolve import MemoryStore, SqliteStore

    with closing(SqliteStore(path) if exists else MemoryStore()) as store:
        yield store


def _based(
    action: "PendingAction", workspace: Workspace, run: Run, records: "PendingActionStore"
) -> Run:
    if action.state != "pending":
        hint = "Leave it out: the tree is as it left it." if action.state == "applied" else None
        raise PreconditionError(
            f"{action.id} is {action.state}: nothing can be previewed on top of it.",
            code="not_pending",
            hint=hint or "Call `astedit pending`, which lists what waits.",
        )
    overlay = _contents(action, workspace, records)
    mark = records.payload(action.id)["fingerprint"]
    return run._replace(base=PlanBase(action.id, mark), overlay=overlay)


def based_again(older: Plan, workspace: Workspace, run: Run, records: "PendingActionStore") -> Run:
    """The run for a new preview of a stored plan: of the tree as it is, if that holds by now.

    What it stood on may still be pending; then it stands on that again.
    """
    base = None if older.after is None else records.get(older.after.action_id)
    if base is not None and base.state == "pending":
        return _based(base, workspace, run, records)
    older.request.after = None
    return run


@contextmanager
def as_previewed(plan: Plan, workspace: Workspace, records: "PendingActionStore") -> Iterator[None]:
    """Reads files as they would be when the plan is applied, to show it; if that can be known."""
    base = None if plan.after is None else records.get(plan.after.action_id)
    contents: dict[str, bytes] = {}
    from resolve import ToolError

    if base is not None and base.state == "pending":
        with suppress(AstEditError, ToolError):
            contents = _contents(base, workspace, records)
    with workspace.overlaid(contents):
        yield


def _contents(
    action: "PendingAction", workspace: Workspace, records: "PendingActionStore"
) -> dict[str, bytes]:
    """What files would hold after a pending action, and after those that it stands on."""
    from astedit.staging.stored import stored

    contents: dict[str, bytes] = {}
    for each in reversed([action, *pending_chain(action, records)]):
        plan = stored(records, each)
        refuse_dropped(plan, records)
        for file in plan.files:
            if file.operation != "modify":
                raise PreconditionError(
                    f"{each.id} creates, deletes or moves {file.path}: nothing can be previewed"
                    " on top of that.",
                    code="file_operation",
                    hint=f"Apply {each.id} first.",
                )
            before = contents.get(file.path)
            if before is None:
                before = content_with_hash(workspace, file.path, file.before_hash)
            if before is None or sha256(before).hexdigest() != file.before_hash:
                raise StaleError(
                    f"{each.id} is stale: {file.path} has changed since.",
                    path=file.path,
                    hint="Preview that one again first.",
                )
            contents[file.path] = splice(before, file.changes)
    return contents


def _creators(
    request: EditRequest, workspace: Workspace, run: Run, records: "PendingActionStore"
) -> list[str]:
    """The hint that names the newest pending action whose outcome the request would match."""
    from astedit.staging.stored import HANDLER
    from resolve import ToolError

    for action in records.select(("pending",), limit=_LOOKED):
        try:
            if action.kind == HANDLER and _creates(action, request, workspace, run, records):
                return [
                    f"{action.id}, which is pending, would create such code: "
                    f"preview again with --after {action.id} to change it there."
                ]
        except (AstEditError, ToolError):
            continue  # whoever shows or applies it says what is wrong with it
    return []


def _creates(
    action: "PendingAction",
    request: EditRequest,
    workspace: Workspace,
    run: Run,
    records: "PendingActionStore",
) -> bool:
    """Whether the request matches in a file that the action edits, as it would be then."""
    contents = _contents(action, workspace, records)
    paths = [path for path in contents if any(_below(path, place) for place in request.paths)]
    if not paths or not _may_match(request, workspace, contents, paths):
        return False
    deadline = run.deadline.within(_SECONDS)
    there = run._replace(
        overlay=contents, want_hunks=False, progress=None, deadline=deadline, state=None
    )
    return preview(replace(request, paths=paths), workspace, there).total_replacements > 0


def _may_match(
    request: EditRequest, workspace: Workspace, contents: Mapping[str, bytes], paths: list[str]
) -> bool:
    """Whether the bytes alone do not rule a match out: no worker is started for those."""
    from astedit.engine.files.file import Engine
    from astedit.engine.languages import languages_of

    engine = Engine(request, "edit", False, workspace.read)
    language = languages_of(request)
    for path in paths:
        if (row := language(path)) is None:
            continue
        if engine.passed_over(path, contents[path], workspace.status(path), row.name) is None:
            return True
    return False


def _below(path: str, directory: str) -> bool:
    return directory in (".", path) or path.startswith(f"{directory}/")
