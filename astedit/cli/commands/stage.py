"""`astedit stage`: verify a plan that was made elsewhere, and stage it."""

from typing import Any

import click

from astedit.cli import completions, options, preview, request
from astedit.cli.flags import Staging, taken
from astedit.cli.place import find_place, interruption_error
from astedit.cli.session import recover_interrupted


@options.command("stage plan.json, made by astedit show --format plan")
@click.argument("document", metavar="PLAN.json|-", required=False, shell_complete=completions.files)
@click.option("--patch", metavar="FILE|-", shell_complete=completions.files,
              help="A unified or git diff instead of a plan.")  # fmt: skip
@options.fitting
@options.resolving
@options.previewing
@options.interactive
@options.answering
def command(document: str | None, patch: str | None, root: str | None, **flags: Any) -> int:
    """Check a plan or a patch from elsewhere and stage it; nothing is written.

    The request of a plan is run on this tree. Unless exactly its edits come out, nothing is
    staged. A patch is taken as `git apply` takes it, and stands exactly where it says or at
    the only place that it fits.
    """
    if (document is None) == (patch is None):
        raise click.UsageError("Give a plan, PLAN.json, or a patch: --patch FILE.")
    allowed = {name: flags[name] for name in ("allow_partial", "allow_protected")}
    if any(allowed.values()) and patch is None:
        raise click.UsageError("A plan has its own options; these belong to --patch.")
    staging = taken(Staging, flags)
    staging.check_sense()
    place = find_place(root)
    if interruption_error(place, staging.state_dir) is not None:
        recover_interrupted(place, staging.state_dir)
    run = place.run(staging.state_dir)
    if document is not None:
        from astedit.staging.imported_plan import MAX_SIZE, read, remade

        handover = read(request.document_of(document, MAX_SIZE), place.workspace)
        plan = remade(handover, place.workspace, run)
    else:
        from astedit.producers import patch_text
        from astedit.producers.patch import request_of_patch
        from astedit.staging.preview import preview as planned

        text = request.document_of(patch or "-", patch_text.MAX_SIZE)
        plan = planned(request_of_patch(text, **allowed), place.workspace, run)
    return preview.finish(plan, preview.refusal(plan), place, staging)
