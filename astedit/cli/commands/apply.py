"""`astedit apply`: apply what was staged."""

from typing import Any

from astedit.cli import options
from astedit.cli.resolving import resolve_named, resolving


@options.command("apply 7f3k")
@resolving
def command(**flags: Any) -> int:
    """Apply staged actions; without ID the newest.

    ID may be the end or the beginning of one, of four or more characters. Several are
    resolved in this order until one is refused. Nothing is written unless the result is
    exactly what was previewed.
    """
    return resolve_named("apply", **flags)
