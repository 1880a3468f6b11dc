"""`astedit undo`: stage the inverse of an applied action; it is resolved like any other."""

import click

from astedit.cli import interrupted_apply, options
from astedit.cli.help_page import HelpPage
from astedit.cli.output import report, streams
from astedit.cli.place import find_place
from astedit.cli.session import open_session, recover_in
from astedit.errors import PreconditionError
from resolve import PendingAction, Session
from resolve.visible import one_line

_EPILOG = "Example: astedit undo && astedit resolve apply --reason 'not wanted'"


@click.command(cls=HelpPage, epilog=_EPILOG)
@options.action_id
@options.pager
@options.as_json
@options.root
@options.state
def command(action_id: str | None, as_json: bool, root: str | None, state_dir: str | None) -> int:
    """Stage the inverse of an applied action and print its diff; nothing is written.

    Without ID the newest that is not itself an undo. Refused if a file was edited since.
    """
    from astedit.staging import undo
    from astedit.staging.ast_edit import staged_notice

    place = find_place(root)
    with open_session(place, state_dir) as session:
        if interrupted_apply.error_in(place, state_dir) is not None:
            recover_in(session)
        other = _chosen(session, action_id)
        action = undo.stage(other, place.workspace, session)
        diff = undo.patch(action, place.workspace, session)
    notice = staged_notice(action.id)
    if as_json:
        text = diff.decode("utf-8", "backslashreplace")
        streams.document(action.to_json() | {"actionId": action.id, "notice": notice, "diff": text})
        return 0
    report.print_diff(diff)
    streams.flush()
    streams.note(notice)
    streams.note(one_line(action.label))
    return 0


def _chosen(session: Session, action_id: str | None) -> PendingAction:
    from astedit.staging.undo import newest

    action = session.store.find(action_id) if action_id is not None else newest(session)
    if action is None:
        raise PreconditionError(
            "Nothing was applied here.", code="nothing_to_undo", hint="See astedit log."
        )
    return action
