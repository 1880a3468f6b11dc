"""The engine as a gated tool: stage a Plan; rerun, compare and write it when resolved.

The only engine-side module that imports `resolve`. Importing it registers the handler
`ast_edit`, by which any later process applies what was staged.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from typing import Any

from astedit import config, storage
from astedit.edit import splice
from astedit.engine.fingerprint import fingerprint
from astedit.engine.plan import compute
from astedit.engine.start import Start
from astedit.errors import AstEditError, PreconditionError, StaleError, TransactionError
from astedit.gitignore import Globs
from astedit.language import for_path
from astedit.limits import Cancel, Cancelled, Deadline
from astedit.model import EditRequest, FilePlan, Plan
from astedit.payload import packed, unpacked
from astedit.policy import classify
from astedit.workspace import Workspace
from resolve import AbortError, PendingAction, Session, ToolError, ToolResult, handlers
from resolve.handlers import Context
from resolve.visible import one_line

HANDLER = "ast_edit"
LISTED = 20  # stale files that a message names


def stage(plan: Plan, session: Session) -> PendingAction:
    """Registers the plan as a pending action; `plan.action_id` and `.notice` say so.

    When it returns the action is on disk, and any process can resolve it. Raises
    `resolve.StoreError` when the state file cannot be written; nothing is staged then.
    """
    details = {
        "replacements": plan.total_replacements,
        "files": plan.files_touched,
        "fingerprint": plan.fingerprint,
    }
    action = session.stage(
        handler=HANDLER, payload=packed(plan), label=label(plan), details=details
    )
    plan.action_id = action.id
    plan.notice = staged_notice(action.id)
    return action


def staged_notice(action_id: str) -> str:
    """What every surface says first about a staged plan."""
    return f"Staged as {action_id}: files are NOT modified yet. Call resolve to apply or discard."


def label(plan: Plan) -> str:
    """`ast_edit: 404 replacements in 161 files`; protected files are named."""
    named = [file.path for file in plan.files if classify(file.path) == "protected"]
    aside = f", protected: {', '.join(named)}" if named else ""
    return f"{HANDLER}: {_counted(plan)}{aside}"


def stored(session: Session, action: PendingAction) -> Plan:
    """The plan of a staged or resolved action, exactly as it was staged.

    Raises `PreconditionError`: it has none, or its row was changed since.
    """
    payload = session.records.payload(action.id)
    if action.kind != HANDLER or payload is None:
        raise PreconditionError(
            f"{action.id} ({action.kind}) holds no plan.",
            code="no_plan",
            hint="Show it with --format json.",
        )
    plan = unpacked(payload)
    _genuine(plan)
    plan.action_id = action.id
    plan.applied = action.state == "applied"
    return plan


def apply_claimed(
    request: EditRequest,
    workspace: Workspace,
    session: Session | None,
    *,
    inline: bool = False,
    signal: Cancel | None = None,
) -> Plan:
    """The edit with `dry_run=False`: runs it again and writes what was previewed.

    Allowed only inside the claimed action that stores this very request. Raises
    `StaleError`, with nothing written, when the result is not the one previewed.
    """
    preview = _claimed(request, workspace, session)
    settings = config.load(workspace)
    _approved(preview, settings)
    with Start(request, workspace, jobs=settings.jobs, inline=inline) as start:
        deadline = Deadline(None, signal)
        plan = compute(
            request, workspace, start, deadline=deadline, hunks=False, ignore=settings.ignore
        )
    if plan.fingerprint != preview.fingerprint:
        raise _stale(preview, plan, workspace)
    _write(plan, workspace)
    plan.applied = True
    plan.action_id = preview.action_id
    return plan


class AstEdit:
    """The handler of `ast_edit`; `inline` is for one-shot commands, which may parse themselves."""

    def __init__(self, *, inline: bool = False) -> None:
        self._inline = inline

    def apply(
        self, payload: Any, reason: str, extra: Mapping[str, Any] | None, context: Context
    ) -> ToolResult:
        """Applies the stored plan, or raises `ToolError` with nothing written."""
        with _translated():
            preview = unpacked(payload)
            with Workspace(preview.root) as workspace:
                plan = apply_claimed(
                    preview.request,
                    workspace,
                    context.session,
                    inline=self._inline,
                    signal=context.signal,
                )
        files = [
            {"path": f.path, "before": f.before_hash, "after": f.after_hash} for f in plan.files
        ]
        context.record_files(files)
        details = {"files": files, "replacements": plan.total_replacements}
        return ToolResult(f"Applied {context.action_id}: {_counted(plan)}.", details=details)


handlers.register(HANDLER)(AstEdit())


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


def _approved(preview: Plan, settings: config.Config) -> None:
    """Refuses what only a person may approve: this version has no way to do that yet."""
    guarded = Globs(settings.human_paths)
    asked = [file.path for file in preview.files if guarded.verdict(file.path) is True]
    if settings.policy == "human" or asked:
        what = f"{one_line(asked[0])} is" if asked else "every edit here is"
        raise PreconditionError(
            f"The policy wants a person to approve this ({what} theirs to decide).",
            code="approval_missing",
            hint="Take the patch (astedit show --format patch), or change `policy`.",
        )


def _genuine(plan: Plan) -> None:
    """Refuses a stored plan whose parts are not those that its fingerprint was taken of."""
    used = {row.name for file in plan.files if (row := for_path(file.path)) is not None}
    grammars = [use for use in plan.languages if use.name in used]
    if fingerprint(plan.request, plan.files, grammars) != plan.fingerprint:
        raise PreconditionError(
            "The stored plan is not the one that was staged: its row was changed.",
            code="tampered",
            hint="Discard it and preview the change again.",
        )


def _stale(preview: Plan, plan: Plan, workspace: Workspace) -> StaleError:
    lines = list(_differences(preview, plan, workspace))
    more = [f"and {len(lines) - LISTED} more"] if len(lines) > LISTED else []
    listed = "".join(f"\n  {line}" for line in lines[:LISTED] + more)
    what = "The tree has changed" if lines else "astedit or a grammar has changed"
    return StaleError(
        f"{what} since the preview; nothing was written.{listed}",
        hint="Preview the change again, or discard this one.",
    )


def _differences(preview: Plan, plan: Plan, workspace: Workspace) -> Iterator[str]:
    """Each file that is not as previewed, and why."""
    old = {file.path: file for file in preview.files}
    new = {file.path: file for file in plan.files}
    for path in sorted(old.keys() | new.keys()):
        reason = _reason(old.get(path), new.get(path), workspace)
        if reason:
            yield f"{one_line(path)}: {reason}"


def _reason(old: FilePlan | None, new: FilePlan | None, workspace: Workspace) -> str | None:
    if old is None:
        return "newly matching"
    if new is None:
        gone = not os.path.lexists(os.path.join(workspace.root, old.path))
        return "vanished" if gone else "no longer matching"
    if old.before_hash != new.before_hash:
        return "changed"
    return None if old.after_hash == new.after_hash else "rewritten differently"


def _counted(plan: Plan) -> str:
    one = "" if plan.total_replacements == 1 else "s"
    of_files = "" if plan.files_touched == 1 else "s"
    return f"{plan.total_replacements} replacement{one} in {plan.files_touched} file{of_files}"


@contextmanager
def _translated() -> Iterator[None]:
    """Our errors as the gate's, so that they pass through it unchanged."""
    try:
        yield
    except Cancelled as error:
        raise AbortError(error.message) from error
    except AstEditError as error:
        raise ToolError(str(error), code=error.code, hint=error.hint) from error


