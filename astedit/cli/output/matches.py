"""Matches as ast-grep prints them, and the names of their files: `path:line:text`."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from astedit.cli.output import streams
from resolve.visible import one_line, visible

if TYPE_CHECKING:
    from astedit.engine.files.matches import LinesData
    from astedit.engine.run.search import Hits

JSON_FORMS = ("pretty", "stream", "compact")


class ShownPaths:
    """File names as ast-grep prints them: the PATH as typed, joined with what lies below it.

    `typed` pairs each PATH as typed with where it lies below the root.
    """

    def __init__(self, typed: Sequence[tuple[str, str]]) -> None:
        self._typed = typed

    def shown(self, path: str, links: Mapping[str, str]) -> str:
        """The name of a file that is relative to the root.

        `links` maps where a PATH that is a link really leads to its own place.
        """
        real = {name: place for place, name in links.items()}
        for typed, below in self._typed:
            base = real.get(below, below)
            if path == base:
                return _bare(typed)
            if base == "." or path.startswith(base + "/"):
                rest = path if base == "." else path[len(base) + 1 :]
                return _bare(f"{typed}{'' if typed.endswith('/') else '/'}{rest}")
        return path


def lines(hits: "Hits", names: ShownPaths) -> Iterator[str]:
    """`path:line:text` for each source line that a match touches."""
    for path, found in hits.files:
        name = one_line(names.shown(path, hits.links))
        for match in found:
            for number, text in match:
                yield f"{name}:{number}:{text.decode('utf-8', 'replace')}"


def _bare(name: str) -> str:
    while name.startswith("./"):
        name = name[2:].lstrip("/")
    return name


Columns = list[tuple[int, int]]  # columns in bytes of one line


class MatchStyle(NamedTuple):
    """How matches are shown.

    `heading` puts a file's name above its lines instead of into each; `apart` puts `--`
    between lines that do not follow one another.
    """

    heading: bool
    apart: bool
    paint: streams.Paint


def lines_around(hits: "Hits", names: ShownPaths, style: MatchStyle) -> Iterator[str]:
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
