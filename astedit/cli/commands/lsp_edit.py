"""`astedit lsp-edit`: what a language server renames, offers or changes."""

from importlib import import_module

import click

from astedit.cli.options import CommandGroup

_LINES = {
    "rename": "Rename what a language server knows, and stage that.",
    "actions": "List the code actions of a language server.",
    "apply": "Stage what a code action changes.",
}


class LspEdit(CommandGroup):
    """Imports the module of a sub-command on demand."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_LINES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _LINES:
            return None
        command: click.Command = import_module(f"astedit.cli.commands.lsp_{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_LINES.items()))


@click.group(cls=LspEdit, epilog="Example: astedit lsp-edit rename src/cart.go:12:6 Basket")
def command() -> None:
    """Rename, or apply a code action, by a language server.

    Each takes --root DIR and --server CMD, and stages what the server answers.
    """
