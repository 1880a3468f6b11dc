"""Matches with the lines around them, as people read them in a terminal."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from astedit.cli.output import streams
from astedit.cli.output.matches import ShownPaths
from resolve.visible import one_line, visible

if TYPE_CHECKING:
    from astedit.engine.files.matches import LinesData
    from astedit.engine.run.search import Hits

Columns = list[tuple[int, int]]  # columns in bytes of one line


class MatchStyle(NamedTuple):
    """How matches are shown.

    `heading` puts a file's name above its lines instead of into each; `apart` puts `--`
    between lines that do not follow one another.
    """

    heading: bool
    apart: bool
    paint: streams.Paint


def lines(hits: "Hits", names: ShownPaths, style: MatchStyle) -> Iterator[str]:
    """The lines of all files, what is hidden in them made visible."""
    for at, (path, matches) in enumerate(hits.files):
        name = style.paint(streams.PATH, one_line(names.shown(path, hits.links)))
        if at and (style.heading or style.apart):
            yield "" if style.heading else "--"
        if style.heading:
            yield name
        yield from _of_file("" if style.heading else name, matches, style)


def _of_file(name: str, matches: "Sequence[LinesData]", style: MatchStyle) -> Iterator[str]:
    rows = {row: text for *_, first, block in matches for row, text in enumerate(block, first)}
    hit = _hit(matches, rows)
    last = None
    for row in sorted(rows):
        if style.apart and last is not None and row > last + 1:
            yield "--"
        last = row
        mark = ":" if row in hit else "-"
        number = style.paint(streams.NUMBER, str(row + 1))
        text = _highlighted(rows[row], hit.get(row, ()), style.paint)
        yield f"{name}{mark if name else ''}{number}{mark}{text}"


def _hit(matches: "Sequence[LinesData]", rows: dict[int, bytes]) -> dict[int, Columns]:
    """The columns that matches cover, by row."""
    covered: dict[int, Columns] = {}
    for first, left, last, right, *_ in matches:
        for row in range(first, last + 1):
            low = left if row == first else 0
            high = right if row == last else len(rows.get(row, b""))
            covered.setdefault(row, []).append((low, high))
    return covered


def _highlighted(line: bytes, spans: Iterable[tuple[int, int]], paint: streams.Paint) -> str:
    """The line with what matched in colour; spans in others add nothing."""
    pieces, at = [], 0
    for low, high in sorted(spans):
        if high > at:
            low = max(low, at)
            pieces += [_shown(line[at:low]), paint(streams.HIT, _shown(line[low:high]))]
            at = high
    return "".join([*pieces, _shown(line[at:])])


def _shown(text: bytes) -> str:
    return visible(text.decode("utf-8", "replace"))
