"""`astedit set-path`: another path for a route or a client."""

from typing import Any

import click

from astedit.cli import options, preview
from astedit.cli.flags import Bounds, Staging, taken
from astedit.cli.help_page import HelpPage
from astedit.cli.place import find_place
from astedit.model.request import EditRequest

_EPILOG = "Example: astedit set-path 'GET /api/v1/customers' /api/v1/clients"


@click.command(cls=HelpPage, epilog=_EPILOG)
@click.argument("identifier", metavar="IDENT")
@click.argument("new_path", metavar="NEW")
@options.pager
@options.operating
def command(identifier: str, new_path: str, **flags: Any) -> int:
    """Change the path of a route or a client, and stage that; nothing is written.

    NEW is the whole new path. One literal changes: prefixes that other literals contribute
    have to stay. Clients and tests that ask for the old path are listed, not changed.
    """
    place = find_place(flags["root"])
    state = place.state(flags["state_dir"])

    def make() -> EditRequest:
        from astedit.locating.set_path import request_of_set_path

        return request_of_set_path(
            place.workspace, identifier, new_path, state=state, config=place.config
        )

    return preview.operated(make, place, taken(Staging, flags), taken(Bounds, flags))
