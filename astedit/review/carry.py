"""Which edits of a new plan are those of an older one, so that decisions about them hold.

Edits are never moved: a new edit takes over a decision only if it does the same in the same
file, definition and statement, beside one of the statements that were beside it, and no other
one does. What two definitions changed places
with is not taken over, for nobody can say which of them was moved.
"""

import re
from bisect import bisect_right
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any, Literal, NamedTuple, Self

from tree_sitter import Node

from astedit.language import for_path, load
from astedit.language.brackets import beyond, parents
from astedit.language.traits import traits
from astedit.limits import is_shallow
from astedit.locating.inventory.definitions import definitions
from astedit.model.edit import Edit, FilePlan
from astedit.model.plan import Plan
from astedit.review.decisions import PlacedEdit
from astedit.text.source import NotDecodable, before_break, line_start, source_of

_TOKEN = re.compile(rb"\w+|[^\w\s]")
# What holds statements side by side, of which only one is looked at.
_CONTAINER = re.compile(
    r"(module|program|source_file|translation_unit|compilation_unit|document|stylesheet|chunk"
    r"|block|body|suite|statement_list|declaration_list|member_list|field_declaration_list"
    r"|compound_statement|body_statement|statements)$"
)
_BODIES = frozenset({"body", "consequence", "alternative", "then", "else", "block"})


@dataclass(frozen=True, slots=True)
class FileContexts:
    """The marks of the edits of one file, by id; only those that no two edits there share.

    `homes` says which definition each of them is in, and `definitions` lists all of the file
    in their order; two of one name count as none. `beside` marks the statements before and
    behind that of an edit.
    """

    marks: Mapping[str, str]
    homes: Mapping[str, str]
    definitions: tuple[str, ...]
    beside: Mapping[str, Sequence[str]]

    def to_json(self) -> dict[str, Any]:
        """What is stored of it."""
        return asdict(self)

    @classmethod
    def of_json(cls, body: Mapping[str, Any]) -> Self:
        """Reads it back."""
        return cls(body["marks"], body["homes"], tuple(body["definitions"]), body["beside"])

    def alike(self, edit_id: str, other: Self, other_id: str) -> bool:
        """Whether a statement beside the edit is the same in the other; else it was moved."""
        pairs = zip(self.beside[edit_id], other.beside[other_id], strict=True)
        return any(here == there for here, there in pairs)


def contexts_of(file: FilePlan, content: bytes) -> FileContexts | None:
    """The contexts of a file's edits within its content; None for what cannot be read."""
    row = for_path(file.path)
    if row is None or not is_shallow(content):
        return None
    try:
        if source_of(content, row.name).text != content:
            return None  # offsets are of the bytes
    except NotDecodable:
        return None
    grammar = load(row)
    root = grammar.parser().parse(content).root_node
    rules = traits(row.name).definitions
    defined = [] if rules is None else definitions(root, content, grammar, rules)[1]
    spans = sorted((*each.span, ".".join(each.names)) for each in defined)
    marks: dict[str, str] = {}
    homes: dict[str, str] = {}
    beside: dict[str, Sequence[str]] = {}
    for edit in file.edits:
        start, end = edit.start, edit.end
        if edit.match is not None:
            start, end = edit.match.start, edit.match.end
        home = _home(start, end, spans)
        marks[edit.id], homes[edit.id] = _mark(edit, root, content, start, end, home), home
        beside[edit.id] = _beside(root, content, start, end)
    counts = Counter(marks.values())
    unique = {edit_id: mark for edit_id, mark in marks.items() if counts[mark] == 1}
    named = Counter(name for _, _, name in spans)
    order = tuple(name for _, _, name in spans if named[name] == 1)
    kept = {each: homes[each] for each in unique}
    return FileContexts(unique, kept, order, {each: beside[each] for each in unique})


def _home(start: int, end: int, spans: list[tuple[int, int, str]]) -> str:
    """The innermost definition around a span; "" for none."""
    last = bisect_right(spans, start, key=lambda span: span[0])
    return next((name for _, stop, name in reversed(spans[:last]) if end <= stop), "")


