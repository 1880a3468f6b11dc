"""`astedit rename`: a definition and every evident reference to it."""

from typing import Any

import click

from astedit.cli import options, preview
from astedit.cli.flags import Bounds, Staging, taken
from astedit.cli.help_page import HelpPage
from astedit.cli.place import find_place
from astedit.model.request import EditRequest

_EPILOG = "Example: astedit rename OrderService.create place"


@click.command(cls=HelpPage, epilog=_EPILOG)
@click.argument("identifier", metavar="IDENT")
@click.argument("new_name", metavar="NEW")
@click.option(
    "--allow-syntactic",
    is_flag=True,
    help="Rename a public name of a language that is followed within one file only.",
)
@options.pager
@options.operating
def command(identifier: str, new_name: str, allow_syntactic: bool, **flags: Any) -> int:
    """Rename a symbol and its references, and stage that; nothing is written.

    IDENT is what `astedit locate` takes and must name one symbol. Python is followed over
    the whole workspace. What may refer to it without evidence is listed and not changed.
    """
    place = find_place(flags["root"])
    state = place.state(flags["state_dir"])

    def make() -> EditRequest:
        from astedit.staging.operations import renaming

        return renaming(
            place.workspace,
            identifier,
            new_name,
            allow_syntactic=allow_syntactic,
            state=state,
            config=place.config,
        )

    return preview.operated(make, place, taken(Staging, flags), taken(Bounds, flags))
