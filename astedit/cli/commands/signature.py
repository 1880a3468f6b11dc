"""`astedit signature`: other parameters of a function, and of every evident call."""

from typing import Any

import click

from astedit.cli import options, preview
from astedit.cli.flags import Bounds, Staging, taken
from astedit.cli.help_page import HelpPage
from astedit.cli.place import find_place
from astedit.model.request import EditRequest

_EPILOG = "Example: astedit signature shop/cart.py::Cart.add --add 'price: float = 0'"


@click.command(cls=HelpPage, epilog=_EPILOG)
@click.argument("identifier", metavar="IDENT")
@click.option("--add", multiple=True, metavar="PARAM", help="A new parameter, as in code.")
@click.option("--remove", multiple=True, metavar="NAME", help="A parameter that goes.")
@click.option("--rename", multiple=True, metavar="OLD=NEW", help="Another name for a parameter.")
@click.option("--reorder", metavar="NAMES", help="The new order: 'self,b,a'.")
@click.option("--keyword-only", multiple=True, metavar="NAME", help="Pass it by keyword alone.")
@click.option(
    "--default-for-callers", metavar="EXPR", help="What every evident call passes for --add."
)
@options.pager
@options.operating
def command(identifier: str, **flags: Any) -> int:
    """Change a Python function's parameters, and stage that; nothing is written.

    IDENT is what `astedit locate` takes and must name one function, method or `__init__`.
    Methods that override it and every evident call change with it. What cannot follow is
    refused with its place. What is no call is listed and not changed.
    """
    place = find_place(flags["root"])
    state = place.state(flags["state_dir"])

    def make() -> EditRequest:
        from astedit.staging.operations import changing_signature

        return changing_signature(
            place.workspace,
            identifier,
            add=flags["add"],
            remove=flags["remove"],
            rename=flags["rename"],
            reorder=flags["reorder"],
            keyword_only=flags["keyword_only"],
            default_for_callers=flags["default_for_callers"],
            state=state,
            config=place.config,
        )

    return preview.operated(make, place, taken(Staging, flags), taken(Bounds, flags))
