"""Where two texts differ, by their trees: the smallest nodes that are not the same.

A `EditSite` is one edit of an example, with the nodes around it: a rule may have to look at more
than what changes.
"""

from collections.abc import Iterable, Iterator, Sequence
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
_ALIKE = 0.4  # from here on a statement may have become another
_MOST_ALIGNED = 10_000  # pairs of statements that are compared
_MOST_SIDE = 100
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

    `pair` is the number of its file among those of the example, `adds` and `removes` the imports
    that come and go in that file beside it.
    """

    pair: int
    levels: list[tuple[Node, tuple[Node, ...]]]
    adds: frozenset[str] = frozenset()
    removes: frozenset[str] = frozenset()

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


def is_comment(node: Node) -> bool:
    """Whether a node is a comment."""
    return node.is_extra and "comment" in node.type


def tokens(nodes: Sequence[Node]) -> Iterator[bytes]:
    """The leaves of some nodes, comments left out."""
    stack = list(reversed(nodes))
    while stack:
        node = stack.pop()
        if is_comment(node):
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
    """The edits of an example. Raises `PreconditionError` where none of its files parses."""
    found, unread = Differences(), list[PreconditionError]()
    for at, pair in enumerate(pairs):
        if pair.before == pair.after or len(found.sites) >= MOST_SITES:
            continue
        before, after = (tree_of(pair.row, text) for text in (pair.before, pair.after))
        broken = [side for root, side in ((before, "before"), (after, "after")) if root.has_error]
        if broken:
            why = f"{pair.path} does not parse as {pair.row.label} {broken[0]} the change"
            found.others.append(why)
            unread.append(PreconditionError(
                f"{why}.",
                path=pair.path,
                code="bad_example",
                hint="Give an example that is valid code on both sides.",
            ))  # fmt: skip
            continue
        reader = _Reader(found.others)
        sites = [EditSite(at, levels) for levels in reader.sites(before, after)]
        sites = _joined(sites)
        for site in sites:
            if "import" not in site.levels[-1][0].type:
                site.adds, site.removes = reader.adds, reader.removes
        if not sites:  # nothing but imports went
            sites = [EditSite(at, levels) for levels in reader.lone]
        sites += [EditSite(at, *site) for site in reader.moved]
        if len(found.sites) + len(sites) > MOST_SITES:
            found.others.append(f"of {pair.path} only {number(MOST_SITES, 'edit')} were looked at")
            sites = sites[: MOST_SITES - len(found.sites)]
        found.sites += sites
    if unread and not found.sites:
        raise unread[0]
    return found


Levels = list[tuple[Node, tuple[Node, ...]]]


class _Reader:
    """Walks down two trees at once.

    Imports that come and go by themselves are in `adds` and `removes`, those of one name that
    moves to another module in `moved`, those that are left in `lone`.
    """

    def __init__(self, others: list[str]) -> None:
        self._others = others
        self.adds: frozenset[str] = frozenset()
        self.removes: frozenset[str] = frozenset()
        self.moved: list[tuple[Levels, frozenset[str]]] = []
        self.lone: list[Levels] = []

    def sites(self, before: Node, after: Node) -> list[Levels]:
        """The edits between two trees; those of imports last, since others may be beside them."""
        found = list(self._differing(before, after, []))
        lines = [[node for node in root.children if "import" in node.type]
                 for root in (before, after) if root.type == "module"]  # fmt: skip
        return found + (list(self._imports(*lines)) if lines else [])

    def _differing(self, a: Node, b: Node, above: Levels) -> Iterator[Levels]:
        if same(a, b):
            return
        pair = (a, (b,))
        is_block = a.type in BLOCKS and a.type == b.type
        is_leaf = not a.child_count or not b.child_count or "string" in a.type
        if a.type != b.type or (is_leaf and not is_block):
            yield [pair, *above]
            return
        around = [] if is_block else [pair, *above]
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
            return list(self._statements(parent, old, new))
        if len(old) != len(new) or not all(node.is_named for node in (*old, *new)):
            return None
        return [
            levels
            for one, two in zip(old, new, strict=True)
            for levels in self._differing(one, two, around)
        ]

    def _statements(
        self, parent: Node, old: Sequence[Node], new: Sequence[Node]
    ) -> Iterator[Levels]:
        old = [node for node in old if node.is_named and not is_comment(node)]
        new = [node for node in new if node.is_named and not is_comment(node)]
        if parent.type == "module" and parent.parent is None:
            old, new = ([node for node in side if "import" not in node.type] for side in (old, new))
        for one, several in _aligned(old, new):
            if one is None:
                names = ", ".join(text_of(node).decode("utf-8", "replace")[:40] for node in several)
                self._others.append(f"what comes from nowhere is not learned: {names[:90]}")
            elif len(several) == 1:
                yield from self._differing(one, several[0], [])
            else:
                yield [(one, several)]

    def _imports(self, old: Sequence[Node], new: Sequence[Node]) -> Iterator[Levels]:
        """Statements that become another one, name by name; the rest are names that come and go."""
        gone, come = dict[str, Node](), dict[str, Node]()
        codes = [{tuple(tokens([line])) for line in side} for side in (old, new)]
        old = [line for line in old if tuple(tokens([line])) not in codes[1]]
        new = [line for line in new if tuple(tokens([line])) not in codes[0]]
        renamed = [set[str](), set[str]()]
        for one, several in _aligned(old, new):
            if one is not None and len(several) == 1 and _is_one_line(one, several[0]):
                yield from self._differing(one, several[0], [])
                names = [imports_of([node]).keys() for node in (one, several[0])]
                renamed[0] |= names[0] - names[1]
                renamed[1] |= names[1] - names[0]
                continue
            gone.update(imports_of([one] if one is not None else []))
            come.update(imports_of(several))
        for text in gone.keys() & come.keys():
            del gone[text], come[text]
        bound = {name_bound(text): text for text in come}
        for text, item in gone.items():
            there = bound.get(name_bound(text))
            if there is not None:
                self.moved.append(([(item, ())], frozenset([there])))
                come.pop(there, None)
        self.lone = [[(item, ())] for item in _lone(gone.values())]
        self.adds = frozenset(come.keys() | renamed[1])
        self.removes = frozenset(gone.keys() | renamed[0])


def _lone(items: Iterable[Node]) -> list[Node]:
    """The names of imports that go; the statement where all of its names go."""
    lines: dict[int, list[Node]] = {}
    for item in items:
        lines.setdefault(item.parent.id if item.parent else 0, []).append(item)
    found: list[Node] = []
    for some in lines.values():
        line = some[0].parent
        all_go = line is not None and len(some) == len(line.children_by_field_name("name"))
        found += [line] if all_go and line is not None else some
    return found


def _is_one_line(old: Node, new: Node) -> bool:
    """Whether an import became this other one: its names stay, or its module and their number."""
    names = [imports_of([node]) for node in (old, new)]
    modules = [_plain(m) if (m := n.child_by_field_name("module_name")) else "" for n in (old, new)]
    bound = [sorted(map(name_bound, texts)) for texts in names]
    return bound[0] == bound[1] or (modules[0] == modules[1] and len(names[0]) == len(names[1]))


def imports_of(lines: Sequence[Node]) -> dict[str, Node]:
    """The imports of Python statements, one by one as code, each with its node."""
    found: dict[str, Node] = {}
    for line in lines:
        module = line.child_by_field_name("module_name")
        head = f"from {_plain(module)} import " if module is not None else "import "
        for item in line.children_by_field_name("name"):
            found[head + _plain(item)] = item
        if not line.children_by_field_name("name"):
            found[_plain(line)] = line
    return found


def name_bound(text: str) -> str:
    """The name that an import binds."""
    return text.split(" ")[-1].split(".")[0]


def _plain(node: Node) -> str:
    return " ".join(text_of(node).decode("utf-8", "replace").split())


def _aligned(
    old: Sequence[Node], new: Sequence[Node]
) -> Iterator[tuple[Node | None, tuple[Node, ...]]]:
    """Each statement with what it becomes: the likest; None before what comes from nowhere."""
    if len(old) * len(new) > _MOST_ALIGNED:
        old, new = old[:_MOST_SIDE], new[:_MOST_SIDE]
    if len(old) == len(new):
        yield from ((one, (two,)) for one, two in zip(old, new, strict=True))
        return
    if len(old) == 1:
        yield old[0], tuple(new)
        return
    leaves = [[list(tokens([node])) for node in side] for side in (old, new)]
    best: list[list[tuple[float, str]]] = [
        [(0.0, "")] * (len(new) + 1) for _ in range(len(old) + 1)
    ]
    for i in range(len(old) + 1):
        for j in range(len(new) + 1):
            ways = [(0.0, "")] if not (i or j) else []
            if i and j:
                alike = SequenceMatcher(None, leaves[0][i - 1], leaves[1][j - 1]).ratio()
                bonus = alike if alike > _ALIKE else -1.0
                ways.append((best[i - 1][j - 1][0] + bonus, "both"))
            if i:
                ways.append((best[i - 1][j][0], "old"))
            if j:
                ways.append((best[i][j - 1][0], "new"))
            best[i][j] = max(ways)
    found: list[tuple[Node | None, tuple[Node, ...]]] = []
    i, j = len(old), len(new)
    while i or j:
        way = best[i][j][1]
        i, j = i - (way != "new"), j - (way != "old")
        found.append((None if way == "new" else old[i], () if way == "old" else (new[j],)))
    yield from reversed(found)


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
    if len(sites) == 1:
        return sites
    common = [
        level
        for level in sites[0].levels
        if all(any(level[0].id == other[0].id for other in site.levels) for site in sites[1:])
    ]
    if not common:
        return sites
    top = common[0][0]
    unlike = len(set(map(change_of, sites))) == len(sites)
    if unlike and top.end_byte - top.start_byte <= _LARGEST:
        return [EditSite(sites[0].pair, common)]
    parts: dict[int, list[EditSite]] = {}
    for site in sites:
        at = next(at for at, level in enumerate(site.levels) if level[0].id == top.id)
        below = site.levels[at - 1][0].id if at else top.id
        parts.setdefault(below, []).append(site)
    if len(parts) == 1:
        return sites
    return [site for part in parts.values() for site in _together(part)]


def change_of(site: EditSite) -> tuple[tuple[bytes, ...], tuple[bytes, ...]]:
    """The tokens that go and those that come: what makes two edits alike."""
    node, after = site.levels[0]
    gone, come = list(tokens([node])), list(tokens(after))
    blocks = SequenceMatcher(None, gone, come, autojunk=False).get_opcodes()
    left = [token for kind, i, j, _, _ in blocks if kind != "equal" for token in gone[i:j]]
    right = [token for kind, _, _, k, m in blocks if kind != "equal" for token in come[k:m]]
    return tuple(left), tuple(right)
