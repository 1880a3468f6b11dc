"""The rules of a request, compiled; what they report, and where. (rules C4, G2-G4)

Imported only by requests that have rules.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from tree_sitter import Node

from astedit.engine.imports import add_imports, provided
from astedit.engine.program import CompiledOp, Pairs, Program, Reported, refuse_flaws
from astedit.errors import RequestError
from astedit.language import Row
from astedit.model.request import EditRequest, Op
from astedit.pattern.compile import Pattern
from astedit.pattern.match import Found
from astedit.pattern.template import Metavariable, Slot, Template, parse_template
from astedit.rewrite.make.overlap import Rewrite
from astedit.rule.document import (
    OP_KEYS,
    SEARCH_KEYS,
    SEVERITIES,
    Document,
    FileGlobs,
    op_document,
    pack_of,
    rule_document,
    utility_document,
)
from astedit.rule.failure import RuleError, captured, one_of, wrong
from astedit.rule.fixes.fix import Fix
from astedit.rule.match import atomic_keys
from astedit.rule.match.atomic import PatternRule, Regex
from astedit.rule.match.constraint import Constrained
from astedit.rule.match.find import RuleFinder, compile_document, compile_globals
from astedit.rule.match.node import Captures, Rule
from astedit.rule.match.relational import All
from astedit.rule.match.utility import Globals, walked
from astedit.rule.scope import Scope
from astedit.rule.suppression import SWEEPING, UNUSED, CommentFinder, Suppressions, marked
from astedit.text.indent import Text

_SAID = {  # about comments; {} is the word they begin with
    UNUSED: ("Unused '{}' directive.", None),
    SWEEPING: ("'{}' does not say which rules it is about.", "Name them behind a colon."),
}


class Rulebook:
    """The documents of a request, read once; `compile` adds them to a language's program."""

    def __init__(self, request: EditRequest, names: str = "") -> None:
        self._request = request
        self._target, self._names = names, provided(names)
        self._utilities = [utility_document(raw) for raw in request.utils]
        _check_suppressions(request)
        rules = [rule_document(raw) for raw in request.rules]
        self._rules = list(enumerate(rules, len(request.ops)))

    def alone(self, row: Row) -> CompiledOp:
        """The first rule by itself, whether it rewrites or only causes; raises `RequestError`."""
        known = compile_globals(self._utilities, row, self._names)
        return self._op(*self._rules[0], row, known, True)

    def compile(self, program: Program, rewriting: bool) -> None:
        """Adds every rule meant for the language; a refusal is kept, not raised."""
        row = program.row
        program.audible = audible
        ours = [
            (at, document)
            for at, document in self._rules
            if row in document.languages and document.content.get("when") != "triggered"
        ]
        try:
            known = compile_globals(self._utilities, row, self._names) if ours else Globals()
        except RequestError as error:
            program.refused.update((index, error) for index, _ in ours)
            return
        for index, document in ours:
            try:
                op = self._op(index, document, row, known, rewriting)
            except RequestError as error:
                if document.severity == "off":  # it stops nothing, and may be why it is off
                    program.warnings.append(f"{error.message}; it is off.")
                elif pack_of(document.content):  # the project cannot mend somebody else's
                    program.warnings.append(f"{error.message}; it is left out.")
                else:
                    program.refused[index] = error
                continue
            program.warnings += getattr(op.finder, "warnings", ())
            if document.severity != "off" and (op.rewrite is not None or not rewriting):
                program.ops.append(op)
        place = len(self._request.ops) + len(self._rules)
        for at, (id, severity) in enumerate(self._request.suppressions.items(), place):
            op = _about(at, id, severity)
            if severity != "off" and (op.rewrite is not None or not rewriting):
                program.ops.append(op)

    def _op(
        self, index: int, document: Document, row: Row, known: Globals, rewriting: bool
    ) -> CompiledOp:
        finder = compile_document(document, row, known, self._names)
        rewrites = tuple(
            _rewrite(index, finder, fix.template, fix, self._request) for fix in finder.fixes
        )
        if rewrites and rewriting:
            _refuse_flaws(finder, None, self._request)
        elif (doubts := tuple(_doubts(finder))) and not self._request.allow_error_pattern:
            finder.warnings += doubts
            rewrites = ()  # it only reports
        content = document.content
        reported = Reported(
            document,
            finder,
            rewrites,
            _globs(content.get("files"), "files", document),
            _globs(content.get("ignores"), "ignores", document),
            tuple(
                compile_document(
                    replace(document, content={"rule": inner}), row, known, self._names
                )
                for inner in content.get("preconditions", ())
                if "in" not in inner  # which would be about the project, not about one file
            ),
        )
        rewrite = rewrites[0] if rewrites else None
        compiled = CompiledOp(index, finder, rewrite, reported, finder.imports)
        if rewrite is not None and self._request.imports:
            add_imports(compiled, [self._request.imports], row, self._target)
        return compiled


