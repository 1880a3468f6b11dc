"""Every match of a rule in a tree: where the engine holds a pattern's finder, this fits."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from tree_sitter import Node, Query, QueryCursor, QueryError

from astedit.language import Grammar, Row, load
from astedit.pattern.find import Finder, holding
from astedit.pattern.match import Found
from astedit.rule.atomic import PatternRule
from astedit.rule.body import compile_body
from astedit.rule.certain import certain
from astedit.rule.compile import Scope, compile_constrained
from astedit.rule.composite import All, Any
from astedit.rule.constraint import Constrained
from astedit.rule.document import Document
from astedit.rule.environment import Environment
from astedit.rule.fix import TARGET, Fix, compile_fixes
from astedit.rule.imports import Imports, compile_imports
from astedit.rule.label import Label, compile_labels
from astedit.rule.names import Names
from astedit.rule.node import NO_LITERALS, Captures, Literals, Rule
from astedit.rule.own import own_literals
from astedit.rule.relational import Has, Inside
from astedit.rule.transform import Transforms
from astedit.rule.utility import Globals, cycle


@dataclass(slots=True)
class RuleFound(Found):
    """A match of a rule.

    `related` are the nodes that its relations found, `lost` the spans of which its
    transforms made nothing although they should have.
    """

    related: tuple[Node, ...] = ()
    lost: tuple[tuple[int, int], ...] = ()


class RuleFinder:
    """Finds one rule in any number of trees of its language.

    `literals` are the alternatives of the prefilter, `kinds` what a match can start at
    (None: anything), `captures` what it may bind, transforms included. `warnings` say
    what makes it slow, or is overlooked, `hints` what may be why it finds nothing; `gave_up` that, in the last tree, utilities
    called each other too deeply or a pattern had too many ways to match.
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
        self.literals = rule.literals()
        self.kinds = rule.known
        self.warnings: tuple[str, ...] = ()
        self.hints: tuple[str, ...] = ()
        self._grammar = grammar
        self._leading = _leading(rule.rule)
        self._own = own_literals(rule.rule)
        if self.kinds is None:
            self.warnings = (
                f"Rule {document.id!r} must look at every node:"
                " give a kind, or a pattern with one.",
            )

    @cached_property
    def listed(self) -> frozenset[int] | None:
        """The kinds that are listed in every file; those above a rare leaf are not."""
        anchored = self._leading and all(one.has_anchors for one in self._leading)
        own = None if anchored else self.kinds
        near = () if self._leading else (*self._below, *self._above)
        return frozenset().union(own or (), *_related(self.rule.rule), *near) or None

    @cached_property
    def _below(self) -> list[frozenset[int]]:
        """Kinds of which every match holds one; without literals, by which it is found sooner."""
        relations = (one for one in _all_of(self.rule.rule) if isinstance(one, Has))
        known = [one.rule.kinds() for one in relations if one.rule.literals() == NO_LITERALS]
        return [kinds for kinds in known if kinds]

    @cached_property
    def _above(self) -> list[frozenset[int]]:
        """Kinds of which every match lies in one."""
        relations = (one for one in _all_of(self.rule.rule) if isinstance(one, Inside))
        return [kinds for one in relations if (kinds := one.rule.kinds())]

    @property
    def id(self) -> str:
        return self.document.id

    def may_match(self, source: bytes) -> bool:
        """The prefilter: False only if the bytes cannot hold a match."""
        return any(all(one in source for one in literals) for literals in self.literals)

    def find(self, root: Node, source: bytes, listed: "Listed | None" = None) -> list[Found]:
        """Matches in pre-order; `listed` are the nodes of the tree by kind, if known."""
        self.gave_up = False
        matches: list[Found] = []
        listed = listed or Listed(self._grammar, root, self.listed or frozenset())
        for node in self._candidates(root, source, listed):
            env = Environment(root, source, places=listed)
            try:
                if self._matches(node, env):
                    matches.append(_found(node, env))
            except RecursionError:  # large utilities that call each other reach it first
                env.gave_up = True
            self.gave_up = self.gave_up or env.gave_up
        if self.kinds is not None:
            matches.sort(key=_position)
        return matches

    def _matches(self, node: Node, env: Environment) -> bool:
        if self.rule.match(node, env) is None:
            return False
        if self.transforms is not None:
            self.transforms.apply(env)
        return True

    def _candidates(self, root: Node, source: bytes, listed: "Listed") -> Iterable[Node]:
        if not self._leading:
            if not all(map(listed.occur, (*self._above, *self._below))):
                return ()
            return self._placed(_within(self._own, listed.of(self.kinds), source), listed)
        found: dict[int, Node] = {}
        for leading in self._leading:
            nodes = leading.anchored(root, source)
            if nodes is None:
                nodes = listed.of(self.kinds)
            nodes = holding(nodes, source, leading.pattern.literals)
            found.update((node.id, node) for node in nodes)
        return found.values()

    def _placed(self, nodes: Iterable[Node], listed: "Listed") -> Iterable[Node]:
        """Those of the nodes that hold, and lie in, what every match does."""
        for kinds in self._above:
            nodes = listed.inside(nodes, kinds)
        for kinds in self._below:
            nodes = listed.having(nodes, kinds)
        return nodes


