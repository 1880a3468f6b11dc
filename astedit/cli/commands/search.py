"""`astedit search`: find code by its structure."""

from typing import Any

import click

from astedit.cli import interrupted_apply, options, per_pattern, preview, request
from astedit.cli.output import formats, matches, report, streams
from astedit.cli.place import find_place


@click.command(cls=options.SpelledAsAstGrep, epilog="Example: astedit search -p 'print($$$A)' src")
@options.one_pattern
@options.pattern
@options.conditions
@options.near
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
    place = find_place(flags["root"], paths)
    interrupted_apply.tell(place, None)
    conditions, below = per_pattern.conditions(flags), place.changed(flags["changed"])
    call = request.pattern_call(pattern, request.call_flags(flags), below, conditions)
    names = matches.ShownPaths(place.typed)
    if flags["form"]:
        from astedit.cli.output.json import Json

        encoder = Json(names, flags["form"])
        hits = preview.searched(call, place, "json", flags["limit"], encoder.of)
        streams.data(encoder.whole([part for _, (part,) in hits.files]))
    else:
        hits = preview.searched(call, place, "text", flags["limit"])
        streams.texts(matches.lines(hits, names))
    streams.flush()
    for line in report.search_summary(hits):
        streams.note(line)
    return 0 if hits.files else 1
