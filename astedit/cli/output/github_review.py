"""Findings as a review of a GitHub pull request: comments with suggestions."""

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from astedit.cli.output import streams
from astedit.cli.output.formats import About, FindingJson, Shown, Whole, region, replacement
from astedit.text import number

if TYPE_CHECKING:
    from astedit.engine.run.search import Hits

_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|~!])")
_TICKS = re.compile("`+")


class Format(Whole):
    """One document: the body of a review."""

    def show(self, hits: "Hits", about: About) -> None:
        """Writes the document to stdout."""
        streams.document(review(self.findings(hits), about.lines()))


def review(findings: Iterable[FindingJson], shown: Shown | None = None) -> dict[str, Any]:
    """The body of a pull request review (`POST /repos/…/pulls/N/reviews`).

    A finding with a fix becomes a comment on the lines it replaces, with a suggestion that
    a click commits. Where two want the same lines the first has the suggestion. Of the
    lines that are not `shown`, by file, there is no comment: GitHub would refuse them all.
    """
    taken: set[tuple[str, int]] = set()
    comments = [_comment(one, taken) for one in findings]
    listed = [one for one in comments if shown is None or _is_shown(one, shown)]
    said = f"astedit: {number(len(comments), 'finding')}"
    if hidden := len(comments) - len(listed):
        said += f", {hidden:,} of them in lines that this pull request does not show"
    return {"event": "COMMENT", "body": f"{said}.", "comments": listed}


def _is_shown(comment: Mapping[str, Any], shown: Shown) -> bool:
    """Whether all lines of a comment are in one piece that is shown."""
    first, last = comment.get("start_line", comment["line"]), comment["line"]
    return any(first in piece and last in piece for piece in shown.get(comment["path"], ()))


def _comment(finding: FindingJson, taken: set[tuple[str, int]]) -> dict[str, Any]:
    path = finding["file"].encode("utf-8", "replace").decode()
    fix = replacement(finding)
    where = region(finding["range"])
    body = f"**{_escaped(finding['ruleId'])}** {_escaped(finding['message'])}".rstrip()
    if fix is not None and fix.region is not None and fix.whole is not None:
        span = {(path, line) for line in range(fix.region.line, fix.region.end_line + 1)}
        if not span & taken:
            taken |= span
            where = fix.region
            fence = "`" * (1 + max([2, *map(len, _TICKS.findall(fix.whole))]))  # longer than any
            body += f"\n\n{fence}suggestion\n{fix.whole}\n{fence}"
    comment = {"path": path, "side": "RIGHT", "line": where.end_line, "body": body}
    if where.line < where.end_line:
        comment |= {"start_line": where.line, "start_side": "RIGHT"}
    return comment


def _escaped(text: str) -> str:
    """Text that begins no fence of its own."""
    return _MARKDOWN.sub(r"\\\1", text.encode("utf-8", "replace").decode())
