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
    ("go", "package a\nfunc f() {\n\tif a {\n\t\tg()\n\t}\n}\n", "if $A { $$$B }", "k($$$B)"),
]


@pytest.mark.parametrize(("language", "text", "pattern", "out"), BARRED)
def test_what_may_not_stand_there_is_blocked(
    language: str, text: str, pattern: str, out: str
) -> None:
    after, data = edited(language, text, (pattern, out))
    assert after == text
    assert len(data.blocked) == 1


BRACKETED = [
    ("php", "<?php $a = f($b) == 1;\n", "f($A)", "$A <=> 2", "<?php $a = ($b <=> 2) == 1;\n"),
    ("ruby", "g(f(1))\n", "f($A)", "not $A", "g((not 1))\n"),
    ("typescript", "x = f(1) as T;\n", "f($A)", "() => $A", "x = (() => 1) as T;\n"),
    ("javascript", "for (f(a); b; c) {}\n", "f($A)", "$A in k", "for ((a in k); b; c) {}\n"),
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
]


@pytest.mark.parametrize(("language", "text", "pattern", "out", "expected"), ALLOWED)
def test_what_may_stand_there_is_written(
    language: str, text: str, pattern: str, out: str, expected: str
) -> None:
    after, data = edited(language, text, (pattern, out))
    assert (after, data.blocked) == (expected, ())
