"""A program: the ops and rules of a request that compile in one language.

Which of them can match in a text is found out before it is parsed.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, Protocol

from tree_sitter import Node

from astedit.errors import RequestError
from astedit.language import Grammar, Row
from astedit.model.request import EditRequest, Op
from astedit.pattern.compile import Pattern, PatternError
from astedit.pattern.find import may_match
from astedit.pattern.listed import Kinds, Listed
from astedit.pattern.match import Found
from astedit.pattern.required_text import (
    DottedName,
    Literal,
    Needle,
    in_latin_1,
    is_ascii,
    length,
    stands,
)
from astedit.text.source import is_binary

if TYPE_CHECKING:
    from astedit.rewrite.make.overlap import Rewrite
    from astedit.rule.document import Document, FileGlobs
    from astedit.rule.fixes.fix import Imports
    from astedit.rule.match.find import RuleFinder


Way = frozenset[int]  # needles that are all in a text in which something matches

_MANY = 16  # needles from which on an automaton is worth its import
_MOST_WAYS = 64  # of one finder, before some of what it needs is left out of account


class Needs(Protocol):
    """What a text holds in which a pattern or a rule matches, as alternatives each."""

    @property
    def literals(self) -> tuple[frozenset[Literal], ...]: ...
    @property
    def names(self) -> tuple[frozenset[DottedName], ...]: ...


class Prefilter:
    """For several finders, which are called by their places."""

    def __init__(self, finders: Sequence[Needs]) -> None:
        self._finders = finders

    @cached_property
    def ascii(self) -> bool:
        """Is every literal spelled alike in all encodings but UTF-16?"""
        return all(
            is_ascii(literal) for each in self._finders for way in each.literals for literal in way
        )

    @cached_property
    def many(self) -> bool:
        """Are there so many needles that one pass looks for all of them?"""
        needles, _ = self._ways
        return len(needles) >= _MANY

    def may_match(self, source: bytes) -> bool:
        """False only if nothing can match these bytes, in whatever encoding."""
        for alternatives in self._literals:  # no generators: this runs for every file
            for literals in alternatives:
                for literal in literals:
                    if literal not in source:
                        break
                else:
                    return True
        return False

    def active(self, source: bytes) -> list[int]:
        """The finders that can match in a text in UTF-8."""
        if not self.many:
            return [
                place
                for place, finder in enumerate(self._finders)
                if may_match(source, finder.literals, finder.names)
            ]
        always, by_needle = self._index
        needles = self._held(source)
        places = {
            place
            for needle in needles & by_needle.keys()
            for place, way in by_needle[needle]
            if way <= needles
        }
        return sorted(places | always)

    @cached_property
    def _literals(self) -> list[list[list[bytes]]]:
        """For each finder its alternatives, the longest (rarest) literals first.

        But for those of which the case does not count: they are looked for later.
        """
        return [
            [
                sorted((one for one in way if isinstance(one, bytes)), key=len, reverse=True)
                for way in each.literals
            ]
            for each in self._finders
        ]

    @cached_property
    def _ways(self) -> tuple[list[Needle], list[list[Way]]]:
        """All needles, and for each finder the ways in which it can match."""
        numbers: dict[Needle, int] = {}
        ways = [
            [
                frozenset(numbers.setdefault(needle, len(numbers)) for needle in way)
                for way in _ways(each)
            ]
            for each in self._finders
        ]
        return list(numbers), ways

    @cached_property
    def _index(self) -> tuple[set[int], dict[int, list[tuple[int, Way]]]]:
        """The finders that need nothing, and the ways of others by one needle of each."""
        needles, ways = self._ways
        always: set[int] = set()
        by_needle: dict[int, list[tuple[int, Way]]] = {}
        for place, each in enumerate(ways):
            for way in each:
                if way:
                    rare = max(way, key=lambda number: length(needles[number]))
                    by_needle.setdefault(rare, []).append((place, way))
                else:
                    always.add(place)
        return always, by_needle

    def _held(self, source: bytes) -> set[int]:
        needles, _ = self._ways
        numbers = self._automaton.Match(b"\n" + source)  # so that there is a first character
        if not numbers:  # it ran out of memory: the empty expression is everywhere
            return {number for number, needle in enumerate(needles) if stands(needle, source)}
        present = set(numbers)
        if len(needles) in present:
            present.update(number for number, needle in self._beginning if needle.stands(source))
        return present

    @cached_property
    def _beginning(self) -> list[tuple[int, DottedName]]:
        return [
            (number, needle)
            for number, needle in enumerate(self._ways[0])
            if isinstance(needle, DottedName) and needle.begins
        ]

    @cached_property
    def _automaton(self) -> Any:
        """RE2's set of all needles: 200 in one pass, 25x faster than one after the other.

        Behind them one for names behind two dots: within theirs, it would double the time
        that the set takes to get going.
        """
        import re2  # type: ignore[import-untyped]

        options = re2.Options()
        options.encoding = re2.Options.Encoding.LATIN1  # a byte is a character
        options.log_errors = False
        needles = re2.Set.SearchSet(options)
        for needle in self._ways[0]:
            needles.Add(_quoted(needle) if isinstance(needle, bytes) else needle.expression())
        firsts = sorted({_quoted(needle.parts[0]) for _, needle in self._beginning})
        needles.Add(rf"\.\.(?:{'|'.join(firsts)})")
        needles.Add("")
        needles.Compile()
        return needles


def _ways(needs: Needs) -> list[frozenset[Needle]]:
    """Alternatives of literals and of names as one; literals that the names hold are no news."""
    names = needs.names
    parts = [[part for name in each for part in name.parts] for each in names]
    literals = [
        frozenset(
            one for one in way if not all(any(stands(one, p) for p in each) for each in parts)
        )
        for way in needs.literals
    ]
    if frozenset() in literals or len(literals) * len(names) > _MOST_WAYS:
        literals = [frozenset()]
    return [frozenset[Needle](way | name) for way, name in product(literals, names)]


def _quoted(literal: bytes) -> str:
    return in_latin_1(re.escape(literal))


class Finds(Needs, Protocol):
    """What finds matches in trees: of a pattern, or of a rule.

    `wanted` are the kinds of node it asks for in one tree. `gave_up` says, after `find`,
    that a match may have been missed.
    """

    @property
    def gave_up(self) -> bool: ...
    def wanted(self, listed: Listed) -> Kinds: ...
    def find(self, root: Node, source: bytes, listed: Listed | None = None) -> list[Found]: ...


@dataclass(slots=True)
class Reported:
    """What is said about the matches of a rule, and in which files.

    `conditions` must all be found in a file: the preconditions that are about one file.
    """

    document: "Document"
    finder: "RuleFinder | None"
    rewrites: "tuple[Rewrite, ...]" = ()
    files: "FileGlobs | None" = None
    ignores: "FileGlobs | None" = None
    conditions: "tuple[RuleFinder, ...]" = ()

    def at(self, path: str) -> bool:
        """Does the rule apply to this file?"""
        if self.ignores is not None and self.ignores.hold(path):
            return False
        return self.files is None or self.files.hold(path)

    def admits(self, root: Node, source: bytes) -> bool:
        """Whether the file's text meets every precondition."""
        return all(condition.find(root, source) for condition in self.conditions)


