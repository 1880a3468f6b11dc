"""Names that functions and blocks bind, and that hide an import there."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from astedit.language.node_place import around, place_names, words
from astedit.text.splice import ByteRange

_LEAVES = words("""
    identifier package_identifier shorthand_property_identifier
    shorthand_property_identifier_pattern type_identifier
    """)


@dataclass(frozen=True, slots=True)
class Locals:
    """Where a language binds names that are seen only in a part of a file.

    `scopes` are the kinds of nodes that a name may be local to. A name is bound in the places
    `bindings`, whatever of `patterns` stands between; in `definitions` it is bound around the
    node whose name it is. `members` are places in which no such name is meant. `from_there`:
    is a name seen only behind what binds it?
    """

    scopes: frozenset[str]
    bindings: frozenset[str]
    definitions: frozenset[str] = frozenset()
    patterns: frozenset[str] = frozenset()
    members: frozenset[str] = frozenset()
    from_there: bool = False

    @classmethod
    def of(
        cls,
        scopes: str,
        bindings: str,
        definitions: str = "",
        patterns: str = "",
        members: str = "",
        from_there: bool = False,
    ) -> "Locals":
        """The same, each written as words between blanks."""
        return cls(
            words(scopes),
            words(bindings),
            words(definitions),
            words(patterns),
            words(members),
            from_there,
        )

    def hidden(self, root: Node, source: bytes, name: str, places: Sequence[ByteRange]) -> set[int]:
        """The numbers of the places in which a name means something that is local there."""
        leaves = list(_leaves(root, source, name))
        bound = _merged(span for leaf in leaves if (span := self._span(leaf)) is not None)
        uses = [leaf.start_byte for leaf in leaves if self._is_use(leaf)] if bound else []
        hidden = [use for use in uses if _is_within(bound, use)]
        return {
            number
            for number, (low, high) in enumerate(places)
            if bisect_left(hidden, low) < bisect_left(hidden, high)
        }

    def _span(self, leaf: Node) -> ByteRange | None:
        """Where the name is seen that a leaf binds; None if it binds none, or for the file."""
        inner, outer = leaf, leaf.parent
        while outer is not None:
            names = frozenset(place_names(inner, outer))
            if names & (self.bindings | self.definitions):
                break
            if not names & self.patterns:
                return None
            inner, outer = outer, outer.parent
        if outer is None or _is_required(outer):
            return None
        scope = self._scope(inner, outer)
        if scope is None:
            return None
        low = outer.end_byte if self.from_there else scope.start_byte
        return low, scope.end_byte

    def _scope(self, inner: Node, outer: Node) -> Node | None:
        is_definition = not self.definitions.isdisjoint(place_names(inner, outer))
        if outer.type in self.scopes and not is_definition:
            return outer
        return around(outer, self.scopes)

    def _is_use(self, leaf: Node) -> bool:
        if leaf.parent is None or self._span(leaf) is not None:
            return False
        return self.members.isdisjoint(place_names(leaf, leaf.parent))


def _is_required(binding: Node) -> bool:
    """Does a variable hold a module, so that it is an import itself?"""
    value = binding.child_by_field_name("value")
    called = value.child_by_field_name("function") if value is not None else None
    return called is not None and called.text == b"require"


def _merged(spans: Iterable[ByteRange]) -> list[ByteRange]:
    """The same bytes as spans that are sorted and apart."""
    merged: list[ByteRange] = []
    for low, high in sorted(spans):
        if merged and low <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return merged


def _is_within(spans: Sequence[ByteRange], place: int) -> bool:
    behind = bisect_left(spans, (place + 1, 0))
    return behind > 0 and place < spans[behind - 1][1]


def _leaves(root: Node, source: bytes, name: str) -> Iterator[Node]:
    """The leaves that are a name."""
    for match in re.finditer(rb"(?<![\w$])%s(?![\w$])" % re.escape(name.encode()), source):
        node = root.descendant_for_byte_range(*match.span())
        if node is not None and node.type in _LEAVES and node.start_byte == match.start():
            yield node


_PYTHON = Locals.of(
    """
    dictionary_comprehension function_definition generator_expression lambda list_comprehension
    set_comprehension
    """,
    """
    as_pattern_target assignment.left for_in_clause.left for_statement.left lambda_parameters
    named_expression.name parameters
    """,
    "class_definition.name function_definition.name",
    """
    default_parameter.name dictionary_splat_pattern list_pattern list_splat_pattern
    pattern_list tuple tuple_pattern typed_default_parameter.name typed_parameter
    """,
    "attribute.attribute keyword_argument.name typed_parameter.type",
)
_JAVASCRIPT = Locals.of(
    """
    arrow_function catch_clause for_in_statement for_statement function_declaration
    function_expression generator_function generator_function_declaration method_definition
    statement_block
    """,
    """
    arrow_function.parameter catch_clause.parameter for_in_statement.left formal_parameters
    optional_parameter.pattern required_parameter.pattern type_parameter.name
    variable_declarator.name
    """,
    """
    abstract_class_declaration.name class_declaration.name enum_declaration.name
    function_declaration.name generator_function_declaration.name interface_declaration.name
    type_alias_declaration.name
    """,
    """
    array_pattern assignment_pattern.left object_assignment_pattern.left object_pattern
    pair_pattern.value rest_pattern
    """,
)
_GO = Locals.of(
    """
    block communication_case expression_case expression_switch_statement for_statement func_literal
    function_declaration if_statement method_declaration type_case type_switch_statement
    """,
    """
    const_spec.name parameter_declaration.name range_clause.left receive_statement.left
    short_var_declaration.left type_spec.name type_switch_statement.alias
    variadic_parameter_declaration.name var_spec.name
    """,
    patterns="expression_list",
    from_there=True,
)
_JAVA = Locals.of(
    """
    block catch_clause class_body class_declaration constructor_declaration
    enhanced_for_statement enum_body for_statement interface_body lambda_expression
    method_declaration
    """,
    """
    catch_formal_parameter.name enhanced_for_statement.name formal_parameter.name
    inferred_parameters lambda_expression.parameters type_parameter variable_declarator.name
    """,
    """
    class_declaration.name enum_declaration.name interface_declaration.name
    record_declaration.name
    """,
    members="field_access.field method_invocation.name",
)
LOCALS = {
    "python": _PYTHON,
    "javascript": _JAVASCRIPT,
    "typescript": _JAVASCRIPT,
    "tsx": _JAVASCRIPT,
    "go": _GO,
    "java": _JAVA,
}
