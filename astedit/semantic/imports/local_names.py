"""Names that functions and blocks bind, and that hide an import there."""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from astedit.language.brackets import nearest, parents, place_names, words, words_of
from astedit.text.source import ByteRange, united

NAMES = words("""
    identifier package_identifier shorthand_property_identifier
    shorthand_property_identifier_pattern type_identifier
    """)
_ENUMS = ("enum_body", "enum_assignment")  # their names are read as properties are


@dataclass(frozen=True, slots=True)
class Locals:
    """Where a language binds names that are seen only in a part of a file.

    `scopes` are the kinds of nodes that a name may be local to. A name is bound in the places
    `bindings`, whatever of `patterns` stands between; in `definitions` it is bound around the
    node whose name it is. `members` are places in which no such name is meant. `from_there`:
    is a name seen only behind what binds it? What `outward` binds is bound around all of `passed`
    that it stands in. `both` bind types and values, if these are apart. `Scopes` knows Python's.
    """

    scopes: frozenset[str]
    bindings: frozenset[str]
    definitions: frozenset[str] = frozenset()
    patterns: frozenset[str] = frozenset()
    members: frozenset[str] = frozenset()
    outward: frozenset[str] = frozenset()
    passed: frozenset[str] = frozenset()
    both: frozenset[str] = frozenset()
    from_there: bool = False

    @classmethod
    def of(cls, *, from_there: bool = False, **kinds: str) -> "Locals":
        """The same, each written as words between blanks."""
        return cls(from_there=from_there, **words_of(kinds))

    def hidden(
        self, root: Node, name: str, places: Sequence[ByteRange], is_it: Callable[[Node], bool]
    ) -> set[int]:
        """The numbers of the places in which a name means something that is local there.

        `is_it` says of a node that binds the name whether it binds the very thing.
        """
        bindings = self._bindings(root, name)
        others = (at for at in bindings.values() if at is not None and not is_it(at[1]))
        bound = united(span for at in others if (span := self._span(*at)))
        hidden = [
            leaf.start_byte
            for leaf, at in bindings.items()
            if at is None and self._is_use(leaf) and _is_within(bound, leaf)
        ]
        return {
            number
            for number, (low, high) in enumerate(places)
            if bisect_left(hidden, low) < bisect_left(hidden, high)
        }

    def holds(self, root: Node, name: str, node: Node) -> bool:
        """Whether something of this name is local where a node stands."""
        bindings = filter(None, self._bindings(root, name).values())
        return any((span := self._span(*at)) and _is_within([span], node) for at in bindings)

    def binds(self, root: Node, name: str) -> bool:
        """Whether anything in a file binds a name."""
        return any(self._bindings(root, name).values())

    def declarations(self, root: Node, name: str) -> list[Node]:
        """The leaves that bind what the file itself calls by this name, imports aside."""
        bindings = self._bindings(root, name)
        return [leaf for leaf, at in bindings.items() if at and not self._span(*at)]

    def of_the_file(self, root: Node, name: str) -> list[Node]:
        """The leaves that mean what the file itself calls by this name, in order."""
        bindings = self._bindings(root, name)
        spans = {leaf: self._span(*at) for leaf, at in bindings.items() if at is not None}
        values, types = (
            united(span for leaf, span in spans.items() if span and self._hides(leaf, is_type))
            for is_type in (False, True)
        )
        uses = (leaf for leaf, at in bindings.items() if at is None and self._is_use(leaf))
        own = {
            n for n in uses if not _is_within(types if n.type == "type_identifier" else values, n)
        }
        return [leaf for leaf in bindings if leaf in own or (leaf in spans and not spans[leaf])]

    def binders(self, word: Node, root: Node) -> list[Node]:
        """The leaves that bind what a name means where it stands: those of the nearest scope."""
        bound = {
            leaf: self._span(*at) or root.byte_range
            for leaf, at in self._bindings(root, (word.text or b"").decode()).items()
            if at is not None and self._hides(leaf, word.type == "type_identifier")
        }
        around = {leaf: span for leaf, span in bound.items() if _is_within([span], word)}
        near = min(around.values(), key=lambda span: span[1] - span[0], default=None)
        return [leaf for leaf, span in around.items() if span == near]

    def _hides(self, leaf: Node, is_type: bool) -> bool:
        """Whether what a leaf binds hides types, or values: a parameter hides no type."""
        is_both = not self.both or (leaf.parent is not None and leaf.parent.type in self.both)
        return is_both or (leaf.type == "type_identifier") == is_type

    def _bindings(self, root: Node, name: str) -> dict[Node, tuple[Node, Node] | None]:
        """The leaves that are a name, each with the node that binds it there, if one does.

        Before that node stands its child on the way to the leaf.
        """
        return {leaf: self._binding(leaf) for leaf in _leaves(root, name)}

    def _binding(self, leaf: Node) -> tuple[Node, Node] | None:
        for outer, inner in parents(leaf):
            names = frozenset(place_names(inner, outer))
            if names & (self.bindings | self.definitions):
                return None if _word_of(outer) == b"" else (inner, outer)
            if not names & self.patterns or names & self.members:
                return None
        return None

    def _span(self, inner: Node, outer: Node) -> ByteRange | None:
        """Where the name is seen that is bound there; None if it is a name of the file."""
        names = frozenset(place_names(inner, outer))
        is_outward = names & self.outward or _word_of(outer) == b"var"
        scopes = self.scopes - self.passed if is_outward else self.scopes
        is_itself = outer.type in scopes and not names & self.definitions
        scope = outer if is_itself else nearest(outer, scopes)
        if scope is None:
            return None
        return outer.end_byte if self.from_there else scope.start_byte, scope.end_byte

    def _is_use(self, leaf: Node) -> bool:
        return leaf.parent is not None and self.members.isdisjoint(place_names(leaf, leaf.parent))


