"""`astedit log`: the record of every resolution."""

import click

from astedit.cli import gate, options, place, streams
from resolve.records import AuditRow
from resolve.visible import one_line


@click.command(epilog="Example: astedit log --limit 20")
@click.option("--limit", type=options.POSITIVE, metavar="N", help="Only the newest N.")
@options.as_json
@options.root
@options.state
def command(limit: int | None, as_json: bool, root: str | None, state_dir: str | None) -> int:
    """List every resolution, newest first."""
    found = place.find(root)
    with gate.session(found, state_dir) as session:
        rows = session.records.audit(limit=limit)
    if as_json:
        streams.document([row.to_json() for row in rows])
    else:
        streams.texts(_line(row) for row in rows)
    return 0


def _line(row: AuditRow) -> str:
    moment = row.time.astimezone().strftime("%Y-%m-%d %H:%M:%S")
    outcome = f"{row.outcome} ({row.code})" if row.code else row.outcome
    said = f"by {one_line(row.who)}: {one_line(row.reason)}"
    return f"{moment}  {row.action_id or '-'}  {outcome}  {one_line(row.label)}  {said}"
