"""The engine as a gated tool: stage a Plan; rerun, compare and write it when resolved.

With `undo.py` the only engine-side module that imports `resolve`. Importing it registers the handler
`ast_edit`, by which any later process applies what was staged.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from typing import Any

from astedit.engine.fingerprint import fingerprint
from astedit.engine.known_edits import Run
from astedit.engine.languages import grammars_of
from astedit.engine.plan import check_limits, compute
from astedit.engine.run import Progress
from astedit.engine.run_context import Start
from astedit.errors import AstEditError, PreconditionError, RequestError
from astedit.limits import Cancel, Cancelled, Deadline
from astedit.model.plan import Plan
from astedit.model.request import EditRequest
from astedit.semantic import NAMES
from astedit.staging import operations, stale
from astedit.staging.approval import allowed
from astedit.staging.operations import configured, title
from astedit.staging.payload import HANDLER as HANDLER
from astedit.staging.payload import of_this_version, packed, unpacked
from astedit.staging.progress import Count, told
from astedit.staging.selection import Wish
from astedit.text.splice import splice
from astedit.transaction import commit
from astedit.transaction.commit import Change, Ended
from astedit.workspace import config
from astedit.workspace.path_policy import classify
from astedit.workspace.root import Workspace
from resolve import AbortError, AbortSignal, PendingAction, Session, ToolError, ToolResult, handlers
from resolve.handlers import Context, Recovered, superseded
from resolve.state import SessionState
from resolve.visible import one_line

NAMED = 5  # protected files that a label names


def stage(
    plan: Plan, session: Session, *, details: Mapping[str, Any] | None = None
) -> PendingAction:
    """Registers the plan as a pending action; `plan.action_id` and `.notice` say so.

    `details` are kept with it, beside its counts, also when it is refreshed.
    When it returns the action is on disk, and any process can resolve it. Raises
    `resolve.StoreError` when the state file cannot be written; nothing is staged then.
    """
    named = plan.request.operation
    action = session.stage(
        handler=HANDLER,
        payload=packed(plan),
        label=label(plan),
        source_tool_name=named.kind if named else None,
        details={**(details or {}), **_details(plan)},
    )
    plan.action_id = action.id
    left = _left(plan)
    plan.notice = staged_notice(action.id) + (f" {left}: see the hints." if left else "")
    return action


def staged_notice(action_id: str) -> str:
    """What every surface says first about a staged plan."""
    return f"Staged as {action_id}: files are NOT modified yet. Call resolve to apply or discard."


def label(plan: Plan) -> str:
    """`ast_edit: 404 replacements in 161 files`; protected files are named.

    Of an operation: `rename: sym:app/main.py::create -> place, 2 replacements in 1 file`,
    and how many possible uses it leaves.
    """
    named = [file.path for file in plan.files if classify(file.path) == "protected"]
    more = f" and {len(named) - NAMED} more" if len(named) > NAMED else ""
    aside = f", protected: {', '.join(named[:NAMED])}{more}" if named else ""
    given = plan.request.operation
    what = f"{one_line(title(given))}," if given else f"{HANDLER}:"
    left = _left(plan)
    return f"{what} {_counted(plan)}{f', {left}' if left else ''}{aside}"


def stored(session: SessionState, action: PendingAction) -> Plan:
    """The plan of a staged or resolved action, exactly as it was staged.

    Raises `PreconditionError`: it has none, another version staged it, or its row was
    changed since.
    """
    payload = _payload(session, action)
    if not of_this_version(payload):
        raise _of_another_version(action)
    plan = unpacked(payload)
    _genuine(plan)
    plan.action_id = action.id
    plan.applied = action.state == "applied"
    return plan


def _of_another_version(action: PendingAction) -> PreconditionError:
    again = f"astedit resolve apply {action.id} --refresh --reason TEXT"
    return PreconditionError(
        "Another version of astedit staged this plan, and this one may read it otherwise.",
        code="other_version",
        hint=f"Preview it again in its place, and look at the new plan: {again}"
        if action.state in ("pending", "applying")
        else f"It is {action.state}; astedit log --json says what it did.",
    )


def _payload(session: SessionState, action: PendingAction) -> Any:
    payload = session.records.payload(action.id)
    if action.kind != HANDLER or payload is None:
        raise PreconditionError(
            f"{action.id} ({action.kind}) holds no plan.",
            code="no_plan",
            hint="Show it with --format json.",
        )
    return payload


def _to_run_again(session: SessionState, action: PendingAction) -> Plan:
    """The stored plan for its request alone, which means the same in every version."""
    payload = _payload(session, action)
    return stored(session, action) if of_this_version(payload) else unpacked(payload)


def apply_claimed(
    request: EditRequest, workspace: Workspace, session: Session | None, *, inline: bool = False
) -> Plan:
    """The edit with `dry_run=False`: runs it again and writes what was previewed.

    Allowed only inside the claimed action that stores this very request. Raises
    `StaleError`, with nothing written, when the result is not the one previewed.
    """
    preview = _claimed(request, workspace, session)
    assert session is not None and session.claimed is not None
    _allowed(preview, session.claimed, session, workspace)
    plan = as_previewed(preview, workspace, Run(want_hunks=False, inline=inline))
    journal = Context(session, session.claimed, session.claimed.reason or "", AbortSignal())
    _write(plan, workspace, journal)
    plan.applied = True
    plan.action_id = preview.action_id
    return plan


class AstEdit:
    """The handler of `ast_edit`.

    `inline` is for one-shot commands, which may parse themselves. `codemods` are classes
    that the command line names, by codemod.
    """

    def __init__(self, *, inline: bool = False, codemods: Mapping[str, str] | None = None) -> None:
        self._inline = inline
        self._codemods = codemods or {}

    def _run(self, signal: Cancel) -> Run:
        deadline = Deadline(None, signal)
        return Run(
            want_hunks=False, inline=self._inline, deadline=deadline, codemods=self._codemods
        )

    def apply(
        self, payload: Any, reason: str, extra: Mapping[str, Any] | None, context: Context
    ) -> ToolResult:
        """Applies the stored plan or a part of it, or raises `ToolError` with nothing written.

        `extra` may hold `only` or `exclude` (edit ids, path globs) and `refresh`.
        """
        with translated(context.signal):
            wish = Wish.of(extra)
            if wish.refresh:
                raise self._refreshed(context)
            preview = stored(context.session, context.action)
            with Workspace(preview.root) as workspace:
                _allowed(preview, context.action, context.session, workspace)
                count = Count(len(preview.files), context.progress)
                plan = as_previewed(preview, workspace, self._run(context.signal), count.looked)
                part, rest = wish.chosen(plan)
                count.files = len(part.files)
                done = _write(part, workspace, context, count.written)
        return _result(part, rest, done, context)

    def recover(self, payload: Any, intent: Any, context: Context) -> Recovered:
        """Ends an apply that was interrupted; called under the apply lock."""
        with translated(), Workspace(unpacked(payload).root) as workspace:
            return recovered(commit.recover(intent, workspace.fd, context))

    def _refreshed(self, context: Context) -> ToolError:
        """Stages what the request gives now in the old one's place; writes nothing."""
        preview = _to_run_again(context.session, context.action)
        with Workspace(preview.root) as workspace:
            run = self._run(context.signal)
            plan = _rerun(preview.request, workspace, run, context.progress)
        check_limits(plan)
        if not plan.total_replacements:
            raise PreconditionError(
                "Nothing matches any more.", code="nothing_matches", hint="Discard the action."
            )
        details = {**(context.action.details or {}), **_details(plan)}
        new = context.supersede(packed(plan), label=label(plan), details=details)
        return superseded(new)


