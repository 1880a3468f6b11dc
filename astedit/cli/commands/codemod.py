"""`astedit codemod`: a libcst codemod class of the user's, behind the gate."""

from typing import Any

import click

from astedit.cli import options, preview
from astedit.cli.flags import Bounds, Staging, taken
from astedit.cli.help_page import HelpPage
from astedit.cli.place import find_place
from astedit.model.request import EditRequest

_EPILOG = "Example: astedit codemod modernize --codemod modernize=my_codemods:Modernize src"


@click.command(cls=HelpPage, epilog=_EPILOG)
@click.argument("name", metavar="NAME")
@options.codemods
@click.option("--allow-partial", is_flag=True, help="Leave out files on which it crashes.")
@options.pager
@options.operating
@options.paths
def command(
    name: str, named: tuple[str, ...], paths: tuple[str, ...], allow_partial: bool, **flags: Any
) -> int:
    """Run a libcst codemod and stage what it changes; nothing is written.

    The class runs in worker processes of its own. Only your own configuration
    (`[codemods]`) or --codemod says which class a name means; what is staged is the name.
    """
    place = find_place(flags["root"], paths)
    classes = options.classes_of(named)
    below = [place.workspace.check(path) for path in place.paths]

    def make() -> EditRequest:
        from astedit.semantic.codemod import request_of_codemod

        return request_of_codemod(name, below, allow_partial=allow_partial)

    return preview.operated(make, place, taken(Staging, flags), taken(Bounds, flags), classes)
