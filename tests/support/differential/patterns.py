"""The patterns of the differential suite, as people write them, language by language."""

from pathlib import Path

from tests.support.differential.oracle import Query
from tests.support.lists import lists

_PLAIN = lists(Path(__file__).with_suffix(".txt"))

_IN_CONTEXT = (
    Query("python", "key", selector="keyword_argument", context="f($K=$V)"),
    Query("python", "parameters", selector="parameters", context="def f($$$A, $B=$C): pass"),
    Query("python", "clause", selector="except_clause", context="try: pass\nexcept $E as $N: $$$B"),
    Query("typescript", "field", selector="public_field_definition", context="class A { $F = $V }"),
    Query("typescript", "pair", selector="pair", context="({ $K: $V })"),
    Query(
        "typescript",
        "method",
        selector="method_definition",
        context="class A { $M($$$P) { $$$B } }",
    ),
    Query(
        "javascript", "method", selector="method_definition", context="class A { $M($P) { $$$B } }"
    ),
    Query("javascript", "attribute", selector="jsx_attribute", context="<a $N={$V} />"),
    Query("javascript", "any call", selector="call_expression", context="$F($$$A)"),
    Query("rust", "arm", selector="match_arm", context="match x { $P => $B, }"),
    Query("rust", "field", selector="field_declaration", context="struct S { $N: $T }"),
    Query(
        "java",
        "method",
        selector="method_declaration",
        context="class A { @Override public $T $M($$$P) { $$$B } }",
    ),
    Query(
        "java",
        "field",
        selector="field_declaration",
        context="class A { private final $T $N = $V; }",
    ),
    Query("go", "call", selector="call_expression", context="func f() { fmt.Println($$$A) }"),
    Query("go", "any call", selector="call_expression", context="func f() { $F($A, $$$B) }"),
    Query("go", "field", selector="keyed_element", context="var x = T{$K: $V}"),
    Query("c", "call", selector="call_expression", context="int f() { foo($A, $$$B); }"),
    Query("c", "parameter", selector="parameter_declaration", context="int f(const $T *$N);"),
)

# What people try and what matches nothing, here as there: the doctor's daily work.
FRUITLESS = (
    Query("go", "fmt.Println($A)"),
    Query("c", "foo($A)"),
    Query("c", "printf($A)"),
    Query("python", '"x$A"'),
    Query("c", "#include <$H>"),
    Query("c", "struct $S { $$$F };"),
    Query("typescript", "$L $OP $R"),
    Query("javascript", "a: 1"),
    Query("java", "private final $T $N = $V;"),
    Query("rust", "#[test] fn $F() { $$$B }"),
)


PATTERNS: tuple[Query, ...] = (
    *(Query(language, text) for language, texts in _PLAIN.items() for text in texts),
    *_IN_CONTEXT,
)

# Every node of a file: for small files.
ANYTHING = tuple(Query(language, hole) for language in _PLAIN for hole in ("$A", "$$A", "$_"))