def _write(plan: Plan, workspace: Workspace) -> None:
    """Writes all new contents beside their files, then puts them in place, one by one.

    Until the first is in place nothing has changed, and a failure or Ctrl-C leaves
    nothing behind; after that the message says which files are new.
    """
    siblings: list[storage.Sibling] = []
    with ExitStack() as leftovers:
        for file in plan.files:
            sibling = _prepared(file, workspace, plan.request.max_file_size)
            leftovers.callback(sibling.discard)
            siblings.append(sibling)
        _swap(siblings)
        leftovers.pop_all()
    for directory in sorted({os.path.dirname(file.path) for file in plan.files}):
        storage.sync_directory(workspace.fd, directory)


def _prepared(file: FilePlan, workspace: Workspace, limit: int) -> storage.Sibling:
    content, _ = workspace.read(file.path, limit)
    after = splice(content, [(edit.start, edit.end, edit.new) for edit in file.edits])
    if file.before_hash is None or sha256(after).hexdigest() != file.after_hash:
        raise StaleError(
            f"{one_line(file.path)} changed while it was looked at; nothing was written.",
            path=file.path,
            hint="Resolve again.",
        )
    return storage.prepare(workspace.fd, file.path, after, expected_sha256=file.before_hash)


def _swap(siblings: Sequence[storage.Sibling]) -> None:
    for done, sibling in enumerate(siblings):
        try:
            sibling.swap()
        except AstEditError as error:
            raise _unfinished(siblings, done, error) from error


def _unfinished(
    siblings: Sequence[storage.Sibling], done: int, error: AstEditError
) -> AstEditError:
    """The error itself if no file was written, else what is on disk now."""
    if not done:
        return error
    names = ", ".join(one_line(sibling.path) for sibling in siblings[:done][:LISTED])
    more = f" and {done - LISTED} more" if done > LISTED else ""
    return TransactionError(
        f"{error.message} {done} of {len(siblings)} files are written ({names}{more}), "
        "the others are as before.",
        path=error.path,
        hint="Look at `git diff`, then preview the change again.",
    )
