"""The least general pattern and template that several edits have in common.

Trees are read side by side. What is the same stays as it is; what differs is a hole, and holes
with equal code everywhere are one. Of lists with other lengths only the items that all have
stay, and what is between them is a hole for many. A template may use only what its pattern
captures, or a small function of that.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any

from tree_sitter import Node

from astedit.learning.difference import BLOCKS, EditSite, text_of, tokens

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_MOST_ENDS = 12  # characters that a transform takes away at one end
_FIXED_FIELDS = frozenset({"function", "attribute", "property", "field", "method", "constructor"})
_NAMED_ITEMS = frozenset(
    {"keyword_argument", "named_argument", "pair", "labeled_argument", "default_parameter"}
)
_CASES = {"lowerCase": str.lower, "upperCase": str.upper}

TermKey = tuple[object, ...]


class NoTemplateError(Exception):
    """The edits have no pattern and template in common."""


@dataclass(slots=True)
class Hypothesis:
    """A pattern with its template, as text; `holes` says by name what each was in the examples.

    `seat` is the name of the function that the pattern is an argument of, where only that is
    meant. `anchored` is whether the pattern spells a word. `members` are the sites it was made
    of, and `level` how far above the edit it looks.
    """

    pattern: str
    fix: str
    members: Sequence[EditSite]
    level: int
    holes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    many: frozenset[str] = frozenset()
    transforms: dict[str, Any] = field(default_factory=dict)
    anchored: bool = False
    seat: str = ""


def bare(site: EditSite, level: int) -> bool:
    """Whether a node says too little by itself: a value, or a name that is no function's."""
    node = site.levels[level][0]
    parent = node.parent
    if parent is None or not node.is_named:
        return parent is not None
    if "argument" in node.type or "argument" in parent.type or node.type in ("pair", "parameters"):
        return node.type not in ("call", "call_expression") or (
            level == 0 and node.child_count == 0
        )
    if not node.child_count or "string" in node.type:
        if role(node) in ("attribute", "property") and parent.children[0].child_count == 0:
            owner = text_of(parent.children[0])
            return owner[:1].isupper() or owner in _imported(node)
        return role(node) not in _FIXED_FIELDS and "import" not in parent.type
    return False


def seat(members: Sequence[EditSite], level: int) -> str:
    """The last name of the function whose named argument these edits change; "" if it differs."""
    names = set()
    for site in members:
        node = site.levels[level][0]
        call = node.parent.parent if node.parent is not None else None
        function = call.child_by_field_name("function") if call is not None else None
        if node.type not in _NAMED_ITEMS or function is None:
            return ""
        names.add(list(tokens([function]))[-1].decode("utf-8", "replace"))
    return names.pop() if len(names) == 1 else ""


def role(node: Node) -> str | None:
    """The field that a node is of its parent."""
    parent = node.parent
    if parent is None:
        return None
    for at, child in enumerate(parent.children):
        if child.id == node.id:
            return parent.field_name_for_child(at)
    return None


def generalised(members: Sequence[EditSite], level: int, *, wide: bool, names: bool) -> Hypothesis:
    """What these edits have in common, so far above each; raises `NoTemplateError`.

    With `wide` the number of items beside those that are spelled is open. With `names` what is
    copied may be a hole in a single example as well.
    """
    levels = [site.levels[level] for site in members]
    nodes = [node for node, _ in levels]
    if len({node.type for node in nodes}) > 1:
        raise NoTemplateError
    common = _Common(wide, _opened(levels) if names else frozenset(), len(levels))
    pattern = common.text(nodes)
    common.binding = False
    fix = common.template([after for _, after in levels])
    if wide and any(f"$$${name}" not in fix for name in common.many):
        raise NoTemplateError  # an open number of items would go unseen
    if pattern.lstrip("$").isalnum() and pattern[0] == "$" and not common.transforms:
        raise NoTemplateError
    words = (token for node in nodes[:1] for token in tokens([node]))
    anchored = any(_is_word(word) and word.decode() in pattern for word in words)
    used = {name: value for name, value in common.holes.items() if f"${name}" in pattern}
    return Hypothesis(
        pattern, fix, members, level, used, frozenset(common.many), common.transforms, anchored
    )


def _is_word(token: bytes) -> bool:
    return token[:1].isalpha() and len(token) > 1 and token.isascii()


def _opened(levels: Sequence[tuple[Node, tuple[Node, ...]]]) -> frozenset[TermKey]:
    """What every example copies as it is, and no other one forbids to vary."""
    copied = [_copied(*level) for level in levels]
    return frozenset(key * len(levels) for key in frozenset.intersection(*copied))


def _copied(node: Node, after: Sequence[Node]) -> frozenset[TermKey]:
    """What of a single example may be a hole: code that is on both sides, less fixed names."""
    there = {_key([each]) for top in after for each in _named(top)}
    imported = _imported(node)
    return frozenset(
        _key([each])
        for each in _named(node)
        if each.id != node.id and _may_vary(each, imported) and _key([each]) in there
    )