class Listed:
    """The nodes of one tree by kind, each kind asked of the C library once.

    `wanted` are all kinds that may be asked for: they are listed in one pass over the tree,
    which costs hardly more than for one.
    """

    def __init__(self, grammar: Grammar, root: Node, wanted: frozenset[int] = frozenset()) -> None:
        self._grammar = grammar
        self._root = root
        self._wanted = wanted
        self._nodes: dict[int, list[Node]] = {}
        self._sorted: dict[frozenset[int], tuple[list[int], list[Node]] | None] = {}
        self._outermost: dict[frozenset[int], tuple[list[int], list[int]]] = {}

    def below(self, node: Node, kinds: frozenset[int]) -> Sequence[Node] | None:
        """The descendants of these kinds in pre-order; None if a node of them is empty."""
        found = self._ordered(kinds)
        if found is None:
            return None
        starts, nodes = found
        low, high = bisect_left(starts, node.start_byte), bisect_left(starts, node.end_byte)
        if low == high:
            return ()
        size = node.descendant_count  # who has the same bytes may be an ancestor
        return [one for one in nodes[low:high] if one.descendant_count < size]

    def occur(self, kinds: frozenset[int]) -> bool:
        """Whether the tree has a node of one of these kinds."""
        return any(True for _ in self.of(kinds))

    def having(self, nodes: Iterable[Node], kinds: frozenset[int]) -> Iterable[Node]:
        """Those of the nodes below which one of these kinds may be: no other has one."""
        found = self._ordered(kinds)
        if found is None:
            return nodes
        starts = found[0]
        return [
            node
            for node in nodes
            if bisect_left(starts, node.start_byte) < bisect_left(starts, node.end_byte)
        ]

    def inside(self, nodes: Iterable[Node], kinds: frozenset[int]) -> Iterable[Node]:
        """Those of the nodes that may lie in one of these kinds: no other does."""
        starts, ends = self._spans(kinds)
        return [
            node
            for node in nodes
            if (at := bisect_right(starts, node.start_byte)) and node.end_byte <= ends[at - 1]
        ]

    def _spans(self, kinds: frozenset[int]) -> tuple[list[int], list[int]]:
        """Where the outermost nodes of these kinds start and end, in order."""
        found = self._outermost.get(kinds)
        if found is None:
            found = self._outermost[kinds] = ([], [])
            starts, ends = found
            for node in sorted(self.of(kinds), key=_place):
                if not ends or node.end_byte > ends[-1]:
                    starts.append(node.start_byte)
                    ends.append(node.end_byte)
        return found

    def _ordered(self, kinds: frozenset[int]) -> tuple[list[int], list[Node]] | None:
        if kinds not in self._sorted:
            self._sorted[kinds] = self._in_order(kinds)
        return self._sorted[kinds]

    def _in_order(self, kinds: frozenset[int]) -> tuple[list[int], list[Node]] | None:
        nodes = sorted(self.of(kinds), key=_place)
        if any(node.start_byte == node.end_byte for node in nodes):
            return None  # it may lie in the node before, too
        return [node.start_byte for node in nodes], nodes

    def of(self, kinds: frozenset[int] | None) -> Iterable[Node]:
        """All nodes of these kinds, in no order; None: every node of the tree."""
        if kinds is None:
            return _walk(self._root)
        if missing := kinds - self._nodes.keys():
            self._list(frozenset(missing) | self._wanted.difference(self._nodes))
        if len(kinds) == 1:
            return self._nodes[next(iter(kinds))]
        return [node for kind in kinds for node in self._nodes[kind]]

    def _list(self, kinds: frozenset[int]) -> None:
        self._nodes.update((kind, []) for kind in kinds)
        query = _query(kinds, self._grammar)
        if query is None:
            for node in _walk(self._root):
                if node.kind_id in kinds:
                    self._nodes[node.kind_id].append(node)
            return
        for name, nodes in QueryCursor(query).captures(self._root).items():
            self._nodes[int(name[1:])] = nodes


