"""`astedit pending`: the stack of staged actions."""

import sys
from typing import TYPE_CHECKING, Any

import click

from astedit.cli import options
from astedit.cli.output import streams
from astedit.cli.place import Place, find_place, tell_interruption
from astedit.cli.session import ShowIds, open_session, shown_on
from astedit.staging.plan_label import command_of, described
from astedit.text import number
from resolve import PendingAction, Session
from resolve.actions import now
from resolve.visible import one_line

if TYPE_CHECKING:
    from astedit.staging.overlaps import Edge

_MARK = "31"  # the colour of what is wrong with an action


@options.command("pending --json")
@click.option("--graph", is_flag=True, help="Print which actions touch the same code.")
@options.answering
def command(graph: bool, as_json: bool, root: str | None, state_dir: str | None) -> int:
    """List what is staged, newest first, and what cannot be applied any more."""
    place = find_place(root)
    tell_interruption(place, state_dir)
    with open_session(place, state_dir) as session:
        actions = session.store.list(("pending", "applying"))
        rows, edges = _compared(actions, session, place) if actions else ([], [])
        shown = shown_on(sys.stdout, session)
    if as_json:
        drawn = [{"from": edge.first.id, "to": edge.second.id, "how": edge.how} for edge in edges]
        streams.document({"pending": rows, "edges": drawn} if graph else rows)
        return 0
    _print(actions, rows, edges if graph else [], shown)
    if not actions:
        streams.note("Nothing is pending.")
    return 0


def _compared(
    actions: list[PendingAction], session: Session, place: Place
) -> "tuple[list[dict[str, Any]], list[Edge]]":
    """Each action as every surface lists it, with what keeps it from being applied."""
    from astedit.staging.approval import waits
    from astedit.staging.overlaps import Present, edges, of_edges
    from astedit.staging.proof import newest_proof

    workspace = place.workspace
    drawn = edges(actions, session.records, workspace)
    close = of_edges(drawn)
    present = Present(workspace, session.records)
    rows = [
        action.to_json()
        | {
            "stale": present.contradicts(action),
            "waitsForApproval": waits(action, session, place.config),
            "overlaps": [overlap.to_json() for overlap in close.get(action.id, ())],
            "proof": newest.to_json() if newest is not None else None,
            "command": action.notes.get("command"),
        }
        for action in actions
        for newest in [newest_proof(action.id, session.records)]
    ]
    return rows, drawn


def _print(
    actions: list[PendingAction], rows: list[dict[str, Any]], edges: "list[Edge]", shown: ShowIds
) -> None:
    paint = streams.painter()
    names = {action.id: paint(streams.ID, shown(action.id)) for action in actions}
    streams.painted(
        shown(_line(action, row, names, paint)) for action, row in zip(actions, rows, strict=True)
    )
    streams.painted(_edge_line(edge, names) for edge in edges)


def _line(
    action: PendingAction, row: dict[str, Any], names: dict[str, str], paint: streams.Paint
) -> str:
    marks = [str(action.condition)] if action.condition else []
    if row["stale"] and "stale" not in marks:
        marks.append("stale")
    marks += ["waits for an approval"] if row["waitsForApproval"] else []
    if row["proof"]:
        how = "proven" if row["proof"]["proven"] else "broken"
        marks.append(f"{how}: {one_line(row['proof']['command'])}")
    told = "".join(f"  {paint(_MARK, f'[{mark}]')}" for mark in marks)
    after = str(action.notes.get("after"))
    told += f"  [after {names[after]}]" if after in names else ""
    return f"{names[action.id]}  {described(action)}, {_age(action)}{command_of(action)}{told}"


_UNITS = (("day", 86_400), ("hour", 3_600), ("minute", 60))


def _age(action: PendingAction) -> str:
    """`5 minutes ago`."""
    seconds = (now() - action.created_at).total_seconds()
    for unit, size in _UNITS:
        if seconds >= size:
            return f"{number(int(seconds // size), unit)} ago"
    return "just now"


def _edge_line(edge: "Edge", names: dict[str, str]) -> str:
    from astedit.staging.overlaps import WORDS

    return f"{names[edge.first.id]} and {names[edge.second.id]} touch {WORDS[edge.how]}"
