"""What a grammar takes and a language does not is not written: by kind and by place."""

import pytest

from tests.support.engine_edit import edited

BARRED = [
    ("javascript", "if (a) f(1);\n", "f($A);", "let k = $A;"),
    ("javascript", "class B extends C { m() { super.f(1); } }\n", "$A.f($B)", "k($A)"),
    ("javascript", "a[0] = 1;\n", "$A[$B]", "$A === $B"),
    ("typescript", "function f() { return a && b; }\n", "$A && $B", "return $A"),
    ("typescript", "x = (a: T) => b;\n", "$A => $B", "k($A, $B)"),
    ("java", "class A { void f() { g(a); } }\n", "g($A)", "$A * 2"),
    ("java", "class A { void f() { if (b) g(a); } }\n", "g($A);", "int k = $A;"),
    ("php", "<?php $x = f($a);\n", "f($A)", "return $A;"),
    ("php", "<?php $x[1] = 2;\n", "$A[$B]", "$A->b($B)"),
    ("ruby", "return x if y\n", "$A if $B", "k = $A"),
    ("go", "package a\nfunc f() { go g(1) }\n", "g($A)", "$A + 1"),
    (
        "go",
        "package a\nfunc f() {\n\tif a {\n\t\tg()\n\th()\n\t}\n}\n",
        "if $A { $$$B }",
        "k($$$B)",
    ),
    ("javascript", "function f() { g(a); }\n", "g($A)", "await $A"),
    ("javascript", "function f() { g(a); }\n", "g($A)", "yield $A"),
    ("javascript", "async function f() { g(await a); }\n", "g($A)", "h(() => $A)"),
    ("javascript", "function* f() { g(yield a); }\n", "g($A)", "h(async () => $A)"),
    ("javascript", "class B extends C { m() { g(1); } }\n", "g($A)", "function () { super.x }"),
    ("javascript", "class B { m() { g(a); } }\n", "g($A)", "delete $A"),
    ("javascript", "import a from 'a';\nh(g(a));\n", "g($A)", "delete $A"),
    ("javascript", "a[0] = 1;\n", "$A[$B]", "k += $A"),
    ("javascript", "a[0] = 1;\n", "$A[$B]", "({ key: $A })"),
    ("javascript", "a[0] = 1;\n", "$A[$B]", "$A?.b"),
    ("typescript", "a[0]++;\n", "$A[$B]", "$A + $B"),
    ("go", "package a\nfunc f() { g(1) }\n", "g($A)", "-$A"),
    ("go", "package a\nfunc f() { defer g(1) }\n", "g($A)", "-h($A)"),
    ("go", "package a\nvar b = f(c, d...)\n", "f($$$A)", "g($$$A, 1)"),
    ("go", "package a\nvar b = make([]c, d)\n", "$F($A, $B)", "$A[$B]"),
    ("java", "class A { void f() { g(a); } }\n", "g($A)", "!$A"),
    ("java", "class A { void f() { a[0] = 1; } }\n", "$A[$B]", "$A + $B"),
    ("java", "class A { B b = new C<>(a); }\n", "new $A($B)", "$A::k"),
    ("ruby", "h(g(*a, &b))\n", "g($$$A)", "[$$$A]"),
    ("ruby", "h g(a, :b => 1)\n", "g($$$A)", "[$$$A, 1]"),
    ("ruby", "def f\n  g(1, &b)\nend\n", "g($A, $B)", "return $A, $B"),
    ("ruby", "class A\n  B = g(1)\nend\n", "$A = $B", "return $A"),
    ("ruby", "def f\n  @a ||= begin\n    g(1)\n  end\nend\n", "g($A)", "return $A"),
    ("php", "<?php\n$x = f(\n  new A(\n    1\n  )\n);\n", "new $A($B)", "(int) $A"),
    ("php", "<?php\n$x = &(g(1))[2];\n", "g($A)", "clone $A"),
    ("php", "<?php\n(g($a))->b = 1;\n", "g($A)", "clone $A"),
    ("php", "<?php\nfunction f(): string { return (string) g(1)[2]; }\n", "$A[$B]", "yield $A"),
    ("ruby", "class A\n  b g(1)\nend\n", "g($A)", "yield $A"),
    ("ruby", "def f\n  g(1)\nend\n", "g($A)", "B = $A"),
    ("ruby", "alias b c if d\n", "$A if $B", "raise $A"),
    ("ruby", "x {\n  if a\n    b.c\n    d.e\n    next\n  end\n}\n", "if $A\n$$$M\nend", "k($$$M)"),
    ("ruby", "a[self] = 1\n", "$A[$B]", "$B"),
    ("ruby", "f(a, :b => true)\n", "f($A, $B)", "$A while $B"),
    ("php", "<?php if (isset($a[1])) {}\n", "$A[$B]", "$A === $B"),
    ("php", "<?php if (isset($a[1])) {}\n", "$A[$B]", "f($A)"),
    ("php", "<?php $a[1][] = 2;\n", "$A[$B]", "$A + $B"),
    ("php", "<?php $a[1] = 2;\n", "$A[$B]", "$A?->b"),
    ("php", "<?php $a = &f($b);\n", "f($A)", "$k = $A"),
    ("php", "<?php g(f(...$a), 1);\n", "f($$$A)", "k($$$A, 1)"),
    ("php", "<?php g($a == 1 && $b);\n", "$A && $B", '"{$A}"'),
    ("php", "<?php g([1]);\n", "[$A]", "new (0)($A)"),
    ("php", "<?php g([]);\n", "g($A)", "$A::k"),
    ("php", "<?php class A { private $b = [1]; }\n", "[$A]", "k($A)"),
    ("php", "<?php function f(): int { g($a); return 1; }\n", "g($A)", "yield $A"),
    ("php", "<?php function f(): void { g($a); }\n", "g($A);", "return $A;"),
    ("rust", "async fn f() { g(a.await); }\n", "g($A)", "h(|| $A)"),
    ("csharp", "class A { async B C() { G(await d); } }\n", "G($A)", "H(() => $A)"),
    ("java", "class A { void f() { for (;;a = b) {} } }\n", "$A = $B", "$A && $B"),
    ("javascript", "import a from 'a';\nf(a);\n", "f($A);", "return $A;"),
    ("php", "<?php f(self::A[1]);\n", "$A[$B]", "$A::k"),
    ("php", "<?php if (f(1)) { $a = &B::c(); }\nexit(1);\n", "if ($A) { $$$B }", "$A::k"),
    ("ruby", "f(1)\nif a = b.c(2)\nend\n", "$A.c($B)", "*$A"),
    ("ruby", "f {\n  if a\n    b = 1\n    c = 2\n  end\n}\n", "if $A\n$$$M\nend", "[$$$M]"),
    ("php", "<?php function f($a = [1]) {}\n", "[$A]", "k($A)"),
    ("ruby", "return [] unless a\n", "$A unless $B", "k ? $A : $B"),
    ("javascript", "class A extends B { c() { super.d(); } }\n", "$A.d()", "$A?.e"),
    ("typescript", "class A extends B { c() { super.d(); } }\n", "$A.d()", "$A?.e"),
    ("javascript", "f({ a: b, c }, d);\n", "f($$$A)", "() => { $$$A }"),
    ("javascript", "x = [,-a];\n", "[$$$A]", "f(1, $$$A)"),
    ("javascript", "if (a) { if (b.c) { d(); } }\n", "if (a) $B", "[a, $B]"),
    ("php", "<?php $a = &$b->f($c);\n", "$A->$F($B)", "isset($B)"),
    ("php", "<?php $a = &$b->f($c);\n", "$A->$F($B)", "new A($B)"),
    ("php", "<?php $a = [&$b[1]];\n", "$A[$B]", "f($B)"),
    ("php", "<?php f($a)[] = 2;\n", "f($A)", "new $A($A)"),
    ("php", "<?php f($a)->b = 2;\n", "f($A)", "new $A($A)"),
    ("php", "<?php f($a)[1]++;\n", "f($A)", "new $A($A)"),
    ("php", "<?php foreach ($a as $b[1]) {}\n", "$A[$B]", "k($B)"),
    ("php", "<?php unset($a[1][2]);\n", "$A[1]", "new k($A)"),
    ("php", "<?php f(__DIR__ . $a);\n", "$A . $B", "new $A($B)"),
    ("php", "<?php f(__DIR__ . $a);\n", "$A . $B", "$A::k"),
    ("php", "<?php function &f() { return $a[1]; }\n", "$A[$B]", "$A?->b"),
    ("ruby", "if a then\n  b\nend\n", "if $A\n$$$M\nend", "k($$$M)"),
    ("ruby", "if a then\n  b\nend\n", "if $A\n$$$M\nend", "f { $$$M }"),
    ("ruby", "while a do\n  b\nend\n", "while $A\n$$$M\nend", "k($$$M)"),
    ("python", "def f():\n    g((yield x))\n", "g($A)", "h(lambda: $A)"),
    ("python", "async def f():\n    g(await x)\n", "g($A)", "h(lambda: $A)"),
]


