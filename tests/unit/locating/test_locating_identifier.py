"""What an identifier's text can be, and what it is relative to."""

import pytest

from astedit.locating.identifier import LONGEST, Malformed, parse


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("a.B.c", ("a", "B", "c")),
        ("a::B::c", ("a", "B", "c")),
        ("a.b:B.c", ("a", "b", "B", "c")),
        ("B#c", ("B", "c")),
        ("f.<locals>.g", ("f", "g")),
        ("App\\Models\\User", ("App", "Models", "User")),
        (" name ", ("name",)),
        ("run()", ("run",)),
        ("Foo.<init>", ("Foo", "<init>")),
        ("größe", ("größe",)),
    ],
)
def test_names(text: str, name: tuple[str, ...]) -> None:
    assert parse(text).name == name


@pytest.mark.parametrize(
    ("text", "shapes"),
    [
        ("sym:a.py::f", {"symbol"}),
        ("route:a.py::f::GET /x", {"route"}),
        ("r:a.py::f::GET /x", {"route"}),
        ("c:a.py::f::GET /x", {"client"}),
        ("a.py::f", {"symbol"}),
        ("GET /x", {"route"}),
        ("/x", {"route"}),
        ("svc get /x", {"route"}),
        ("smart /x", {"client"}),
        ("smart", {"symbol", "client"}),
        ("a sentence of words", set()),
        ("a*b", set()),
        ("/a/*", {"route"}),
        ("../a::f", {"symbol"}),
    ],
)
def test_shapes(text: str, shapes: set[str]) -> None:
    found = parse(text)
    assert {kind for kind in ("symbol", "route", "client") if found.asks_for(kind)} == shapes


@pytest.mark.parametrize(
    "text", [None, 7, "", "  ", "a\tb", "a\u2028b", "\x7f", "x" * (LONGEST + 1)]
)
def test_malformed(text: object) -> None:
    with pytest.raises(Malformed, match=r"^Invalid identifier: "):
        parse(text)


def test_the_longest_identifier_is_one() -> None:
    assert parse("x" * LONGEST).name
