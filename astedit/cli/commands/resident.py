"""`astedit resident`: the process that answers the hook and command lines while it is there."""

import contextlib
import json
import os
import signal
import time
from collections.abc import Iterator
from typing import Any

import click

from astedit.cli import options
from astedit.cli.output import streams
from astedit.errors import PreconditionError
from astedit.resident import client

_PATIENCE = 10.0  # seconds for one to start


@options.command("resident status")
@click.argument("verb", type=click.Choice(("start", "status", "stop")),
                metavar="[start|status|stop]")  # fmt: skip
@options.as_json
def command(verb: str, as_json: bool) -> int:
    """Start, show or stop the process that answers commands.

    It answers those of this user, and the hook. The hook starts one by itself. `edit`,
    `search`, `scan`, `pending`, `show` and what plans from a name use it while it is there, and
    say what they would say without it. It ends after a quarter of an hour in which nobody has
    asked. ASTEDIT_RESIDENT=0 and --no-resident do without.
    """
    rows = list(_residents())
    if verb == "start" and not rows:
        client.start()
        end = time.monotonic() + _PATIENCE
        while not (rows := list(_residents())):
            if time.monotonic() > end:
                raise PreconditionError(
                    "No resident has started.",
                    code="no_resident",
                    hint=f"Is {client.directory()} a directory of yours alone (mode 700)?",
                )
            time.sleep(0.02)
    if verb == "stop":
        for row in rows:
            os.kill(row["pid"], signal.SIGTERM)
    ended = "stopped" if verb == "stop" else "{answered:,} answered"
    lines = [f"{row['pid']}  {row['memory'] >> 20} MB  {ended.format(**row)}" for row in rows]
    nothing = "There is no resident."
    streams.answer({"residents": rows}, lines, as_json=as_json, nothing=nothing)
    return 0 if rows else 1


def _residents() -> Iterator[dict[str, Any]]:
    """What every resident of this user says of itself; of one that hangs nothing comes."""
    place = client.directory()
    with contextlib.suppress(OSError):
        for name in sorted(name for name in os.listdir(place) if not name.startswith(".")):
            if (door := client.connect(place, name)) is None:
                continue
            with contextlib.suppress(OSError, ValueError, LookupError, TypeError):
                row = json.loads(door.recv(client.HEARD)[1:])
                if client.is_own(door, row["pid"]):
                    yield row
            door.close()