@pytest.mark.parametrize(("language", "text", "pattern", "out"), BARRED)
def test_what_may_not_stand_there_is_blocked(
    language: str, text: str, pattern: str, out: str
) -> None:
    after, data = edited(language, text, (pattern, out))
    assert after == text
    assert len(data.blocked) == 1


BRACKETED = [
    (
        "python",
        "async def f():\n    g(a**2)\n",
        "g($A)",
        "await $A",
        "async def f():\n    await (a**2)\n",
    ),
    ("php", "<?php $a = f($b) == 1;\n", "f($A)", "$A <=> 2", "<?php $a = ($b <=> 2) == 1;\n"),
    ("ruby", "g(f(1))\n", "f($A)", "not $A", "g((not 1))\n"),
    ("typescript", "x = f(1) as T;\n", "f($A)", "() => $A", "x = (() => 1) as T;\n"),
    ("javascript", "for (f(a); b; c) {}\n", "f($A)", "$A in k", "for ((a in k); b; c) {}\n"),
    ("ruby", "h(f(1), 3)\n", "f($A)", "k $A, 2", "h((k 1, 2), 3)\n"),
    ("ruby", "h [f(1)]\n", "f($A)", "k $A", "h [(k 1)]\n"),
    ("ruby", "a = b c do |d| d end\n", "$A = $B", "k($A, $B)", "k(a, (b c do |d| d end))\n"),
    ("ruby", "a.b f(1)\n", "f($A)", "{ k: $A }", "a.b ({ k: 1 })\n"),
    ("ruby", "x = g if f(a, b)\n", "f($A, $B)", "k, l = $A, $B", "x = g if (k, l = a, b)\n"),
    ("ruby", "x if f(1) === 2\n", "f($A)", "$A == 3", "x if (1 == 3) === 2\n"),
    ("php", "<?php f(isset($a));\n", "f($A)", "$A->b", "<?php (isset($a))->b;\n"),
    ("go", "package a\nvar b = f(&c)\n", "f($A)", "&$A", "package a\nvar b = &(&c)\n"),
    (
        "java",
        "class A { boolean b = c.d(e) < f; }\n",
        "$A.d($B)",
        "$A instanceof k",
        "class A { boolean b = (c instanceof k) < f; }\n",
    ),
    ("typescript", "f(n++);\n", "f($A)", "$A!", "(n++)!;\n"),
    ("typescript", "f(a as B);\n", "f($A)", "$A?.b", "(a as B)?.b;\n"),
    (
        "ruby",
        "def f\n  g(1)\nend\n",
        "g($A)",
        "yield({ a: $A })",
        "def f\n  yield({ a: 1 })\nend\n",
    ),
    ("ruby", "a { |b = c[1]| b }\n", "$A[$B]", "$A * $B", "a { |b = (c * 1)| b }\n"),
    ("ruby", "case\nwhen f(1)\n  2\nend\n", "f($A)", "$A or 3", "case\nwhen (1 or 3)\n  2\nend\n"),
    ("php", "<?php $b = f($a)->c;\n", "f($A)", "new $A()", "<?php $b = (new $a())->c;\n"),
    ("ruby", "a = b c if d\n", "$A if $B", "defined?($A)", "defined?((a = b c))\n"),
    ("ruby", "a = b.c [d]\n", "$A = $B", "$A * $B", "a * (b.c [d])\n"),
    ("ruby", "a = if b\n  c\nend.d(1)\n", "$A.d($B)", "not $A", "a = (not (if b\n  c\nend))\n"),
    ("ruby", "a = f(b) rescue 1\n", "f($A)", "not $A", "a = (not b) rescue 1\n"),
    ("ruby", "g(*f(1))\n", "f($A)", "$A or 2", "g(*(1 or 2))\n"),
    ("ruby", "a = b 1 unless c\n", "$A unless $B", "!$A", "!(a = b 1)\n"),
    ("typescript", "f(a = b);\n", "f($A)", "<k>$A", "<k>(a = b);\n"),
]


