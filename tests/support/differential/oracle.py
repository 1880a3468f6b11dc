"""One pattern on one file, asked of ast-grep and of ourselves, in the same terms."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from ast_grep_py import Config, SgNode, SgRoot
from hypothesis import reject
from tree_sitter import Node, Tree

from astedit.language import load, named
from astedit.limits import INLINE_SECONDS, SlowParseError, parsing_within
from astedit.pattern.compile import Pattern, PatternError, compile_pattern
from astedit.pattern.find import Finder

Span = tuple[int, int]
# The languages that version 0.51 of ast-grep has, too.
LANGUAGES = frozenset(
    """
    bash c cpp csharp css dart elixir go haskell hcl html java javascript json kotlin lua markdown
    nix php python ruby rust scala solidity swift tsx typescript yaml zig
    """.split()  # noqa: SIM905
)


@dataclass(frozen=True, slots=True)
class Query:
    """A pattern as both programs take it."""

    language: str
    text: str
    strictness: str = "smart"
    selector: str | None = None
    context: str | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """One match: its bytes, and those of every capture. Empty many-captures are left out."""

    span: Span
    single: tuple[tuple[str, Span], ...] = ()
    multi: tuple[tuple[str, tuple[Span, ...]], ...] = ()


class Refused(Exception):
    """A program does not accept the pattern; its first words say why."""


class Subject:
    """One source text, parsed by both."""

    def __init__(self, language: str, source: bytes) -> None:
        row = named(language)
        assert row is not None, language
        self.language = language
        self.source = source
        # Random text can keep the parser busy for minutes, with gigabytes: that is no answer.
        try:
            with parsing_within(INLINE_SECONDS):
                self.tree: Tree = load(row).parser().parse(source)
        except SlowParseError:
            reject()
        self.root = SgRoot(source.decode(), language).root()
        self._offsets = None if source.isascii() else _offsets(source.decode())

    def span(self, node: SgNode) -> Span:
        """The bytes of an ast-grep node, which counts in characters."""
        found = node.range()
        start, end = found.start.index, found.end.index
        return (start, end) if self._offsets is None else (self._offsets[start], self._offsets[end])


def _offsets(text: str) -> list[int]:
    """The byte offset of every character, and of the end."""
    at = 0
    offsets = [0]
    for character in text:
        at += len(character.encode())
        offsets.append(at)
    return offsets


def compiled(query: Query) -> Pattern:
    """Our reading of a pattern; raises `Refused`."""
    row = named(query.language)
    assert row is not None, query.language
    try:
        return compile_pattern(
            query.text,
            row,
            load(row),
            selector=query.selector,
            context=query.context,
            strictness=query.strictness,
        )
    except PatternError as error:
        raise Refused(error.message) from error


def ours(pattern: Pattern, subject: Subject) -> list[Hit]:
    """Our matches, in order."""
    found = Finder(pattern).find(subject.tree.root_node, subject.source)
    return [hit(one.node, one.single, one.multi) for one in found]


def hit(node: Node, single: Mapping[str, Node], multi: Mapping[str, Sequence[Node]]) -> Hit:
    """A match of ours by its bytes."""
    many = {name: tuple(map(_bytes, nodes)) for name, nodes in multi.items() if nodes}
    return _hit(_bytes(node), {name: _bytes(one) for name, one in single.items()}, many)


def _bytes(node: Node) -> Span:
    return node.start_byte, node.end_byte


def theirs(query: Query, captures: Sequence[str], subject: Subject) -> list[Hit]:
    """ast-grep's matches, in order, with the captures that are asked for; raises `Refused`."""
    return [_their_hit(node, captures, subject) for node in their_nodes(query, subject)]


def their_nodes(query: Query, subject: Subject) -> list[SgNode]:
    """ast-grep's matches as its own nodes."""
    pattern = {"context": query.context or query.text, "strictness": query.strictness}
    if query.selector:
        pattern["selector"] = query.selector
    try:
        return subject.root.find_all(cast(Config, {"rule": {"pattern": pattern}}))
    except RuntimeError as error:
        raise Refused(_reason(str(error))) from error


def _reason(message: str) -> str:
    """The innermost cause, without the stack trace."""
    return message.partition("\n\nStack backtrace")[0].strip().splitlines()[-1].strip()


def _their_hit(node: SgNode, captures: Sequence[str], subject: Subject) -> Hit:
    single, multi = {}, {}
    for name in captures:
        if (one := node.get_match(name)) is not None:
            single[name] = subject.span(one)
        if many := node.get_multiple_matches(name):
            multi[name] = tuple(map(subject.span, many))
    return _hit(subject.span(node), single, multi)


def _hit(span: Span, single: Mapping[str, Span], multi: Mapping[str, tuple[Span, ...]]) -> Hit:
    return Hit(span, tuple(sorted(single.items())), tuple(sorted(multi.items())))
