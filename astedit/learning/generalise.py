"""What several edits have in common: a pattern, and a template of what it captures.

Trees are read side by side. What is the same stays as it is; what differs is a hole, and holes
with equal code everywhere are one. Of a list only the items that change are spelled: what is
between them is a hole for many. A template may use only what its pattern captures, or a small
function of that.
"""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from tree_sitter import Node

from astedit.learning.edits import BLOCKS, EditSite, code_of, code_of_all, is_comment, name_bound
from astedit.learning.nodes import (
    NAME_KINDS,
    Openness,
    framed,
    function_of,
    indent_of,
    is_decisive,
    is_leaf,
    is_value,
    items_of,
    key_of,
    may_vary,
    meaning_of,
    named_nodes,
    slot_of,
    spliced,
)
from astedit.python.syntax import field_of, text_of

_LITERALS = ("string", "integer", "float")
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_NAME = re.compile(r"(?<![\w.$])[A-Za-z_]\w*\b(?!=[^=])")
_WORD = re.compile(r"\w+")


class NoTemplateError(Exception):
    """The edits have no pattern and template in common."""


@dataclass(slots=True)
class Hypothesis:
    """A pattern with its template, as text; `holes` says by name what each was in the examples.

    `many` are the holes for any number of items, `blocks` those for statements, `resolved` those
    that stand for one qualified name, `fixed` those in the place of a function, an attribute or
    a keyword: they are what they were. `ends` is what a transform takes away at the ends of a
    hole. `members` are the sites it was made of, and `level` how far above the edit it looks.
    """

    members: Sequence[EditSite]
    level: int
    pattern: str = ""
    fix: str = ""
    holes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    many: dict[str, list[list[bytes]]] = field(default_factory=dict)
    blocks: set[str] = field(default_factory=set)
    resolved: dict[str, str] = field(default_factory=dict)
    fixed: set[str] = field(default_factory=set)
    ends: dict[str, tuple[str, str]] = field(default_factory=dict)
    transforms: dict[str, Any] = field(default_factory=dict)

    @property
    def nodes(self) -> list[Node]:
        """The nodes that it matches in its examples."""
        return [site.levels[self.level][0] for site in self.members]

    @property
    def imports(self) -> dict[str, list[str]]:
        """The imports that its edits need afterwards, and those that they needed before."""
        before, after = zip(*(site.imports for site in self.members), strict=True)
        come = frozenset.intersection(*after) - frozenset.intersection(*before)
        gone = frozenset.union(*before) - frozenset.union(*after)
        old = " ".join((self.pattern, *(text for texts in self.holes.values() for text in texts)))
        words = [_WORD.findall(text) for text in (self.fix, old)]
        changes = {  # where an import itself goes, another one comes
            "add": sorted(one for one in come if not self.fix or name_bound(one) in words[0]),
            "remove": sorted(one for one in gone if name_bound(one) in words[1]),
        }
        return {key: texts for key, texts in changes.items() if texts}

    @property
    def dropped(self) -> frozenset[str]:
        """The captures that the template throws away."""
        texts = [self.fix, *map(str, self.transforms.values())]
        used = {name for text in texts for name in re.findall(r"\$+([A-Z_]+)", text)}
        return frozenset(self.holes.keys() - used - self.resolved.keys())

    @property
    def needs(self) -> frozenset[str]:
        """The names that the template takes from around the place, and the pattern has not."""
        names = [set(_NAME.findall(text)) for text in (self.fix, self.pattern)]
        return frozenset(names[0] - names[1])


def generalised(members: Sequence[EditSite], level: int, openness: Openness) -> Hypothesis:
    """What these edits have in common, so far above each; raises `NoTemplateError`."""
    reader = _Reader(Hypothesis(members, level), openness)
    made, nodes = reader.made, reader.made.nodes
    made.pattern = reader.whole(nodes)
    reader.binding = False
    made.fix = reader.template([site.levels[level][1] for site in members])
    made.fixed |= reader.tested & made.dropped  # a test decides which branch stays
    if made.pattern == made.fix or any(f"$$${name}" not in made.fix for name in made.many):
        raise NoTemplateError  # an open number of items would go unseen
    is_bare = re.fullmatch(r"\$[A-Z]+", made.pattern) and not made.resolved
    if is_bare and not (made.transforms and is_leaf(nodes[0])):
        raise NoTemplateError
    return made


