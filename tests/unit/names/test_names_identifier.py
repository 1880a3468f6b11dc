"""What an identifier's text can be, and what it is relative to."""

import pytest

from astedit.locating.identifier import LONGEST, Malformed, parse
from astedit.locating.inventory.source_roots import Roots, service


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


@pytest.mark.parametrize(
    ("files", "configured", "roots"),
    [
        (["a/pkg/x.py", "b/x.py", "README.md"], (), ("a", "b")),
        (["pyproject.toml", "src/pkg/x.py", "tests/t.py"], (), (".", "src")),
        (["svc/go.mod", "svc/x.go", "web/package.json"], (), ("svc", "web")),
        (["pkg/__init__.py", "pkg/x.py"], (), (".",)),
        (["a/x.py"], ("lib",), ("lib",)),
        ([], (), (".",)),
        (["n/A.csproj", "n/src/a.cs"], (), ("n", "n/src")),
    ],
)
def test_roots(files: list[str], configured: tuple[str, ...], roots: tuple[str, ...]) -> None:
    assert Roots(files, configured).all == roots


@pytest.mark.parametrize(
    ("path", "language", "module"),
    [
        ("src/pkg/__init__.py", "python", ("pkg",)),
        ("src/pkg/__main__.py", "python", ("pkg", "__main__")),
        ("src/pkg/mod.py", "python", ("pkg", "mod")),
        ("tests/t.py", "python", ("tests", "t")),
        ("src/lib.rs", "rust", ()),
        ("src/net/mod.rs", "rust", ("net",)),
        ("src/ui/index.ts", "typescript", ("ui",)),
    ],
)
def test_modules(path: str, language: str, module: tuple[str, ...]) -> None:
    assert Roots(["setup.py", "src/x.py"]).module(path, language) == module


def test_a_service_is_called_like_its_directory() -> None:
    assert service("svc/a", "/x/shop") == "a"
    assert service(".", "/x/shop") == "shop"