@pytest.mark.parametrize(("language", "text", "pattern", "out", "expected"), BRACKETED)
def test_brackets_where_only_the_grammar_spares_them(
    language: str, text: str, pattern: str, out: str, expected: str
) -> None:
    after, data = edited(language, text, (pattern, out))
    assert (after, data.blocked) == (expected, ())


ALLOWED = [
    ("javascript", "if (a) { f(1); }\n", "f($A);", "let k = $A;", "if (a) { let k = 1; }\n"),
    ("javascript", "x.super = f(1);\n", "f($A)", "$A + 1", "x.super = 1 + 1;\n"),
    ("java", "class A { int x = g(a); }\n", "g($A)", "$A * 2", "class A { int x = a * 2; }\n"),
    ("ruby", "x if y\n", "$A if $B", "k = $A", "k = x\n"),
    ("go", "package a\nvar x = g(1)\n", "g($A)", "$A + 1", "package a\nvar x = 1 + 1\n"),
    ("javascript", "async () => f(1);\n", "f($A)", "await $A", "async () => await 1;\n"),
    ("javascript", "f(1);\n", "f($A)", "await $A", "await 1;\n"),
    ("javascript", "async () => g(await a);\n", "g($A)", "h(async () => $A)",
     "async () => h(async () => await a);\n"),
    ("javascript", "g(async () => await a);\n", "g($A)", "h(() => $A)",
     "h(() => async () => await a);\n"),
    ("javascript", "f(1);\n", "f($A)", "delete k", "delete k;\n"),
    ("javascript", "m = f(1);\n", "m = $A", "export default function () { $A }",
     "export default function () { f(1) };\n"),
    ("javascript", "(a[0]) = 1;\n", "$A[$B]", "$A.b", "(a.b) = 1;\n"),
    ("python", "def f():\n    yield 1\n", "def f(): $$$A", "def f():\n    g()\n    $$$A",
     "def f():\n    g()\n    yield 1\n"),
    ("ruby", "h(f(a: 1))\n", "f($$$A)", "k($$$A, **b)", "h(k(a: 1, **b))\n"),
    ("javascript", "f(a, { b: c, d });\n", "f($$$A)", "() => { $$$A }",
     "() => { a, { b: c, d } };\n"),
    ("javascript", "x = [1, 2,];\n", "[$$$A]", "f($$$A)", "x = f(1, 2,);\n"),
    ("ruby", "f(1)\n", "f($A)", "x.then { $A }", "x.then { 1 }\n"),
    ("ruby", "a = b[c]\n", "$A = $B", "$A * $B", "a * b[c]\n"),
    ("php", "<?php foreach ($a as $b[1]) {}\n", "$A[$B]", "$A->c",
     "<?php foreach ($a as $b->c) {}\n"),
    ("php", "<?php function f() { return $a[1]; }\n", "$A[$B]", "$A?->b",
     "<?php function f() { return $a?->b; }\n"),
    ("php", "<?php $a = &$b->f($c);\n", "$A->$F($B)", "k($B)", "<?php $a = &k($c);\n"),
    ("ruby", "k f(1)\n", "f($A)", "g $A", "k g 1\n"),
    ("csharp", "class A { async B C() { G(await d); } }\n", "G($A)", "H(async () => $A)",
     "class A { async B C() { H(async () => await d); } }\n"),
    ("php", "<?php f([__CLASS__]);\n", "[$A]", "k($A, 1)", "<?php f(k(__CLASS__, 1));\n"),
    ("php", "<?php f(isset($a[1]));\n", "$A[$B]", "$A->b", "<?php f(isset($a->b));\n"),
    ("php", "<?php g(a(1));\n", "a($A)", "k(b: $A)", "<?php g(k(b: 1));\n"),
    ("java", "class A { B b = new C<>(a); }\n", "new C<>($A)", "new D<>($A)",
     "class A { B b = new D<>(a); }\n"),
    ("rust", "async fn f() { g(a.await); }\n", "g($A)", "h(async { $A })",
     "async fn f() { h(async { a.await }); }\n"),
]  # fmt: skip


