"""Route templates in their normal form, and what the URL of a client says."""

from pathlib import Path

import pytest

from astedit.locating.urls import Address, address, begins, joined, normal
from tests.support.lists import rows

ROWS = rows(Path(__file__).with_suffix(".txt"))


@pytest.mark.parametrize(("raw", "expected"), ROWS["the normal form of a template"])
def test_the_normal_form_of_a_template(raw: str, expected: str) -> None:
    assert normal(raw) == expected
    assert normal(expected) == expected


def test_urls() -> None:
    assert joined("/a/", "/b") == joined("/a", "b") == "/a/b"
    assert joined("", "") == "/"
    assert address("http://u:p@smart:80/x?q#f") == Address("smart", False, "/x")
    assert address("{settings.URL}/x") == Address("URL", True, "/x")
    assert address("https://{host}/x") == Address("host", True, "/x")
    assert begins("/api/v1/cards", "/api/v1") and begins("/a", "/a/")
    assert not begins("/api/v1/cards", "/api/v1/c")
