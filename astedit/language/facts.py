"""What the engine must know about a grammar's nodes and no query can tell it.

Every kind named here was read off the trees of the grammars in `table.py`, of both
providers; `tests/unit/language/test_facts.py` holds a source text for each.
"""

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node


@dataclass(frozen=True, slots=True)
class Facts:
    """What one language's nodes mean to an edit.

    `literals`: kinds whose lines after the first belong to the program's data, so they
    are never re-indented. YAML, Markdown and Zig have none: their multi-line texts move
    with the code around them. `blocks`: kinds that must hold a statement, with the
    `placeholder` that fills one. `comments`: how a comment that runs to the end of its
    line begins; `long_comments` begins one that does not, though it looks the same.
    `dotted`: names are joined by dots, and in code that parses no node that begins with a
    name and has children begins right behind a single dot, save one of these kinds; None
    where that does not hold, or nobody has looked. `words`: beside the tokens that the
    grammar's own table names, what no identifier may be called without the tree being
    another one; None where nobody has looked. Go, Rust and TypeScript have some.
    `keywords`: kinds of node of which, in code that parses, each has one of these words or
    signs as a token right below it; tokens are spelled as they are called, but for those
    with a blank or a `#`. None where nobody has looked.
    """

    literals: frozenset[str] = frozenset()
    blocks: frozenset[str] = frozenset()
    placeholder: str | None = None
    comments: tuple[bytes, ...] = (b"//",)
    long_comments: tuple[bytes, ...] = ()
    dotted: frozenset[str] | None = None
    words: frozenset[str] | None = None
    keywords: Mapping[str, tuple[str, ...]] | None = None

    def ends_line(self, text: bytes) -> bool:
        """True when `text`, an extra node, is a comment that the end of its line ends.

        False when it brings its newline along, as Rust's doc comments do.
        """
        return (
            text.startswith(self.comments)
            and not text.startswith(self.long_comments)
            and not text.endswith(b"\n")
        )

    def sole_statement(self, node: "Node", gone: Iterable[int] = ()) -> bool:
        """True when removing `node` would leave a block without the statement it needs.

        `gone` holds the ids of the nodes that go as well.
        """
        parent = node.parent
        return parent is not None and node.id in self.sole_statements(parent, {node.id, *gone})

    def sole_statements(self, block: "Node", gone: Container[int]) -> set[int]:
        """Which of its children, all gone together, leave a block without a statement.

        `gone` holds ids. The children are looked at once, however many of them go.
        """
        empty: set[int] = set()
        if block.type not in self.blocks:
            return empty
        run: list[int] = []  # children that are gone, with nothing that stays between them
        before: Node | None = None
        for child in (*block.children, None):
            if child is not None and child.id in gone:
                run.append(child.id)
            elif child is None or not (child.is_extra or child.type in _TERMINATORS):
                if not _is_statement(before) and not _is_statement(child, ending=True):
                    empty.update(run)
                run, before = [], child
        return empty


_NEXT_CLAUSE = frozenset({"elif_clause", "else_clause"})
_TERMINATORS = frozenset({";", "&", "\n"})


def _is_statement(node: "Node | None", ending: bool = False) -> bool:
    """Is what stands beside a gap a statement, and no bracket, keyword or next clause?"""
    if node is None or not node.is_named:
        return False
    return not (ending and node.type in _NEXT_CLAUSE)


def _facts(
    literals: str = "",
    comments: str = "//",
    *,
    blocks: str = "",
    placeholder: str | None = None,
    long_comments: str = "",
    dotted: str | None = None,
    words: str | None = None,
    keywords: str | None = None,
) -> Facts:
    return Facts(
        frozenset(literals.split()),
        frozenset(blocks.split()),
        placeholder,
        tuple(prefix.encode() for prefix in comments.split()),
        tuple(prefix.encode() for prefix in long_comments.split()),
        None if dotted is None else frozenset(dotted.split()),
        None if words is None else frozenset(words.split()),
        None if keywords is None else dict(map(_keywords, keywords.split())),
    )


def _keywords(text: str) -> tuple[str, tuple[str, ...]]:
    """`kind:one|other`; most kinds begin with their word."""
    kind, _, words = text.partition(":")
    return kind, tuple(words.split("|")) if words else (kind.partition("_")[0],)


