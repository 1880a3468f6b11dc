"""Findings of rules for people and programs: text, and what other tools read."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from astedit.cli.output import matches, report, streams
from resolve.visible import visible

if TYPE_CHECKING:
    from astedit.cli.output.github import Shown
    from astedit.engine.search import Hits
    from astedit.rule import Document

SEVERITIES = ("error", "warning", "info", "hint")
Paint = Callable[[str, str], str]

_COLOURS = {"error": "31", "warning": "33", "info": "34", "hint": "36"}


class Printer:
    """Makes of each file's findings what is printed of them, as soon as they are known.

    `given` pairs each PATH as typed with its place: ast-grep's JSON and the text have the
    names so; SARIF and GitHub take those relative to the root. `counts` are those of each
    severity so far.
    """

    def __init__(self, style: str, given: Sequence[tuple[str, str]]) -> None:
        self.counts = Counter[str]()
        self._style = style
        self._names = matches.Names(given)
        is_json = style in ("json", "pretty", "stream", "compact")
        form = "pretty" if style == "json" else style
        self._json = matches.Json(given, form) if is_json else None
        self._paint = streams.paint if streams.coloured() else _plain
        self._message = cache(streams.name)  # the same few, thousands of times

    def of(self, hits: "Hits", path: str, found: Sequence[dict[str, Any]]) -> Any:
        """The bytes of one file's; the findings themselves where they go into one document."""
        self.counts.update([one["severity"] for one in found])
        if self._json is not None:
            return self._json.of(hits, path, found)
        if self._style != "text":
            return found
        name = self._names.shown(path, hits.links)
        return "\n".join([*self._lines(name, found), ""]).encode()

    def show(self, hits: "Hits", rules: "Sequence[Document]", shown: "Shown | None" = None) -> None:
        """Writes what was made to stdout. A review is of the lines that are `shown`."""
        parts = [part for _, (part,) in hits.files]
        if self._json is not None:
            streams.data(self._json.whole(parts))
        elif self._style == "text":
            streams.data(b"".join(parts))
        elif self._style == "sarif":
            from astedit.cli.output.sarif import as_sarif

            streams.document(as_sarif(_all(hits), rules))
        elif self._style == "github":
            from astedit.cli.output.github import lines

            streams.texts(lines(_all(hits)))
        else:
            from astedit.cli.output.github import review

            streams.document(review(_all(hits), shown))

    def exit_code(self) -> int:
        """1 if a rule of severity error found something."""
        return 1 if self.counts["error"] else 0

    def summary(self, hits: "Hits") -> Iterator[str]:
        """How many findings of which severity."""
        counts = self.counts
        searched = report.number(hits.files_searched, "file")
        if not counts:
            yield f"No findings ({searched} searched)."
            return
        total = report.number(counts.total(), "finding")
        kinds = ", ".join(report.number(counts[one], one) for one in SEVERITIES if counts[one])
        yield f"{total} in {report.number(len(hits.files), 'file')} ({kinds}; {searched} searched)."
        if hits.limit_reached:
            yield "There is more: --limit was reached."

    def _lines(self, path: str, found: Sequence[dict[str, Any]]) -> Iterator[str]:
        name = streams.name(path)
        for one in found:
            start = one["range"]["start"]
            severity = one["severity"]
            kind = self._paint(_COLOURS[severity], f"{severity}[{one['ruleId']}]")
            message = self._message(one["message"] or one["ruleId"])
            yield f"{name}:{start['line'] + 1}:{start['column'] + 1}: {kind}: {message}"
            yield from _body(one, name, self._paint)


def _all(hits: "Hits") -> list[dict[str, Any]]:
    return [one | {"file": path} for path, (found,) in hits.files for one in found]


def _body(one: dict[str, Any], name: str, paint: Paint) -> list[str]:
    """The lines of a finding, and what else there is to say about it."""
    before = _shown(one["lines"])
    if "replacement" in one:
        after = _fixed(one)
        body = [paint("31", f"  - {line}") for line in before]
        body += [paint("32", f"  + {line}") for line in (_shown(after) if after else ())]
    else:
        body = [f"  | {line}" for line in before]
    body += [_label(label, name) for label in one["labels"] if label.get("message")]
    if "blocked" in one:
        body.append(f"  the fix is blocked: {one['blocked']['reason']}")
    if one["note"]:
        body += [f"  note: {line}" for line in _shown(one["note"].strip())]
    return body


def _label(label: dict[str, Any], name: str) -> str:
    """What a rule says about a part of a finding, and where that is."""
    start = label["range"]["start"]
    place = f"{name}:{start['line'] + 1}:{start['column'] + 1}"
    return f"  {place}: {streams.name(label['message'])}"


def _fixed(one: dict[str, Any]) -> str:
    """The lines of a finding with its fix; what the fix does beyond them is not shown."""
    lines = one["lines"].encode()
    leading = len(one["lines"][: one["charCount"]["leading"]].encode())
    line_start = one["range"]["byteOffset"]["start"] - leading
    span = one["replacementOffsets"]
    low, high = max(span["start"] - line_start, 0), span["end"] - line_start
    text: bytes = lines[:low] + one["replacement"].encode() + lines[high:]
    return text.decode("utf-8", "replace")


def _plain(code: str, text: str) -> str:
    return text


def _shown(text: str) -> list[str]:
    """The lines of a text as a terminal may show them."""
    return visible(text.replace("\r\n", "\n").removesuffix("\r")).split("\n")