def _leading(rule: Rule) -> list[Finder]:
    """The patterns of which every match matches one; none if it need not match any."""
    if isinstance(rule, PatternRule):
        return [Finder(rule.pattern)]
    if isinstance(rule, All):
        return _leading(rule.rules[0])
    if not isinstance(rule, Any):
        return []
    found = [_leading(one) for one in rule.rules]
    return [finder for each in found for finder in each] if all(found) else []


def _within(own: Literals, nodes: Iterable[Node], source: bytes) -> Iterable[Node]:
    """The nodes whose own bytes hold all literals of an alternative."""
    if own == NO_LITERALS:
        return nodes
    found = (node for literals in own for node in holding(nodes, source, literals))
    return {node.id: node for node in found}.values()


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
    strict = finder.document.content.get("strictFix", False)
    if not isinstance(strict, bool):
        scope.fail("true or false is expected here", "strictFix")
    made = {one.name for one in finder.transforms.transforms} if finder.transforms else set()
    known = certain(finder.rule) | made
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


def _found(node: Node, env: Environment) -> RuleFound:
    single, multi = dict(env.bindings.single), dict(env.bindings.multi)
    return RuleFound(
        node, single, multi, list(env.trail) or [node], env.texts, env.related, env.lost
    )


_QUERIES: dict[tuple[str, frozenset[int]], Query | None] = {}
_MOST = 256  # queries kept; compiling one costs as much as running it a few times


def _query(kinds: frozenset[int], grammar: Grammar) -> Query | None:
    """Lists the nodes of each kind under its number; None if one has no name in queries."""
    key = (grammar.name, kinds)
    if key not in _QUERIES:
        if len(_QUERIES) >= _MOST:
            _QUERIES.clear()
        _QUERIES[key] = _new_query(kinds, grammar)
    return _QUERIES[key]


def _new_query(kinds: frozenset[int], grammar: Grammar) -> Query | None:
    language = grammar.language
    names = {kind: language.node_kind_for_id(kind) for kind in sorted(kinds)}
    if not all(
        name and language.id_for_node_kind(name, True) == kind for kind, name in names.items()
    ):
        return None  # another kind has the same name
    try:
        return Query(language, " ".join(f"({name}) @k{kind}" for kind, name in names.items()))
    except QueryError:
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


def _all_of(rule: Rule) -> Iterator[Rule]:
    """The rules of which a match satisfies every one."""
    if isinstance(rule, All):
        for one in rule.rules:
            yield from _all_of(one)
    else:
        yield rule


def _related(rule: Rule) -> Iterator[frozenset[int]]:
    """The kinds that relations of a rule, and of what it is made of, look for below."""
    stack = [rule]
    while stack:
        current = stack.pop()
        if isinstance(current, Has) and current.listed is not None:
            yield current.listed
        stack.extend(current.parts())


def _position(found: Found) -> tuple[int, int, int]:
    """Pre-order, whatever the order of a query's captures."""
    return _place(found.node)


def _place(node: Node) -> tuple[int, int, int]:
    return node.start_byte, -node.end_byte, -node.descendant_count
