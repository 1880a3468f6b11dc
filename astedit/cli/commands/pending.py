"""`astedit pending`: the stack of staged actions."""

import click

from astedit.cli import interrupted_apply, options
from astedit.cli.output import streams
from astedit.cli.place import find_place
from astedit.cli.session import open_session
from resolve.visible import one_line


@click.command(epilog="Example: astedit pending --json")
@options.as_json
@options.root
@options.state
def command(as_json: bool, root: str | None, state_dir: str | None) -> int:
    """List what is staged, newest first."""
    place = find_place(root)
    interrupted_apply.tell(place, state_dir)
    with open_session(place, state_dir) as session:
        actions = session.store.list(("pending", "applying"))
    if as_json:
        streams.document([action.to_json() for action in actions])
        return 0
    for action in actions:
        condition = f"  [{action.condition}]" if action.condition else ""
        moment = action.created_at.astimezone().strftime("%Y-%m-%d %H:%M:%S")
        streams.text(f"{action.id}  {moment}  {one_line(action.label)}{condition}")
    if not actions:
        streams.note("Nothing is pending.")
    return 0