# No value, but several in a row.
LISTS = [
    ("go", "package a\n\nfunc f() {\n\thi, lo := g(1)\n}\n", "$A := $B", "var $A = $B",
     "package a\n\nfunc f() {\n\tvar hi, lo = g(1)\n}\n"),
    ("go", "package a\n\nfunc f() (b, error) {\n\treturn nil, g(1)\n}\n", "return $V",
     "return k($V)", "package a\n\nfunc f() (b, error) {\n\treturn k(nil, g(1))\n}\n"),
    ("go", "package a\n\nfunc f() {\n\ta, b = b, a\n}\n", "$A = $B", "$B = $A",
     "package a\n\nfunc f() {\n\tb, a = a, b\n}\n"),
    ("ruby", 'raise A, "b"\n', "raise $E", "fail_with($E)", 'fail_with(A, "b")\n'),
    ("go", "package a\n\nfunc f() {\n\t// c\n\tg()\n\t// Output:\n\t// 2\n}\n",
     "func $F($$$P) { $$$B }", "func $F(ctx C, $$$P) {\n\ttrace()\n\t$$$B\n}",
     "package a\n\nfunc f(ctx C) {\n\ttrace()\n\t// c\n\tg()\n\t// Output:\n\t// 2\n}\n"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "text", "pattern", "out", "expected"), ALLOWED + LISTS)
