"""A request's ops, compiled once per language that occurs. (spec: P5, G5)"""

from collections.abc import Sequence
from dataclasses import dataclass

from astedit.engine.nest import Rewrite
from astedit.engine.start import language_of
from astedit.errors import RequestError
from astedit.language import Grammar, Row, load
from astedit.model import EditRequest, Op
from astedit.pattern.compile import Pattern, PatternError, compile_pattern
from astedit.pattern.find import Finder
from astedit.pattern.template import Slot, parse_template


@dataclass(slots=True)
class CompiledOp:
    """One op in one language. `rewrite` is None for a search."""

    index: int
    finder: Finder
    rewrite: Rewrite | None


@dataclass(slots=True)
class Program:
    """All ops that compile in one language, and why the others do not.

    `ascii` says that every literal is spelled alike in all encodings but UTF-16.
    """

    row: Row
    grammar: Grammar
    ops: list[CompiledOp]
    refused: dict[int, RequestError]
    ascii: bool = True

    def may_match(self, source: bytes) -> bool:
        """The prefilter: False only if no op can match these bytes."""
        for op in self.ops:  # no generators here: this runs for every file of the tree
            for literal in op.finder.pattern.literals:
                if literal not in source:
                    break
            else:
                return True
        return False


def compile_ops(ops: Sequence[Op], request: EditRequest, row: Row, rewriting: bool) -> Program:
    """Compiles every op meant for this language; a refusal is kept, not raised."""
    program = Program(row, load(row), [], {})
    for index, op in enumerate(ops):
        wanted = op.lang or request.lang
        if wanted is not None and language_of(wanted) is not row:
            continue
        try:
            program.ops.append(_compile(index, op, request, row, program.grammar, rewriting))
        except RequestError as error:
            program.refused[index] = error
    patterns = [op.finder.pattern for op in program.ops]
    program.ascii = all(one.isascii() for pattern in patterns for one in pattern.literals)
    return program


def _compile(
    index: int, op: Op, request: EditRequest, row: Row, grammar: Grammar, rewriting: bool
) -> CompiledOp:
    pattern = compile_pattern(
        op.pat,
        row,
        grammar,
        selector=op.selector or request.selector,
        context=op.context or request.context,
        strictness=op.strictness or request.strictness,
    )
    if not rewriting:
        return CompiledOp(index, Finder(pattern), None)
    _refuse_flaws(pattern, op, request)
    template = parse_template(op.out or "", pattern.captures)
    slots = tuple(Slot(name, hole.many) for name, hole in pattern.captures.items())
    allow = request.allow_loss if op.allow_loss is None else op.allow_loss
    return CompiledOp(index, Finder(pattern), Rewrite(index, template, slots, allow))


def _refuse_flaws(pattern: Pattern, op: Op, request: EditRequest) -> None:
    allowed = (
        request.allow_error_pattern if op.allow_error_pattern is None else op.allow_error_pattern
    )
    if pattern.flaws and not allowed:
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


def check_ops(ops: Sequence[Op], request: EditRequest, rewriting: bool) -> None:
    """What can be said about ops before any language is known."""
    if not ops:
        raise RequestError("There is nothing to do: no op was given.", code="no_ops")
    seen: set[tuple[str, str | None, str | None, str | None]] = set()
    for op in ops:
        _refuse_surrogates(op)
        if not op.pat.strip():
            raise PatternError("The pattern is empty.", code="empty_pattern")
        if rewriting and op.out is None:
            raise RequestError(
                f"The op for {op.pat!r} has no 'out'.", hint="An empty 'out' deletes the match."
            )
        key = (op.pat, op.lang, op.selector, op.context)
        if key in seen:
            raise RequestError(
                f"The pattern {op.pat!r} is given twice.",
                hint="Two ops may share a pattern only if lang, selector or context differ.",
                code="duplicate_pattern",
            )
        seen.add(key)
        for name in (op.lang, request.lang):
            if name is not None:
                language_of(name)
