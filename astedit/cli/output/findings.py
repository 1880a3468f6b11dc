"""Findings of rules for people and programs: printed in a format, and counted."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from astedit.cli.output.formats import About, Mode, format_of
from astedit.cli.output.matches import ShownPaths
from astedit.text.count_phrases import number

if TYPE_CHECKING:
    from astedit.engine.run.search import Hits

SEVERITIES = ("error", "warning", "info", "hint")


class Printer:
    """Makes of each file's findings what is printed of them, as soon as they are known.

    `typed` pairs each PATH as typed with its place: ast-grep's JSON and the text have the
    names so; SARIF and GitHub take those relative to the root. `counts` are those of each
    severity so far.
    """

    def __init__(self, style: str, typed: Sequence[tuple[str, str]]) -> None:
        self.counts = Counter[str]()
        self._format = format_of(style, ShownPaths(typed))

    @property
    def mode(self) -> Mode:
        """How much the search tells of each finding."""
        return self._format.mode

    def of(self, hits: "Hits", path: str, findings: Sequence[dict[str, Any]]) -> Any:
        """What the format keeps of one file's findings."""
        self.counts.update([finding["severity"] for finding in findings])
        return self._format.of(hits, path, findings)

    def show(self, hits: "Hits", about: About) -> None:
        """Writes what was kept to stdout."""
        self._format.show(hits, about)

    def exit_code(self) -> int:
        """1 if a rule of severity error found something."""
        return 1 if self.counts["error"] else 0

    def summary(self, hits: "Hits") -> Iterator[str]:
        """How many findings of which severity."""
        counts = self.counts
        searched = number(hits.files_searched, "file")
        if not counts:
            yield f"No findings ({searched} searched)."
            return
        total = number(counts.total(), "finding")
        kinds = ", ".join(number(counts[one], one) for one in SEVERITIES if counts[one])
        yield f"{total} in {number(len(hits.files), 'file')} ({kinds}; {searched} searched)."
        if hits.limit_reached:
            yield "There is more: --limit was reached."
