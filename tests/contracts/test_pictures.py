"""The pictures of the pages show what today's version prints."""

import importlib.util
import json
from types import ModuleType

import pytest

from tests.support import REPOSITORY
from tests.support.browser import needs_browser

FOLDER = REPOSITORY / "docs/pictures"


@pytest.fixture(scope="module")
def make() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_pictures", FOLDER / "make.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        *("edit", "review", "agent"),
        *(pytest.param(name, marks=needs_browser) for name in ("page", "report")),
    ],
)
def test_a_picture_says_what_is_said_today(make: ModuleType, name: str) -> None:
    _, text = make.picture(name)
    assert text == json.loads((FOLDER / "pictures.json").read_text())[name], "run: make pictures"


def test_pictures_are_small_and_load_nothing() -> None:
    for picture in FOLDER.glob("*.svg"):
        assert b"url(http" not in picture.read_bytes()
    assert all(file.stat().st_size < 150_000 for file in FOLDER.iterdir())
