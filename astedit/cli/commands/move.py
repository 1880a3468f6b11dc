"""`astedit move`: definitions go to another module, and their users follow."""

from typing import Any

import click

from astedit.cli import options, preview
from astedit.cli.flags import Bounds, Staging, taken
from astedit.cli.help_page import HelpPage
from astedit.cli.place import find_place
from astedit.model.request import EditRequest

_EPILOG = "Example: astedit move shop/cart.py::total shop/prices.py"


@click.command(cls=HelpPage, epilog=_EPILOG)
@click.argument("identifiers", metavar="IDENT...", nargs=-1, required=True)
@click.argument("destination", metavar="DEST")
@click.option("--reexport", is_flag=True, help="Leave an import behind, for users elsewhere.")
@options.pager
@options.operating
def command(identifiers: tuple[str, ...], destination: str, reexport: bool, **flags: Any) -> int:
    """Move definitions to another module, and stage that.

    IDENT is what `astedit locate` takes: functions, classes and constants, all at the top level
    of one Python module. DEST is a file (`shop/prices.py`) or a module (`shop.prices`). The code
    stays the same, byte for byte; imports follow. What may be a use without evidence is listed
    and not changed.
    """
    place = find_place(flags["root"])
    is_path = destination.endswith(".py") or "/" in destination
    dest = (place.below(destination) or "") if is_path else destination

    def make() -> EditRequest:
        from astedit.staging.operations import moving

        return moving(
            place.workspace,
            identifiers,
            dest,
            reexport=reexport,
            state=place.state(flags["state_dir"]),
            config=place.config,
        )

    return preview.operated(make, place, taken(Staging, flags), taken(Bounds, flags))
