"""A request's ops and rules, compiled once per language that occurs. (spec: P5, G5)"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from tree_sitter import Node

from astedit.engine.languages import language_of
from astedit.engine.prefilter import Needs, Prefilter
from astedit.errors import RequestError
from astedit.language import Grammar, Row, load
from astedit.model.request import EditRequest, Op
from astedit.pattern.compile import Pattern, PatternError, compile_pattern
from astedit.pattern.find import Finder
from astedit.pattern.listed import Kinds, Listed
from astedit.pattern.match import Found
from astedit.pattern.template import Slot, parse_template
from astedit.rewrite.overlap import Rewrite

if TYPE_CHECKING:
    from astedit.engine.rule_program import Reported


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
class CompiledOp:
    """One op or rule in one language. `rewrite` is None if it only finds.

    `reported` is set for a document of `rules`. Rules come behind the ops in `index`.
    """

    index: int
    finder: Finds
    rewrite: Rewrite | None
    reported: "Reported | None" = None

    @property
    def pattern(self) -> Pattern | None:
        """The pattern of an op that has one."""
        return self.finder.pattern if isinstance(self.finder, Finder) else None


@dataclass
class Program:
    """All ops and rules that compile in one language, and why the others do not."""

    row: Row
    grammar: Grammar
    ops: list[CompiledOp] = field(default_factory=list)
    refused: dict[int, RequestError] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
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
        """Whether a text in which nothing matches holds all that a pattern names."""
        return any(all(one in source for one in literals) for literals in self._named)

    @cached_property
    def _named(self) -> list[tuple[bytes, ...]]:
        return [op.pattern.literals for op in self.ops if op.pattern is not None]

    def find(self, root: Node, source: bytes, path: str) -> "list[tuple[CompiledOp, list[Found]]]":
        """The matches of every op, those that a comment silences left out."""
        active = [op for op in self.active(source) if op.reported is None or op.reported.at(path)]
        listed = Listed(self.grammar, root, source, lambda listed: _wanted(active, listed))
        pairs = [(op, op.finder.find(root, source, listed)) for op in active]
        if any(op.reported is not None for op in active):
            from astedit.engine.rule_program import audible

            return audible(pairs, root, source)
        return pairs


def _wanted(active: Sequence[CompiledOp], listed: Listed) -> Kinds:
    return Kinds().union(*[op.finder.wanted(listed) for op in active])


def compile_ops(request: EditRequest, row: Row, rewriting: bool, names: str = "") -> Program:
    """Compiles every op meant for this language; a refusal is kept, not raised.

    `names` is what `provided` takes.
    """
    program = Program(row, load(row))
    for index, op in enumerate(request.ops):
        if not _is_meant(op, request, row):
            continue
        try:
            program.ops.append(_compile(index, op, request, program, rewriting, names))
        except RequestError as error:
            program.refused[index] = error
    return program


def _is_meant(op: Op, request: EditRequest, row: Row) -> bool:
    own = op.lang or request.lang or (op.rule or {}).get("language")
    names = [own] if isinstance(own, str) else own or []
    return not names or any(language_of(name) is row for name in names)


def _compile(
    index: int,
    op: Op,
    request: EditRequest,
    program: Program,
    rewriting: bool,
    names: str,
) -> CompiledOp:
    if op.rule is not None:
        from astedit.engine.rule_program import compile_op

        return compile_op(index, op, request, program.row, rewriting, names)
    pattern = compile_pattern(
        op.pat,
        program.row,
        program.grammar,
        selector=op.selector or request.selector,
        context=op.context or request.context,
        strictness=op.strictness or request.strictness,
    )
    if not rewriting:
        return CompiledOp(index, Finder(pattern), None)
    refuse_flaws([pattern], op, request)
    template = parse_template(op.out or "", pattern.captures)
    slots = tuple(Slot(name, hole.many) for name, hole in pattern.captures.items())
    allow = request.allow_loss if op.allow_loss is None else op.allow_loss
    return CompiledOp(index, Finder(pattern), Rewrite(index, template, slots, allow))


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


def _refuse_surrogates(op: Op) -> None:
    """What a command line that is not UTF-8 was decoded to has no place in any file."""
    for text in (op.pat, op.out, op.context, op.selector):
        try:
            (text or "").encode()
        except UnicodeEncodeError as error:
            raise RequestError(
                f"{text!a} is not valid Unicode.", code="not_unicode", hint="Write it in UTF-8."
            ) from error


def check_ops(request: EditRequest, rewriting: bool) -> None:
    """What can be said about ops before any language is known."""
    if not request.ops and not request.rules:
        raise RequestError("There is nothing to do: no op was given.", code="no_ops")
    seen: set[object] = set()
    for op in request.ops:
        _refuse_surrogates(op)
        if not op.pat.strip() and op.rule is None:
            raise PatternError("The pattern is empty.", code="empty_pattern")
        if rewriting and op.out is None:
            raise RequestError(
                f"The op for {op.label!r} has no 'out'.", hint="An empty 'out' deletes the match."
            )
        key = (op.pat, op.lang, op.selector, op.context)
        if key in seen and op.rule is None:
            raise RequestError(
                f"The pattern {op.pat!r} is given twice.",
                hint="Two ops may share a pattern only if lang, selector or context differ.",
                code="duplicate_pattern",
            )
        seen.add(key)
    for name in _languages(request):
        language_of(name)


def _languages(request: EditRequest) -> Iterator[str]:
    yield from (name for op in request.ops if (name := op.lang) is not None)
    if request.lang is not None:
        yield request.lang
