"""`astedit undo`: stage the inverse of an applied action; it is resolved like any other."""

import sys
from typing import TYPE_CHECKING, Any

from astedit.cli import options
from astedit.cli.flags import Staging, taken
from astedit.cli.output import report, streams
from astedit.cli.place import Place, find_place, interruption_error
from astedit.cli.session import open_session, recover_in, resolve_action, shown_on, staged_notice
from astedit.errors import PreconditionError
from astedit.model.request import short
from astedit.text import number
from resolve import PendingAction, Session

if TYPE_CHECKING:
    from astedit.staging.stored import UndoPayload

_UNDECIDED = "nothing was staged or written."


@options.command("undo --apply --reason 'not wanted'")
@options.applied_id
@options.resolving
@options.previewing
@options.answering
def command(action_id: str | None, root: str | None, **flags: Any) -> int:
    """Stage the inverse of an applied action and print its diff; nothing is written.

    Without ID the newest that is not itself an undo. Refused if a file was edited since.
    What has a pending undo already gets no second one.
    """
    from astedit.staging import undo

    staging = taken(Staging, flags)
    staging.check_sense()
    place = find_place(root)
    with open_session(place, staging.state_dir) as session:
        if interruption_error(place, staging.state_dir) is not None:
            recover_in(session)
        other = _chosen(session, action_id)
        undoing = undo.inverse(other, place.workspace, session)
        diff = undo.diff_of(undoing, place.workspace, session)
        if not staging.stages:
            _print(undoing, diff, {"undoes": other.id, "applied": False}, staging)
            return 1 if staging.check and undoing.files else 0
        _stage(other, undoing, diff, session, place, staging)
    return 0


def _stage(
    other: PendingAction,
    undoing: "UndoPayload",
    diff: bytes,
    session: Session,
    place: Place,
    staging: Staging,
) -> None:
    """Stages the undo, prints it, and with --apply resolves it."""
    from astedit.cli.session import reason_of
    from astedit.staging import undo
    from astedit.staging.plan_label import described
    from astedit.staging.stage import staged_notice as sentence

    title = staging.title or short(f"undo: {other.title}")
    if staging.yes:
        staging = staging._replace(apply=True, reason=staging.reason or title)
    shown = staging.apply and staging.reason is None and not staging.as_json
    if shown:
        _print(undoing, diff, {}, staging)
    reason = reason_of(staging.reason, place.config, _UNDECIDED) if staging.apply else ""
    already = undo.pending_undo(other, session)
    action = already or undo.register(undoing, other, session, staging.title)
    notice = sentence(action.id, already=already is not None)
    if staging.asks(place.config):
        from astedit.cli.question import ApplyQuestion, ask, staged_meanwhile

        about = ApplyQuestion(_what(other, undoing), staging.reason or title, notice, whole=True)
        with staged_meanwhile(action.id, place, staging.state_dir):
            _print(undoing, diff, {}, staging)
            ask(about, action.id, place, staging.state_dir)
        return
    document = {"actionId": action.id, "applied": staging.apply}
    if staging.apply:
        result = resolve_action(
            session, place.config, "apply", reason, action.id, ask=not staging.yes
        )
        notice = result.text
    if not shown:
        row = session.store.find(action.id).to_json()
        _print(undoing, diff, row | document | {"notice": notice}, staging)
    if staging.as_json:
        return
    if staging.apply:
        streams.text(shown_on(sys.stdout, session)(notice))
        return
    streams.notes(staged_notice(action.id, notice, session, place, staging.state_dir))
    streams.note(shown_on(sys.stderr, session)(described(action)))


def _what(other: PendingAction, undoing: "UndoPayload") -> str:
    """`Undo 30 edits in 14 files`."""
    edits, files = other.notes.get("replacements"), number(len(undoing.files), "file")
    return f"Undo {number(edits, 'edit') + ' in ' if isinstance(edits, int) else ''}{files}"


def _print(undoing: "UndoPayload", diff: bytes, document: dict[str, Any], staging: Staging) -> None:
    if staging.as_json:
        streams.document(document | {"diff": diff.decode("utf-8", "backslashreplace")})
    elif staging.stat:
        streams.texts(report.restored(file.path for file in undoing.files))
    elif not staging.quiet:
        report.print_diff(diff)
    streams.flush()


def _chosen(session: Session, action_id: str | None) -> PendingAction:
    from astedit.staging.undo import newest

    action = session.store.find(action_id) if action_id is not None else newest(session)
    if action is None:
        why = "Nothing was applied here."
        if session.store.list(("undone",)):
            why = "Everything that was applied here is undone."
        raise PreconditionError(why, code="nothing_to_undo", hint="See astedit log.")
    return action
