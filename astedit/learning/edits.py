"""Where two texts differ, by their trees: the smallest nodes that are not the same.

An `EditSite` is one edit of an example, with the nodes around it: a rule may have to look at
more than what changes.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from operator import eq

from tree_sitter import Node, Tree

from astedit.errors import PreconditionError
from astedit.language import Row, TimedParser, load
from astedit.learning.examples import ExamplePair
from astedit.limits import parsing_within
from astedit.pattern.listed import outermost
from astedit.python.syntax import IMPORTS, text_of
from astedit.text import number
from astedit.text.diff import differing_runs, unlike

# Nodes that hold statements: their children come and go by themselves.
BLOCKS = frozenset(
    {
        *("module", "block", "program", "source_file", "statement_block", "compound_statement"),
        *("translation_unit", "declaration_list", "class_body", "body_statement", "script_file"),
        *("compilation_unit", "field_declaration_list", "document", "body", "statements"),
    }
)
LEVELS = 5  # nodes around an edit that a rule may look at
_MOST_SITES = 500  # edits of one example
_PARSE_SECONDS = 5.0
_ALIKE = 0.4  # from here on a statement may have become another
_MOST_ALIGNED = 100  # statements of one block that are compared with each other
_LARGEST = 4_000  # bytes of a node that a rule may spell

_LITERAL = re.compile(rb"(?s)(\d|\w{0,2}[\"'`]).*")

Levels = list[tuple[Node, tuple[Node, ...]]]


@dataclass(slots=True)
class EditSite:
    """One edit: `levels[0]` is the smallest node with what it becomes, then those around it.

    `pair` is the number of its file among those of the example, `imports` what that file
    imports before and after.
    """

    pair: int
    levels: Levels
    imports: tuple[frozenset[str], frozenset[str]]

    @property
    def node(self) -> Node:
        """What changes."""
        return self.levels[0][0]


class ParsedTexts:
    """The trees of the texts of an example, each parsed once."""

    def __init__(self) -> None:
        self._trees: dict[tuple[str, bytes], Tree] = {}

    def parse(self, name: str, text: bytes, parser: TimedParser) -> Tree:
        """The tree of a text; raises `LimitError` where a parser does not end soon."""
        if (name, text) not in self._trees:
            with parsing_within(_PARSE_SECONDS):
                self._trees[name, text] = parser.parse(text)
        return self._trees[name, text]

    def root(self, row: Row, text: bytes) -> Node:
        """The root of a text's tree."""
        return self.parse(case_name(row), text, load(row).parser()).root_node


def case_name(row: Row) -> str:
    """The name of a text that a rule is tried on."""
    return f"case.{row.suffixes[0]}"


def is_comment(node: Node) -> bool:
    """Whether a node is a comment."""
    return node.is_extra and "comment" in node.type


def tokens(nodes: Sequence[Node]) -> Iterator[bytes]:
    """The leaves of some nodes, comments left out."""
    for node in nodes:
        for leaf in outermost(node, lambda one: not one.child_count or "string" in one.type):
            if not is_comment(leaf):
                yield leaf.text or b""


@lru_cache(maxsize=50_000)
def code_of(node: Node) -> bytes:
    """A node as code, whatever its layout."""
    return b" ".join(tokens([node]))


def code_of_all(nodes: Sequence[Node]) -> bytes:
    """Several nodes as code: statements as the block that holds them."""
    return b" ".join(map(code_of, nodes))


def change_of(site: EditSite) -> tuple[tuple[bytes, ...], tuple[bytes, ...]]:
    """The tokens that go and those that come: what makes two edits alike."""
    node, after = site.levels[0]
    gone, come = list(tokens([node])), list(tokens(after))
    blocks = unlike(gone, come)
    left = [token for i, j, _, _ in blocks for token in gone[i:j]]
    return tuple(left), tuple(token for _, _, k, m in blocks for token in come[k:m])


def differences(
    pairs: Sequence[ExamplePair], texts: ParsedTexts
) -> tuple[list[EditSite], list[str]]:
    """The edits of an example, and in words what of it is no edit at one place.

    Raises `PreconditionError` where none of its files parses.
    """
    edits, others, unread = list[EditSite](), list[str](), ""
    for at, pair in enumerate(pairs):
        if pair.before == pair.after or len(edits) >= _MOST_SITES:
            continue
        before, after = (texts.root(pair.row, text) for text in (pair.before, pair.after))
        if before.has_error or after.has_error:
            side = "before" if before.has_error else "after"
            unread = f"{pair.path} does not parse as {pair.row.label} {side} the change"
            others.append(unread)
            continue
        sites = _sites(at, before, after, others)
        if len(edits) + len(sites) > _MOST_SITES:
            others.append(f"of {pair.path} only {number(_MOST_SITES, 'edit')} are learned")
        edits += sites[: _MOST_SITES - len(edits)]
    if unread and not edits:
        raise PreconditionError(
            f"{unread}.",
            code="bad_example",
            hint="Give an example that is valid code on both sides.",
        )
    return edits, others