def _imported(node: Node) -> set[bytes]:
    root = node
    while root.parent is not None:
        root = root.parent
    lines = [child for child in root.children if "import" in child.type]
    return {token for line in lines for token in tokens([line])}


def _may_vary(node: Node, imported: set[bytes]) -> bool:
    if role(node) in _FIXED_FIELDS | {"name", "module_name", "key"} or "argument" in node.type:
        return False
    text = text_of(node)
    if node.child_count or not text[:1].isalpha():
        return not ("identifier" in node.type and text in imported)
    return not (text[:1].isupper() or text in imported or "type" in node.type)


def _named(top: Node) -> Iterator[Node]:
    stack = [top]
    while stack:
        node = stack.pop()
        if node.is_named and not (node.is_extra and "comment" in node.type):
            yield node
            if "string" not in node.type:
                stack += node.children


def _key(nodes: Sequence[Node]) -> TermKey:
    return tuple(b" ".join(tokens([node])) for node in nodes)


class _Common:
    """One reading of several trees side by side."""

    def __init__(self, wide: bool, opened: frozenset[TermKey], count: int) -> None:
        self.wide = wide
        self.count = count
        self.binding = True
        self.opened = opened
        self.names: dict[TermKey, str] = {}
        self.holes: dict[str, tuple[str, ...]] = {}
        self.many: set[str] = set()
        self.transforms: dict[str, Any] = {}

    def template(self, sides: Sequence[tuple[Node, ...]]) -> str:
        """The text of what comes; the edits must come to as many nodes."""
        if len({len(side) for side in sides}) > 1:
            raise NoTemplateError
        if not sides[0]:
            return ""
        parts = [self.text(list(nodes)) for nodes in zip(*sides, strict=True)]
        text, end = parts[0], sides[0][0].end_byte
        for node, part in zip(sides[0][1:], parts[1:], strict=True):
            lines = node.start_point[0] - _at(sides[0], end)
            text += ("\n" * max(lines, 0) or "; ") + part
            end = node.end_byte
        return text

    def text(self, nodes: Sequence[Node]) -> str:
        """What some nodes have in common, as the text of a pattern or a template."""
        first = nodes[0]
        key = _key(nodes)
        if first.is_named and (key in self.names or (self.binding and key in self.opened)):
            return self._hole(key, nodes)
        if len(set(key)) == 1 and not self._open_inside(first):
            return text_of(first).decode("utf-8", "replace")
        if not self._alike(nodes):
            return self._hole(key, nodes)
        lists = [_items(node) for node in nodes]
        if all(items is not None for items in lists) and (
            len({len(items or ()) for items in lists}) > 1
            or (self.wide and "argument" in first.type)
        ):
            return self._listed(first, [items or [] for items in lists])
        if len({node.child_count for node in nodes}) > 1:
            return self._hole(key, nodes)
        rows = list(zip(*(node.children for node in nodes), strict=True))
        plain = [row for row in rows if not row[0].is_named]
        if any(len({(one.type, text_of(one)) for one in row}) > 1 for row in plain):
            return self._hole(key, nodes)
        return _spliced(first, [(row[0], self.text(row)) for row in rows])

    def _alike(self, nodes: Sequence[Node]) -> bool:
        first = nodes[0]
        if "string" in first.type or not first.child_count:
            return False
        return all(node.type == first.type and node.child_count for node in nodes)

    def _open_inside(self, node: Node) -> bool:
        keys = self.opened if self.binding else self.names.keys()
        if not keys:
            return self.wide and self.binding and self._has_list(node)
        return any(_key([each]) * self.count in keys for each in _named(node)) or (
            self.wide and self._has_list(node)
        )

    def _has_list(self, node: Node) -> bool:
        return any("argument" in each.type and each.child_count > 2 for each in _named(node))

    def _hole(self, key: TermKey, nodes: Sequence[Node], many: bool = False) -> str:
        texts = tuple(text_of(node).decode("utf-8", "replace") for node in nodes)
        if key not in self.names:
            if not self.binding:
                return self._transformed(texts)
            if (not many and not nodes[0].is_named) or len(self.names) >= len(_LETTERS):
                raise NoTemplateError
            self.names[key] = _LETTERS[len(self.names)]
            self.holes[self.names[key]] = texts
        return f"${self.names[key]}"

    def _listed(self, first: Node, lists: Sequence[Sequence[Node]]) -> str:
        """A list of which only what all have is spelled."""
        single = len(lists) == 1
        count = len(lists)
        common = [
            _item_key(item)
            for item in lists[0]
            if item.type in _NAMED_ITEMS or not (single or _key([item]) * count in self.opened)
        ]
        for items in lists[1:]:
            keys = [_item_key(item) for item in items]
            matcher = SequenceMatcher(None, common, keys, autojunk=False)
            common = [key for i, _, n in matcher.get_matching_blocks() for key in common[i : i + n]]
        gaps, anchors = _gaps(lists, common)
        parts: list[str] = []
        for at, runs in enumerate(gaps):
            if any(runs) or (single and self.wide and anchors):
                parts.append(self._run(runs, at))
            if at < len(anchors):
                parts.append(self.text(anchors[at]))
        head, tail, separator = _frame(first)
        return head + separator.join(parts) + tail

    def _run(self, runs: Sequence[Sequence[Node]], at: int) -> str:
        key: TermKey = ("many", -1 if any(runs) else at, *(_key(run) for run in runs))
        if key not in self.names:
            if not self.binding or len(self.names) >= len(_LETTERS):
                raise NoTemplateError
            name = _LETTERS[len(self.names)]
            self.names[key] = name
            self.many.add(name)
            self.holes[name] = tuple(
                ", ".join(text_of(node).decode("utf-8", "replace") for node in run) for run in runs
            )
        return f"$$${self.names[key]}"

    def _transformed(self, wanted: Sequence[str]) -> str:
        """A slot for a small function of a capture."""
        for name, captured in self.holes.items():
            if name in self.many or len(captured) != len(wanted):
                continue
            for case, function in _CASES.items():
                if all(function(one) == two for one, two in zip(captured, wanted, strict=True)):
                    return self._slot({"convert": {"source": f"${name}", "toCase": case}})
            slot = self._cut(name, captured, wanted)
            if slot is not None:
                return slot
        raise NoTemplateError

    def _cut(self, name: str, captured: Sequence[str], wanted: Sequence[str]) -> str | None:
        for head in range(_MOST_ENDS):
            for tail in range(_MOST_ENDS):
                cores = [text[head : len(text) - tail] for text in captured]
                if min(map(len, cores)) < (3 if len(captured) == 1 else 1):
                    break
                at = wanted[0].find(cores[0])
                lead, end = wanted[0][:at], wanted[0][at + len(cores[0]) :]
                if at < 0 or any(
                    two != lead + core + end for core, two in zip(cores, wanted, strict=True)
                ):
                    continue
                if any(
                    _ends(text, head, tail) != _ends(captured[0], head, tail) for text in captured
                ):
                    continue
                if not head and not tail:
                    return f"{lead}${name}{end}"
                cut = {"source": f"${name}"} | ({"startChar": head} if head else {})
                cut |= {"endChar": -tail} if tail else {}
                return f"{lead}{self._slot({'substring': cut})}{end}"
        return None

    def _slot(self, transform: dict[str, Any]) -> str:
        for name, known in self.transforms.items():
            if known == transform:
                return f"${name}"
        name = f"NEW_{_LETTERS[len(self.transforms)]}"
        self.transforms[name] = transform
        return f"${name}"