def _check_suppressions(request: EditRequest) -> None:
    """A request may come from a document that somebody else wrote."""
    for id, severity in request.suppressions.items():
        if id not in _SAID or severity not in SEVERITIES:
            hint = f"{one_of(_SAID, id)} As: {', '.join(SEVERITIES)}."
            raise RequestError(f"`suppressions` holds {id!r}: {severity!r}.", hint=hint)


def compile_op(
    index: int, op: Op, request: EditRequest, row: Row, rewriting: bool, names: str = ""
) -> CompiledOp:
    """An op whose matches a rule finds."""
    utilities = [utility_document(raw) for raw in request.utils]
    resolver = provided(names)
    known = compile_globals(utilities, row, resolver)
    finder = compile_document(
        op_document(op.rule, OP_KEYS if rewriting else SEARCH_KEYS), row, known, resolver
    )
    if not rewriting:
        return CompiledOp(index, finder, None)
    _refuse_flaws(finder, op, request)
    template = parse_template(op.out or "", finder.captures, row)
    return CompiledOp(index, finder, _rewrite(index, finder, template, op, request))


def _rewrite(
    index: int, finder: RuleFinder, template: Template, own: Op | Fix, request: EditRequest
) -> Rewrite:
    """What an op, or a fix, says itself goes before what the request says."""
    allow = request.allow_loss if own.allow_loss is None else own.allow_loss
    fix, layout = own if isinstance(own, Fix) else None, own.layout or request.layout
    slots = _slots(finder.captures)
    return Rewrite(index, template, slots, allow, fix, layout, made_of=finder.made_of)


def audible(pairs: Pairs, root: Node, source: bytes) -> Pairs:
    """The matches that no comment silences, and what is said about such comments.

    A rule whose preconditions the file does not meet has no match in it.
    """
    pairs = [
        (op, matches if op.reported is None or op.reported.admits(root, source) else [])
        for op, matches in pairs
    ]
    if not marked(source):
        return pairs
    comments = Suppressions(root, source)
    heard = []
    for op, matches in pairs:
        if op.reported is None:
            heard.append((op, matches))
        elif op.reported.finder is None:
            named = comments.about(op.reported.document.id)
            notes = [Found(one.node, {}, {}, [], {"MARK": Text(one.mark)}) for one in named]
            heard.append((op, notes))
        else:
            name = op.reported.document.id
            heard.append((op, [match for match in matches if not comments.silence(match, name)]))
    return heard


def _about(index: int, id: str, severity: str) -> CompiledOp:
    """What is said about comments; those that silence nothing are taken away."""
    message, note = _SAID[id]
    document = Document(id, (), severity, {"message": message, "note": note}, None)
    if id != UNUSED:
        return CompiledOp(index, CommentFinder(), None, Reported(document, None))
    rewrite = Rewrite(index, Template("", ()), (), True)
    return CompiledOp(index, CommentFinder(), rewrite, Reported(document, None, (rewrite,)))


def _slots(captures: Captures) -> tuple[Slot, ...]:
    holes: list[tuple[str, Metavariable]] = list(captures.items())
    slots = tuple(Slot(name, hole.many) for name, hole in holes)
    return slots + tuple(Slot(name, not hole.many) for name, hole in holes if hole.loose)


