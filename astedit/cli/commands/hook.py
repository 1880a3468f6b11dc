"""`astedit hook`: answers one call of an agent's edit tool, in its client's form."""

import sys
import traceback

import click

from astedit.agents.kit.rows import CLIENTS, MODES, HookMode
from astedit.cli import options
from astedit.cli.output import streams


@options.command("hook claude --mode stage < call.json")
@click.argument("client", type=click.Choice(CLIENTS))
@click.option("--mode", type=click.Choice(MODES), default=MODES[0], show_default=True,
              help="Let edits through, stage them, or also deny what else writes.")  # fmt: skip
@options.root
@options.state
def command(client: str, mode: HookMode, root: str | None, state_dir: str | None) -> int:
    """Check an agent's own edits, before its client makes them.

    `astedit agents install` puts it where the client looks. No answer lets the call through.
    What fails lets it through too, with a line on standard error; in the mode `require` it
    denies it (exit 2).
    """
    from astedit.cli.request import standard_input
    from astedit.hook.answer import EXPECTED, answer
    from astedit.hook.program import MOST, failed

    try:
        said = answer(client, mode, standard_input(MOST), root, state_dir)
    except Exception as error:
        if not isinstance(error, EXPECTED):  # a bug of ours
            traceback.print_exc(file=sys.stderr)
        code, why = failed(mode, str(error) or type(error).__name__)
        streams.note(why.decode("utf-8", "replace").rstrip("\n"))
        return code
    if said.err:
        streams.note(f"astedit hook: {said.err}")
    if said.out:
        streams.data(said.out.encode("ascii") + b"\n")
    return 0
