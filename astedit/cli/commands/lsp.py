"""`astedit lsp`: serve an editor over the Language Server Protocol."""

import gc
import io
import sys
from contextlib import closing

import click

from astedit.cli import options
from astedit.cli.output.failure import needing


@options.command("lsp")
@click.option("--stdio", is_flag=True, help="Speak on standard input and output: the default.")
@options.state
def command(stdio: bool, state_dir: str | None) -> int:
    """Serve an editor: rules on unsaved text, fixes and plans.

    Speaks the Language Server Protocol on standard input and output until the client hangs
    up. Nothing is written: what is staged waits for `resolve`. Needs the extra `lsp`.
    """
    with needing("lsp", "The editor's server", ("pygls", "lsprotocol")):
        from astedit.lsp.server import RuleServer
    gc.enable()  # switched off for commands, which end soon
    out = io.FileIO(sys.stdout.fileno(), "wb", closefd=False)  # the server closes what it is given
    with closing(RuleServer(state_dir)) as server:
        server.start_io(sys.stdin.buffer, io.BufferedWriter(out))
    return server.code
