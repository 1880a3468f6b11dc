"""`astedit remove`: a definition that nothing evidently uses."""

from typing import Any

import click

from astedit.cli import options, preview
from astedit.cli.flags import Bounds, Staging, taken
from astedit.cli.help_page import HelpPage
from astedit.cli.place import find_place
from astedit.model.request import EditRequest

_EPILOG = "Example: astedit remove shop/prices.py::old_price"


@click.command(cls=HelpPage, epilog=_EPILOG)
@click.argument("identifier", metavar="IDENT")
@options.pager
@options.operating
def command(identifier: str, **flags: Any) -> int:
    """Remove a Python definition that nothing uses, and stage that; nothing is written.

    IDENT is what `astedit locate` takes and must name one symbol. While evident uses are
    left nothing is staged, and they are listed; what may use it without evidence is listed
    and not changed. Its decorators, the comments above it, its overloads, its entry in
    `__all__`, and imports that nobody needs any more go with it.
    """
    place = find_place(flags["root"])
    state = place.state(flags["state_dir"])

    def make() -> EditRequest:
        from astedit.staging.operations import removing

        return removing(place.workspace, identifier, state=state, config=place.config)

    return preview.operated(make, place, taken(Staging, flags), taken(Bounds, flags))