handlers.register(HANDLER)(AstEdit())


def recovered(ended: Ended) -> Recovered:
    """The end of an interrupted transaction, as the gate records it."""
    return Recovered(ended.outcome, ended.text(), ended.files())


def _write(
    part: Plan,
    workspace: Workspace,
    journal: commit.Journal,
    tell: Callable[[], None] = lambda: None,
) -> Ended:
    paths = [file.path for file in part.files]
    changes = told(_changes(part, workspace), tell)
    return commit.write(paths, changes, workspace.fd, journal)


def _changes(part: Plan, workspace: Workspace) -> Iterator[Change]:
    """The contents of each file before and after, read and compared one at a time."""
    for file in part.files:
        try:
            before, _ = workspace.read(file.path, part.request.max_file_size)
        except OSError as error:
            raise stale.moved(file) from error
        old = sha256(before).hexdigest()
        after = splice(before, [(edit.start, edit.end, edit.new) for edit in file.edits])
        new = sha256(after).hexdigest()
        if old != file.before_hash or file.after_hash not in (None, new):
            raise stale.moved(file)
        file.after_hash = new
        yield Change(file.path, before, old, after, new)


def _result(part: Plan, rest: list[dict[str, str]], done: Ended, context: Context) -> ToolResult:
    context.record_files(done.files())
    details: dict[str, Any] = {"files": done.files(), "replacements": part.total_replacements}
    text = f"Applied {context.action_id}: {_counted(part)}."
    if done.unsure:
        details["durability"] = "unknown"
        text += f"\n{commit.doubt(done.unsure)}"
    if rest:
        details["notApplied"] = rest
        text += f"\nNot applied: {len(rest)} other edit{'' if len(rest) == 1 else 's'}."
    return ToolResult(text, details=details)