def _word_of(loop: Node) -> bytes | None:
    """What a loop of JavaScript declares with: `var`; nothing for `for (a of b)`, which assigns."""
    kind = loop.child_by_field_name("kind")
    return ((kind.text if kind else None) or b"") if loop.type == "for_in_statement" else None


def _is_within(spans: Sequence[ByteRange], leaf: Node) -> bool:
    behind = bisect_left(spans, (leaf.start_byte + 1, 0))
    return behind > 0 and leaf.start_byte < spans[behind - 1][1]


def _leaves(root: Node, name: str) -> Iterator[Node]:
    """The leaves that are a name."""
    text, start = root.text or b"", root.start_byte
    for match in re.finditer(rb"(?<![\w$])%s(?![\w$])" % re.escape(name.encode()), text):
        low, high = (start + at for at in match.span())
        node = root.descendant_for_byte_range(low, high)
        above = node.parent if node is not None and node.start_byte == low else None
        if node is not None and above and (node.type in NAMES or above.type in _ENUMS):
            yield node


_JAVASCRIPT = Locals.of(
    scopes="""
    abstract_class_declaration abstract_method_signature arrow_function call_signature catch_clause
    class class_declaration conditional_type construct_signature constructor_type enum_body
    for_in_statement for_statement function_declaration function_expression function_signature
    function_type generator_function generator_function_declaration interface_declaration
    method_definition method_signature object_type statement_block switch_body
    type_alias_declaration
    """,
    bindings="""
    arrow_function.parameter catch_clause.parameter class.name enum_assignment.name enum_body.name
    for_in_statement.left formal_parameters function_expression.name generator_function.name
    infer_type lexical_declaration mapped_type_clause.name optional_parameter.pattern
    required_parameter.pattern type_parameter.name variable_declaration
    """,
    both="abstract_class_declaration class class_declaration enum_declaration",
    outward="variable_declaration",
    passed="catch_clause for_in_statement for_statement statement_block switch_body",
    definitions="""
    abstract_class_declaration.name class_declaration.name enum_declaration.name
    function_declaration.name function_signature.name generator_function_declaration.name
    import_alias interface_declaration.name internal_module.name module.name
    type_alias_declaration.name
    """,
    patterns="""
    array_pattern assignment_pattern.left object_assignment_pattern.left object_pattern
    pair_pattern.value rest_pattern variable_declarator.name
    """,
)
_GO = Locals.of(
    scopes="""
    block communication_case expression_case expression_switch_statement for_statement func_literal
    function_declaration if_statement method_declaration type_case type_switch_statement
    """,
    bindings="""
    const_spec.name parameter_declaration.name range_clause.left receive_statement.left
    short_var_declaration.left type_alias.name type_spec.name type_switch_statement.alias
    variadic_parameter_declaration.name var_spec.name
    """,
    definitions="function_declaration.name",
    patterns="expression_list",
    from_there=True,
)
_JAVA = Locals.of(
    scopes="""
    annotation_type_body block catch_clause class_body class_declaration constructor_declaration
    enhanced_for_statement enum_body for_statement interface_body interface_declaration
    lambda_expression method_declaration record_declaration
    """,
    bindings="""
    catch_formal_parameter.name enhanced_for_statement.name formal_parameter.name
    inferred_parameters lambda_expression.parameters type_parameter variable_declarator.name
    """,
    definitions="""
    annotation_type_declaration.name class_declaration.name enum_declaration.name
    interface_declaration.name record_declaration.name
    """,
    members="field_access.field method_invocation.name",
)
LOCALS = dict.fromkeys(("javascript", "typescript", "tsx"), _JAVASCRIPT)
LOCALS.update(go=_GO, java=_JAVA)
