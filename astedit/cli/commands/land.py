"""`astedit land`: commits out of a staged plan, on a branch of their own."""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from astedit.cli import options, proving
from astedit.cli.output import streams
from astedit.cli.place import Place, find_place
from astedit.cli.session import named_or_newest, open_session, recover_in, resolve_action

if TYPE_CHECKING:
    from astedit.sandbox.sandbox import FileState, Sandbox

_BY = ("shape", "rule", "file", "dir", "owner", "op")


@options.command("land --by owner --branch 'fix/{owner}' --reason ready")
@options.action_id
@click.option(
    "--by", type=click.Choice(_BY), help="What makes one commit. Default: all is one commit."
)
@click.option("--message", metavar="TEMPLATE",
              help="With {title}, {group}, {count}, {files}, {reason}, {n} and {id}.")  # fmt: skip
@click.option(
    "--branch",
    metavar="NAME",
    help="The new branch; with a hole such as {owner} one for each group. Default: astedit/ID.",
)
@click.option("--force-with-lease", "moved_from", metavar="COMMIT",
              help="Move the branch, if it is at this commit.")  # fmt: skip
@click.option(
    "--prove", "proving_command", metavar="CMD", help="Only commits with which this passes."
)
@click.option(
    "--run-hooks", is_flag=True, help="Run git's hooks, signing and filters, in a sandbox."
)
@options.only
@options.exclude
@click.option("--proven", is_flag=True, help="Land what passed when it was last proved.")
@options.reviewed
@options.undecided
@click.option("--reason", metavar="TEXT", help="The reason. Default: what the plan does.")
@options.codemods
@options.as_json
@options.root
@options.state  # fmt: skip
def command(action_id: str | None, codemods: dict[str, str], **flags: Any) -> int:
    """Make commits from a staged plan; without ID from the newest.

    Work tree, index and HEAD stay as they are: only commits and a new branch are added.
    Hooks, signing and filters such as LFS run with --run-hooks alone. The action ends as landed.
    """
    from astedit.landing.land import LandingOptions, land_with
    from astedit.staging.proof import proven_part

    part = {name: flags[name] for name in ("only", "exclude", "reviewed", "undecided")}
    if flags["proven"] and (part["only"] or part["exclude"] or part["reviewed"]):
        raise click.UsageError("--proven is what was proved: no part of it.")
    place = find_place(flags["root"])
    state = place.state(flags["state_dir"])
    command = flags["proving_command"]
    landing = LandingOptions(
        flags["by"],
        flags["message"],
        flags["branch"],
        flags["moved_from"],
        partial(_passes, proving.split(command, "--prove"), _sandbox(place, state))
        if command
        else None,
        _sandbox(place, state) if flags["run_hooks"] else None,
    )
    with open_session(place, flags["state_dir"], codemods=codemods) as session:
        if session.records.unsettled:
            recover_in(session)
        action = named_or_newest(session, action_id)
        land_with(session, landing, place.config, state, codemods)
        if flags["proven"]:
            part["exclude"] = proven_part(action, session)
        lists = {name: list(part[name]) for name in ("only", "exclude")}
        extra = {name: chosen for name, chosen in (part | lists).items() if chosen}
        reason = action.title if flags["reason"] is None else flags["reason"]
        result = resolve_action(session, place.config, "apply", reason, action.id, extra or None)
    streams.answer(result.to_json(), [result.text], as_json=flags["as_json"])
    return 0


def _sandbox(place: Place, state: str) -> "Sandbox":
    from astedit.sandbox.sandbox import choose

    sandbox = proving.sandbox_of(place, state, {})
    choose(sandbox, None, ())
    streams.warn(sandbox.warnings)
    return sandbox


def _passes(words: list[str], sandbox: "Sandbox", contents: "Mapping[str, FileState]") -> bool:
    from astedit.errors import PreconditionError
    from astedit.text import number

    run = sandbox.run(words, contents)
    if run.start_error:
        message = f"{words[0]} cannot be started: {run.start_error}."
        raise PreconditionError(message, code="no_command")
    how = "passed" if run.status == 0 else "failed"
    what = f"with edits in {number(len(contents), 'file')}" if contents else "without the plan"
    streams.note(f"{what}: {how} in {run.seconds:.1f} s")
    return run.status == 0