def _rerun(
    request: EditRequest, workspace: Workspace, run: Run, progress: Progress | None = None
) -> Plan:
    settings = config.load(workspace)
    if request.operation is not None:
        return operations.plan(request, workspace, configured(run, settings))
    jobs, inline = settings.jobs, run.inline
    with Start(request, workspace, jobs=jobs, inline=inline, names=NAMES) as start:
        return compute(
            request,
            workspace,
            start,
            deadline=run.deadline,
            progress=progress,
            hunks=run.want_hunks,
            ignore=settings.ignore,
        )


def as_previewed(
    preview: Plan, workspace: Workspace, run: Run, progress: Progress | None = None
) -> Plan:
    """The same request run again; `StaleError` unless it gives the plan that was previewed.

    Of the preview only the request, the fingerprint and the hashes of its files are used.
    """
    try:
        plan = _rerun(preview.request, workspace, run, progress)
    except RequestError as error:  # it was right once: a PATH it names is gone
        reason = "vanished" if error.path else error.message
        raise stale.because([f"{one_line(error.path or 'the request')}: {reason}"]) from error
    if plan.fingerprint != preview.fingerprint:
        raise stale.compared(preview, plan, workspace)
    return plan


def _claimed(request: EditRequest, workspace: Workspace, session: Session | None) -> Plan:
    """The preview that the action being resolved here stores, if it is of this request."""
    action = session.claimed if session is not None else None
    if session is not None and action is not None and action.kind == HANDLER:
        preview = stored(session, action)
        if preview.request == request and preview.root == workspace.root:
            return preview
    raise PreconditionError(
        "Writing needs a staged plan of this very request.",
        code="not_staged",
        hint="Call with dry_run=True and a session, then resolve the action it stages.",
    )


def _allowed(
    preview: Plan, action: PendingAction, session: SessionState, workspace: Workspace
) -> None:
    paths = (file.path for file in preview.files)
    allowed(paths, preview.fingerprint, action, session, workspace)


def decided(action: PendingAction, session: Session) -> tuple[str, list[str]]:
    """The fingerprint that an approval of this action is of, and the files it writes."""
    if action.kind == HANDLER:
        plan = stored(session, action)
        return plan.fingerprint, [file.path for file in plan.files]
    from astedit.staging import undo

    if action.kind != undo.HANDLER:
        raise PreconditionError(f"{action.id} ({action.kind}) holds no plan.", code="no_plan")
    undoing = undo.Undoing.unpacked(session.records.payload(action.id))
    return undoing.fingerprint, [file.path for file in undoing.files]


def _genuine(plan: Plan) -> None:
    """Refuses a stored plan whose parts are not those that its fingerprint was taken of."""
    used = grammars_of(plan.request, plan.files)
    grammars = [use for use in plan.languages if use.name in used]
    if fingerprint(plan.request, plan.files, grammars) != plan.fingerprint:
        raise PreconditionError(
            "The stored plan is not the one that was staged: its row was changed.",
            code="tampered",
            hint="Discard it and preview the change again.",
        )


def _details(plan: Plan) -> dict[str, Any]:
    """What a list of actions shows beside the label."""
    counts = {"replacements": plan.total_replacements, "files": plan.files_touched}
    return counts | {"fingerprint": plan.fingerprint}


def _left(plan: Plan) -> str:
    """`7 possible uses not changed`; "" if a rename left none, and for anything else."""
    if plan.request.operation is None or plan.request.operation.kind != "rename":
        return ""
    from astedit.semantic.rename.possible import count, counted

    left = count(plan.hints)
    return f"{counted(left)} not changed" if left else ""


def _counted(plan: Plan) -> str:
    one = "" if plan.total_replacements == 1 else "s"
    of_files = "" if plan.files_touched == 1 else "s"
    return f"{plan.total_replacements} replacement{one} in {plan.files_touched} file{of_files}"


@contextmanager
def translated(signal: AbortSignal | None = None) -> Iterator[None]:
    """Our errors as the gate's, so that they pass through it unchanged.

    Who aborts by the signal says why, and what that leaves.
    """
    try:
        yield
    except Cancelled as error:
        why = signal.reason if signal is not None else None
        raise AbortError(why or error.message) from error
    except AstEditError as error:
        raise ToolError(str(error), code=error.code, hint=error.hint) from error
