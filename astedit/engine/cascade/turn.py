"""What one turn over a file is made of: matches to bindings, sites to edits, what is refused."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

from tree_sitter import Node

from astedit.engine.cascade.compiled import Bound
from astedit.engine.cascade.file_state import NewCode, Reach
from astedit.engine.cascade.places import Accepted, NetEdit
from astedit.engine.files.outcome import BlockedData, DisplacedData, FileData, LostData, span_data
from astedit.pattern.match import Found
from astedit.rewrite.make.overlap import Site
from astedit.rewrite.mend.accept_or_block import AcceptedEdits
from astedit.rewrite.plan_edits import FileRewrite
from astedit.text.splice import Lines

E = TypeVar("E")


@dataclass(slots=True, eq=False)
class CalledRule:
    """A rule with bindings that is to run in a region: asked for once, by all its `causes`."""

    rule: int
    bound: Bound
    scope: str
    anchor: NewCode | None = None
    under: str = ""
    causes: set[NetEdit] = field(default_factory=set)
    made: list[NetEdit] = field(default_factory=list)
    empties: bool = False
    done: bool = False


class Callers:
    """Who has called one rule in one tree: by node, or by the span of a region."""

    def __init__(self) -> None:
        self._nodes: dict[int, list[CalledRule]] = {}
        self._spans: dict[tuple[int, int], list[CalledRule]] = {}

    def add(self, task: CalledRule, reach: Reach) -> None:
        """Notes a call."""
        if reach.nodes is None:
            self._spans.setdefault(reach.span, []).append(task)
            return
        for node in reach.nodes:
            self._nodes.setdefault(node, []).append(task)

    def of(self, match: Found) -> list[CalledRule]:
        """Those whose region a match lies in."""
        low, high = match.node.start_byte, match.node.end_byte
        asking = list(self._nodes.get(match.node.id, ()))
        for (start, end), tasks in self._spans.items():
            if start <= low and high <= end:
                asking += tasks
        return asking


def every(site: Site) -> Iterator[Site]:
    yield site
    for inner in site.inner:
        yield from every(inner)


def texts_of(match: Found, text: bytes, own: dict[str, str]) -> dict[str, str]:
    """What a match has captured, as text, and what its own rule was called with."""
    found = dict(own)
    for name, node in match.single.items():
        found[name] = text[node.start_byte : node.end_byte].decode("utf-8", "replace")
    for name, nodes in match.multi.items():
        span = text[nodes[0].start_byte : nodes[-1].end_byte] if nodes else b""
        found[name] = span.decode("utf-8", "replace")
    for name, made in (match.texts or {}).items():
        found[name] = made.decode("utf-8", "replace")
    return found


def apart(edits: list[Accepted], events: list[E]) -> tuple[list[Accepted], list[E]]:
    """In order of position, less those that overlap an earlier one by the comments above."""
    rows = sorted(zip(edits, events, strict=True), key=lambda row: row[0].change[:2])
    kept: list[tuple[Accepted, E]] = []
    for edit, event in rows:
        if kept and edit.change[0] < kept[-1][0].change[1]:
            start, end, new = edit.change
            start = kept[-1][0].change[1]
            if start > end:
                continue
            edit = edit._replace(change=(start, end, new))
        kept.append((edit, event))
    return [edit for edit, _ in kept], [event for _, event in kept]


def line_start(text: bytes, at: int) -> int:
    return text.rfind(b"\n", 0, at) + 1


def stripped(text: bytes, low: int, high: int) -> tuple[int, int]:
    """A range without the white space at its ends."""
    part = text[low:high]
    front = len(part) - len(part.lstrip())
    return (low, low) if front == len(part) else (low + front, low + front + len(part.strip()))


def comments_above(node: Node, text: bytes) -> Iterator[Node]:
    """The comments directly above a node, each on lines of its own, the nearest first."""
    line = node.start_point[0]
    while node.prev_sibling is None and node.parent is not None:
        if node.parent.start_point[0] != line:
            return
        node = node.parent
    above = node.prev_sibling
    while above is not None and above.is_extra:
        last = above.end_point[0] - (above.end_point[1] == 0)
        alone = not re.search(rb"\S", text[line_start(text, above.start_byte) : above.start_byte])
        if last != line - 1 or not alone:
            return
        yield above
        line, above = above.start_point[0], above.prev_sibling


def tell(
    data: FileData, text: bytes, outcome: FileRewrite, accepted: AcceptedEdits, offset: int
) -> Iterator[int]:
    """Adds what was refused to the outcome of a file; yields the numbers of those rules."""
    lines = Lines(text)

    def blocked(site: Site, reason: str, **more: Any) -> BlockedData:
        span, old = span_data(site.start, site.end, lines), text[site.start : site.end]
        op = offset + site.rewrite.op
        return BlockedData(span, op, reason, (), site.matches, old)._replace(**more)

    new = []
    for refusal in outcome.refused:
        lost = tuple(LostData(span_data(*span, lines), text[slice(*span)]) for span in refusal.lost)
        new.append(blocked(refusal.site, refusal.reason, lost=lost))
        yield refusal.site.rewrite.op
    for site, fault in accepted.blocked:
        misreading = fault.misreading and (*fault.misreading,)
        new.append(blocked(site, fault.reason, detail=fault.detail, misreading=misreading))
        yield site.rewrite.op
    before = {(item.op, item.text, item.reason) for item in data.blocked}
    data.blocked += tuple(item for item in new if (item.op, item.text, item.reason) not in before)
    data.displaced += tuple(
        DisplacedData(
            span_data(loss.site.start, loss.site.end, lines),
            offset + loss.site.rewrite.op,
            offset + loss.by.rewrite.op,
            loss.reason,
        )
        for loss in outcome.displaced
    )
