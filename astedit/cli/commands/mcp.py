"""`astedit mcp`: the server for agents, on standard input and output."""

import gc
import os
import signal
from contextlib import closing
from typing import TYPE_CHECKING

import click

from astedit.cli import options
from astedit.cli.output import streams
from astedit.errors import AstEditError, PreconditionError
from resolve.visible import one_line

if TYPE_CHECKING:
    from astedit.agents.reply import Form
    from astedit.staging.open_workspace import OpenWorkspace


@click.command(epilog="Example: astedit mcp --root ~/src/shop")
@options.root
@click.option(
    "--policy",
    type=click.Choice(("agent", "human")),
    help="Who may apply: the agent, or only what a person has approved.",
)
@click.option(
    "--reply",
    "form",
    type=click.Choice(("text", "structured")),
    default="text",
    help="What a reply holds: a text for the model, or JSON for hosts that want that.",
)
@options.state
def command(root: str | None, policy: str | None, form: "Form", state_dir: str | None) -> None:
    """Serve agents over the Model Context Protocol, until the client hangs up.

    The tools preview, search, list and resolve in one workspace. Needs the extra `mcp`.
    """
    if policy is not None:
        os.environ["ASTEDIT_POLICY"] = policy  # also for what reads the configuration later
    try:
        from astedit.mcp.server import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("mcp", "mcp_types", "anyio"):
            raise
        raise PreconditionError(
            "The MCP server needs a package that is not installed.",
            code="no_mcp",
            hint="Install it with: pip install 'astedit[mcp]'",
        ) from error
    from astedit.agents.calls import Calls
    from astedit.staging.open_workspace import OpenWorkspace

    # Python's own way with Ctrl-C would wait for the thread that reads standard input. What
    # is killed while it writes, the next start ends.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    gc.enable()  # switched off for commands, which end soon
    served = OpenWorkspace(root, state_dir)
    streams.note(f"root: {one_line(served.root)}")
    for warning in served.warnings:
        streams.note(f"warning: {warning}")
    _recover(served)
    with closing(served), closing(Calls(served)) as calls:
        serve(calls, form)


def _recover(served: "OpenWorkspace") -> None:
    """Ends an apply that was killed; what cannot be ended now does not keep us from serving."""
    from resolve import ToolError

    try:
        for recovery in served.recover():
            streams.note(f"{recovery.action.id}: {recovery.text}")
    except (AstEditError, ToolError) as error:
        streams.note(f"warning: {error}")
