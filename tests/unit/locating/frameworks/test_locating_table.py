"""Which files can say something about routes and clients, by their marks."""

import pytest

from astedit.locating.frameworks.table import may_say


@pytest.mark.parametrize(
    ("text", "may"),
    [
        ("import requests\n", True),
        ("import os, \\\n  requests\n", True),
        ("from requests \\\n  import get\n", True),
        ("requests\\\n .get(url)\n", True),
        ("# it handles requests\n", False),
        ("from urllib.parse import urlsplit\n", False),
        ("from urllib import request\nrequest.Request(u)\n", True),
        ("from urllib.request import urlopen\n", True),
        ("a_quarter = 1\n", False),
        ("from quart import Quart\n", True),
        ("import quart_auth\n", True),
    ],
)
def test_a_glance_tells_a_library_from_a_word(text: str, may: bool) -> None:
    assert may_say("python", text.encode()) is may
