"""`astedit stage`: verify a plan that was made elsewhere, and stage it."""

import click

from astedit.cli import interrupted_apply, options, place, request
from astedit.cli import session as gate
from astedit.cli.commands import edit
from astedit.cli.place import Place
from astedit.errors import AstEditError
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
    flags = {"quiet": quiet, "as_json": as_json, "state_dir": state_dir}
    edit.check_apart(flags)
    found = place.find(root)
    _recover(found, state_dir)
    plan = _remade(document, found)
    return edit.finish(plan, _refusal(plan), found, edit.STAGES | flags)


def _recover(found: Place, state: str | None) -> None:
    """Ends what was interrupted: the tree may be a mix, which no plan was made of."""
    if interrupted_apply.found_in(found, state) is not None:
        with gate.session(found, state, announce=False) as session:
            gate.recover(session)


def _remade(document: str, found: Place) -> Plan:
    from astedit.engine.run_context import Run
    from astedit.staging.imported_plan import MAX_SIZE, read, remade

    given = read(request.document_of(document, MAX_SIZE), found.workspace)
    return remade(given, found.workspace, Run(inline=True, config=found.config))


def _refusal(plan: Plan) -> AstEditError | None:
    from astedit.engine.plan import check_limits

    try:
        check_limits(plan)
    except AstEditError as error:
        return error
    return None
