"""`astedit edit`: preview a structural edit, print its diff, stage it."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import click

from astedit.cli import options, preview, request
from astedit.cli.flags import (
    Buffer,
    Ordered,
    Staging,
    divided,
    missing_pattern,
    taken,
    written_flags,
)
from astedit.cli.place import find_place
from astedit.cli.request import EngineCall
from astedit.errors import RequestError

_EPILOG = "Example: astedit edit -p 'print($$$A)' -r 'logger.info($$$A)' src"


@click.command(cls=Ordered, epilog=_EPILOG)
@click.option("-p", "--pattern", "patterns", multiple=True, metavar="PAT",
              help="What to match; @FILE reads it from there.")  # fmt: skip
@click.option("-r", "--rewrite", "rewrites", multiple=True, metavar="OUT",
              help="What to put in its place; @FILE reads it from there.")  # fmt: skip
@click.option("--ops", metavar="FILE|-", shell_complete=options.completing("files"),
              help="The request as JSON; flags override it.")  # fmt: skip
@options.patterns
@options.conditions
@options.near
@options.planning
@click.option("--stdin", is_flag=True, help="Rewrite standard input to standard output.")
@click.option("--stdin-filename", metavar="NAME", help="The name that decides its language.")
@options.answering
@options.paths
@click.pass_context
def command(ctx: click.Context, /, paths: tuple[str, ...], **flags: Any) -> int:
    """Preview a structural edit and stage it; nothing is written.

    The diff goes to standard output, everything else to standard error. Every -p is rewritten
    by the -r after it; `-r ''` deletes what matched. --where, --lang and the like are about the
    -p before them.
    """
    if not (flags["patterns"] or flags["rewrites"] or flags["ops"]):
        raise missing_pattern("edit", paths)
    parts = divided(ctx, flags)
    for_all = dict.fromkeys(("lang", "selector", "context")) | parts.everywhere
    flags |= for_all
    staging, buffer = taken(Staging, flags), taken(Buffer, flags | {"lang": parts.lang})
    staging.check_sense()
    written = written_flags(ctx, flags)
    wanted = request.call_flags(flags, None if buffer.ops is None else written)
    ops = _Ops(flags["patterns"], flags["rewrites"], parts.each, buffer.ops)
    if buffer.stdin or buffer.stdin_filename:
        from astedit.cli import stdin

        call = _call(ops, wanted, ["."] if paths else None, ["."])
        return stdin.rewrite(call, written, paths, buffer, staging)
    place = find_place(flags["root"], paths)
    interrupted = preview.interruption(place, staging)
    below = place.changed(flags["changed"], flags["timeout"])
    call = _call(ops, wanted, below if paths or flags["changed"] else None, below)
    return preview.edited(call, place, staging, interrupted)


class _Ops(NamedTuple):
    """Where the rewrites are: in patterns with their rewrites, or in a document.

    `each` holds what else is said of each pattern, by key of an op.
    """

    patterns: Sequence[str]
    rewrites: Sequence[str]
    each: Sequence[Mapping[str, Any]]
    document: str | None


def _call(
    ops: _Ops, wanted: request.CallFlags, chosen: list[str] | None, below: list[str]
) -> EngineCall:
    """The call; `chosen` are paths that win over those of a document."""
    if ops.document is None:
        return request.from_flags(ops.patterns, ops.rewrites, wanted, below, ops.each)
    if ops.patterns or ops.rewrites:
        raise RequestError("Both -p/-r and --ops.", hint="Put the patterns into the JSON.")
    return request.from_json(request.document_of(ops.document), wanted, chosen)
