"""`astedit completion`: the script by which a shell completes our commands."""

import click

from astedit.cli import options
from astedit.cli.help_page import HelpPage
from astedit.cli.output import streams

_EPILOG = "Example: astedit completion bash > ~/.local/share/bash-completion/completions/astedit"


@click.command(cls=HelpPage, epilog=_EPILOG)
@options.any_root
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
@click.pass_context
def command(ctx: click.Context, shell: str) -> int:
    """Print the completion script of a shell."""
    from click.shell_completion import get_completion_class

    found = get_completion_class(shell)
    assert found is not None  # the three that click has
    program = ctx.find_root().command
    streams.text(found(program, {}, "astedit", "_ASTEDIT_COMPLETE").source())
    return 0
