"""The ops of a request, compiled for one language. (rules P5, G5)"""

from astedit.engine.languages import language_of
from astedit.engine.program import CompiledOp, Finds, Program, refuse_flaws
from astedit.errors import RequestError
from astedit.language import Row, load
from astedit.model.request import EditRequest, Op
from astedit.pattern.compile import Pattern, PatternError, compile_pattern
from astedit.pattern.find import Finder
from astedit.pattern.template import Slot, parse_template


def compile_ops(request: EditRequest, row: Row, rewriting: bool, names: str = "") -> Program:
    """Compiles every op meant for this language; a refusal is kept, not raised.

    `names` says who resolves names for rules (see `name_resolver`).
    """
    program = Program(row, load(row), names=names)
    for index, op in enumerate(request.ops):
        if not _is_meant(op, request, row):
            continue
        try:
            compiled = _compile(index, op, request, program, rewriting, names)
            if rewriting and (asked := [raw for raw in (request.imports, op.imports) if raw]):
                from astedit.engine.imports import add_imports  # few requests need it

                add_imports(compiled, asked, row, names)
            program.ops.append(compiled)
        except RequestError as error:
            program.refused[index] = error
    return program


def _is_meant(op: Op, request: EditRequest, row: Row) -> bool:
    own = op.lang or request.lang or (op.rule or {}).get("language")
    names = [own] if isinstance(own, str) else own or []
    return not names or any(language_of(name) is row for name in names)


def _compile(
    index: int, op: Op, request: EditRequest, program: Program, rewriting: bool, names: str
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
    finder = _finder(op, pattern)
    if not rewriting:
        return CompiledOp(index, finder, None)
    from astedit.rewrite.make.overlap import Rewrite  # which a search does without

    refuse_flaws([pattern], op, request)
    template = parse_template(op.out or "", pattern.captures, pattern.row)
    slots = tuple(Slot(name, hole.many) for name, hole in pattern.captures.items())
    allow = request.allow_loss if op.allow_loss is None else op.allow_loss
    layout = op.layout or request.layout
    return CompiledOp(index, finder, Rewrite(index, template, slots, allow, layout=layout))


def _finder(op: Op, pattern: Pattern) -> Finds:
    if not (op.where or op.where_kind):
        return Finder(pattern)
    from astedit.engine.rule_program import WhereFinder  # loads the rule language

    return WhereFinder(op, pattern)


def check_ops(request: EditRequest, rewriting: bool) -> None:
    """Raises what is wrong with ops in every language."""
    if not request.ops and not request.rules:
        raise RequestError("There is nothing to do: no op was given.", code="no_ops")
    seen: set[object] = set()
    for op in request.ops:
        if not op.pat.strip() and op.rule is None:
            raise PatternError("The pattern is empty.", code="empty_pattern")
        if rewriting and op.out is None:
            raise RequestError(
                f"The op for {op.label!r} has no 'out'.", hint="An empty 'out' deletes the match."
            )
        if op.rule is not None and (op.where or op.where_kind):
            hint = "Write them as the `constraints` of the rule."
            raise RequestError("An op with a rule has where or where_kind.", hint=hint)
        where = (_frozen(op.where), _frozen(op.where_kind))
        key = (op.pat, op.lang, op.selector, op.context, *where)
        if key in seen and op.rule is None:
            raise RequestError(
                f"The pattern {op.pat!r} is given twice.",
                hint="Two ops may share a pattern only if lang, selector, context or where differ.",
                code="duplicate_pattern",
            )
        seen.add(key)
    for name in (*(op.lang for op in request.ops), request.lang):
        if name is not None:
            language_of(name)


def _frozen(conditions: dict[str, str] | None) -> frozenset[tuple[str, str]]:
    return frozenset((conditions or {}).items())
