"""What is found in each language: `name kind`, and where a region begins."""

import pytest

from astedit.language import load, named, rows
from astedit.language.traits import traits
from astedit.locating.inventory.definitions import definitions
from tests.support.cases import tree

CODE = tree("definitions")
NAMES = {
    "javascript": (
        "A class, A.x attribute, A.p attribute, A.m method, A.v method, f function, g "
        "function, h function, h.local variable, o variable, k function, n variable"
    ),
    "typescript": (
        "NS.Foo class, NS.Foo.x attribute, NS.Foo.constructor method, NS.Foo.z method, I "
        "class, I.a attribute, I.b method, E class, E.A attribute, E.B attribute, T class, "
        "over function"
    ),
    "tsx": "F function",
    "java": (
        "A class, A.K attribute, A.L attribute, A.m method, A.m.q variable, A.<init> method, "
        "A.E class, A.E.P attribute, A.R class, A.I class, A.I.n method"
    ),
    "go": (
        "S class, S.a attribute, S.b attribute, I class, I.M method, S.Run method, S.Run.x "
        "variable, New function, K constant, v variable, w variable"
    ),
    "rust": (
        "S class, S.a attribute, S.new method, S.new.x variable, m.f function, m.E class, "
        "m.E.A attribute, T class, T.x method, G constant, mm function"
    ),
    "csharp": (
        "A.B.C class, A.B.C.P attribute, A.B.C.f attribute, A.B.C.g attribute, A.B.C.<init> "
        "method, A.B.C.M method, A.B.C.M.l variable, A.B.C.E class, A.B.C.E.Q attribute"
    ),
    "ruby": (
        "M class, M.C class, M.C.K attribute, M.C.initialize method, M.C.a attribute, "
        "M.C.initialize.b variable, M.C.s method, M.C.q? method, M.X class"
    ),
    "php": (
        "U class, U.K attribute, U.p attribute, U.m method, U.m.x variable, f function, I "
        "class, I.z method, E class, E.A attribute, T class"
    ),
    "kotlin": (
        "C class, C.q attribute, C.m method, C.m.l variable, C.K attribute, C.constructor "
        "method, O class, O.z method, E class, E.A attribute, E.B attribute, top function, v "
        "variable"
    ),
    "cpp": (
        "a.b.C class, a.b.C.<init> method, a.b.C.m method, a.b.C.m.l variable, a.b.C.f "
        "attribute, a.b.C.out method, S class, E class, E.A attribute, g variable, MAX "
        "constant"
    ),
}


def listed(language: str, text: str) -> tuple[tuple[str, ...], list[str]]:
    row = named(language)
    rules = traits(language).definitions
    assert row is not None and rules is not None
    grammar, raw = load(row), text.encode()
    package, found = definitions(grammar.parser().parse(raw).root_node, raw, grammar, rules)
    return package, [f"{'.'.join(one.names)} {one.kind}" for one in found]


@pytest.mark.parametrize("language", NAMES)
def test_definitions(language: str) -> None:
    assert listed(language, CODE[language])[1] == NAMES[language].split(", ")


def test_every_language_with_a_query_has_a_case() -> None:
    assert {row.name for row in rows() if traits(row.name).definitions} == {"python", *NAMES}


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
    assert listed(language, CODE[language])[0] == package


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
