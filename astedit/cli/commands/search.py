"""`astedit search`: find code by its structure."""

import sys
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from astedit.cli import options, preview, request
from astedit.cli.flags import SpelledAsAstGrep, conditions, required, taken
from astedit.cli.output import matches, report, streams
from astedit.cli.place import Place, find_place, tell_interruption
from astedit.cli.request import EngineCall
from astedit.errors import RequestError
from resolve.visible import one_line

if TYPE_CHECKING:
    from astedit.engine.run.search import Hits

_EPILOG = "Example: astedit search -p 'print($$$A)' src"


class Printing(NamedTuple):
    """What is printed of the matches."""

    form: str | None = None
    counts: bool = False
    files_with_matches: bool = False
    before_lines: int | None = None
    after_lines: int | None = None
    around_lines: int | None = None
    limit: int | None = None

    def check_sense(self) -> None:
        """Raises `RequestError` for flags that cannot be said together."""
        lines = {"-A": self.after_lines, "-B": self.before_lines, "-C": self.around_lines}
        chosen = {
            "--json": self.form is not None,
            "--count": self.counts,
            "--files-with-matches": self.files_with_matches,
            **{flag: lines[flag] is not None for flag in lines},
        }
        named = [flag for flag, is_chosen in chosen.items() if is_chosen]
        if len(named) > 1 and named[0] not in lines:
            raise RequestError(f"{named[0]} and {named[1]} cannot be used together.")

    @property
    def has_context(self) -> bool:
        """Whether lines around the matches were asked for."""
        return any(
            count is not None for count in (self.before_lines, self.after_lines, self.around_lines)
        )

    @property
    def context(self) -> tuple[int, int]:
        """How many lines before and after a match; the exact flag goes before -C."""
        both = self.around_lines or 0
        before, after = (
            both if count is None else count for count in (self.before_lines, self.after_lines)
        )
        return before, after


@click.command(cls=SpelledAsAstGrep, epilog=_EPILOG)
@options.one_pattern
@options.pattern
@options.conditions
@options.near
@options.selection
@options.around
@click.option("--count", "counts", is_flag=True, help="Print only how many matches each file has.")
@click.option("--files-with-matches", is_flag=True, help="Print only the names of the files.")
@click.option("--limit", type=options.POSITIVE, metavar="N", help="Stop after N matches.")
@click.option("--json", "form", type=click.Choice(matches.JSON_FORMS),
              metavar="[=pretty|stream|compact]", help="Print ast-grep's JSON.")  # fmt: skip
@options.hints
@options.pager
@options.root
@options.paths
def command(pattern: str | None, paths: tuple[str, ...], **flags: Any) -> int:
    """Find code by its structure.

    In a pipe it prints `path:line:text`; a terminal gets headings and colours. Exit code 1
    says that nothing was found.
    """
    printing = taken(Printing, flags)
    printing.check_sense()
    pattern = required("search", pattern, paths)
    place = find_place(flags["root"], paths)
    tell_interruption(place, None)
    below = place.changed(flags["changed"], flags["timeout"])
    call = request.pattern_call(pattern, request.call_flags(flags), below, conditions(flags))
    hits = _printed(call, place, printing)
    streams.flush()
    streams.notes(report.search_summary(hits))
    return 0 if hits.files else 1


def _printed(call: EngineCall, place: Place, printing: Printing) -> "Hits":
    """Prints what is found in the form that was asked for."""
    names, paint = matches.ShownPaths(place.typed), streams.painter()
    find = partial(preview.searched, call, place, limit=printing.limit)
    heading = streams.terminal(sys.stdout)
    if printing.form:
        from astedit.cli.output.formats import About
        from astedit.cli.output.json import Format

        encoder = Format(names, printing.form)
        hits = find("json", keep=encoder.of)
        encoder.show(hits, About())
    elif printing.counts or printing.files_with_matches:
        hits = find("text", keep=lambda hits, path, found: len(found))
        for path, (count,) in hits.files:
            name = paint(streams.PATH, one_line(names.shown(path, hits.links)))
            streams.painted([f"{name}:{count}" if printing.counts else name])
    elif printing.has_context or heading or streams.coloured():
        from astedit.engine.files.places import Around

        hits = find(Around(*printing.context))
        style = matches.MatchStyle(heading, printing.has_context, paint)
        streams.painted(matches.lines_around(hits, names, style))
    else:
        hits = find("text")
        streams.texts(matches.lines(hits, names))
    return hits