class _Reader:
    """One reading of several trees side by side: of what goes (`binding`), then of what comes."""

    def __init__(self, made: Hypothesis, openness: Openness) -> None:
        self.made, self.open = made, openness
        self.binding, self.indent = True, indent_of(made.nodes[0])
        self.names: dict[tuple[bytes, ...], str] = {}
        self._used: set[str] = set()
        self.tested: set[str] = set()
        after = [list(named_nodes(site.levels[made.level][1])) for site in made.members]
        self._after = [
            {*map(code_of, nodes), code_of_all(site.levels[made.level][1])} - {b""}
            for site, nodes in zip(made.members, after, strict=True)
        ]
        self._after_items = [
            {code_of(item) for node in nodes for item in items_of(node) or ()} for nodes in after
        ]

    # -- the pattern -------------------------------------------------------------------------

    def whole(self, nodes: Sequence[Node]) -> str:
        """The text of the node that is matched."""
        if meaning := self._meaning(nodes):
            return self._hole(nodes, meaning)
        if len({node.type for node in nodes}) > 1:
            raise NoTemplateError
        if is_leaf(nodes[0]) and len(set(key_of(nodes))) == 1:
            return text_of(nodes[0])
        return self._inner(nodes)

    def text(self, nodes: Sequence[Node]) -> str:
        """What some nodes have in common, as the text of a pattern or a template."""
        first, key = nodes[0], key_of(nodes)
        if first.is_named and key in self.names and self._may_stand(self.names[key], nodes):
            return self._hole(nodes)
        if self.binding and first.is_named:
            copied = self.open.copied and self._is_copied(nodes)
            meaning = self._meaning(nodes)
            if meaning and not (copied and field_of(first) not in ("function", "object")):
                return self._hole(nodes, meaning)
            if copied and first.type in BLOCKS:
                return self._hole(nodes)
            if copied and all(map(may_vary, nodes)):
                return self._hole(nodes)
        if first.type in _LITERALS and (not self.binding or self._is_lost(nodes)):
            with suppress(NoTemplateError):
                return self._hole(nodes)
        if len(set(key)) == 1 and not self._may_have_holes(first):
            return text_of(first)
        if any(is_leaf(node) or node.type != first.type for node in nodes):
            return self._hole(nodes)
        return self._inner(nodes)

    def _may_stand(self, hole: str, nodes: Sequence[Node]) -> bool:
        """Whether a hole may come in a place: a value is not the name of a member."""
        is_member = field_of(nodes[0]) == "attribute" and len(set(key_of(nodes))) == 1
        return self.binding or not is_member or hole in self.made.fixed

    def _may_have_holes(self, node: Node) -> bool:
        """Whether there may be a hole inside code that is the same everywhere."""
        if is_leaf(node):
            return False
        return any(self.open) if self.binding else bool(self.names or self.made.many)

    def _inner(self, nodes: Sequence[Node]) -> str:
        first = nodes[0]
        lists = [items for node in nodes if (items := items_of(node)) is not None]
        if len(set(map(len, lists))) > 1 and is_decisive(first):
            return self._hole(nodes)  # not any number of names
        if len(lists) == len(nodes):
            return framed(first, [
                row if isinstance(row, str) else self.text(row) for row in self._rows(first, lists)
            ])  # fmt: skip
        children = [[c for c in node.children if not is_comment(c)] for node in nodes]
        if len(set(map(len, children))) > 1:
            return self._hole(nodes)
        rows = list(zip(*children, strict=True))
        signs = [row for row in rows if not row[0].is_named]
        if any(len({(node.type, node.text) for node in row}) > 1 for row in signs):
            return self._hole(nodes)
        return spliced(first, [(row[0], self.text(row)) for row in rows], self.indent)

    def _meaning(self, nodes: Sequence[Node]) -> str:
        """The qualified name that all of these stand for, where that is known."""
        if not self.open.names or any(node.type not in NAME_KINDS for node in nodes):
            return ""
        owners = [node.child_by_field_name("object") for node in nodes]
        known = [owner for owner in owners if owner is not None]
        if len(known) == len(nodes) and self._is_copied(known) and not self._is_copied(nodes):
            return ""  # it is the member that changes
        meanings = set(map(meaning_of, nodes))
        meaning = meanings.pop() if len(meanings) == 1 else ""
        return "" if meaning.startswith("builtins.") else meaning  # hardly ever renamed

    def _is_copied(self, nodes: Sequence[Node]) -> bool:
        """Whether all of these come again."""
        return all(code_of(node) in after for node, after in zip(nodes, self._after, strict=True))

    def _is_lost(self, nodes: Sequence[Node]) -> bool:
        """Whether these go, and something comes: an answer may say the same of other ones."""
        pairs = zip(nodes, self._after, strict=True)
        return self.open.copied and all(
            after and code_of(node) not in after for node, after in pairs
        )

    def _hole(self, nodes: Sequence[Node], resolved: str = "") -> str:
        key, texts = key_of(nodes), tuple(map(text_of, nodes))
        if key not in self.names:
            if not self.binding:
                return self._transformed(texts)
            is_block = all(node.type in BLOCKS for node in nodes)
            if not is_block and not all(map(is_value, nodes)):
                raise NoTemplateError
            self.names[key] = name = self._new_hole(texts)
            self.made.blocks |= {name} if is_block else set()
            self.made.resolved |= {name: resolved} if resolved else {}
        name = self.names[key]
        if self.binding and name not in self.made.resolved:
            self.made.fixed |= {name} if any(map(is_decisive, nodes)) else set()
            self.tested |= {name} if field_of(nodes[0]) == "condition" else set()
        return f"$$${name}" if name in self.made.blocks else f"${name}"

    def _new_hole(self, texts: tuple[str, ...]) -> str:
        if len(self.made.holes) >= len(_LETTERS):
            raise NoTemplateError
        name = _LETTERS[len(self.made.holes)]
        self.made.holes[name] = texts
        return name

    # -- lists -------------------------------------------------------------------------------

    def _rows(self, first: Node, lists: Sequence[Sequence[Node]]) -> Sequence[str | Sequence[Node]]:
        """The items of a list, side by side, and holes for runs of items."""
        if not self.binding:
            return self._rows_with_runs(lists)
        slots = [[slot_of(item) for item in items] for items in lists]
        is_parallel = all(slot == slots[0] for slot in slots)
        is_open = self.open.wide and "argument" in first.type and field_of(first) != "superclasses"
        if is_parallel and not is_open:
            return list(zip(*lists, strict=True))
        return self._anchored(lists)

    def _anchored(self, lists: Sequence[Sequence[Node]]) -> list[str | Sequence[Node]]:
        """The items that change, and holes for what is between them."""
        spelled: set[object] = set()
        positional = 0
        for items, after in zip(lists, self._after_items, strict=True):
            for at, item in enumerate(items):
                if code_of(item) not in after:  # it does not stand in a list again
                    slot = slot_of(item)
                    spelled |= set() if slot is None else {slot}
                    positional = positional if slot is not None else max(positional, at + 1)
        order: list[object] = list(range(positional))
        order += [slot for item in lists[0] if (slot := slot_of(item)) in spelled]
        gaps: list[list[list[Node]]] = [[] for _ in range(len(order) + 1)]
        rows: list[list[Node]] = [[] for _ in order]
        for items in lists:
            at, run = 0, list[Node]()
            for index, item in enumerate(items):
                slot = slot_of(item)
                if at < len(order) and order[at] == (index if slot is None else slot):
                    rows[at].append(item)
                    gaps[at].append(run)
                    at, run = at + 1, []
                else:
                    run.append(item)
            if at < len(order) or len(spelled) + positional != len(order):
                raise NoTemplateError
            gaps[at].append(run)
        result: list[str | Sequence[Node]] = []
        for at, runs in enumerate(gaps):
            if any(runs) or (self.open.wide and at >= positional):
                name = self._new_hole(tuple(", ".join(map(text_of, run)) for run in runs))
                self.made.many[name] = [list(map(code_of, run)) for run in runs]
                result.append(f"$$${name}")
            result += rows[at : at + 1]
        return result

    def _rows_with_runs(self, lists: Sequence[Sequence[Node]]) -> list[str | Sequence[Node]]:
        """The rows of a list in the template, with the runs of items that stand in it again."""
        codes = [list(map(code_of, items)) for items in lists]
        taken: list[set[int]] = [set() for _ in lists]
        starts: dict[str, list[int | None]] = {}
        for name in [name for name in self.made.many if name not in self._used]:
            runs = self.made.many[name]
            found = [_find(*three) for three in zip(codes, runs, taken, strict=True)]
            if any(run and start is None for run, start in zip(runs, found, strict=True)):
                continue
            starts[name] = found
            for member, start in enumerate(found):
                if start is not None:
                    taken[member] |= set(range(start, start + len(runs[member])))
        rest = [
            [item for at, item in enumerate(items) if at not in taken[member]]
            for member, items in enumerate(lists)
        ]
        if len(set(map(len, rest))) > 1:
            raise NoTemplateError
        spots: dict[str, int] = {}
        for name, found in starts.items():
            places = {
                sum(at not in taken[member] for at in range(start))
                for member, start in enumerate(found)
                if start is not None
            }
            if len(places) > 1:
                raise NoTemplateError
            is_last = name == next(reversed(self.made.many))
            if places:
                spots[name] = places.pop()
            elif spots and not is_last:
                spots[name] = list(spots.values())[-1]
            else:  # items that no example has: behind what is not named, or at the end
                unnamed = sum(slot_of(item) is None for item in rest[0])
                spots[name] = len(rest[0]) if is_last else unnamed
        self._used |= spots.keys()
        rows: list[str | Sequence[Node]] = []
        for at in range(len(rest[0]) + 1):
            rows += [f"$$${name}" for name, spot in spots.items() if spot == at]
            rows += [[items[at] for items in rest]] if at < len(rest[0]) else []
        return rows

    # -- the template ------------------------------------------------------------------------

    def template(self, sides: Sequence[Sequence[Node]]) -> str:
        """The text of what comes; the edits must come to as many nodes."""
        block = self.names.get(tuple(map(code_of_all, sides)))
        if block in self.made.blocks:
            return f"$$${block}"
        if len(set(map(len, sides))) > 1:
            raise NoTemplateError
        text, last = "", None
        self.indent = indent_of(sides[0][0]) if sides[0] else 0
        for nodes in zip(*sides, strict=True):
            if last is not None:
                text += "\n" * (nodes[0].start_point[0] - last.end_point[0]) or "; "
            text, last = text + self.text(nodes), nodes[0]
        return text

    def _transformed(self, wanted: Sequence[str]) -> str:
        """A slot for a small function of a capture."""
        for name, captured in self.made.holes.items():
            small = None if name in self.made.many else function_of(captured, wanted)
            if small is None or re.match(r"\w", small.end):
                continue
            if any(small.ends):
                self.made.ends[name] = small.ends
            slot = f"${name}"
            for step in small.steps:
                ((kind, arguments),) = step.items()
                slot = self._slot({kind: {"source": slot, **arguments}})
            return small.lead + slot + small.end
        raise NoTemplateError

    def _slot(self, transform: dict[str, Any]) -> str:
        known = self.made.transforms
        name = next((name for name, other in known.items() if other == transform), "")
        name = name or f"NEW_{_LETTERS[len(known)]}"
        known[name] = transform
        return f"${name}"


def _find(items: Sequence[bytes], run: Sequence[bytes], taken: set[int]) -> int | None:
    """Where a run begins in a list; None for one that is empty or not there."""
    starts = range(len(items) - len(run) + 1) if run else ()
    return next((at for at in starts if items[at : at + len(run)] == run and at not in taken), None)
