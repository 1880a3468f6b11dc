"""`astedit resolve`: apply or discard what was staged."""

from typing import Any

import click

from astedit.cli import options
from astedit.cli.resolving import resolve_named, resolving


@options.command("resolve apply --reason 'reviewed the diff'")
@click.argument("verb", type=click.Choice(("apply", "discard")), metavar="apply|discard")
@resolving
def command(verb: str, **flags: Any) -> int:
    """Apply or discard a staged action; without ID the newest.

    ID may be the end or the beginning of one, of four or more characters. Nothing is
    written unless the result is exactly what was previewed.
    """
    return resolve_named(verb, **flags)
