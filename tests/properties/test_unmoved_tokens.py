"""No token that stays is moved by an edit: asked of `tokenize` and `difflib`. (rule F16)

Two tokens that are neighbours before and after an edit have the same text between them,
comments included; only how far a later line is indented may differ.
"""

import ast
import importlib.util
import io
import re
import sysconfig
import tokenize
from collections.abc import Iterator
from contextlib import suppress
from difflib import SequenceMatcher
from pathlib import Path

import pytest

from tests.support.engine_edit import edited
from tests.support.lists import rows

ROWS = rows(Path(__file__).with_suffix(".txt"))

LIBRARY = Path(sysconfig.get_path("stdlib"))
OPS = ROWS["ops"]
SILENT = {
    tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT,
    tokenize.ENDMARKER,
}  # fmt: skip
Token = tuple[str, str]  # its text, and what stands between it and the one before it


def tokens(text: str) -> list[Token]:
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found, end = [], 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in SILENT:
            gap = re.sub(r"\n[ \t]*", "\n", text[end : starts[token.start[0] - 1] + token.start[1]])
            end = starts[token.end[0] - 1] + token.end[1]
            found.append((token.string, gap))
    return found


def moved(before: str, after: str) -> Iterator[tuple[str, str, str]]:
    """Tokens that are neighbours in both texts with something else between them.

    Where an edit writes brackets of its own there is no telling which of them stayed.
    """
    old, new = (tokens(f"({text}\n)")[1:-1] for text in (before, after))
    matcher = SequenceMatcher(None, [text for text, _ in old], [text for text, _ in new], False)
    written = before.count("(") != after.count("(")
    for first, second, size in matcher.get_matching_blocks():
        for step in range(1, size):
            unsure = written and (old[first + step - 1][0] == "(" or old[first + step][0] == ")")
            if old[first + step][1] != new[second + step][1] and not unsure:
                yield old[first + step][0], old[first + step][1], new[second + step][1]


def check(source: str, op: tuple[str, str]) -> tuple[int, list[object]]:
    """How many edits an op makes of a text, and those in which a token moved."""
    _, data = edited("python", source, op)
    text, wrong = source.encode(), []
    edits = [edit for edit in data.edits if edit.matches == 1]
    for edit in edits:  # of edits within edits `difflib` cannot tell which bracket is which
        assert edit.match is not None
        low, high = edit.match.start, edit.match.end
        before = text[low:high].decode()
        after = (text[low : edit.start] + edit.new + text[edit.end : high]).decode()
        with suppress(tokenize.TokenError, IndentationError):  # of a part of a statement
            wrong += [(edit.line, *one) for one in moved(before, after)]
    return len(edits), wrong


def sources(*folders: Path, step: int = 1) -> Iterator[str]:
    for folder in folders:
        for path in sorted(folder.rglob("*.py"))[::step]:
            with suppress(SyntaxError, UnicodeDecodeError, ValueError):
                text = path.read_text("utf-8")
                ast.parse(text)
                yield text


@pytest.mark.parametrize("op", OPS, ids=lambda op: op[1])
def test_no_token_moves(op: tuple[str, str]) -> None:
    counts = [check(text, op) for text in sources(LIBRARY / "json")]
    assert [wrong for _, wrong in counts if wrong] == []


@pytest.mark.slow
@pytest.mark.parametrize("op", OPS, ids=lambda op: op[1])
def test_no_token_of_large_packages_moves(op: tuple[str, str]) -> None:
    packages = [importlib.util.find_spec(name) for name in ("libcst", "hypothesis", "pydantic")]
    folders = [Path(spec.origin).parent for spec in packages if spec and spec.origin]
    counts = [check(text, op) for text in sources(*folders, step=15)]
    assert sum(count for count, _ in counts) > 5
    assert [wrong for _, wrong in counts if wrong] == []