def _mark(edit: Edit, root: Node, text: bytes, start: int, end: int, home: str) -> str:
    parts = [str(edit.op), str(edit.rule_id), edit.whole_before, edit.whole_after, home]
    digest = sha256("\0".join(parts).encode("utf-8", "surrogateescape"))
    # Of the whole lines: a comment at their end is not of the statement.
    lines = _TOKEN.findall(text[line_start(text, start) : before_break(text, end)])
    for token in (*lines, *_around(root, text, start, end)):
        digest.update(b"\0" + token)
    return digest.hexdigest()[:24]


def _around(root: Node, text: bytes, start: int, end: int) -> Iterator[bytes]:
    """The tokens of the statement around a span, then those of what it stands in."""
    place = root.named_descendant_for_byte_range(start, end) or root
    node = _statement(place)
    yield from _tokens(node, text, place)
    for outer, inner in parents(node):
        if not _CONTAINER.search(outer.type):
            yield outer.type.encode()
            yield from _head(outer, text, inner)


def _statement(node: Node) -> Node:
    """The statement around a node: what stands in a list of such."""
    return beyond(node, lambda outer: not _CONTAINER.search(outer.type))[0]


def _beside(root: Node, text: bytes, start: int, end: int) -> tuple[str, str]:
    """Marks of the statements before and behind that of a span, "" where there is none."""
    node = _statement(root.named_descendant_for_byte_range(start, end) or root)
    before, behind = (
        "" if each is None else _shortened(text[each.start_byte : each.end_byte])
        for each in (node.prev_named_sibling, node.next_named_sibling)
    )
    return before, behind


def _shortened(text: bytes) -> str:
    return sha256(b"\0".join(_TOKEN.findall(text))).hexdigest()[:12]


def _tokens(node: Node, text: bytes, place: Node) -> Iterator[bytes]:
    """The tokens of a statement, without a body that the place is not in."""
    for index, child in enumerate(node.children):
        apart = node.field_name_for_child(index) in _BODIES
        if not apart or child.start_byte <= place.start_byte <= place.end_byte <= child.end_byte:
            yield from _TOKEN.findall(text[child.start_byte : child.end_byte])
    if not node.child_count:
        yield from _TOKEN.findall(text[node.start_byte : node.end_byte])


def _head(node: Node, text: bytes, inner: Node) -> Iterator[bytes]:
    """What a node is besides its bodies: of a definition the name, which is its own."""
    name = node.child_by_field_name("name")
    if name is not None and node.child_by_field_name("body") is not None:
        yield from _TOKEN.findall(text[name.start_byte : name.end_byte])
        return
    for index, child in enumerate(node.children):
        if child.start_byte <= inner.start_byte and inner.end_byte <= child.end_byte:
            yield f"[{node.field_name_for_child(index)}]".encode()
        elif node.field_name_for_child(index) not in _BODIES:
            yield from _TOKEN.findall(text[child.start_byte : child.end_byte])


Why = Literal["moved", "context changed", "unknown", "new", "gone"]
Contexts = Callable[[FilePlan], FileContexts | None]


class Uncarried(NamedTuple):
    """An edit that needs a new decision, or, if it is gone, none any more.

    `unknown` is one in whose file nothing was decided about: it is as undecided as before.
    """

    why: Why
    path: str
    edit: Edit


class Carry(NamedTuple):
    """The ids of edits of the older plan, by those of the new one; and all other edits."""

    carried: dict[str, str]
    others: list[Uncarried]

    @property
    def fresh(self) -> list[Uncarried]:
        """The edits that are new or changed: what nobody has seen as it is now."""
        return [each for each in self.others if each.why in ("new", "moved", "context changed")]

    def __str__(self) -> str:
        fresh, new = len(self.fresh), sum(each.why == "new" for each in self.others)
        gone = sum(each.why == "gone" for each in self.others)
        carried = len(self.carried)
        return f"{carried:,} carried, {new:,} new, {fresh - new:,} changed, {gone:,} gone"


