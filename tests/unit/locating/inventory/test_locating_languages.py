"""What is found in each language: `name kind`, and where a region begins."""

import pytest

from astedit.language import load, named, rows
from astedit.language.traits import traits
from astedit.locating.inventory.definitions import definitions

CASES = {
    "javascript": (
        "export class A { static x = 1; #p; m() {} get v() { return 1 } }\n"
        "const f = () => 1, g = function () {};\nfunction* h() { const local = 1 }\n"
        "const o = { k() {} };\nlet n = 1;\n",
        "A class, A.x attribute, A.p attribute, A.m method, A.v method, f function, g function, "
        "h function, h.local variable, o variable, k function, n variable",
    ),
    "typescript": (
        "export namespace NS { export abstract class Foo<T> { @dec() x = 1; constructor() {} "
        "abstract z(): void } }\ninterface I { a: string; b(): void }\nenum E { A, B = 2 }\n"
        "type T = string;\ndeclare function over(a: string): void;\n",
        "NS.Foo class, NS.Foo.x attribute, NS.Foo.constructor method, NS.Foo.z method, I class, "
        "I.a attribute, I.b method, E class, E.A attribute, E.B attribute, T class, over function",
    ),
    "tsx": ("const F = () => <a />;\n", "F function"),
    "java": (
        "package com.foo;\npublic class A<T> { static final int K = 1, L = 2; @X public void m() "
        "{ int q = 1; } A() {} enum E { P } record R(int a) {} interface I { void n(); } }\n",
        "A class, A.K attribute, A.L attribute, A.m method, A.m.q variable, A.<init> method, "
        "A.E class, A.E.P attribute, A.R class, A.I class, A.I.n method",
    ),
    "go": (
        "package main\ntype S[T any] struct { a, b int }\ntype I interface { M() }\n"
        "func (s *S[T]) Run() { x := 1 }\nfunc New() *S { return nil }\nconst K = 1\n"
        "var v, w = 1, 2\n",
        "S class, S.a attribute, S.b attribute, I class, I.M method, S.Run method, S.Run.x "
        "variable, "
        "New function, K constant, v variable, w variable",
    ),
    "rust": (
        "#[derive(Debug)]\nstruct S<T> { a: i32 }\nimpl<T> Show for S<T> { fn new() -> "
        "Self { let x = 1; } }\n"
        "mod m { pub fn f() {} enum E { A } }\ntrait T { fn x(&self); }\nstatic G: i32 = 1;\n"
        "macro_rules! mm { () => {} }\n",
        "S class, S.a attribute, S.new method, S.new.x variable, m.f function, m.E class, "
        "m.E.A attribute, T class, T.x method, G constant, mm function",
    ),
    "csharp": (
        "namespace A.B { [X] public class C<T> { public int P { get; set; } int f, g; public C() "
        "{} "
        "void M() { int l = 1; } enum E { Q } } }\n",
        "A.B.C class, A.B.C.P attribute, A.B.C.f attribute, A.B.C.g attribute, A.B.C.<init> "
        "method, "
        "A.B.C.M method, A.B.C.M.l variable, A.B.C.E class, A.B.C.E.Q attribute",
    ),
    "ruby": (
        "module M\n  class C < D\n    K = 1\n    def initialize; @a = 1; b = 2; end\n"
        "    def self.s; end\n"
        "    def q?; end\n  end\nend\nclass M::X; end\n",
        "M class, M.C class, M.C.K attribute, M.C.initialize method, M.C.a attribute, "
        "M.C.initialize.b variable, M.C.s method, M.C.q? method, M.X class",
    ),
    "php": (
        "<?php\nnamespace App\\Models;\n"
        "class U extends B { const K = 1; public $p = 2; function m() { $x = 1; } }\n"
        "function f() {}\ninterface I { function z(); }\nenum E { case A; }\ntrait T {}\n",
        "U class, U.K attribute, U.p attribute, U.m method, U.m.x variable, f function, I class, "
        "I.z method, E class, E.A attribute, T class",
    ),
    "kotlin": (
        "package a.b\nclass C(val p: Int) {\n  val q = 1\n  fun m() { val l = 2 }\n"
        "  companion object {\n"
        "    const val K = 1\n  }\n  constructor(x: String) : this(1) { }\n}\nobject O {\n"
        "  fun z() {}\n}\n"
        "enum class E {\n  A, B\n}\nfun top() = 1\nval v = 1\n",
        "C class, C.q attribute, C.m method, C.m.l variable, C.K attribute, C.constructor method, "
        "O class, O.z method, E class, E.A attribute, E.B attribute, top function, v variable",
    ),
    "cpp": (
        "namespace a::b { class C { public: C() {} int m() { int l = 1; return l; } int f; }; }\n"
        "int* a::b::C::out(int x) { return 0; }\ntemplate <typename T> struct S { };\n"
        "enum class E { A };\n"
        "int g = 1;\n#define MAX 1\n",
        "a.b.C class, a.b.C.<init> method, a.b.C.m method, a.b.C.m.l variable, a.b.C.f attribute, "
        "a.b.C.out method, S class, E class, E.A attribute, g variable, MAX constant",
    ),
}  # fmt: skip


def listed(language: str, text: str) -> tuple[tuple[str, ...], list[str]]:
    row = named(language)
    rules = traits(language).definitions
    assert row is not None and rules is not None
    grammar, raw = load(row), text.encode()
    package, found = definitions(grammar.parser().parse(raw).root_node, raw, grammar, rules)
    return package, [f"{'.'.join(one.names)} {one.kind}" for one in found]


@pytest.mark.parametrize("language", CASES)
def test_definitions(language: str) -> None:
    text, expected = CASES[language]
    assert listed(language, text)[1] == expected.split(", ")


def test_every_language_with_a_query_has_a_case() -> None:
    assert {row.name for row in rows() if traits(row.name).definitions} == {"python", *CASES}


@pytest.mark.parametrize(
    ("language", "package"),
    [
        ("java", ("com", "foo")),
        ("go", ("main",)),
        ("php", ("App", "Models")),
        ("kotlin", ("a", "b")),
    ],
)
def test_the_package_is_part_of_the_name(language: str, package: tuple[str, ...]) -> None:
    assert listed(language, CASES[language][0])[0] == package


@pytest.mark.parametrize(
    ("language", "text", "name", "region"),
    [
        ("rust", "#[a]\n#[b]\nfn f() {}\n", "f", "#[a]\n#[b]\nfn f() {}"),
        ("typescript", "class A { x; @d() m() {} }\n", "m", "@d() m() {}"),
        ("typescript", "export const f = () => 1;\n", "f", "export const f = () => 1;"),
        ("javascript", "const f = () => 1, g = () => 2;\n", "g", "g = () => 2"),
        ("java", "class A { @X void m() {} }\n", "m", "@X void m() {}"),
        ("go", "package p\ntype S struct{}\n", "S", "type S struct{}"),
        ("cpp", "template <class T> struct S { };\n", "S", "template <class T> struct S { }"),
    ],
)
def test_a_region_holds_what_belongs_to_it(
    language: str, text: str, name: str, region: str
) -> None:
    row, rules, raw = named(language), traits(language).definitions, text.encode()
    assert row is not None and rules is not None
    root = load(row).parser().parse(raw).root_node
    every = definitions(root, raw, load(row), rules)[1]
    found = [one for one in every if one.names[-1] == name]
    assert [raw[slice(*one.span)].decode().rstrip(";") for one in found] == [region.rstrip(";")]
