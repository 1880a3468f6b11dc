"""What is wrong with the result of edits: asked of all of them, then of some.

The old tree is told of the edits and the result is parsed incrementally.
"""

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import cached_property, lru_cache

from tree_sitter import Node, Tree

from astedit.language import Grammar
from astedit.language.facts import Facts
from astedit.language.traits import Traits
from astedit.rewrite.prove.compiled import Compilation, PlacedText, added_text
from astedit.rewrite.prove.fault import (
    Fault,
    Put,
    count_flaws,
    flaw_in_new_text,
    flawed,
    region_of,
    run_together,
    strayed,
    swallowed,
)
from astedit.rewrite.prove.structure import misread
from astedit.text.source import ByteRange, Change, Lines, splice


@dataclass
class Verification:
    """Looks at what edits make of one text: all of them, then some where something is wrong.

    `puts` are sorted and do not overlap; one may be exchanged for another text in the same
    place. The tree stays as it is. `unread` says, after a fault was looked into, that the compiler
    refuses what was edited as it was, for its version: so nothing follows for the edits.
    """

    grammar: Grammar
    traits: Traits
    tree: Tree
    source: bytes
    lines: Lines
    puts: list[Put]
    unread: bool = False

    @cached_property
    def _compilation(self) -> Compilation | None:
        compiler, facts = self.traits.compiler, self.traits.facts
        return None if compiler is None else Compilation(self.source, compiler, facts)

    @cached_property
    def _flaws(self) -> int:
        return count_flaws(self.tree.root_node)

    @cached_property
    def _regions(self) -> list[ByteRange]:
        root, source = self.tree.root_node, self.source
        return [region_of(root, source, put.change, self.traits) for put in self.puts]

    def fault(self, places: Sequence[int]) -> Fault | None:
        """What is wrong when the edits at these places are made; None if nothing."""
        if self.are_names(places):
            return None
        puts = [self.puts[place] for place in places]
        allowed = [self._regions[place] for place in places]
        before, after, result = self._parsed(puts)
        root, old = after.root_node, self.tree.root_node
        flaw = flaw_in_new_text(old, root, puts) if self._flaws else None
        if count_flaws(root) > self._flaws:
            flaw = puts[0].start
        if flaw is not None:
            return flawed(root, flaw, result)
        changes = [put.change for put in puts]
        fault = misread(old, root, places, puts, result, self.grammar, self.traits)
        if fault is None and strayed(before, after, allowed, changes, result, self.traits.facts):
            anew = self.grammar.parser().parse(result)  # what was read before may mislead
            fault = strayed(before, anew, allowed, changes, result, self.traits.facts)
        fault = fault or run_together(old, root, places, puts, result)
        fault = fault or swallowed(old, root, changes, self.source, result)
        return fault or self._refused(root, puts, result)

    def are_names(self, places: Sequence[int]) -> bool:
        """Do these edits exchange nothing but names?"""
        pieces = [piece for place in places for piece in self.puts[place].smallest]
        return only_names(self.grammar, self.traits.facts, self.tree.root_node, self.source, pieces)

    def refuses(self, places: Sequence[int]) -> bool:
        """Does the compiler refuse a statement with these edits in it? Nothing is parsed."""
        if self._compilation is None:
            return False
        changes = [change for place in places for change in self.puts[place].smallest]
        return self._compilation.refuses(self.tree.root_node, changes)

    def _parsed(self, puts: Sequence[Put]) -> tuple[Tree, Tree, bytes]:
        """The tree as it is told of the edits, that of the result, and the result."""
        tree = self.tree.copy()
        pieces = [piece for put in puts for piece in put.smallest]
        begun = {put.start for put in puts if put.start < put.end}
        _tell_all(tree, self.source, self.lines, pieces, begun)
        result = splice(self.source, pieces)
        return tree, self.grammar.parser().parse(result, tree), result

    def _refused(self, root: Node, puts: Sequence[Put], result: bytes) -> Fault | None:
        if self._compilation is None:
            return None
        texts: list[PlacedText] = []
        shift = 0
        for put in puts:
            old = self.source[put.start : put.end].strip()
            if put.text.data or b"," in (old[:1], old[-1:]):  # of what goes, items of lists alone
                removed = tuple(self.source[low:high] for low, high, _ in put.smallest)
                added = added_text(put, self.source)
                texts.append(PlacedText(put.start + shift, put.text, added, removed))
            shift += len(put.text.data) - (put.end - put.start)
        fault = self._compilation.fault(root, result, texts)
        if fault is None or not self._compilation.is_refused:
            return fault
        if any(self._compilation.breaks(self.tree.root_node, put.smallest) for put in puts):
            return fault
        self.unread = True
        return None


