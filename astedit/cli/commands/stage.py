"""`astedit stage`: verify a plan that was made elsewhere, and stage it."""

import click

from astedit.cli import interrupted_apply, options, place, preview, request
from astedit.cli.flags import Staging
from astedit.cli.place import Place
from astedit.cli.session import recover_interrupted
from astedit.model.plan import Plan


@click.command(epilog="Example: astedit stage plan.json, made by astedit show --format plan")
@click.argument("document", metavar="PLAN.json|-")
@options.quiet
@options.as_json
@options.root
@options.state
def command(
    document: str, quiet: bool, as_json: bool, root: str | None, state_dir: str | None
) -> int:
    """Verify a plan made elsewhere and stage it; nothing is written.

    Its request is run on this tree. Unless exactly its edits come out, nothing is staged.
    """
    staging = Staging(quiet=quiet, as_json=as_json, state_dir=state_dir)
    staging.check_sense()
    found = place.find(root)
    if interrupted_apply.found_in(found, state_dir) is not None:
        recover_interrupted(found, state_dir)
    plan = _remade(document, found)
    return preview.finish(plan, preview.refusal(plan), found, staging)


def _remade(document: str, found: Place) -> Plan:
    from astedit.engine.run_context import Run
    from astedit.staging.imported_plan import MAX_SIZE, read, remade

    given = read(request.document_of(document, MAX_SIZE), found.workspace)
    return remade(given, found.workspace, Run(inline=True, config=found.config))
