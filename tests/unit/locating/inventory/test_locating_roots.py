"""Source roots, and what the names of modules and services are because of them."""

import pytest

from astedit.locating.inventory.source_roots import SourceRoots, service


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
    assert SourceRoots(files, configured).all == roots


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
    assert SourceRoots(["setup.py", "src/x.py"]).module(path, language) == module


def test_a_service_is_called_like_its_directory() -> None:
    assert service("svc/a", "/x/shop") == "a"
    assert service(".", "/x/shop") == "shop"
