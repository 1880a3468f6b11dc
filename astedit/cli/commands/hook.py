"""`astedit hook`: answers one call of an agent's edit tool, in its client's form."""

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
    from astedit.hook.answer import answer
    from astedit.hook.program import MOST

    reply = answer(client, mode, standard_input(MOST), root, state_dir)
    if reply.err:
        streams.note(f"astedit hook: {reply.err}")
    if reply.out:
        streams.data(reply.out.encode("ascii") + b"\n")
    return 0
