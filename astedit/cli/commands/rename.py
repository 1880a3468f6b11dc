"""`astedit rename`: a definition and every evident reference to it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from astedit.cli import language_server, options, preview
from astedit.cli.flags import Bounds, Staging, taken
from astedit.cli.help_page import HelpPage
from astedit.cli.place import Place, find_place
from astedit.errors import RequestError
from astedit.model.request import EditRequest
from astedit.sandbox.allowed_commands import ANY

if TYPE_CHECKING:
    from astedit.engine.run_context import Run
    from astedit.model.plan import Plan

_EPILOG = "Example: astedit rename OrderService.create place"


@click.command(cls=HelpPage, epilog=_EPILOG)
@click.argument("identifier", metavar="IDENT")
@click.argument("new_name", metavar="NEW")
@click.option(
    "--allow-syntactic",
    is_flag=True,
    help="Rename a public name of a language that is followed within one file only.",
)
@click.option(
    "--also-ask",
    is_flag=True,
    help="Ask a language server for the same rename, and list where it differs.",
)
@language_server.server_option
@options.pager
@options.operating
def command(
    identifier: str,
    new_name: str,
    allow_syntactic: bool,
    also_ask: bool,
    server: str | None,
    **flags: Any,
) -> int:
    """Rename a symbol and its references, and stage that; nothing is written.

    IDENT is what `astedit locate` takes and must name one symbol. Python is followed over
    the whole workspace. What may refer to it without evidence is listed and not changed.
    """
    place = find_place(flags["root"])
    state = place.state(flags["state_dir"])
    if also_ask:
        language_server.require_client()
    elif server is not None:
        raise RequestError("--server belongs to --also-ask.", hint="Or use astedit lsp-rename.")

    def compare(plan: "Plan", run: "Run") -> Sequence[str]:
        return _differences(plan, server, place, run) if also_ask else []

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

    staging, bounds = taken(Staging, flags), taken(Bounds, flags)
    return preview.operated(make, place, staging, bounds, compare=compare)


def _differences(plan: "Plan", server: str | None, place: Place, run: "Run") -> Sequence[str]:
    """What the language server for the renamed definition would do otherwise."""
    from astedit.producers.server_differences import server_differences

    assert plan.request.operation is not None
    command = language_server.server_for(plan.request.operation.arguments["path"], server, place)
    return server_differences(plan, command, place.workspace, run._replace(commands=ANY))
