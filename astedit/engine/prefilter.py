"""Which of several patterns and rules can match in a text, found out before it is parsed."""

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import product
from typing import Any, Protocol

from astedit.pattern.find import may_match
from astedit.pattern.required_text import DottedName, Literal, in_latin_1, is_ascii, length, stands

Needle = Literal | DottedName
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
        return [[_longest_first(literals) for literals in each.literals] for each in self._finders]

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
                    rare = max(way, key=lambda number: _length(needles[number]))
                    by_needle.setdefault(rare, []).append((place, way))
                else:
                    always.add(place)
        return always, by_needle

    def _held(self, source: bytes) -> set[int]:
        needles, _ = self._ways
        numbers = self._automaton.Match(b"\n" + source)  # so that there is a first character
        if not numbers:  # it ran out of memory: the empty expression is everywhere
            return {number for number, needle in enumerate(needles) if _stands(needle, source)}
        present = set(numbers)
        if len(needles) in present:
            present.update(number for number, needle in self._beginning if needle.stands(source))
        return present

    @cached_property
    def _beginning(self) -> list[tuple[int, DottedName]]:
        named = (
            (n, needle) for n, needle in enumerate(self._ways[0]) if isinstance(needle, DottedName)
        )
        return [(number, needle) for number, needle in named if needle.begins]

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
    literals = [
        frozenset(literal for literal in way if not all(_implies(each, literal) for each in names))
        for way in needs.literals
    ]
    if frozenset() in literals or len(literals) * len(names) > _MOST_WAYS:
        literals = [frozenset()]
    return [frozenset[Needle](way | name) for way, name in product(literals, names)]


def _longest_first(literals: Iterable[Literal]) -> list[bytes]:
    return sorted(
        (literal for literal in literals if isinstance(literal, bytes)), key=len, reverse=True
    )


def _implies(names: frozenset[DottedName], literal: Literal) -> bool:
    return any(stands(literal, part) for name in names for part in name.parts)


def _length(needle: Needle) -> int:
    return sum(map(length, _texts(needle)))


def _texts(needle: Needle) -> Sequence[Literal]:
    return needle.parts if isinstance(needle, DottedName) else (needle,)


def _stands(needle: Needle, source: bytes) -> bool:
    return needle.stands(source) if isinstance(needle, DottedName) else stands(needle, source)


def _quoted(literal: bytes) -> str:
    return in_latin_1(re.escape(literal))
