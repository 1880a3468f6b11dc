"""Findings as people read them in a terminal."""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from astedit.cli.output import formats, streams
from astedit.cli.output.formats import About, Mode, parts
from astedit.cli.output.matches import ShownPaths
from resolve.visible import one_line, visible

if TYPE_CHECKING:
    from astedit.cli.output.formats import FindingJson
    from astedit.engine.run.search import Hits

_COLOURS = {"error": "31", "warning": "33", "info": "34", "hint": "36"}


class Format(formats.Format):
    """The findings as text, each file's made as soon as they are known."""

    mode: Mode = "brief"

    def __init__(self, names: ShownPaths, style: str) -> None:
        super().__init__(names, style)
        self._paint = streams.painter()
        self._message = cache(one_line)  # the same few, thousands of times

    def of(self, hits: "Hits", path: str, findings: "Sequence[FindingJson]") -> bytes:
        """The text of one file's findings."""
        return "\n".join([*self._lines(self.names.shown(path, hits.links), findings), ""]).encode()

    def show(self, hits: "Hits", about: About) -> None:
        """Writes the texts of all files to stdout."""
        streams.data(b"".join(parts(hits)))

    def _lines(self, path: str, findings: Sequence[dict[str, Any]]) -> Iterator[str]:
        name = one_line(path)
        for finding in findings:
            start = finding["range"]["start"]
            severity = finding["severity"]
            kind = self._paint(_COLOURS[severity], f"{severity}[{one_line(finding['ruleId'])}]")
            message = self._message(finding["message"] or finding["ruleId"])
            place = self._paint("1", f"{name}:{start['line'] + 1}:{start['column'] + 1}")
            yield f"{place}: {kind}: {message}"
            yield from _body(finding, name, self._paint)


def _body(finding: dict[str, Any], name: str, paint: streams.Paint) -> list[str]:
    """The lines of a finding, and what else there is to say about it."""
    before = _shown(finding["lines"])
    fixed = _fixed(finding) if "replacement" in finding else None
    if fixed is not None and fixed != finding["lines"]:
        body = [paint("31", f"  - {line}") for line in before]
        body += [paint("32", f"  + {line}") for line in (_shown(fixed) if fixed else ())]
    else:
        body = [f"  | {line}" for line in before]
    body += [_label(label, name) for label in finding["labels"] if label.get("message")]
    for comment in finding.get("droppedComments", ()):
        body.append(f"  the fix drops a comment: {one_line(comment['text'])}")
    if "blocked" in finding:
        body.append(f"  the fix is blocked: {finding['blocked']['reason']}")
    if finding["note"]:
        body += [f"  note: {line}" for line in _shown(finding["note"].strip())]
    return body


def _label(label: dict[str, Any], name: str) -> str:
    """What a rule says about a part of a finding, and where that is."""
    start = label["range"]["start"]
    place = f"{name}:{start['line'] + 1}:{start['column'] + 1}"
    return f"  {place}: {one_line(label['message'])}"


def _fixed(finding: dict[str, Any]) -> str:
    """The lines of a finding with its fix; what the fix does beyond them is not shown."""
    lines = finding["lines"].encode()
    leading = len(finding["lines"][: finding["charCount"]["leading"]].encode())
    line_start = finding["range"]["byteOffset"]["start"] - leading
    span = finding["replacementOffsets"]
    low, high = max(span["start"] - line_start, 0), span["end"] - line_start
    text: bytes = lines[:low] + finding["replacement"].encode() + lines[high:]
    return text.decode("utf-8", "replace")


def _shown(text: str) -> list[str]:
    """The lines of a text as a terminal may show them."""
    return visible(text.replace("\r\n", "\n").removesuffix("\r")).split("\n")
