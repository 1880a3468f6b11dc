"""Source roots, and what the names of modules and services are because of them."""

from pathlib import Path

import pytest

from astedit.locating.inventory.source_roots import SourceRoots, service
from tests.support.lists import rows

ROWS = rows(Path(__file__).with_suffix(".txt"))


@pytest.mark.parametrize(("files", "configured", "roots"), ROWS["roots"])
def test_roots(files: list[str], configured: tuple[str, ...], roots: tuple[str, ...]) -> None:
    assert SourceRoots(files, configured).all == roots


@pytest.mark.parametrize(("path", "language", "module"), ROWS["modules"])
def test_modules(path: str, language: str, module: tuple[str, ...]) -> None:
    assert SourceRoots(["setup.py", "src/x.py"]).module(path, language) == module


def test_a_service_is_called_like_its_directory() -> None:
    assert service("svc/a", "/x/shop") == "a"
    assert service(".", "/x/shop") == "shop"
