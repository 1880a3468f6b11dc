"""Findings as annotations of a GitHub workflow: lines that the runner reads from the log."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from astedit.cli.output import streams
from astedit.cli.output.formats import About, FindingJson, Whole, region

if TYPE_CHECKING:
    from astedit.engine.run.search import Hits

_LEVELS = {"error": "error", "warning": "warning", "info": "notice", "hint": "notice"}


class Format(Whole):
    """A line for each finding."""

    def show(self, hits: "Hits", about: About) -> None:
        """Writes the lines to stdout."""
        streams.texts(lines(self.findings(hits)))


def lines(findings: Iterable[FindingJson]) -> Iterator[str]:
    """One workflow command a finding; nothing in it can begin another command."""
    for finding in findings:
        if finding["severity"] not in _LEVELS:
            continue
        where = region(finding["range"])
        fields = [("file", finding["file"]), ("line", where.line), ("endLine", where.end_line)]
        if where.line == where.end_line:  # GitHub takes columns of a single line only
            last = max(where.end_column - 1, where.column)
            fields += [("col", where.column), ("endColumn", last)]
        fields.append(("title", finding["ruleId"]))
        shown = ",".join(f"{name}={_property(str(value))}" for name, value in fields)
        message = _data(finding["message"] or finding["ruleId"])
        yield f"::{_LEVELS[finding['severity']]} {shown}::{message}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
