"""Where two texts differ, by their trees: the smallest nodes that are not the same.

A `EditSite` is one edit of an example, with the nodes around it: a rule may have to look at more
than what changes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from tree_sitter import Node

from astedit.errors import PreconditionError
from astedit.language import Row, load
from astedit.limits import parsing_within
from astedit.text.count_phrases import number

# Nodes that hold statements: their children come and go by themselves.
BLOCKS = frozenset(
    {
        *("module", "block", "program", "source_file", "statement_block", "compound_statement"),
        *("translation_unit", "declaration_list", "class_body", "body_statement", "script_file"),
        *("compilation_unit", "field_declaration_list", "document", "body", "statements"),
    }
)
LEVELS = 5  # nodes around an edit that a rule may look at
MOST_SITES = 500  # edits of one example
_PARSE_SECONDS = 5.0
_LARGEST = 4_000  # bytes of a node that a rule may spell


@dataclass(frozen=True, slots=True)
class ExamplePair:
    """One file of an example, before and after; both are the same where nothing may happen.

    Of the bytes `ignored` nobody has said whether they may change.
    """

    path: str
    before: bytes
    after: bytes
    row: Row = field(repr=False)
    ignored: tuple[tuple[int, int], ...] = ()


@dataclass(slots=True)
class EditSite:
    """One edit: `levels[0]` is the smallest node with what it becomes, then those around it.

    `pair` is the number of its file among those of the example.
    """

    pair: int
    levels: list[tuple[Node, tuple[Node, ...]]]

    @property
    def node(self) -> Node:
        """What changes."""
        return self.levels[0][0]


@dataclass(slots=True)
class Differences:
    """The edits of one example, and in words what of it is no edit at one place."""

    sites: list[EditSite] = field(default_factory=list)
    others: list[str] = field(default_factory=list)


def tree_of(row: Row, text: bytes) -> Node:
    """The root of a text's tree; raises `LimitError` where a parser does not end soon."""
    with parsing_within(_PARSE_SECONDS):
        return load(row).parser().parse(text).root_node


def text_of(node: Node) -> bytes:
    """The bytes of a node."""
    return node.text or b""


def tokens(nodes: Sequence[Node]) -> Iterator[bytes]:
    """The leaves of some nodes, comments left out."""
    stack = list(reversed(nodes))
    while stack:
        node = stack.pop()
        if node.is_extra and "comment" in node.type:
            continue
        if node.child_count and "string" not in node.type:
            stack.extend(reversed(node.children))
        else:
            yield text_of(node)


def same(left: Node, right: Node) -> bool:
    """Whether two nodes are the same code, whatever their layout."""
    return text_of(left) == text_of(right) or (
        left.type == right.type and list(tokens([left])) == list(tokens([right]))
    )


def differences(pairs: Sequence[ExamplePair]) -> Differences:
    """The edits of an example. Raises `PreconditionError` where one of its files does not parse."""
    found = Differences()
    for at, pair in enumerate(pairs):
        if pair.before == pair.after or len(found.sites) >= MOST_SITES:
            continue
        before, after = (tree_of(pair.row, text) for text in (pair.before, pair.after))
        for root, which in ((before, "before"), (after, "after")):
            if root.has_error:
                raise PreconditionError(
                    f"{pair.path} does not parse as {pair.row.label} {which} the change.",
                    path=pair.path,
                    code="bad_example",
                    hint="Give an example that is valid code on both sides.",
                )
        sites = [EditSite(at, levels) for levels in _Reader(found.others).sites(before, after)]
        if len(found.sites) + len(sites) > MOST_SITES:
            found.others.append(f"of {pair.path} only {number(MOST_SITES, 'edit')} were looked at")
            sites = sites[: MOST_SITES - len(found.sites)]
        found.sites += _joined(sites)
    return found


Levels = list[tuple[Node, tuple[Node, ...]]]


