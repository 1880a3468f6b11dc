"""The languages of which words say all: an entry each, by the name of its row.

One that needs a function has a file of its own, as has every language that others share with.
"""

import re
from typing import Any

from astedit.language.brackets import Brackets, beyond
from astedit.language.facts import END, Barred, Facts, Respelling, Spelling
from astedit.language.traits import Traits

# Of `a + b[0]` and `a + b.c(d)` the grammar of Solidity takes `a + b` for what is before.
_BEFORE = """
    array_access.base call_expression.function member_expression.object struct_expression.type
"""


def _is_open_call(node: Any) -> bool:
    """Is it a call without brackets, `if a, do: b` of Elixir, where another comma may follow?"""
    signs = [child.type for child in node.children[-1].children] if node.type == "call" else []
    if "," not in signs or signs[0] == "(":
        return False
    _, outer = beyond(node, lambda one: one.type in ("binary_operator", "keywords", "pair"))
    if outer is not None and outer.type == "arguments":
        return outer.children[0].type == "(" and outer.named_children != [node]
    places = ("access_call", "bitstring", "list", "map_content", "tuple")
    return outer is not None and outer.type in places


_RANGES = "only:binary_expression only:for_expression only:for_statement only:index_expression"
LANGUAGES: dict[str, Traits] = {
    "bash": Traits(
        facts=Facts.of(
            # A redirect holds the whole heredoc; `heredoc_body` leaves out the first indent.
            "string raw_string ansi_c_string translated_string heredoc_redirect heredoc_body",
            "#",
            blocks="do_group compound_statement subshell if_statement elif_clause else_clause",
            placeholder=":",
            blank_lists="array",
            texts="word number string_content",
        ),
        contexts="""
            a case of a case statement | case x in … esac
            a test | if …; then :; fi
            a word | echo …
        """,
        spelling=Spelling(sigils=True),
        # A redirection is of the last command, and not of all that the grammar has before it.
        brackets=Brackets.around(
            "list pipeline",
            lists="test_command.unary_expression test_command.binary_expression",
            last=dict.fromkeys(("list", "pipeline"), "redirected_statement.body"),
            before=b"{ ",
            after=b"; }",
        ),
        barred=Barred.of(ending="heredoc_end"),
    ),
    "css": Traits(
        facts=Facts.of("string_value", lax_comments=True),
        contexts="""
            a declaration | a { …; }
            a declaration | a { … }
            a value | a { color: … }
            a selector | … { }
            a media query | @media … { }
        """,
        spelling=Spelling(semicolons=True),
        barred=Barred.of(
            leading={"import_statement": "import_statement charset_statement at_rule"}
        ),
    ),
    "dart": Traits(
        facts=Facts.of("string_literal", plain_holes=True),
        contexts="""
            an expression in a function | void f() { …; }
            a statement in a function | void f() { … }
            a value | var x = …;
            a class member | class A { … }
            an argument | void f() { g(…); }
            an entry of a map | var x = { … };
            a case of a switch | void f() { switch (x) { … } }
            a parameter | void f(…) {}
        """,
        spelling=Spelling(semicolons=True),
        brackets=Brackets.around(
            levels="""
            conditional_expression
            if_null_expression
            logical_or_expression
            logical_and_expression
            equality_expression
            relational_expression type_cast_expression type_test_expression
            bitwise_or_expression
            bitwise_xor_expression
            bitwise_and_expression
            shift_expression
            additive_expression
            multiplicative_expression
            """,
            chained="""
            conditional_expression if_null_expression logical_and_expression logical_or_expression
            """,
        ),
    ),
    "elixir": Traits(
        facts=Facts.of("string charlist sigil", "#"),
        contexts="""
            a clause | case x do … end
            an entry of a map | %{ … }
            an argument | f(…)
            a block | f do … end
        """,
        spelling=Spelling(bodies=END),
        brackets=Brackets.around(
            "access_call anonymous_function binary_operator bitstring call float integer list map"
            " string tuple unary_operator",
            {"unary_operator:&": "access_call.target binary_operator.left dot.left"},
            lacking=_is_open_call,
        ),
    ),
    "haskell": Traits(
        facts=Facts.of("quasiquote", "--", blocks="do", placeholder="pure ()"),
        contexts="""
            a statement of a do block | f y = do { … }
            a value | f y = …
            a type | f :: …
            an alternative of a case | f y = case y of { … }
            a class member | class A b where { … }
        """,
        brackets=Brackets.around(
            "apply case conditional do infix lambda lambda_case let_in list list_comprehension"
            " literal negation projection record signature tuple",
            levels="""
            infix:$ infix:$! infix:`seq`
            infix:>>= infix:>> infix:=<< infix:<&> infix:& infix:>=> infix:<=<
            infix:||
            infix:&& infix:<|>
            infix:== infix:/= infix:< infix:<= infix:> infix:>= infix:`elem` infix:`notElem` \
            infix:<$> infix:<$ infix:$> infix:<*> infix:*> infix:<*
            infix:: infix:++
            infix:+ infix:- infix:<>
            infix:* infix:/ infix:`div` infix:`mod` infix:`quot` infix:`rem`
            infix
            """,
            chained="infix:$ infix:=<< infix:|| infix:&& infix:: infix:++ infix:<> infix:^ infix:.",
        ),
    ),
    "hcl": Traits(
        facts=Facts.of("heredoc_template", "# //", bare="body"),
        contexts="""
            a value | x = …
            an entry of an object | x = { … }
        """,
        brackets=Brackets.around(
            "binary_operation collection_value conditional expression for_expr function_call"
            " literal_value operation unary_operation",
            last={"conditional": "conditional.first"},  # the grammar nests `a ? b : c ? d : e` so
        ),
        barred=Barred.of(rows="attribute block object_elem"),
    ),
    "html": Traits(
        facts=Facts.of("raw_text quoted_attribute_value", "", texts="text"),
        contexts="""
            an attribute | <a …></a>
        """,
        barred=Barred(
            inside={
                b"a": re.compile(rb"(?i)<a[\s/>]"),
                b"button": re.compile(rb"(?i)<button[\s/>]"),
                b"form": re.compile(rb"(?i)<form[\s/>]"),
                b"p": re.compile(rb"(?i)<(?:blockquote|div|dl|h[1-6]|ol|p|pre|table|ul)[\s/>]"),
                **dict.fromkeys((b"option", b"textarea", b"title"), re.compile(rb"<(?!/)")),
            }
        ),
    ),
    "json": Traits(
        facts=Facts.of(lax_comments=True),
        contexts="""
            an entry of an object | { … }
            a value | [ … ]
        """,
        spelling=Spelling(bodies=(), quotes="JSON"),
    ),
    "lua": Traits(
        facts=Facts.of("string", "--", long_comments="--[[ --[=", plain_holes=True),
        contexts="""
            a value | x = …
            a field of a table | x = { … }
        """,
        spelling=Spelling(bodies=END),
        brackets=Brackets.around("function_definition number string table_constructor"),
    ),
    "markdown": Traits(facts=Facts.of("", "")),
    "nix": Traits(
        facts=Facts.of(
            "string_expression indented_string_expression", "#", blank_lists="list_expression"
        ),
        contexts="""
            an entry of a set | { … }
            an entry of a let | let … in x
            an element of a list | [ … ]
            a function's argument | { … }: x
        """,
        spelling=Spelling(semicolons=True),
        brackets=Brackets.around(""),
    ),
    "scala": Traits(
        facts=Facts.of(
            "string interpolated_string_expression xml_expression",
            blocks="indented_block",
            placeholder="()",
        ),
        contexts="""
            a value | val x = …
            a class member | class A { … }
            a case of a match | x match { … }
            a parameter | def f(…) = 1
            a type | val x: … = 1
        """,
        spelling=Spelling(wider=(Respelling("With type arguments", r"\(", "[$$$TYPES]("),)),
        brackets=Brackets.around(
            "block generic_function string tuple_expression",
            {  # which are the arguments `a` and `b` in `x + (a, b)`
                "tuple_expression": "infix_expression.right",
                "assignment_expression": "match_expression.value",
                "return_expression": "match_expression.value",
                "instance_expression": "call_expression.function",
                "match_expression": "ascription_expression match_expression.value",
            },
            operations="infix_expression prefix_expression",  # `a + f` in `a + f[T](b)`
            last=dict.fromkeys(
                ("infix_expression", "prefix_expression"), "generic_function.function"
            ),
            loose="infix_expression prefix_expression field_expression",
            postfix="call_expression.function field_expression.value generic_function.function",
        ),
        barred=Barred.of(
            jumps={  # what makes a function of a `_` in it, or gives it another meaning
                "wildcard": "arguments assignment_expression block case_clause for_expression"
                " function_definition interpolation lambda_expression parenthesized_expression"
                " tuple_expression type_arguments val_definition"
            }
        ),
    ),
    "solidity": Traits(
        facts=Facts.of("string_literal string"),
        contexts="""
            a contract member | contract A { … }
            an expression in a function | contract A { function f() { …; } }
            a statement in a function | contract A { function f() { … } }
            a value | contract A { function f() { x = …; } }
        """,
        spelling=Spelling(semicolons=True),
        brackets=Brackets.around(
            "array_access expression",
            last={
                **dict.fromkeys(("binary_expression", "unary_expression"), _BEFORE),
                "binary_expression:**": "binary_expression:**.left",
                "ternary_expression": f"{_BEFORE} ternary_expression.first",
            },
            loose=f"{_BEFORE} binary_expression unary_expression ternary_expression.first",
        ),
    ),
    "sql": Traits(
        facts=Facts.of("literal string", "--"),
        contexts="""
            a value | SELECT …;
            a condition | SELECT a FROM t WHERE …;
            a clause of a select | SELECT a FROM t …;
            a column of a table | CREATE TABLE t (…);
        """,
        spelling=Spelling(semicolons=True),
        brackets=Brackets.around(
            "case cast exists invocation literal",
            levels="""
            binary_expression:keyword_or
            binary_expression:keyword_and
            unary_expression:keyword_not
            binary_expression between_expression
            binary_expression:op_other
            binary_expression:+ binary_expression:-
            binary_expression:* binary_expression:/ binary_expression:%
            """,
            chained="unary_expression",
        ),
    ),
    "toml": Traits(
        facts=Facts.of("string", "#"),
        contexts="""
            a value | x = …
        """,
        spelling=Spelling(bodies=()),
    ),
    "yaml": Traits(
        facts=Facts.of("", "#", plain_holes=True, bullets=True), spelling=Spelling(bodies=())
    ),
    "zig": Traits(
        facts=Facts.of(),
        contexts="""
            an expression in a function | fn f() void { …; }
            a statement in a function | fn f() void { … }
            a value | const x = …;
            a field of a struct | const S = struct { … };
            a prong of a switch | const x = switch (y) { … };
            a type | const x: … = 1;
        """,
        spelling=Spelling(semicolons=True),
        brackets=Brackets.around(
            "anonymous_struct_initializer builtin_function float integer string struct_initializer"
        ),
        barred=Barred.of({"range_expression": _RANGES}),
    ),
}