def carry(older: Plan, new: Plan, then: Contexts, now: Contexts) -> Carry:
    """Compares two plans of one request; `then` and `now` say what edits stand in.

    Of a file of which `then` knows nothing, nothing is carried unless it is unchanged.
    """
    old_files = {file.path: file for file in older.files}
    carried: dict[str, str] = {}
    for file in new.files:
        if (old := old_files.get(file.path)) is not None:
            carried |= _in_file(old, file, then, now)
    kept = set(carried.values())
    left = [
        PlacedEdit(f.path, edit) for f in older.files for edit in f.edits if edit.id not in kept
    ]
    come = [
        PlacedEdit(f.path, edit) for f in new.files for edit in f.edits if edit.id not in carried
    ]
    unknown = {placed.path for placed in left if then(old_files[placed.path]) is None}
    return Carry(carried, list(_others(left, come, unknown)))


def _in_file(old: FilePlan, new: FilePlan, then: Contexts, now: Contexts) -> dict[str, str]:
    """The new edits of a file with the old ones that they are."""
    if old.before_hash == new.before_hash:
        known = {edit.id for edit in old.edits}
        return {edit.id: edit.id for edit in new.edits if edit.id in known}
    before, after = then(old), now(new)
    if before is None or after is None:
        return {}
    by_mark = {mark: edit_id for edit_id, mark in before.marks.items()}
    swapped = crossing(before.definitions, after.definitions)
    pairs = [
        (edit.id, by_mark[mark])
        for edit in new.edits
        if (mark := after.marks.get(edit.id)) in by_mark
        and after.homes[edit.id] not in swapped
        and before.alike(by_mark[mark], after, edit.id)
    ]
    place = {edit.id: number for number, edit in enumerate(old.edits)}
    taken = {old_id for _, old_id in pairs}
    order = crossing([old_id for old_id in place if old_id in taken], [old for _, old in pairs])
    return {edit_id: old_id for edit_id, old_id in pairs if old_id not in order}


def crossing(first: Sequence[str], second: Sequence[str]) -> set[str]:
    """The names that stand on another side of some other name in the second list."""
    place = {name: number for number, name in enumerate(second)}
    names = [name for name in first if name in place]
    numbers = [place[name] for name in names]
    crossed, highest = set(), -1
    for name, number in zip(names, numbers, strict=True):
        crossed |= {name} if number < highest else set()
        highest = max(highest, number)
    lowest = len(second)
    for name, number in zip(reversed(names), reversed(numbers), strict=True):
        crossed |= {name} if number > lowest else set()
        lowest = min(lowest, number)
    return crossed


def _others(
    left: list[PlacedEdit], come: list[PlacedEdit], unknown: Set[str]
) -> Iterator[Uncarried]:
    """Why each of the other edits is not carried: first those that are the same in their file."""
    here: dict[tuple[str, object], deque[PlacedEdit]] = defaultdict(deque)
    for placed in left:
        here[(placed.path, _same(placed.edit))].append(placed)
    strange = []
    for placed in come:
        alike = here[(placed.path, _same(placed.edit))]
        if not alike:
            strange.append(placed)
            continue
        alike.popleft()
        yield Uncarried("unknown" if placed.path in unknown else "context changed", *placed)
    elsewhere: dict[object, deque[PlacedEdit]] = defaultdict(deque)
    for (_, same), waiting in here.items():
        elsewhere[same].extend(waiting)
    for placed in strange:
        others = elsewhere[_same(placed.edit)]
        yield Uncarried("moved" if others else "new", *placed)
        if others:
            others.popleft()
    yield from (Uncarried("gone", *placed) for rest in elsewhere.values() for placed in rest)


def _same(edit: Edit) -> tuple[object, ...]:
    return edit.op, edit.rule_id, edit.whole_before, edit.whole_after