class _Reader:
    """Walks down two trees at once."""

    def __init__(self, others: list[str]) -> None:
        self._others = others

    def sites(self, before: Node, after: Node) -> Iterator[Levels]:
        yield from self._differing(before, after, [])

    def _differing(self, a: Node, b: Node, above: Levels) -> Iterator[Levels]:
        if same(a, b):
            return
        pair = (a, (b,))
        if a.type != b.type or not a.child_count or not b.child_count or "string" in a.type:
            yield [pair, *above]
            return
        around = [] if a.type in BLOCKS else [pair, *above]
        found: list[Levels] = []
        for old, new in _gaps(a.children, b.children):
            inner = self._gap(a, old, new, around)
            if inner is None:  # it is the list itself that changes
                yield [pair, *above]
                return
            found += inner
        yield from found

    def _gap(
        self, parent: Node, old: Sequence[Node], new: Sequence[Node], around: Levels
    ) -> list[Levels] | None:
        if parent.type in BLOCKS:
            return list(self._statements(old, new))
        if len(old) != len(new) or not all(node.is_named for node in (*old, *new)):
            return None
        return [
            levels
            for one, two in zip(old, new, strict=True)
            for levels in self._differing(one, two, around)
        ]

    def _statements(self, old: Sequence[Node], new: Sequence[Node]) -> Iterator[Levels]:
        old = [node for node in old if not (node.is_extra and "comment" in node.type)]
        new = [node for node in new if not (node.is_extra and "comment" in node.type)]
        if len(old) == len(new):
            for one, two in zip(old, new, strict=True):
                yield from self._differing(one, two, [])
        elif not old:
            names = ", ".join(text_of(node).decode("utf-8", "replace")[:40] for node in new[:2])
            self._others.append(f"what comes from nowhere is not learned: {names}")
        elif len(old) == 1:
            yield [(old[0], tuple(new))]
        else:
            left = list(new)
            for one in old:
                if left and left[0].type == one.type:
                    yield from self._differing(one, left.pop(0), [])
                else:
                    yield [(one, ())]


def _gaps(old: Sequence[Node], new: Sequence[Node]) -> Iterator[tuple[list[Node], list[Node]]]:
    """The runs of children that are not the same on both sides."""
    keys = [[(node.type, text_of(node)) for node in side] for side in (old, new)]
    blocks = SequenceMatcher(None, keys[0], keys[1], autojunk=False).get_opcodes()
    for kind, i, j, k, m in blocks:
        if kind != "equal":
            yield list(old[i:j]), list(new[k:m])


def _joined(sites: list[EditSite]) -> list[EditSite]:
    """Edits of one statement become one, at the node that holds them, unless they are alike."""
    result: list[EditSite] = []
    waiting: list[EditSite] = []
    for site in sites:
        if waiting and _top(waiting[0]) != _top(site):
            result += _together(waiting)
            waiting = []
        waiting.append(site)
    return result + (_together(waiting) if waiting else [])


def _top(site: EditSite) -> int:
    return site.levels[-1][0].id


def _together(sites: list[EditSite]) -> list[EditSite]:
    changes = [change_of(site) for site in sites]
    if len(sites) == 1 or len(set(changes)) < len(changes):
        return sites
    common = [
        level
        for level in sites[0].levels
        if all(any(level[0].id == other[0].id for other in site.levels) for site in sites[1:])
    ]
    if not common or common[0][0].end_byte - common[0][0].start_byte > _LARGEST:
        return sites
    return [EditSite(sites[0].pair, common)]


def change_of(site: EditSite) -> tuple[tuple[bytes, ...], tuple[bytes, ...]]:
    """The tokens that go and those that come: what makes two edits alike."""
    node, after = site.levels[0]
    gone, come = list(tokens([node])), list(tokens(after))
    blocks = SequenceMatcher(None, gone, come, autojunk=False).get_opcodes()
    left = [token for kind, i, j, _, _ in blocks if kind != "equal" for token in gone[i:j]]
    right = [token for kind, _, _, k, m in blocks if kind != "equal" for token in come[k:m]]
    return tuple(left), tuple(right)
