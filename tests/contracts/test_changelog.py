"""The version is that of the newest section of the changelog that has a number."""

import re

from astedit.version import __version__
from tests.support import REPOSITORY

NUMBERED = re.compile(r"^## (\d+)\.(\d+)\.(\d+), (?:\d{4}-\d\d-\d\d|not yet published)$", re.M)


def test_the_version_follows_the_changelog() -> None:
    text = (REPOSITORY / "CHANGELOG.md").read_text()
    numbers = [tuple(map(int, each)) for each in NUMBERED.findall(text)]
    assert numbers == sorted(set(numbers), reverse=True)
    assert __version__ == ".".join(map(str, numbers[0]))
    others = set(re.findall(r"^## .*", text, re.M)) - {m[0] for m in NUMBERED.finditer(text)}
    assert others <= {"## Unreleased"}
