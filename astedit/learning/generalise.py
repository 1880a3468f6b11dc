"""What several edits have in common: a pattern, and a template of what it captures.

Trees are read side by side. What is the same stays as it is; what differs is a hole, and holes
with equal code everywhere are one. Of a list only the items that change are spelled: what is
between them is a hole for many. A template may use only what its pattern captures, or a small
function of that.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any

from tree_sitter import Node

from astedit.learning.difference import EditSite, is_comment, text_of
from astedit.learning.hypothesis import Hypothesis, NoTemplateError, Openness
from astedit.learning.nodes import (
    NAME_FIELDS,
    code_of,
    framed,
    is_value,
    items_of,
    key_of,
    may_vary,
    named_nodes,
    role,
    shown,
    slot_of,
    spliced,
)
from astedit.learning.transform import function_of

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
# What a name or an attribute stands for, however it was imported; "" where that is not known.
MeaningOf = Callable[[Node], str]
TermKey = tuple[object, ...]


def generalised(
    members: Sequence[EditSite], level: int, openness: Openness, resolve: MeaningOf
) -> Hypothesis:
    """What these edits have in common, so far above each; raises `NoTemplateError`."""
    levels = [site.levels[level] for site in members]
    nodes = [node for node, _ in levels]
    reader = _Reader(levels, openness, resolve)
    pattern = reader.whole(nodes)
    reader.binding = False
    fix = reader.template([after for _, after in levels])
    if any(f"$$${name}" not in fix for name in reader.many):
        raise NoTemplateError  # an open number of items would go unseen
    if re.fullmatch(r"\$[A-Z]+", pattern) and not reader.resolved:
        is_leaf = "string" in nodes[0].type or not nodes[0].child_count
        if not (reader.transforms and is_leaf):
            raise NoTemplateError
    if pattern == fix:
        raise NoTemplateError
    return Hypothesis(
        pattern, fix, members, level, reader.holes, frozenset(reader.many), reader.resolved,
        frozenset(reader.fixed), reader.ends, reader.transforms,
    )  # fmt: skip


class _Reader:
    """One reading of several trees side by side."""

    def __init__(
        self,
        levels: Sequence[tuple[Node, tuple[Node, ...]]],
        openness: Openness,
        resolve: MeaningOf,
    ) -> None:
        self.open = openness
        self.resolve = resolve
        self.binding = True
        self.names: dict[TermKey, str] = {}
        self.holes: dict[str, tuple[str, ...]] = {}
        self.many: dict[str, list[list[bytes]]] = {}
        self._used: set[str] = set()
        self.resolved: dict[str, str] = {}
        self.fixed: set[str] = set()
        self.ends: dict[str, tuple[str, str]] = {}
        self.transforms: dict[str, Any] = {}
        self._after = [set(map(code_of, self._nodes(after))) for _, after in levels]
        self._after_items = [
            {code_of(item) for node in self._nodes(after) for item in items_of(node) or ()}
            for _, after in levels
        ]

    def _nodes(self, tops: Sequence[Node]) -> list[Node]:
        return [node for top in tops for node in named_nodes(top)]

    # -- the pattern -------------------------------------------------------------------------

    def whole(self, nodes: Sequence[Node]) -> str:
        """The text of the node that is matched."""
        name = self._name_of(nodes)
        if name:
            return self._hole(key_of(nodes), nodes, name)
        if len({node.type for node in nodes}) > 1:
            raise NoTemplateError
        first = nodes[0]
        if (not first.child_count or "string" in first.type) and len(set(key_of(nodes))) == 1:
            return shown(first)
        return self._inner(nodes)

    def text(self, nodes: Sequence[Node]) -> str:
        """What some nodes have in common, as the text of a pattern or a template."""
        first, key = nodes[0], key_of(nodes)
        if first.is_named and key in self.names and self._may_stand(self.names[key], nodes):
            return self._hole(key, nodes)
        if self.binding and first.is_named:
            copied = self.open.copied and self._is_copied(nodes)
            name = self._name_of(nodes)
            if name and not (copied and role(first) not in ("function", "object")):
                return self._hole(key, nodes, name)
            if copied and self._may_vary(nodes):
                return self._hole(key, nodes)
        if len(set(key)) == 1 and not self._has_inner(first):
            return shown(first)
        if "string" in first.type or not first.child_count:
            return self._hole(key, nodes)
        if any(node.type != first.type or not node.child_count for node in nodes):
            return self._hole(key, nodes)
        return self._inner(nodes)

    def _may_stand(self, hole: str, nodes: Sequence[Node]) -> bool:
        """Whether a hole may come in a place: a value is not the name of a member."""
        is_member = role(nodes[0]) == "attribute" and len(set(key_of(nodes))) == 1
        return self.binding or not is_member or hole in self.fixed

    def _inner(self, nodes: Sequence[Node]) -> str:
        first = nodes[0]
        lists = [items_of(node) for node in nodes]
        if all(items is not None for items in lists):
            return self._listed(nodes, [items or [] for items in lists])
        children = [[c for c in node.children if not is_comment(c)] for node in nodes]
        if len({len(row) for row in children}) > 1:
            return self._hole(key_of(nodes), nodes)
        rows = list(zip(*children, strict=True))
        plain = [row for row in rows if not row[0].is_named]
        if any(len({(one.type, text_of(one)) for one in row}) > 1 for row in plain):
            return self._hole(key_of(nodes), nodes)
        return spliced(first, [(row[0], self.text(row)) for row in rows])

    def _name_of(self, nodes: Sequence[Node]) -> str:
        """The qualified name that all of these stand for, where that is known."""
        first = nodes[0]
        if not self.open.names or first.type not in ("identifier", "attribute"):
            return ""
        owners = [node.child_by_field_name("object") for node in nodes]
        known = [owner for owner in owners if owner is not None]
        if len(known) == len(nodes) and self._is_copied(known) and not self._is_copied(nodes):
            return ""  # it is the member that changes
        names = {self.resolve(node) for node in nodes}
        name = names.pop() if len(names) == 1 else ""
        return "" if name.startswith("builtins.") else name  # those are hardly ever renamed

    def _is_copied(self, nodes: Sequence[Node]) -> bool:
        """Whether all of these come again."""
        pairs = zip(nodes, self._after, strict=False)
        return bool(nodes) and all(code_of(node) in after for node, after in pairs)

    def _may_vary(self, nodes: Sequence[Node]) -> bool:
        """Whether code that is copied may be other code elsewhere: not the names of things."""
        return all(map(may_vary, nodes))

    def _has_inner(self, node: Node) -> bool:
        """Whether there may be a hole inside code that is the same everywhere."""
        if not node.child_count or "string" in node.type:
            return False
        if not self.binding:
            return bool(self.names) or bool(self.many)
        return self.open.copied or self.open.wide or self.open.names

    def _hole(self, key: TermKey, nodes: Sequence[Node], resolved: str = "") -> str:
        texts = tuple(shown(node) for node in nodes)
        if key not in self.names:
            if not self.binding:
                return self._transformed(texts)
            if not all(map(is_value, nodes)):
                raise NoTemplateError
            name = self._new_name()
            self.names[key] = name
            self.holes[name] = texts
            if resolved:
                self.resolved[name] = resolved
            elif any(role(node) in NAME_FIELDS for node in nodes):
                self.fixed.add(name)
        return f"${self.names[key]}"

    def _new_name(self) -> str:
        if len(self.holes) >= len(_LETTERS):
            raise NoTemplateError
        return _LETTERS[len(self.holes)]

    # -- lists -------------------------------------------------------------------------------

    def _listed(self, nodes: Sequence[Node], lists: Sequence[Sequence[Node]]) -> str:
        first = nodes[0]
        if not self.binding:
            rows = self._rows_with_runs(lists)
        elif self._parallel(lists) and not (self.open.wide and "argument" in first.type):
            rows = [list(row) for row in zip(*lists, strict=True)]
        else:
            rows = self._anchored(lists)
        parts = [row if isinstance(row, str) else self.text(row) for row in rows]
        return framed(first, parts)

    def _parallel(self, lists: Sequence[Sequence[Node]]) -> bool:
        slots = [[slot_of(item) for item in items] for items in lists]
        return all(slot == slots[0] for slot in slots)

    def _anchored(self, lists: Sequence[Sequence[Node]]) -> list[str | list[Node]]:
        """The items that change, and holes for what is between them."""
        spelled: set[object] = set()
        positional = 0
        for items, after in zip(lists, self._after_items, strict=True):
            for at, item in enumerate(items):
                if code_of(item) in after:
                    continue  # it stands in a list again
                slot = slot_of(item)
                if slot is None:
                    positional = max(positional, at + 1)
                else:
                    spelled.add(slot)
        order: list[object] = [*range(positional)]
        order += [slot for item in lists[0] if (slot := slot_of(item)) in spelled]
        gaps: list[list[list[Node]]] = [[] for _ in range(len(order) + 1)]
        rows: list[list[Node]] = [[] for _ in order]
        for items in lists:
            at, run = 0, list[Node]()
            for index, item in enumerate(items):
                slot = slot_of(item)
                here = index if slot is None else slot
                if at < len(order) and here == order[at]:
                    rows[at].append(item)
                    gaps[at].append(run)
                    at, run = at + 1, []
                else:
                    run.append(item)
            if at < len(order) or len(spelled) + positional != len(order):
                raise NoTemplateError
            gaps[at].append(run)
        result: list[str | list[Node]] = []
        for at, runs in enumerate(gaps):
            if any(runs) or (self.open.wide and at >= positional):
                result.append(self._run(runs))
            if at < len(rows):
                result.append(rows[at])
        return result

    def _run(self, runs: Sequence[Sequence[Node]]) -> str:
        name = self._new_name()
        self.many[name] = [[code_of(item) for item in run] for run in runs]
        self.holes[name] = tuple(", ".join(shown(item) for item in run) for run in runs)
        return f"$$${name}"

    def _rows_with_runs(self, lists: Sequence[Sequence[Node]]) -> list[str | list[Node]]:
        """The rows of a list in the template, with the runs of items that stand in it again."""
        codes = [[code_of(item) for item in items] for items in lists]
        taken: list[set[int]] = [set() for _ in lists]
        places: dict[str, list[int | None]] = {}
        for name in [name for name in self.many if name not in self._used]:
            found: list[int | None] = []
            for member, (items, run) in enumerate(zip(codes, self.many[name], strict=True)):
                start = _find(items, run, taken[member]) if run else None
                if run and start is None:
                    break
                found.append(start)
                if start is not None:
                    taken[member] |= set(range(start, start + len(run)))
            else:
                places[name] = found
        rest = [
            [item for at, item in enumerate(items) if at not in taken[member]]
            for member, items in enumerate(lists)
        ]
        if len({len(items) for items in rest}) > 1:
            raise NoTemplateError
        result: list[str | list[Node]] = [list(row) for row in zip(*rest, strict=True)]
        inserted: list[tuple[int, str]] = []
        last = 0
        for name, found in places.items():
            spots = {
                sum(1 for at in range(start) if at not in taken[member])
                for member, start in enumerate(found)
                if start is not None
            }
            if len(spots) > 1:
                raise NoTemplateError
            if spots:
                last = spots.pop()
            elif not inserted or name == next(reversed(self.many)):
                last = self._default_spot(rest, name)
            inserted.append((last, f"$$${name}"))
            self._used.add(name)
        for spot, text in sorted(inserted, key=lambda one: one[0], reverse=True):
            same = [t for s, t in inserted if s == spot]
            if text == same[0]:
                result[spot:spot] = same
        return result

    def _default_spot(self, rest: Sequence[Sequence[Node]], name: str) -> int:
        """Where items that no example has would go: behind what is not named."""
        if self.many and name == next(reversed(self.many)):
            return len(rest[0])
        return sum(1 for item in rest[0] if slot_of(item) is None)

    # -- the template ------------------------------------------------------------------------

    def template(self, sides: Sequence[tuple[Node, ...]]) -> str:
        """The text of what comes; the edits must come to as many nodes."""
        if len({len(side) for side in sides}) > 1:
            raise NoTemplateError
        if not sides[0]:
            return ""
        parts = [self.text(list(nodes)) for nodes in zip(*sides, strict=True)]
        text, end = parts[0], sides[0][0].end_byte
        for node, part in zip(sides[0][1:], parts[1:], strict=True):
            lines = node.start_point[0] - _line_at(sides[0], end)
            text += ("\n" * max(lines, 0) or "; ") + part
            end = node.end_byte
        return text

    def _transformed(self, wanted: Sequence[str]) -> str:
        """A slot for a small function of a capture."""
        for name, captured in self.holes.items():
            if name in self.many or len(captured) != len(wanted):
                continue
            small = function_of(captured, wanted)
            if small is not None:
                if any(small.ends):
                    self.ends[name] = small.ends
                return f"{small.lead}{self._slots(name, small.steps)}{small.end}"
        raise NoTemplateError

    def _slots(self, name: str, steps: Sequence[dict[str, Any]]) -> str:
        source = f"${name}"
        for step in steps:
            ((kind, arguments),) = step.items()
            source = self._slot({kind: {"source": source, **arguments}})
        return source

    def _slot(self, transform: dict[str, Any]) -> str:
        for name, known in self.transforms.items():
            if known == transform:
                return f"${name}"
        name = f"NEW_{_LETTERS[len(self.transforms)]}"
        self.transforms[name] = transform
        return f"${name}"


def _line_at(side: Sequence[Node], end: int) -> int:
    return next(node.end_point[0] for node in side if node.end_byte == end)


def _find(items: Sequence[bytes], run: Sequence[bytes], taken: set[int]) -> int | None:
    for start in range(len(items) - len(run) + 1):
        if list(items[start : start + len(run)]) == list(run) and start not in taken:
            return start
    return None
