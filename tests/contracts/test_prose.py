"""What the pages are held to: sentences that are read once."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import REPOSITORY

WORDS = 30
# The changelog and everything that a reader meets; tables and code are looked up, not read.
PAGES = [*REPOSITORY.glob("*.md"), *(REPOSITORY / "docs").rglob("*.md")]
_LOOKED_UP = re.compile(r"\||#|<| {4}")
_ITEM = re.compile(r"^\s*([-*]|\d+\.) ")


def paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """Each paragraph or item of a list, in one line, with the line it begins on (from 1)."""
    lines: list[str] = []
    fenced, start = False, 0
    for number, line in enumerate([*text.splitlines(), ""], 1):
        fence = line.lstrip().startswith(("```", "~~~"))
        fenced ^= fence
        read = bool(line.strip()) and not (fence or fenced or _LOOKED_UP.match(line))
        if lines and (not read or _ITEM.match(line)):
            yield start, " ".join(lines)
            lines = []
        if read:
            start = start if lines else number
            lines.append(_ITEM.sub("", line).strip())


def sentences(paragraph: str) -> list[str]:
    """Inline code is one word each, and of a link its text counts."""
    plain = re.sub(r"`+[^`]+`+", "CODE", paragraph)
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", plain)
    return re.split(r"(?<=[.!?])[\"')*]*\s+", plain)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_no_sentence_is_long(page: Path) -> None:
    long = [
        f"{page.name}:{line}: {sentence}"
        for line, paragraph in paragraphs(page.read_text())
        for sentence in sentences(paragraph)
        if len(re.findall(r"\S*\w\S*", sentence)) > WORDS
    ]
    assert not long, "\n".join(long)
