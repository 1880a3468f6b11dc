"""`astedit search`: find code by its structure."""

from typing import TYPE_CHECKING, Any

import click

from astedit.cli import interrupted_apply, options, place, request
from astedit.cli.output import formats, matches, report, streams
from astedit.cli.output.json import Json

if TYPE_CHECKING:
    from astedit.engine.search import Hits, Told


@click.command(cls=options.OptionalValue, epilog="Example: astedit search -p 'print($$$A)' src")
@options.one_pattern
@options.pattern
@options.selection
@click.option("--limit", type=options.POSITIVE, metavar="N", help="Stop after N matches.")
@click.option(
    "--json",
    "form",
    type=click.Choice(formats.JSON_FORMS),
    metavar="[=pretty|stream|compact]",
    help="Print ast-grep's JSON.",
)
@options.root
@options.paths
def command(pattern: str, paths: tuple[str, ...], **flags: Any) -> int:
    """Find code by its structure.

    Prints `path:line:text`. Exit code 1 says that nothing was found.
    """
    found = place.find(flags["root"], paths)
    interrupted_apply.tell(found, None)
    call = request.pattern_call(pattern, flags, found.changed(flags["changed"]))
    names = matches.Names(found.given)
    if flags["form"]:
        encoder = Json(names, flags["form"])
        hits = found_by(call, found, "json", flags["limit"], encoder.of)
        streams.data(encoder.whole([part for _, (part,) in hits.files]))
    else:
        hits = found_by(call, found, "text", flags["limit"])
        streams.texts(matches.lines(hits, names))
    streams.flush()
    for line in report.search_summary(hits):
        streams.note(line)
    return 0 if hits.files else 1


def found_by(
    call: request.Call,
    found: place.Place,
    mode: str,
    limit: int | None = None,
    told: "Told | None" = None,
    state: str | None = None,
) -> "Hits":
    """What a request finds; `mode` says what is told of each match, `told` what is made of it."""
    from astedit.cli.output.progress_bar import Bar
    from astedit.staging.preview import search

    with Bar() as bar:
        run = call.run(found, state, bar)
        hits = search(call.request, found.workspace, run, mode, limit=limit, told=told)
    if not call.request.paths:
        hits.hints = [report.UNCHANGED]
    return hits