def parsed_again(
    grammar: Grammar, tree: Tree, source: bytes, changes: Sequence[Change]
) -> tuple[Tree, bytes]:
    """The tree and the text after changes; the old tree saves most of the work."""
    result, parser = splice(source, changes), grammar.parser()
    if tree.root_node.has_error:
        return parser.parse(result), result  # what error recovery makes of it depends on the past
    _tell_all(told := tree.copy(), source, Lines(source), changes, set())
    after = parser.parse(result, told)
    return (parser.parse(result) if after.root_node.has_error else after), result


def _tell_all(
    tree: Tree, source: bytes, lines: Lines, changes: Sequence[Change], begun: Set[int]
) -> None:
    for start, end, new in reversed(_joined(changes)):
        if start == end and start in begun:
            end += 1  # else what begins here would be told to begin behind the new text
            new += source[start:end]
        _tell(tree, lines, start, end, new)


def _joined(changes: Sequence[Change]) -> list[Change]:
    """Changes that touch as one: deleted nodes left at one place cost a visit per change."""
    runs: list[list[Change]] = []
    for change in changes:
        if runs and runs[-1][-1][1] == change[0]:
            runs[-1].append(change)
        else:
            runs.append([change])
    return [(run[0][0], run[-1][1], b"".join(new for _, _, new in run)) for run in runs]


def _tell(tree: Tree, lines: Lines, start: int, end: int, new: bytes) -> None:
    row, column = lines.point(start)
    newlines = new.count(b"\n")
    tail = len(new) - (new.rfind(b"\n") + 1)
    stop = (row + newlines, tail if newlines else column + len(new))
    tree.edit(start, end, start + len(new), (row, column), lines.point(end), stop)


_PARTS = re.compile(rb"(\w+)")
_NAME = re.compile(rb"[A-Za-z_]\w*")
_QUOTES = (b'"', b"'")  # behind a name they may make it the prefix of a string


def only_names(
    grammar: Grammar, facts: Facts, root: Node, source: bytes, changes: Sequence[Change]
) -> bool:
    """Whether the text differs in nothing but names, each in the place of one identifier.

    False where the source does not parse: what error recovery makes of it depends on
    lengths; and for languages of which not all `Facts.words` are known.
    """
    if facts.words is None or root.has_error:
        return False
    words = words_of(grammar) | facts.words
    return all(_renames(words, root, source, change) for change in changes)


def _renames(words: frozenset[str], root: Node, source: bytes, change: Change) -> bool:
    start, end, new = change
    old_parts, new_parts = _PARTS.split(source[start:end]), _PARTS.split(new)
    if len(old_parts) != len(new_parts):
        return False
    at = start
    for place, (old, other) in enumerate(zip(old_parts, new_parts, strict=True)):
        if old != other and not (
            place % 2
            and _is_free(old, words)
            and _is_free(other, words)
            and _is_identifier(root, source, at, at + len(old))
        ):
            return False
        at += len(old)
    return True


def _is_free(word: bytes, words: frozenset[str]) -> bool:
    return _NAME.fullmatch(word) is not None and word.decode() not in words


def _is_identifier(root: Node, source: bytes, start: int, end: int) -> bool:
    """Whether these bytes are one, which in code that parses is a whole word, before no quote."""
    node = root.descendant_for_byte_range(start, end)
    if node is None or (node.type, node.start_byte, node.end_byte) != ("identifier", start, end):
        return False
    return source[end : end + 1] not in _QUOTES


@lru_cache(maxsize=64)
def words_of(grammar: Grammar) -> frozenset[str]:
    """The words that mean something to the grammar, wherever: `match` as well as `if`."""
    language = grammar.language
    kinds = range(language.node_kind_count)
    names = (
        language.node_kind_for_id(kind) for kind in kinds if not language.node_kind_is_named(kind)
    )
    return frozenset(name for name in names if name is not None and name.isidentifier())
