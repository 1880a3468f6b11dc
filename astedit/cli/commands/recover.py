"""`astedit recover`: end what a killed process left open."""

import click

from astedit.cli import options
from astedit.cli.output import streams
from astedit.cli.place import find_place
from astedit.cli.session import recover_place


@options.command("recover --json")
@click.option(
    "--from-leftovers",
    is_flag=True,
    help="What cannot be ended because its state is lost: put every file wholly old or new "
    "from what lies beside it.",
)
@options.placed
def command(from_leftovers: bool, as_json: bool, root: str | None, state_dir: str | None) -> int:
    """Finish or take back an apply that was interrupted.

    Exits 5 if something needs attention: then nothing that is stored of it is thrown away.
    """
    ended = recover_place(find_place(root), state_dir, from_leftovers=from_leftovers)
    rows = [{"id": r.action.id, "outcome": r.outcome, "text": r.text} for r in ended]
    lines = (f"{r.action.id or 'unknown'}: {r.text}" for r in ended)
    streams.answer(rows, lines, as_json=as_json, nothing="Nothing was interrupted.")
    return 5 if any(r.outcome == "blocked" for r in ended) else 0
