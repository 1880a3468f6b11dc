"""`astedit log`: the record of every resolution."""

import sys
from datetime import date, datetime, timedelta
from typing import Any, get_args

import click

from astedit.cli import completions, options
from astedit.cli.output import streams
from astedit.cli.place import find_place, tell_interruption
from astedit.cli.session import ShowIds, open_session, shown_on
from astedit.staging.plan_label import described
from resolve.actions import PendingAction, State
from resolve.records import AuditRow
from resolve.visible import one_line

_PLAIN, _GOOD, _BAD = "0", "32", "31"
_COLOURS = {"applied": _GOOD, "undone": "36", "lost": _BAD, "failed": _BAD}
OUTCOMES = ("applied", "landed", "discarded", "superseded", "undone", "lost", "failed",
            "proven", "broken", "unknown")  # fmt: skip


class Moment(click.ParamType[datetime]):
    """A day or a time in ISO 8601, local unless it names a zone.

    With `last` it is the end of the day, or of the second, that is named.
    """

    name = "TIME"

    def __init__(self, *, last: bool) -> None:
        self._last = last

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> datetime:
        try:
            moment = datetime.fromisoformat(value)
            return (moment + _left(value, moment) if self._last else moment).astimezone()
        except (ValueError, OverflowError):
            self.fail(
                f"{value!r} is not a time such as 2026-11-21 or 2026-11-21T22:13:04.", param, ctx
            )


def _left(text: str, moment: datetime) -> timedelta:
    """How much of the day or second that `text` names comes after its start."""
    try:
        date.fromisoformat(text)
    except ValueError:
        return timedelta(milliseconds=0 if moment.microsecond else 999)
    return timedelta(days=1, milliseconds=-1)


@options.command("log --outcome failed --since 2026-11-01")
@click.option(
    "--action", metavar="ID", shell_complete=completions.pending_ids, help="Only of this action."
)
@click.option("--kind", metavar="NAME", help="Only of actions that this tool staged: ast_edit.")
@click.option("--who", metavar="NAME", help="Only by this one, as listed: cli, agent, ….")
@click.option("--outcome", type=click.Choice(OUTCOMES))
@click.option("--since", type=Moment(last=False), help="A day or a time.")
@click.option("--until", type=Moment(last=True), help="A day or a time; it is included.")
@click.option("--limit", type=options.POSITIVE, metavar="N", help="Only the newest N resolutions.")
@options.answering
def command(
    action: str | None, as_json: bool, root: str | None, state_dir: str | None, **filters: Any
) -> int:
    """List every resolution, newest first; several filters must all fit."""
    place = find_place(root)
    tell_interruption(place, state_dir)
    with open_session(place, state_dir) as session:
        action_id = None if action is None else session.store.find(action).id
        rows = session.records.audit(action_id=action_id, **filters)
        kept = session.records.image_names()
        actions = {each.id: each for each in session.records.select(get_args(State))}
        shown = shown_on(sys.stdout, session)
    if as_json:
        titles = {id: action.title for id, action in actions.items()}
        streams.document(
            [row.to_json() | {"title": titles.get(row.action_id or "", row.label)} for row in rows]
        )
    else:
        paint = streams.painter()
        streams.painted(
            _line(row, actions.get(row.action_id or ""), paint, shown) + _lasting(row, kept)
            for row in rows
        )
    if not rows:
        asked = action is not None or any(value is not None for value in filters.values())
        streams.note("No such resolution." if asked else "Nothing has been resolved yet.")
    return 0


def _lasting(row: AuditRow, kept: set[str]) -> str:
    """A mark on what can no longer be undone: its contents from before are not stored."""
    before = {str(file["before"]) for file in row.files if file.get("before") is not None}
    return "  (cannot be undone any more)" if before - kept else ""


def _line(row: AuditRow, act: PendingAction | None, paint: streams.Paint, shown: ShowIds) -> str:
    moment = row.time.astimezone().strftime("%Y-%m-%d %H:%M:%S")
    outcome = f"{row.outcome} ({row.code})" if row.code else row.outcome
    said = f"by {one_line(row.who)}: {one_line(row.reason)}"
    what = one_line(row.label) if act is None else described(act, row.label)
    if row.outcome == "applied" and act is not None and act.state == "undone":
        what += " (undone)"
    outcome = paint(_COLOURS.get(row.outcome, _PLAIN), one_line(outcome))
    action = paint(streams.ID, shown(row.action_id or "-"))
    return f"{moment}  {action}  {outcome}  {shown(what)}  {said}"