_JAVASCRIPT_KEYWORDS = """
    await_expression break_statement class class_declaration continue_statement debugger_statement
    do_statement else_clause catch_clause export_statement finally_clause for_in_statement
    for_statement function_declaration function_expression if_statement import_statement
    new_expression return_statement switch_case:case switch_default:default switch_statement
    throw_statement try_statement variable_declaration:var while_statement with_statement
    yield_expression arrow_function:=> spread_element:... template_substitution:${ regex:/
"""
_TYPESCRIPT = _facts(
    "string template_string template_literal_type",
    "// <!-- #!",
    dotted="",
    keywords=f"""{_JAVASCRIPT_KEYWORDS}
        abstract_class_declaration:class as_expression enum_declaration interface_declaration
        satisfies_expression type_alias_declaration
    """,
)
_BY_NAME = {
    "bash": _facts(
        # A redirect holds the whole heredoc; `heredoc_body` leaves out the first indent.
        "string raw_string ansi_c_string translated_string heredoc_redirect heredoc_body",
        "#",
        blocks="do_group compound_statement subshell if_statement elif_clause else_clause",
        placeholder=":",
    ),
    "c": _facts(
        "string_literal",
        dotted="",
        keywords="""
            break_statement case_statement:case|default continue_statement do_statement
            else_clause enum_specifier for_statement goto_statement if_statement return_statement
            struct_specifier switch_statement type_definition:typedef union_specifier
            while_statement conditional_expression:?
        """,
    ),
    "cpp": _facts("string_literal raw_string_literal"),
    "csharp": _facts(
        "string_literal verbatim_string_literal raw_string_literal interpolated_string_expression"
    ),
    "css": _facts("string_value"),
    "dart": _facts("string_literal"),
    "elixir": _facts("string charlist sigil", "#"),
    "go": _facts(
        "raw_string_literal",
        dotted="",
        keywords="""
            break_statement channel_type:chan const_declaration continue_statement
            defer_statement expression_case:case expression_switch_statement:switch
            fallthrough_statement for_statement func_literal function_declaration:func
            function_type:func go_statement goto_statement if_statement import_declaration
            interface_type map_type method_declaration:func package_clause return_statement
            select_statement struct_type type_declaration type_switch_statement:switch
            var_declaration short_var_declaration::= send_statement:<-
        """,
    ),
    "haskell": _facts("quasiquote", "--", blocks="do", placeholder="pure ()"),
    "hcl": _facts("heredoc_template", "# //"),
    "html": _facts("raw_text quoted_attribute_value", ""),
    "java": _facts(
        "string_literal",
        dotted="",
        keywords="""
            assert_statement break_statement catch_clause class_declaration continue_statement
            do_statement enhanced_for_statement:for enum_declaration finally_clause for_statement
            if_statement import_declaration instanceof_expression interface_declaration
            object_creation_expression:new package_declaration return_statement
            switch_expression synchronized_statement throw_statement try_statement
            try_with_resources_statement while_statement annotation:@ lambda_expression:->
            marker_annotation:@ method_reference::: ternary_expression:?
        """,
    ),
    "javascript": _facts(
        "string template_string", "// <!-- #!", dotted="", keywords=_JAVASCRIPT_KEYWORDS
    ),
    "json": _facts(),
    "kotlin": _facts("multiline_string_literal string_literal", "// #!"),
    "lua": _facts("string", "--", long_comments="--[[ --[="),
    "markdown": _facts("", ""),
    "nix": _facts("string_expression indented_string_expression", "#"),
    "php": _facts("string encapsed_string heredoc nowdoc shell_command_expression", "// #"),
    "python": _facts(
        "string",
        "#",
        blocks="block",
        placeholder="pass",
        dotted="dotted_name",
        words="None True False",
        keywords="""
            as_pattern assert_statement await boolean_operator:and|or break_statement case_clause
            class_definition conditional_expression:if continue_statement
            delete_statement:del elif_clause else_clause except_clause finally_clause
            for_in_clause for_statement function_definition:def global_statement if_clause
            if_statement import_from_statement import_statement lambda match_statement
            nonlocal_statement not_operator pass_statement raise_statement return_statement
            try_statement while_statement with_statement yield decorator:@ dictionary_splat:**
            list_splat:* named_expression::=
        """,
    ),
    "ruby": _facts("string heredoc_body subshell regex delimited_symbol uninterpreted", "#"),
    "rust": _facts(
        "string_literal raw_string_literal",
        dotted="",
        keywords="""
            async_block await_expression break_expression const_item continue_expression
            else_clause enum_item for_expression function_item:fn if_expression impl_item
            let_declaration loop_expression match_expression mod_item return_expression
            static_item struct_item trait_item type_item unsafe_block use_declaration
            while_expression attribute_item:# macro_invocation:! range_expression:..|..=
            try_expression:?
        """,
    ),
    "scala": _facts(
        "string interpolated_string_expression xml_expression",
        blocks="indented_block",
        placeholder="()",
    ),
    "solidity": _facts("string_literal string"),
    "sql": _facts("literal string", "--"),
    "swift": _facts("multi_line_string_literal raw_string_literal", "// #!"),
    "toml": _facts("string", "#"),
    "tsx": _TYPESCRIPT,
    "typescript": _TYPESCRIPT,
    "yaml": _facts("", "#"),
    "zig": _facts(),
}


def facts(language: str) -> Facts:
    """The facts of a language by its canonical name; KeyError for any other name."""
    return _BY_NAME[language]
