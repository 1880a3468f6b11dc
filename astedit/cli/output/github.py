"""Findings for GitHub: annotations of a workflow, and comments with suggestions.

An annotation is a line that the runner reads from the log; a comment is for the body of a
pull request review.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from astedit.cli.output.region import Finding, region, replacement

_LEVELS = {"error": "error", "warning": "warning", "info": "notice", "hint": "notice"}
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|~!])")
_TICKS = re.compile("`+")


def lines(findings: Iterable[Finding]) -> Iterator[str]:
    """One workflow command a finding; nothing in it can begin another command."""
    for finding in findings:
        if finding["severity"] not in _LEVELS:
            continue
        where = region(finding["range"])
        fields = [("file", finding["file"]), ("line", where.line), ("endLine", where.end_line)]
        if where.line == where.end_line:  # GitHub takes columns of a single line only
            fields += [
                ("col", where.column),
                ("endColumn", max(where.end_column - 1, where.column)),
            ]
        fields.append(("title", finding["ruleId"]))
        shown = ",".join(f"{name}={_property(str(value))}" for name, value in fields)
        message = _data(finding["message"] or finding["ruleId"])
        yield f"::{_LEVELS[finding['severity']]} {shown}::{message}"


Shown = Mapping[str, Sequence[range]]


def review(findings: Iterable[Finding], shown: Shown | None = None) -> dict[str, Any]:
    """The body of a pull request review (`POST /repos/…/pulls/N/reviews`).

    A finding with a fix becomes a comment on the lines it replaces, with a suggestion that
    a click commits. Where two want the same lines the first has the suggestion. Of the
    lines that are not `shown`, by file, there is no comment: GitHub would refuse them all.
    """
    taken: set[tuple[str, int]] = set()
    comments = [_comment(one, taken) for one in findings]
    listed = [one for one in comments if shown is None or _is_shown(one, shown)]
    said = f"astedit: {_findings(len(comments))}"
    if hidden := len(comments) - len(listed):
        said += f", {hidden:,} of them in lines that this pull request does not show"
    return {"event": "COMMENT", "body": f"{said}.", "comments": listed}


def _findings(count: int) -> str:
    return "1 finding" if count == 1 else f"{count:,} findings"


def _is_shown(comment: Mapping[str, Any], shown: Shown) -> bool:
    """Whether all lines of a comment are in one piece that is shown."""
    first, last = comment.get("start_line", comment["line"]), comment["line"]
    return any(first in piece and last in piece for piece in shown.get(comment["path"], ()))


def _comment(finding: Finding, taken: set[tuple[str, int]]) -> dict[str, Any]:
    path = finding["file"].encode("utf-8", "replace").decode()
    fix = replacement(finding)
    where = region(finding["range"])
    body = f"**{_escaped(finding['ruleId'])}** {_escaped(finding['message'])}".rstrip()
    if fix is not None and fix.region is not None and fix.whole is not None:
        span = {(path, line) for line in range(fix.region.line, fix.region.end_line + 1)}
        if not span & taken:
            taken |= span
            where = fix.region
            body += f"\n\n{_suggestion(fix.whole)}"
    comment = {"path": path, "side": "RIGHT", "line": where.end_line, "body": body}
    if where.line < where.end_line:
        comment |= {"start_line": where.line, "start_side": "RIGHT"}
    return comment


def _suggestion(code: str) -> str:
    """A fence longer than any run of backticks in the code."""
    longest = max((len(run) for run in _TICKS.findall(code)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}suggestion\n{code}\n{fence}"


def _escaped(text: str) -> str:
    """Text that begins no fence of its own."""
    return _MARKDOWN.sub(r"\\\1", text.encode("utf-8", "replace").decode())


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
