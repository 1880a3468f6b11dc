"""Every match of a rule in a tree: where the engine holds a pattern's finder, this fits."""

from collections.abc import Callable, Mapping, Sequence

from tree_sitter import Node

from astedit.language import Grammar, Row, load
from astedit.pattern.find import Finder, may_match
from astedit.pattern.listed import Kinds, Listed, place
from astedit.pattern.match import Found
from astedit.pattern.template import Slot
from astedit.rule.compile import compile_constrained
from astedit.rule.document import Document
from astedit.rule.environment import Environment, Steps
from astedit.rule.fixes.fix import TARGET, Fix, Imports, compile_fixes, compile_imports
from astedit.rule.fixes.rewriter import compile_body
from astedit.rule.fixes.transform import Transforms
from astedit.rule.label import Label, compile_labels
from astedit.rule.match.atomic import PatternRule
from astedit.rule.match.candidates import Candidates
from astedit.rule.match.constraint import Constrained
from astedit.rule.match.node import Captures
from astedit.rule.match.utility import Globals, cycle
from astedit.rule.scope import Names, Scope


class RuleFinder:
    """Finds one rule in any number of trees of its language.

    `literals` are the alternatives of the prefilter, `kinds` what a match can start at
    (None: anything), `captures` what it may bind, transforms included. `warnings` say
    what makes it slow, or is overlooked, `hints` what may be why it finds nothing; `gave_up` that,
    in the last tree, utilities called each other too deeply or a pattern had too many ways
    to match.
    """

    def __init__(
        self,
        document: Document,
        rule: Constrained,
        grammar: Grammar,
        transforms: Transforms | None,
        captures: Captures,
    ) -> None:
        self.document = document
        self.rule = rule
        self.transforms = transforms
        self.captures = captures
        self.fixes: tuple[Fix, ...] = ()
        self.imports: Imports | None = None
        self.labels: tuple[Label, ...] = ()
        self.gave_up = False
        self.looks_at: Callable[[Node], object] | None = None  # at which nodes; None: at all
        self.literals = rule.literals()
        self.kinds = rule.known
        self.warnings: tuple[str, ...] = ()
        self.hints: tuple[str, ...] = ()
        self._grammar = grammar
        self._candidates = Candidates(rule, grammar)
        self.names = self._candidates.names
        self._alone = _alone(rule, transforms)
        if self.kinds is None:
            self.warnings = (
                f"Rule {document.id!r} must look at every node:"
                " give a kind, or a pattern with one.",
            )

    def wanted(self, listed: Listed) -> Kinds:
        """The kinds that it asks for in this tree."""
        return self._candidates.wanted(listed)

    @property
    def id(self) -> str:
        return self.document.id

    @property
    def made_of(self) -> Mapping[str, frozenset[Slot]]:
        """By the name of each transform the captures that it reads."""
        return self.transforms.made_of if self.transforms is not None else {}

    def may_match(self, source: bytes) -> bool:
        """The prefilter: False only if the bytes cannot hold a match."""
        return may_match(source, self.literals, self.names)

    def find(self, root: Node, source: bytes, listed: Listed | None = None) -> list[Found]:
        """Matches in pre-order; `listed` is what others have asked about this very tree."""
        self.gave_up = False
        matches: list[Found] = []
        listed = listed or Listed(self._grammar, root, source, self.wanted)
        nodes = self._candidates.of(listed)
        if self.looks_at is not None:
            nodes = list(filter(self.looks_at, nodes))
        if not nodes:
            return matches
        if self._alone is not None:
            matches = self._alone.among(nodes, root, source)
            self.gave_up = self._alone.gave_up
            return matches
        steps = Steps.of(root)
        env = Environment(root, source, places=listed, steps=steps)
        for node in nodes:
            try:
                if self.rule.match(node, env) is None:
                    continue  # which leaves the environment as it was
                if self.transforms is not None:
                    self.transforms.apply(env)
                matches.append(_found(node, env))
            except RecursionError:  # large utilities that call each other reach it first
                steps.gave_up = True
            env = Environment(root, source, places=listed, steps=steps)
        self.gave_up = steps.gave_up
        matches.sort(key=lambda match: place(match.node))  # candidates may come in another order
        return matches


def compile_document(
    document: Document, row: Row, globals: Globals | None = None, names: Names | None = None
) -> RuleFinder:
    """Compiles a rule for one of its languages; raises `RuleError`."""
    grammar = load(row)
    scope = Scope(row, grammar, document.id, document.path, globals or Globals(), names)
    rule, transforms, captures = compile_body(document.content, scope)
    finder = RuleFinder(document, rule, grammar, transforms, captures)
    finder.fixes = compile_fixes(document.content, scope, captures)
    finder.imports = compile_imports(document.content, scope)
    _check_certain(finder, scope)
    finder.labels = compile_labels(document.content, scope, captures)
    finder.hints = tuple(f"Rule {document.id!r}, {one}" for one in scope.hints)
    finder.warnings += tuple(f"Rule {document.id!r}, {one}" for one in scope.warnings)
    return finder


def _check_certain(finder: RuleFinder, scope: Scope) -> None:
    """Warns of captures in a fix that an untaken alternative leaves empty; strictly, refuses."""
    strict = scope.flag(finder.document.content.get("strictFix", False), "strictFix")
    made = {one.name for one in finder.transforms.transforms} if finder.transforms else set()
    known = finder.rule.sure_captures() | made
    names = {slot.name for fix in finder.fixes for slot in fix.slots} - known - {TARGET}
    for name in sorted(names):
        problem = f"${name} is empty where its alternative is not taken"
        if strict:
            scope.fail(problem, "fix")
        scope.warnings.append(f"fix: {problem}")


def compile_globals(documents: Sequence[Document], row: Row, names: Names | None = None) -> Globals:
    """Compiles the global utilities of one language, which may name each other."""
    ours = [document for document in documents if row in document.languages]
    found = Globals({document.id: document.arguments for document in ours})
    for document in ours:
        scope = Scope(row, load(row), document.id, document.path, found, names)
        scope.parameters = document.arguments
        if document.id in found.rules:
            scope.fail("another utility has this id", "id")
        found.rules[document.id] = compile_constrained(document.content, scope)
    rules = {id: constrained.rule for id, constrained in found.rules.items()}
    if (name := cycle(rules, found.rules)) is not None:
        Scope(row, load(row), name).fail("the utility depends on itself", "rule")
    return found


def _alone(rule: Constrained, transforms: Transforms | None) -> Finder | None:
    """The pattern of a rule that says nothing else, and so needs no environment."""
    only = rule.rule
    if not isinstance(only, PatternRule) or rule.constraints or transforms is not None:
        return None
    return only.finder


def _found(node: Node, env: Environment) -> Found:
    single, multi = dict(env.bindings.single), dict(env.bindings.multi)
    return Found(node, single, multi, list(env.trail), env.texts, env.related, env.lost)
