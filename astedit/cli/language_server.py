"""What the commands that ask a language server have in common: which server, and the file."""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from astedit.cli import options
from astedit.cli.output.failure import needing
from astedit.cli.place import Place
from astedit.errors import RequestError
from astedit.programs import ANY

if TYPE_CHECKING:
    from astedit.engine.run_context import Run
    from astedit.model.plan import Plan

_PLACED = re.compile(r"(.+?):(\d+(?::\d+)?(?:-\d+(?::\d+)?)?)")
_MISSING = ("pygls", "lsprotocol", "cattrs", "attrs")

server_option = click.option(
    "--server",
    metavar="CMD",
    help="The server's command, such as 'gopls'. Default: [servers] of your configuration.",
)
comparing = options.together(
    click.option("--also-ask", is_flag=True,
                 help="Ask a language server for the same rename, and list where it differs."),
    server_option,
)  # fmt: skip
"""What a rename of ours takes, to be compared with the one of a language server."""


def comparison(
    flags: Mapping[str, Any], place: Place
) -> "Callable[[Plan, Run], Sequence[str]] | None":
    """With `--also-ask`: what the server for the renamed definition would do otherwise."""
    if not flags["also_ask"]:
        if flags["server"] is not None:
            raise RequestError("--server belongs to --also-ask.", hint="Or use astedit lsp-rename.")
        return None
    require_client()

    def differences(plan: "Plan", run: "Run") -> Sequence[str]:
        from astedit.producers.lsp_question import server_differences

        assert plan.request.operation is not None
        words = server_for(plan.request.operation.arguments["path"], flags["server"], place)
        return server_differences(plan, words, place.workspace, run._replace(commands=ANY))

    return differences


def require_client() -> None:
    """Raises `PreconditionError` (`no_lsp`) where the extra is not installed."""
    with needing("lsp", "A language server", _MISSING):
        import pygls.lsp.client  # noqa: F401


def placed(target: str, place: Place) -> tuple[str, str]:
    """The path and the range of `FILE[:RANGE]`; the range is "" for the whole file."""
    if (match := _PLACED.fullmatch(target)) is not None and not os.path.lexists(target):
        return place.below(match[1]) or match[1], match[2]
    return place.below(target) or target, ""


def server_for(path: str, server: str | None, place: Place) -> str:
    """The server's command: as asked for, else the user's for the language of the file."""
    from astedit.language import for_path

    row = for_path(path)
    known = place.config.servers.get(row.name) if row else None
    command = server or known
    if command is None:
        name = row.name if row else "LANGUAGE"
        raise RequestError(
            f"There is no language server for {path}.",
            code="no_server",
            hint=f"Name one with --server CMD, or in your configuration: [servers] {name} = 'CMD'.",
        )
    return command
