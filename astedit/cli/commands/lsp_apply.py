"""`astedit lsp-apply`: one code action of a language server, as a plan."""

from typing import Any

import click

from astedit.cli import language_server, options, preview
from astedit.cli.flags import Bounds, Staging, taken
from astedit.cli.place import find_place
from astedit.model.request import EditRequest
from astedit.programs import ANY


@options.command("lsp-edit apply src/cart.ts 'Organize imports'")
@click.argument("target", metavar="FILE[:RANGE]")
@click.argument("action", metavar="CODE-ACTION")
@language_server.server_options
@options.pager
@options.operating
def command(target: str, action: str, **flags: Any) -> int:
    """Stage what a code action changes; nothing is written.

    CODE-ACTION is a title, or a fingerprint that `lsp-actions` printed. The server is asked
    for its actions again.
    """
    language_server.require_client()
    place = find_place(flags["root"])

    def make() -> EditRequest:
        path, at = language_server.placed(target, place)
        arguments = {"range": at, "action": action, "label": f"{action} in {path}"}
        return language_server.asked_of(path, flags, place, arguments)

    staging, bounds = taken(Staging, flags), taken(Bounds, flags)
    return preview.operated(make, place, staging, bounds, commands=ANY)