def test_what_may_stand_there_is_written(
    language: str, text: str, pattern: str, out: str, expected: str
) -> None:
    after, data = edited(language, text, (pattern, out))
    assert (after, data.blocked) == (expected, ())


def test_what_is_wrong_within_is_blocked_alone() -> None:
    text = "def a():\n    f(f(1, b=2), f(3))\n"
    after, data = edited("python", text, ("f($$$A)", "f($$$A, b=0)"))
    assert after == "def a():\n    f(f(1, b=2), f(3, b=0), b=0)\n"
    assert [(one.text, one.matches) for one in data.blocked] == [(b"f(1, b=2)", 1)]


def test_what_is_right_within_is_made() -> None:
    text = "class A { void f() { a.g(b.h(c)); } }\n"
    after, data = edited("java", text, ("$A.$F($B)", "$B"))
    assert after == "class A { void f() { a.g(c); } }\n"
    assert [(one.text, one.matches) for one in data.blocked] == [(b"a.g(b.h(c))", 1)]


BARE_TUPLES = [
    ("return a, b", "return $V", "return wrap($V)", "return wrap((a, b))"),
    ("return a,", "return $V", "return wrap($V)", "return wrap((a,))"),
    ("return a, *b", "return $V", "return $V + ()", "return (a, *b) + ()"),
    ("return a, b", "return $V", "return ($V)", "return (a, b)"),
    ("return a, b", "return $V", "return ($V,)", "return ((a, b),)"),
    ("return a, b", "return $V", "return x[$V]", "return x[a, b]"),
    ("return a, b", "return $V", "return (y := $V)", "return (y := (a, b))"),
    ("return a, b", "return $V", "return {$V: 1}", "return {(a, b): 1}"),
    ("self.x = a, b", "self.$F = $V", "set($F, $V)", "set(x, (a, b))"),
    ("a, b = c", "$T = $V", "set($T, $V)", "set((a, b), c)"),
    ("x = yield a, b", "yield $V", "yield from $V", "x = yield from (a, b)"),
    ("for x in a, b: f()", "for $X in $V: $$$B", "for $X in sorted($V): $$$B",
     "for x in sorted((a, b)): f()"),
    ("for x in a, b: f()", "for $X in $V: $$$B", "for $X in -$V[1:]: $$$B",
     "for x in -(a, b)[1:]: f()"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "pattern", "out", "expected"), BARE_TUPLES)