@dataclass(slots=True)
class CompiledOp:
    """One op or rule in one language. `rewrite` is None if it only finds.

    `reported` is set for a document of `rules`. Rules come behind the ops in `index`.
    `imports` are what an edit of it needs to have imported, and needs no more.
    """

    index: int
    finder: Finds
    rewrite: "Rewrite | None"
    reported: Reported | None = None
    imports: "Imports | None" = None

    @property
    def pattern(self) -> Pattern | None:
        """The pattern of an op that has one, with conditions or without."""
        pattern: Pattern | None = getattr(self.finder, "pattern", None)
        return pattern


Pairs = list[tuple[CompiledOp, list[Found]]]
Audible = Callable[[Pairs, Node, bytes], Pairs]


@dataclass
class Program:
    """All ops and rules that compile in one language, and why the others do not."""

    row: Row
    grammar: Grammar
    ops: list[CompiledOp] = field(default_factory=list)
    refused: dict[int, RequestError] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    names: str = ""  # who resolves names; see `name_resolver`
    matches: Counter[int] = field(default_factory=Counter)  # of each op, as they were counted
    audible: Audible | None = None  # what leaves out the matches that comments silence
    _asked: bytes | None = None  # the last text, and what can match in it: asked for thrice
    _answer: list[CompiledOp] = field(default_factory=list)

    @cached_property
    def prefilter(self) -> Prefilter:
        """Of all the ops; asked for when there will be no more of them."""
        return Prefilter([op.finder for op in self.ops])

    def active(self, source: bytes) -> list[CompiledOp]:
        """The ops that can match this text."""
        if source is not self._asked:
            self._asked = source
            self._answer = [self.ops[place] for place in self.prefilter.active(source)]
        return self._answer

    def is_near(self, source: bytes) -> bool:
        """Whether a text without a match holds every word that some pattern names."""
        has_all = any(all(literal in source for literal in literals) for literals in self._named)
        return has_all and not is_binary(source)

    @cached_property
    def _named(self) -> list[tuple[bytes, ...]]:
        return [op.pattern.literals for op in self.ops if op.pattern is not None]

    def find(self, root: Node, source: bytes, path: str) -> Pairs:
        """The matches of every op, those that a comment silences left out."""
        active = [op for op in self.active(source) if op.reported is None or op.reported.at(path)]

        def wanted(listed: Listed) -> Kinds:
            return Kinds().union(*[op.finder.wanted(listed) for op in active])

        listed = Listed(self.grammar, root, source, wanted)
        pairs = [(op, op.finder.find(root, source, listed)) for op in active]
        if self.audible is not None and any(op.reported is not None for op in active):
            return self.audible(pairs, root, source)
        return pairs


def refuse_flaws(patterns: Sequence[Pattern], op: Op | None, request: EditRequest) -> None:
    """What rewrites must parse (P5), unless the op or the request insists."""
    own = None if op is None else op.allow_error_pattern
    if request.allow_error_pattern if own is None else own:
        return
    for pattern in patterns:
        if pattern.flaws:
            raise PatternError(
                f"The pattern {pattern.text!r} does not parse in {pattern.row.label}: "
                f"it holds {', '.join(sorted(set(pattern.flaws)))}.",
                hint="`astedit explain -p …` shows what it needs; --allow-error-pattern insists.",
                code="error_pattern",
            )
