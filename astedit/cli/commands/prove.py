"""`astedit prove`: run the tests with a staged plan, while the tree stays as it is."""

import shlex
from typing import Any

import click

from astedit.cli import options, proving
from astedit.cli.place import find_place
from astedit.cli.session import named_or_newest, open_session


@proving.with_command("prove -- pytest -q tests")
@options.action_id
@proving.proof_options
@click.option(
    "--format-with",
    metavar="CMD",
    help="Format the lines that the plan touches: 'ruff format {files}'. What that changes "
    "becomes part of the plan, which is staged anew.",
)
@options.placed
def command(action_id: str | None, format_with: str | None, **settings: Any) -> int:
    """Run a command (behind --) with a staged plan; name the edits that break it.

    Without ID it is the newest that is pending. The command runs in a sandbox: the tree
    stays as it is. Exits with 0 if it passes, with 1 if edits break it, with 3 if it fails
    without the plan already, with 4 out of budget.
    """
    if not (words := click.get_current_context().meta["words"]):
        raise click.UsageError("Name the command behind `--`, as in: astedit prove -- pytest -q")
    place = find_place(settings["root"])
    state = place.state(settings["state_dir"])
    proof = proving.proof_of(words, place, settings)
    with open_session(place, settings["state_dir"]) as session:
        action = named_or_newest(session, action_id)
        if format_with is not None:
            action = proving.format_on(action, session, place, state, format_with)
        plan, proved = proving.prove_on(action, session, place, state, proof, settings)
    return proving.report(plan, proved, shlex.join(words), as_json=settings["as_json"])