def _sites(at: int, before: Node, after: Node, others: list[str]) -> list[EditSite]:
    """The edits between two trees; those of imports last, since others may be beside them."""
    lines = [list(import_lines(root)) for root in (before, after)]
    old, new = (imports_of(side) for side in lines)
    imports = frozenset(old), frozenset(new)
    sites = _joined([EditSite(at, levels, imports) for levels in _differing(before, after, others)])
    if before.type != "module":
        return sites
    gone = {text: item for text, item in old.items() if text not in new}
    come = {name_bound(text): text for text in new if text not in old}
    for one, two in _lines_changed(*lines):
        first, second = (set(imports_of([line])) for line in (one, two))
        if not _is_renaming(first, second, sites):
            continue
        imports = imports[0] - first, imports[1] - second
        sites += [EditSite(at, levels, imports) for levels in _differing(one, two, others)]
        for text in first:
            gone.pop(text, None)
    for site in sites:
        site.imports = imports
    moved = [
        EditSite(at, [(item, ())], (frozenset([text]), frozenset([come[name_bound(text)]])))
        for text, item in gone.items()
        if name_bound(text) in come
    ]
    sites += moved
    if not sites:  # nothing but imports went
        sites = [EditSite(at, [(item, ())], imports) for item in _lone(gone.values())]
    return sites


# -- two trees, side by side ---------------------------------------------------------------------


def _differing(
    a: Node, b: Node, others: list[str], above: Levels | None = None
) -> Iterator[Levels]:
    """The edits between two nodes, each with the nodes around it."""
    if code_of(a) == code_of(b) and a.type == b.type:
        return
    around: Levels = [(a, (b,)), *(above or [])]
    bare = b.children if a.type == b.type else [b]
    rest = [[code_of(n) for n in side if n.type != "decorator"] for side in (a.children, bare)]
    loses = rest[0] == rest[1] and len(bare) < a.child_count  # some of its decorators
    is_block = (a.type in BLOCKS and a.type == b.type) or loses
    is_leaf = not a.child_count or not b.child_count or "string" in a.type
    if (a.type != b.type or is_leaf) and not is_block:
        yield around
        return
    sides = a.children, bare if loses else b.children
    keys = [[(node.type, node.text) for node in side] for side in sides]
    inner: list[Levels] = []
    for i, j, k, m in differing_runs(*keys):
        old, new = sides[0][i:j], sides[1][k:m]
        if is_block:
            inner += _statements(old, new, others)
        elif len(old) == len(new) and all(node.is_named for node in (*old, *new)):
            for one, two in zip(old, new, strict=True):
                inner += _differing(one, two, others, around)
        else:  # it is the list itself that changes
            inner = [around]
            break
    yield from inner


def _statements(old: Sequence[Node], new: Sequence[Node], others: list[str]) -> Iterator[Levels]:
    old, new = (
        [node for node in side if node.is_named and not is_comment(node) and not is_import(node)]
        for side in (old, new)
    )
    for one, several in _aligned(old, new):
        if one is None:
            come = " ".join(" ".join(map(text_of, several)).split())[:60]
            others.append(f"what comes from nowhere is not learned: {come}")
        elif len(several) == 1:
            yield from _differing(one, several[0], others)
        else:
            yield [(one, several)]


def _aligned(
    old: Sequence[Node], new: Sequence[Node]
) -> Iterator[tuple[Node | None, tuple[Node, ...]]]:
    """Each statement with what it becomes: the likest; None before what comes from nowhere."""
    if len(old) == len(new):
        yield from ((one, (two,)) for one, two in zip(old, new, strict=True))
        return
    if len(old) == 1:
        yield old[0], tuple(new)
        return
    rest = list(new[:_MOST_ALIGNED])
    for one in old[:_MOST_ALIGNED]:
        leaves = list(tokens([one]))
        alike = [SequenceMatcher(None, leaves, list(tokens([two]))).ratio() for two in rest]
        at = alike.index(max(alike)) if max(alike, default=0.0) > _ALIKE else -1
        yield from ((None, (two,)) for two in rest[: max(at, 0)])
        yield one, tuple(rest[at : at + 1])
        rest = rest[at + 1 :]
    yield from ((None, (two,)) for two in rest)


# -- edits of one statement ----------------------------------------------------------------------


