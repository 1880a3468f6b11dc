"""`astedit stage`: verify a plan that was made elsewhere, and stage it."""

from typing import Any

import click

from astedit.cli import completions, interrupted_apply, options, preview, request
from astedit.cli.flags import Staging, taken
from astedit.cli.help_page import HelpPage
from astedit.cli.place import Place, find_place
from astedit.cli.session import recover_interrupted
from astedit.model.plan import Plan

_EPILOG = "Example: astedit stage plan.json, made by astedit show --format plan"


@click.command(cls=HelpPage, epilog=_EPILOG)
@click.argument("document", metavar="PLAN.json|-", shell_complete=completions.files)
@options.resolving
@options.previewing
@options.pager
@options.as_json
@options.root
@options.state
def command(document: str, root: str | None, **flags: Any) -> int:
    """Verify a plan made elsewhere and stage it; nothing is written.

    Its request is run on this tree. Unless exactly its edits come out, nothing is staged.
    """
    staging = taken(Staging, flags)
    staging.check_sense()
    place = find_place(root)
    if interrupted_apply.error_in(place, staging.state_dir) is not None:
        recover_interrupted(place, staging.state_dir)
    plan = _remade(document, place)
    return preview.finish(plan, preview.refusal(plan), place, staging)


def _remade(document: str, place: Place) -> Plan:
    from astedit.engine.run_context import Run
    from astedit.staging.imported_plan import MAX_SIZE, read, remade

    given = read(request.document_of(document, MAX_SIZE), place.workspace)
    return remade(given, place.workspace, Run(inline=True, config=place.config))
