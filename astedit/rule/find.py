"""Every match of a rule in a tree: where the engine holds a pattern's finder, this fits."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tree_sitter import Node, Query, QueryCursor, QueryError

from astedit.language import Grammar, Row, load
from astedit.pattern.match import Found
from astedit.rule.body import compile_body
from astedit.rule.compile import Scope, compile_constrained
from astedit.rule.constraint import Constrained
from astedit.rule.document import Document
from astedit.rule.environment import Environment
from astedit.rule.transform import Transforms
from astedit.rule.utility import Globals, cycle


@dataclass(slots=True)
class RuleFound(Found):
    """A match of a rule.

    `related` are the nodes that its relations found, `texts` what its transforms made.
    """

    related: tuple[Node, ...] = ()
    texts: Mapping[str, bytes] = field(default_factory=dict)


class RuleFinder:
    """Finds one rule in any number of trees of its language.

    `warnings` say what makes it slow, or is overlooked; `gave_up` that, in the last tree, utilities called
    each other too deeply or a pattern had too many ways to match.
    """

    def __init__(
        self,
        id: str,
        rule: Constrained,
        row: Row,
        grammar: Grammar,
        transforms: Transforms | None = None,
    ) -> None:
        self.id = id
        self.rule = rule
        self.row = row
        self.transforms = transforms
        self.gave_up = False
        self.literals = rule.literals()
        self._query = _query(rule.known, grammar)
        self.warnings: tuple[str, ...] = ()
        if rule.known is None:
            self.warnings = (
                f"Rule {id!r} must look at every node: give a kind, or a pattern with one.",
            )

    def may_match(self, source: bytes) -> bool:
        """The prefilter: False only if the bytes cannot hold a match."""
        return any(all(one in source for one in literals) for literals in self.literals)

    def find(self, root: Node, source: bytes) -> list[Found]:
        """Matches in pre-order."""
        self.gave_up = False
        matches: list[Found] = []
        for node in self._candidates(root):
            env = Environment(root, source)
            try:
                if self._matches(node, env):
                    matches.append(_found(node, env))
            except RecursionError:  # large utilities that call each other reach it first
                env.gave_up = True
            self.gave_up = self.gave_up or env.gave_up
        if self._query is not None:
            matches.sort(key=_position)
        return matches

    def _matches(self, node: Node, env: Environment) -> bool:
        if self.rule.match(node, env) is None:
            return False
        if self.transforms is not None:
            self.transforms.apply(env)
        return True

    def _candidates(self, root: Node) -> Iterable[Node]:
        if self._query is None:
            return _walk(root)
        return QueryCursor(self._query).captures(root).get("m", [])


def compile_document(document: Document, row: Row, globals: Globals | None = None) -> RuleFinder:
    """Compiles a rule for one of its languages; raises `RuleError`."""
    grammar = load(row)
    scope = Scope(row, grammar, document.id, document.path, globals or Globals())
    rule, transforms = compile_body(document.content, scope)
    finder = RuleFinder(document.id, rule, row, grammar, transforms)
    finder.warnings += tuple(f"Rule {document.id!r}, {one}" for one in scope.warnings)
    return finder


def compile_globals(documents: Sequence[Document], row: Row) -> Globals:
    """Compiles the global utilities of one language, which may name each other."""
    ours = [document for document in documents if row in document.languages]
    found = Globals({document.id: document.arguments for document in ours})
    for document in ours:
        scope = Scope(row, load(row), document.id, document.path, found)
        scope.parameters = document.arguments
        if document.id in found.rules:
            scope.fail("another utility has this id", "id")
        found.rules[document.id] = compile_constrained(document.content, scope)
    rules = {id: constrained.rule for id, constrained in found.rules.items()}
    if (name := cycle(rules, found.rules)) is not None:
        Scope(row, load(row), name).fail("the utility depends on itself", "rule")
    return found


def _found(node: Node, env: Environment) -> RuleFound:
    single, multi = dict(env.bindings.single), dict(env.bindings.multi)
    return RuleFound(node, single, multi, list(env.trail) or [node], env.related, env.texts)


def _query(kinds: frozenset[int] | None, grammar: Grammar) -> Query | None:
    if not kinds:
        return None
    language = grammar.language
    named = {k: language.node_kind_for_id(k) for k in kinds if language.node_kind_is_named(k)}
    if len(named) < len(kinds):
        return None
    try:
        text = " ".join(f"({name})" for name in sorted(filter(None, named.values())))
        return Query(language, f"[{text}] @m")
    except QueryError:  # a kind the query syntax cannot name: every node is a candidate
        return None


def _walk(root: Node) -> Iterator[Node]:
    cursor = root.walk()
    while True:
        if (node := cursor.node) is not None:
            yield node
        if cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return


def _position(found: Found) -> tuple[int, int, int]:
    """Pre-order, whatever the order of a query's captures."""
    node = found.node
    return node.start_byte, -node.end_byte, -node.descendant_count
