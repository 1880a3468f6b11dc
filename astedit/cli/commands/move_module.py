"""`astedit move-module`: a module or package goes to another place, and its users follow."""

from typing import Any

import click

from astedit.cli import options, preview
from astedit.cli.flags import Bounds, Staging, taken
from astedit.cli.help_page import HelpPage
from astedit.cli.place import find_place
from astedit.model.request import EditRequest

_EPILOG = "Example: astedit move-module shop/log.py shop/tools"


@click.command(cls=HelpPage, epilog=_EPILOG)
@click.argument("source", metavar="FILE|DIR")
@click.argument("destination", metavar="DEST")
@options.pager
@options.operating
def command(source: str, destination: str, **flags: Any) -> int:
    """Move a Python module, or a package, and stage that with all imports of it.

    DEST is a path, an existing directory, or a name with dots. Its own relative imports are
    written anew where they would mean something else; where its name stands in texts is listed.
    """
    place = find_place(flags["root"])
    is_path = destination.endswith(".py") or "/" in destination or "." not in destination
    dest = (place.below(destination) or "") if is_path else destination

    def make() -> EditRequest:
        from astedit.semantic.move.move_module import request_of_module_move

        return request_of_module_move(place.below(source) or "", dest)

    return preview.operated(make, place, taken(Staging, flags), taken(Bounds, flags))