def _joined(sites: Sequence[EditSite]) -> list[EditSite]:
    """Edits of one statement become one, at the node that holds them, unless they are alike."""
    groups: dict[int, list[EditSite]] = {}
    for site in sites:
        groups.setdefault(site.levels[-1][0].id, []).append(site)
    return [site for group in groups.values() for site in _together(group)]


def _together(sites: list[EditSite]) -> list[EditSite]:
    ids = [{level[0].id for level in site.levels} for site in sites]
    common = [level for level in sites[0].levels if all(level[0].id in each for each in ids)]
    # An edit of an imported name needs no other edit beside it.
    imported = [text_of(site.node) in map(name_bound, site.imports[0]) for site in sites]
    if len(sites) == 1 or not common or all(imported):
        return sites
    top = common[0][0]
    unlike = len(set(map(_kind_of_change, sites))) == len(sites)
    if unlike and top.end_byte - top.start_byte <= _LARGEST:
        return [EditSite(sites[0].pair, common, sites[0].imports)]
    parts: dict[int, list[EditSite]] = {}
    for site in sites:
        at = next(at for at, level in enumerate(site.levels) if level[0].id == top.id)
        parts.setdefault(site.levels[at - 1][0].id if at else top.id, []).append(site)
    if len(parts) == 1:
        return sites
    return [site for part in parts.values() for site in _together(part)]


def _kind_of_change(site: EditSite) -> tuple[tuple[bytes, ...], ...]:
    """The tokens that go and come, whatever the literals are."""
    return tuple(tuple(_LITERAL.sub(b"0", token) for token in side) for side in change_of(site))


# -- imports -------------------------------------------------------------------------------------


def is_import(node: Node) -> bool:
    """Whether a node is an import statement of Python."""
    # JavaScript has a node of the same kind, without these fields
    return node.type in IMPORTS and any(map(node.child_by_field_name, ("name", "module_name")))


def is_in_import(node: Node) -> bool:
    """Whether a node is an import, or a name in one."""
    return is_import(node) or (node.parent is not None and is_import(node.parent))


def import_lines(root: Node) -> Iterator[Node]:
    """The import statements of a Python module, wherever they are."""
    ends = "_statement", "_definition", "_clause"
    return outermost(root, is_import, lambda at: at.type in BLOCKS or at.type.endswith(ends))


def imports_of(lines: Sequence[Node]) -> dict[str, Node]:
    """The imports of Python statements, one by one as code, each with its node."""
    found: dict[str, Node] = {}
    for line in lines:
        module = line.child_by_field_name("module_name")
        head = f"from {plain(module)} import " if module is not None else "import "
        if line.type == "future_import_statement":
            head = "from __future__ import "
        for item in line.children_by_field_name("name"):
            found[head + plain(item)] = item
        if not line.children_by_field_name("name"):
            found[plain(line)] = line
    return found


def name_bound(text: str) -> str:
    """The name that an import binds."""
    return text.split(" ")[-1].split(".")[0]


def plain(node: Node) -> str:
    """The text of a node on one line."""
    return re.sub(r" ?\. ?", ".", " ".join(text_of(node).split()))


def _lines_changed(old: Sequence[Node], new: Sequence[Node]) -> Iterator[tuple[Node, Node]]:
    """The import statements of which the module, or some of the names became another."""
    codes = [set(map(code_of, side)) for side in (old, new)]
    new = [line for line in new if code_of(line) not in codes[0]]
    for one in old:
        for two in new if code_of(one) not in codes[1] else ():
            parts = [_parts(line) for line in (one, two)]
            if one.type == two.type and any(map(eq, *parts)):
                yield one, two
                break


def _parts(line: Node) -> tuple[object, object]:
    """The names of an import statement, and its module with how many they are."""
    texts = imports_of([line])
    heads, _, names = zip(*(text.rpartition("import ") for text in texts), strict=True)
    return sorted(map(name_bound, names) if heads[0] == "" else names), (heads, line.type)


def _is_renaming(old: set[str], new: set[str], sites: Sequence[EditSite]) -> bool:
    """Whether all that uses what goes of an import becomes what comes, or is as it was."""
    gone, come = ({name_bound(text).encode() for text in some} for some in (old - new, new - old))
    changes = [change for site in sites if not gone.isdisjoint((change := change_of(site))[0])]
    return gone == come or all(
        len(change[0]) == len(change[1]) == 1 and set(change[1]) <= come for change in changes
    )


def _lone(items: Iterable[Node]) -> list[Node]:
    """The names of imports that go; the statement where all of its names go."""
    lines: dict[Node | None, list[Node]] = {}
    for item in items:
        lines.setdefault(item.parent, []).append(item)
    return [
        one
        for line, some in lines.items()
        for one in ([line] if line and len(some) == len(imports_of([line])) else some)
    ]