def _refuse_flaws(finder: RuleFinder, op: Op | None, request: EditRequest) -> None:
    """As for patterns by themselves, and says where in the rule the pattern is."""
    document = finder.document
    for part in _patterns(finder.rule.rule):
        try:
            refuse_flaws([part.pattern], op, request)
        except RequestError as error:
            hint = f"Give it a context and a selector: {error.hint}"
            raise wrong(
                error.message, part.place, document.id, hint, document.path, code=error.code
            ) from error


def _doubts(finder: RuleFinder) -> Iterator[str]:
    """A warning for every pattern that does not parse (P5)."""
    made = ", and its fix is left out" if finder.fixes else ""
    for part in _patterns(finder.rule.rule):
        if part.pattern.flaws:
            yield (
                f"Rule {finder.document.id!r}, {part.place}: {part.pattern.text!r} does not parse"
                f" in {part.pattern.row.label}; it may not mean what you think{made}."
            )


def _patterns(rule: Rule) -> Iterator[PatternRule]:
    """Those whose matches are rewritten: of the rule, not of what it relates to."""
    parts = walked([rule], lambda part: reversed([*part.parts()]))
    return (part for part in parts if isinstance(part, PatternRule))


def _globs(raw: object, key: str, document: Document) -> FileGlobs | None:
    if raw is None:
        return None
    problem = "a list of globs is expected here"
    try:
        if isinstance(raw, list) and raw:
            return FileGlobs([_glob(glob) for glob in raw])
    except ValueError as error:
        problem = str(error)
    raise wrong(problem, key, document.id, "A glob, or {glob, caseInsensitive}.", document.path)


def _glob(raw: object) -> tuple[str, bool]:
    if isinstance(raw, dict) and isinstance(raw.get("glob"), str):
        return raw["glob"], bool(raw.get("caseInsensitive", False))
    if not isinstance(raw, str):
        raise ValueError("a list of globs is expected here")
    return raw, False


class WhereFinder(RuleFinder):
    """Finds an op's `pattern` where its captures are what the op asks for."""

    def __init__(self, op: Op, pattern: Pattern) -> None:
        """Raises `RequestError` for a condition that is wrong."""
        document = Document(op.label, (pattern.row,), "hint", {}, None)
        conditions = {name: All(rules) for name, rules in _conditions(op, pattern).items()}
        rule = Constrained(PatternRule(pattern), conditions)
        super().__init__(document, rule, pattern.grammar, None, pattern.captures)
        self.pattern = pattern


def _conditions(op: Op, pattern: Pattern) -> Mapping[str, list[Rule]]:
    """What each capture must be, by its name as the pattern has it: `$A` is `A`."""
    conditions: dict[str, list[Rule]] = {}
    for key, texts, compile in (("where", op.where, _regex), ("where_kind", op.where_kind, _kind)):
        for spelled, text in (texts or {}).items():
            name = spelled.lstrip("$")
            if name not in pattern.captures:
                what = f"the pattern {pattern.text!r} captures no ${name}"
                raise RequestError(
                    f"{key} is about ${name}, and {what}.",
                    hint=captured(name, pattern.captures),
                    code="undefined_metavariable",
                )
            conditions.setdefault(name, []).append(compile(name, text, pattern))
    return conditions


def _regex(name: str, expression: str, pattern: Pattern) -> Rule:
    try:
        return Regex(expression)
    except ValueError as error:
        hint = "It is searched in the text of the capture; (?=…) and \\1 are not available."
        raise RequestError(f"where, ${name}: {error}.", hint=hint, code="bad_regex") from error


def _kind(name: str, kind: str, pattern: Pattern) -> Rule:
    try:
        return atomic_keys.kind(kind, Scope(pattern.row, pattern.grammar), f"${name}")
    except RuleError as error:
        problem = error.message.removeprefix("A rule, ")
        raise RequestError(
            f"where_kind, {problem}.", hint=error.hint, code="unknown_kind"
        ) from error
