"""`astedit capture`: what a command changes becomes a plan, while the tree stays as it is."""

from typing import Any

import click

from astedit.cli import options, preview, proving
from astedit.cli.flags import Bounds, Staging, taken
from astedit.cli.place import find_place
from astedit.model.request import EditRequest
from astedit.programs import ANY


@proving.with_command("capture --title 'ruff UP' -- ruff check --fix --select UP .")
@click.option("--reason-label", "label", metavar="TEXT", hidden=True)  # as --title
@click.option("--replay", type=click.Choice(("command", "never")), default="command",
              show_default=True,
              help="To apply, run the command again, or only compare the files.")  # fmt: skip
@options.of_a_tree
@proving.sandbox_limits
@options.pager
@options.operating
def command(size: int, no_network: bool, **flags: Any) -> int:
    """Stage what a command (behind --) changes in a sandbox.

    The tree stays as it is. An apply runs the command again and compares, or, with
    --replay never, compares the files that the plan changes.
    """
    if not (words := click.get_current_context().meta["words"]):
        raise click.UsageError("Name the command behind `--`: astedit capture -- ruff format .")
    place = find_place(flags["root"])

    def make() -> EditRequest:
        from astedit.producers.capture import request_of_capture

        names = ("label", "replay", "no_ignore", "allow_partial", "allow_protected")
        return request_of_capture(
            words,
            directory=proving.directory_in(place),
            network=not no_network,
            size=size,
            **{name: flags[name] for name in names},
        )

    staging, bounds = taken(Staging, flags), taken(Bounds, flags)
    return preview.operated(make, place, staging, bounds, commands=ANY)
