"""A program: the ops and rules of a request that compile in one language."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from tree_sitter import Node

from astedit.engine.prefilter import Needs, Prefilter
from astedit.errors import RequestError
from astedit.language import Grammar, Row
from astedit.model.request import EditRequest, Op
from astedit.pattern.compile import Pattern, PatternError
from astedit.pattern.listed import Kinds, Listed
from astedit.pattern.match import Found

if TYPE_CHECKING:
    from astedit.rewrite.make.overlap import Rewrite
    from astedit.rule.document import Document, FileGlobs
    from astedit.rule.fixes.fix import Imports
    from astedit.rule.match.find import RuleFinder


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
        return any(all(literal in source for literal in literals) for literals in self._named)

    @cached_property
    def _named(self) -> list[tuple[bytes, ...]]:
        return [op.pattern.literals for op in self.ops if op.pattern is not None]

    def find(self, root: Node, source: bytes, path: str) -> Pairs:
        """The matches of every op, those that a comment silences left out."""
        active = [op for op in self.active(source) if op.reported is None or op.reported.at(path)]
        listed = Listed(self.grammar, root, source, lambda listed: _wanted(active, listed))
        pairs = [(op, op.finder.find(root, source, listed)) for op in active]
        if self.audible is not None and any(op.reported is not None for op in active):
            return self.audible(pairs, root, source)
        return pairs


def _wanted(active: Sequence[CompiledOp], listed: Listed) -> Kinds:
    return Kinds().union(*[op.finder.wanted(listed) for op in active])


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
