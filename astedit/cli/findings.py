"""Findings of rules for people and programs: text, and what other tools read."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from astedit.cli import matches, report, streams
from resolve.visible import visible

if TYPE_CHECKING:
    from astedit.cli.github import Shown
    from astedit.engine.search import Hits
    from astedit.rule import Document

SEVERITIES = ("error", "warning", "info", "hint")
Paint = Callable[[str, str], str]

_COLOURS = {"error": "31", "warning": "33", "info": "34", "hint": "36"}


def show(
    hits: "Hits",
    style: str,
    given: Sequence[tuple[str, str]],
    rules: "Sequence[Document]",
    shown: "Shown | None" = None,
) -> None:
    """Writes the findings to stdout.

    `given` pairs each PATH as typed with its place: ast-grep's JSON and the text have the
    names so; SARIF and GitHub take those relative to the root. A review is of the lines
    that are `shown`.
    """
    names = matches.Names(given, hits.links)
    if style == "text":
        streams.data("\n".join([*_lines(hits, names), ""]).encode())
    elif style in ("json", "pretty", "stream", "compact"):
        streams.data(matches.as_json(hits, names, "pretty" if style == "json" else style))
    elif style == "sarif":
        from astedit.cli.sarif import as_sarif

        streams.document(as_sarif(_all(hits), rules))
    elif style == "github":
        from astedit.cli.github import lines

        streams.texts(lines(_all(hits)))
    else:
        from astedit.cli.github import review

        streams.document(review(_all(hits), shown))


def exit_code(hits: "Hits") -> int:
    """1 if a rule of severity error found something."""
    return 1 if any(one["severity"] == "error" for _, each in hits.files for one in each) else 0


def summary(hits: "Hits") -> Iterator[str]:
    """How many findings of which severity."""
    counts = Counter(one["severity"] for _, found in hits.files for one in found)
    searched = report.number(hits.files_searched, "file")
    if not counts:
        yield f"No findings ({searched} searched)."
        return
    total = report.number(counts.total(), "finding")
    kinds = ", ".join(report.number(counts[one], one) for one in SEVERITIES if counts[one])
    yield f"{total} in {report.number(len(hits.files), 'file')} ({kinds}; {searched} searched)."
    if hits.limit_reached:
        yield "There is more: --limit was reached."


def _all(hits: "Hits") -> list[dict[str, Any]]:
    return [one | {"file": path} for path, found in hits.files for one in found]


def _lines(hits: "Hits", names: matches.Names) -> list[str]:
    paint = streams.paint if streams.coloured() else _plain
    told = cache(streams.name)  # the same few messages, thousands of times
    lines: list[str] = []
    for path, found in hits.files:
        name = streams.name(names.shown(path))
        for one in found:
            start = one["range"]["start"]
            kind = paint(_COLOURS[one["severity"]], f"{one['severity']}[{one['ruleId']}]")
            message = told(one["message"] or one["ruleId"])
            lines.append(f"{name}:{start['line'] + 1}:{start['column'] + 1}: {kind}: {message}")
            lines += _body(one, name, paint)
    return lines


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