def test_a_tuple_without_brackets_gets_them_where_it_needs_them(
    line: str, pattern: str, out: str, expected: str
) -> None:
    after, data = edited("python", f"def k():\n    {line}\n", (pattern, out))
    assert (after, data.blocked) == (f"def k():\n    {expected}\n", ())


COMMENT_FIRST = "while a:\n    # why\n    # so\n    x()\n    # end\nz()\n"


@pytest.mark.parametrize(
    ("out", "expected"),
    [
        ("while $A:\n    $$$B\n    tick()",
         "while a:\n    # why\n    # so\n    x()\n    # end\n    tick()\nz()\n"),
        ("while $A:\n    if b:\n        $$$B\n    tick()",
         "while a:\n    if b:\n        # why\n        # so\n        x()\n        # end\n"
         "    tick()\nz()\n"),
    ],
)  # fmt: skip
def test_a_comment_before_the_first_statement_may_stand_before_the_block(
    out: str, expected: str
) -> None:
    after, data = edited("python", COMMENT_FIRST, ("while $A: $$$B", out))
    assert (after, data.blocked) == (expected, ())


@pytest.mark.parametrize("out", ["with wrap($A): $$$B", "with $A, c: $$$B", "wrap($A)"])
def test_the_items_of_a_with_are_no_tuple(out: str) -> None:
    text = "with (\n    a(),\n    b(),\n):\n    x()\n"
    after, data = edited(
        "python", text, ("with $A: $$$B" if "$$$B" in out else "with $A: x()", out)
    )
    assert after == text
    assert [blocked.reason for blocked in data.blocked] == ["changes_structure"]


def test_in_a_blocked_edit_all_others_are_made_at_any_depth() -> None:
    text = (
        "if a:\n    if b:\n        if c:\n            f()\n            if d:\n"
        "                g()\n            else:\n                h()\n            if e:\n"
        "                k()\nelse:\n    m()\n"
    )
    after, data = edited("python", text, ("if $A: $$$B", "if $A:\n    log()\n    $$$B"))
    assert after == (
        "if a:\n    if b:\n        log()\n        if c:\n            log()\n            f()\n"
        "            if d:\n                g()\n            else:\n                h()\n"
        "            if e:\n                log()\n                k()\nelse:\n    m()\n"
    )
    assert [(blocked.span.line, blocked.matches) for blocked in data.blocked] == [(1, 1), (5, 1)]
    detail = "$B, with the else clause in it, does not stay whole: "
    assert all((blocked.detail or "").startswith(detail) for blocked in data.blocked)


@pytest.mark.parametrize(
    ("language", "text", "pattern", "out"),
    [
        ("go", "package a\n\nfunc f() (b, c) {\n\treturn 1, 2\n}\n", "return $V", "return $V + 1"),
        ("ruby", "def f\n  return a, b\nend\n", "return $V", "return wrap($V)"),
    ],
)
def test_a_list_that_is_no_value_is_not_made_two(
    language: str, text: str, pattern: str, out: str
) -> None:
    after, data = edited(language, text, (pattern, out))
    assert after == text
    assert [blocked.reason for blocked in data.blocked] == ["changes_structure"]
