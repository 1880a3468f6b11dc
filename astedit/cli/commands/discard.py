"""`astedit discard`: discard what was staged."""

from typing import Any

from astedit.cli import options
from astedit.cli.resolving import resolve_named, resolving


@options.command("discard 7f3k --reason 'not what I meant'")
@resolving
def command(**flags: Any) -> int:
    """Discard staged actions; without ID the newest.

    ID may be the end or the beginning of one, of four or more characters. Several are
    resolved in this order until one is refused. No file is changed.
    """
    return resolve_named("discard", **flags)
