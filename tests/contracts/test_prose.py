"""What the pages are held to: sentences that are read once, and links that lead somewhere."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import REPOSITORY

WORDS = 30
# The changelog and everything that a reader meets; tables and code are looked up, not read.
PAGES = [*REPOSITORY.glob("*.md"), *(REPOSITORY / "docs").rglob("*.md")]
_LINK = re.compile(r"(?<!`)\]\(([^)#\s]+)(?:#([^)]*))?\)")
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


def links(page: Path) -> dict[Path, str]:
    """The files of this project that a page links to, with the heading each is linked at."""
    found = {target: at or "" for target, at in _LINK.findall(page.read_text())}
    return {
        (page.parent / target).resolve(): at for target, at in found.items() if ":" not in target
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_every_link_leads_to_a_heading_that_is_there(page: Path) -> None:
    for target, heading in links(page).items():
        assert target.exists(), f"{page.name}: {target}"
        if heading:
            titles = re.findall(r"^#+ (.*)$", target.read_text(), re.MULTILINE)
            anchors = {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
            assert heading in anchors, f"{page.name}: {target.name}#{heading}"


def test_every_page_is_two_clicks_from_the_readme() -> None:
    first = set(links(REPOSITORY / "README.md"))
    second = {target for page in first if page.suffix == ".md" for target in links(page)}
    assert not set((REPOSITORY / "docs").rglob("*.md")) - first - second
