"""`astedit completion`: the script by which a shell completes our commands."""

from typing import Any

import click
from click.shell_completion import BashComplete, CompletionItem, ZshComplete, add_completion_class

from astedit.cli import options
from astedit.cli.output import streams


class Bash(BashComplete):
    """bash hands over `--off=no` as three words."""

    def get_completion_args(self) -> tuple[list[str], str]:
        args, incomplete = super().get_completion_args()
        return [arg for arg in args if arg != "="], incomplete


class Zsh(ZshComplete):
    """zsh puts the answer in the place of the whole word, the option's name with it."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem[Any]]:
        items = super().get_completions(args, incomplete)
        name, equals, _ = incomplete.partition("=")
        if equals and name.startswith("--"):
            for item in items:
                item.value = f"{name}={item.value}"
        return items


def register() -> None:
    """Makes click answer these shells so."""
    add_completion_class(Bash)
    add_completion_class(Zsh)


@options.command("completion bash > ~/.local/share/bash-completion/completions/astedit")
@options.any_root
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
@click.pass_context
def command(ctx: click.Context, shell: str) -> int:
    """Print the completion script of a shell."""
    from click.shell_completion import get_completion_class

    found = get_completion_class(shell)
    assert found is not None  # the three that click has
    streams.text(found(ctx.find_root().command, {}, "astedit", "_ASTEDIT_COMPLETE").source())
    return 0
