"""`astedit locate`: from a name to a place in the code."""

import click

from astedit.cli import options
from astedit.cli.output import streams
from astedit.cli.place import Place, find_place
from astedit.locating.result import KINDS, LocateResult


@options.command("locate OrderService.create --kind symbol")
@click.option("--kind", type=click.Choice(KINDS), help="Only symbols, routes or clients.")
@options.answering
@click.argument("identifier", metavar="IDENT")
def command(
    identifier: str, kind: str | None, as_json: bool, root: str | None, state_dir: str | None
) -> int:
    """Say which symbol, route or client a name means.

    IDENT is a full name, the end of one, a short name, `METHOD /path`, `service /path` or
    an id. Exit code 1 means that there are several nodes or none.
    """
    place = find_place(root)
    state = place.state(state_dir)
    result = _asked(place, identifier, kind, state)
    if result.status == "none" and result.success:
        from astedit.staging.overlaps import mention

        mention(result, identifier, place.workspace, state)
    if as_json:
        streams.document(result.to_json())
    else:
        _tell(result)
    return 0 if result.status == "one" else 1 if result.success else 2


def _asked(place: Place, identifier: str, kind: str | None, state: str) -> LocateResult:
    from astedit.discover.discover import Search

    with Search(place.workspace, ["."]) as search:
        from astedit.locating.answer import find_in  # while git lists
        from astedit.locating.inventory.inventory import Inventory

        inventory = Inventory(place.workspace, state=state, config=place.config, search=search)
        return find_in(inventory, identifier, kind)


def _tell(result: LocateResult) -> None:
    nodes = [(one.node, f"  ({one.reason})") for one in result.candidates]
    for node, reason in [(result.node, "")] if result.node else nodes:
        place = f"{node.path}:{node.start_line}"
        streams.texts([f"{place}: {node.described}{reason}", f"    {node.id}"])
    streams.flush()
    if result.message:
        streams.note(result.message if result.success else f"error: {result.message}")
