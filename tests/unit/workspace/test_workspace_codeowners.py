"""`CODEOWNERS`, compared with the PyPI package `codeowners`, and GitHub's own examples."""

from pathlib import Path

import pytest
from codeowners import CodeOwners as Oracle
from hypothesis import example, given, settings
from hypothesis import strategies as st

from astedit.workspace.codeowners import CodeOwners
from astedit.workspace.root import Workspace
from tests.support.lists import rows

ROWS = rows(Path(__file__).with_suffix(".txt"))

_NAMES = st.sampled_from(["a", "b", "docs", "a.js", "b.py"])
_PATHS = st.lists(_NAMES, min_size=1, max_size=4).map("/".join)
_PIECES = st.sampled_from(["a", "docs", "*", "**", "*.js", "a*", "?", "b.py"])
_PATTERNS = st.builds(
    lambda start, pieces, end: start + "/".join(pieces) + end,
    st.sampled_from(["", "/"]),
    st.lists(_PIECES, min_size=1, max_size=3),
    st.sampled_from(["", "/", "/*"]),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(_PATTERNS, min_size=1, max_size=5), _PATHS)
@example(["docs/*"], "docs/a/a.js")
@example(["*", "/docs/"], "docs/a")
def test_the_last_line_that_matches_decides(patterns: list[str], path: str) -> None:
    text = "\n".join(f"{pattern} @owner{at}" for at, pattern in enumerate(patterns))
    assert CodeOwners(text).of(path) == tuple(name for _, name in Oracle(text).of(path))


@pytest.mark.parametrize(("text", "path", "owners"), ROWS["lines are read as github does"])
def test_lines_are_read_as_github_does(text: str, path: str, owners: tuple[str, ...]) -> None:
    assert CodeOwners(text).of(path) == owners


def test_the_first_file_of_github_s_three_counts(tmp_path: Path) -> None:
    assert CodeOwners.read(Workspace(tmp_path)).of("a") == ()
    for place in ("docs", ".github"):
        (tmp_path / place).mkdir()
        (tmp_path / place / "CODEOWNERS").write_text(f"* @{place.strip('.')}\n")
    assert CodeOwners.read(Workspace(tmp_path)).of("a") == ("@github",)
