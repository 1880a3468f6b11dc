"""`astedit mcp`: the server for agents, on standard input and output."""

import gc
import os
import signal
from contextlib import closing
from typing import TYPE_CHECKING, Any

import click

from astedit.cli import options
from astedit.cli.output import streams
from astedit.cli.output.failure import needing
from astedit.errors import AstEditError
from resolve.visible import one_line

if TYPE_CHECKING:
    from astedit.agents.calls import Calls
    from astedit.agents.reply import Form
    from astedit.staging.open_workspace import OpenWorkspace


@options.command("mcp --root ~/src/shop")
@options.root
@click.option("--policy", type=click.Choice(("agent", "human")),
              help="Who may apply: the agent, or only what a person has approved.")  # fmt: skip
@click.option(
    "--reply",
    "form",
    type=click.Choice(("text", "structured")),
    default="text",
    help="What a reply holds: text for the model, or JSON for hosts that want it.",
)
@click.option(
    "--http",
    "address",
    metavar="HOST:PORT",
    help="Serve over streamable HTTP; port 0 is any free one. Clients need the token.",
)
@click.option(
    "--allow-remote", is_flag=True, help="Listen on an address that other machines reach."
)
@click.option(
    "--allow-commands",
    "commands",
    multiple=True,
    metavar="PATTERN",
    help="Add the tools `prove` and `capture`, for commands such as 'pytest*'; may be repeated.",
)
@options.state
def command(address: str | None, commands: tuple[str, ...], form: "Form", **flags: Any) -> None:
    """Serve agents over the Model Context Protocol, until the client hangs up.

    The tools preview, search, list and resolve in one workspace. Needs the extra `mcp`.
    Over HTTP the token is that of ASTEDIT_MCP_TOKEN, or of a file that only you can read.
    """
    policy, allow_remote = flags["policy"], flags["allow_remote"]
    if allow_remote and address is None:
        raise click.UsageError("--allow-remote belongs to --http.")
    if policy is not None:
        os.environ["ASTEDIT_POLICY"] = policy  # also for what reads the configuration later
    with needing("mcp", "The MCP server", ("mcp", "mcp_types", "anyio")):
        from astedit.mcp.server import serve
    from astedit.agents.calls import Calls
    from astedit.staging.open_workspace import OpenWorkspace

    # Python's own way with Ctrl-C would wait for the thread that reads standard input. What
    # is killed while it writes, the next start ends.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    gc.enable()  # switched off for commands, which end soon
    served = OpenWorkspace(flags["root"], flags["state_dir"])
    served.commands = commands
    streams.note(f"root: {one_line(served.root)}")
    streams.warn(served.warnings)
    _recover(served)
    with closing(served), closing(Calls(served, commands=commands)) as calls:
        if address is None:
            serve(calls, form)
        else:
            _serve_http(calls, served, address, form, allow_remote=allow_remote)


def _serve_http(
    calls: "Calls", served: "OpenWorkspace", address: str, form: "Form", *, allow_remote: bool
) -> None:
    """Says where clients find the server and its token, and serves."""
    from astedit.loopback import authority, listen
    from astedit.mcp import http
    from astedit.mcp.http import token

    word, origin = token(served.state_dir)
    with closing(listen(address, allow_remote=allow_remote)) as listening:
        streams.note(f"url: http://{authority(listening)}{http.PATH}")
        streams.note(f"token: in {one_line(origin)}")
        http.serve(calls, listening, word, form)


def _recover(served: "OpenWorkspace") -> None:
    """Ends an apply that was killed; what cannot be ended now does not keep us from serving."""
    from resolve import ToolError

    try:
        streams.notes(f"{ended.action.id}: {ended.text}" for ended in served.recover())
    except (AstEditError, ToolError) as error:
        streams.note(f"warning: {error}")