def _ends(text: str, head: int, tail: int) -> tuple[str, str]:
    ends = text[:head], text[len(text) - tail :]
    return ("'", "'") if ends in (('"', '"'), ("'", "'")) else ends


def _at(side: Sequence[Node], end: int) -> int:
    return next(node.end_point[0] for node in side if node.end_byte == end)


def _items(node: Node) -> list[Node] | None:
    """The items of a list; None for a node that is none."""
    children = [c for c in node.children if not (c.is_extra and "comment" in c.type)]
    if node.type in BLOCKS:
        return children if all(child.is_named for child in children) else None
    middle = [child for child in children if not child.is_named]
    is_list = len(middle) >= 2 and text_of(middle[0]) in (b"(", b"[", b"{")
    if not is_list or any(text_of(child) != b"," for child in middle[1:-1]):
        return None
    return [child for child in children if child.is_named]


def _item_key(item: Node) -> object:
    name = item.child_by_field_name("name") or item.child_by_field_name("key")
    if item.type in _NAMED_ITEMS and name is not None:
        return item.type, text_of(name)
    return item.type, b" ".join(tokens([item]))


def _gaps(
    lists: Sequence[Sequence[Node]], common: Sequence[object]
) -> tuple[list[list[list[Node]]], list[list[Node]]]:
    """The runs between the common items, and these, each for every list."""
    gaps: list[list[list[Node]]] = [[] for _ in range(len(common) + 1)]
    anchors: list[list[Node]] = [[] for _ in common]
    for items in lists:
        at = 0
        run: list[Node] = []
        for item in items:
            if at < len(common) and _item_key(item) == common[at]:
                anchors[at].append(item)
                gaps[at].append(run)
                at, run = at + 1, []
            else:
                run.append(item)
        if at < len(common):
            raise NoTemplateError
        gaps[at].append(run)
    return gaps, anchors


def _frame(node: Node) -> tuple[str, str, str]:
    if node.type in BLOCKS:
        return "", "", "\n" + " " * node.start_point[1]
    plain = [child for child in node.children if not child.is_named]
    return text_of(plain[0]).decode(), text_of(plain[-1]).decode(), ", "


def _spliced(node: Node, parts: Sequence[tuple[Node, str]]) -> str:
    """The text of a node with other texts in the place of its children."""
    source, start = text_of(node), node.start_byte
    text, at = "", 0
    for child, part in parts:
        text += source[at : child.start_byte - start].decode("utf-8", "replace") + part
        at = child.end_byte - start
    return text + source[at:].decode("utf-8", "replace")
