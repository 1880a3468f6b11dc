"""Every place the doctor tries is a text its grammar accepts, given something that fits."""

import pytest

from astedit.language import load, named, rows
from astedit.language.facts import PLACE, contexts
from astedit.language.traits import traits

FILLERS = [
    *(
        "a",
        "a;",
        "a()",
        "a();",
        "a: b",
        "a: b;",
        "a = b",
        "a = b;",
        "a b",
        "a b;",
        "int a;",
        "A",
        "A a",
    ),
    *(
        "a => b",
        "a => b,",
        "a -> b",
        "int a",
        "int f();",
        "void f() {}",
        "fun f() {}",
        "func f() {}",
    ),
    *(
        "def f = 1",
        "f()",
        "f() {}",
        "case 1: break;",
        "case 1: a;",
        "case 1: a",
        "case 1:\n        a",
        "case 1 => a",
    ),
    *(
        "case x := <-y: f()",
        "case y := <-c:",
        "catch (A e) {}",
        "catch (...) {}",
        "catch (e: A) { }",
    ),
    *(
        "catch (e) {}",
        "finally {}",
        "yield a",
        "await a",
        '"a": 1',
        '"fmt"',
        "get; set;",
        "'a'",
        "a={b}",
    ),
    *(
        "[A]",
        "@A",
        "@a",
        "#[A]",
        "function f() {}",
        "use A;",
        "$a",
        "$a;",
        "except A:\n    a",
        "else:\n    a",
    ),
    *(
        "case.a: b",
        "let a = 1",
        "default: a",
        "default -> a;",
        "f :: b",
        "x -> 1",
        "for a in b",
        "<A>a</A>",
    ),
    *(
        "a) b ;;",
        ".a = 1",
        ".a",
        "a <- b",
        "color: red",
        "color: red;",
        "red",
        "(a: b)",
        "a=b",
        "inherit a;",
    ),
    *(
        "when 1 then a",
        "rescue A",
        "fn f() {}",
        "uint a;",
        "WHERE a = 1",
        "a int",
        "T[]",
        "a: A",
        "when 1\n  a",
    ),
    *(
        "[ a ]",
        "a.b",
        "A::B",
        "case .a: b()",
        "a: i32",
        "1 => a",
        "public a;",
        "screen",
        "a {}",
        "do a",
    ),
]
PLACES = [
    (row.name, title, template)
    for row in rows()
    for title, template in contexts(traits(row.name).contexts)
]


@pytest.mark.parametrize(("language", "title", "template"), PLACES)
def test_a_place_accepts_something(language, title, template):
    assert template.count(PLACE) == 1
    parser = load(named(language)).parser()
    texts = [template.replace(PLACE, filler).encode() + b"\n" for filler in FILLERS]
    fits = [text for text in texts if not parser.parse(text).root_node.has_error]
    assert fits, f"{title}: {template}"


def test_titles_are_told_apart():
    for row in rows():
        pairs = list(contexts(traits(row.name).contexts))
        assert len(pairs) == len(set(pairs))
        assert len({template for _, template in pairs}) == len(pairs), row.name
