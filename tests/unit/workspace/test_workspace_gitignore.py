"""Ignore patterns mean what git says they mean."""

import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from astedit.workspace.gitignore import LONGEST_PATH, Globs, Ignore, parse, translate
from tests.support.lists import rows
from tests.support.patience import ends

ROWS = rows(Path(__file__).with_suffix(".txt"))

PATHS = [  # all of them exist; a directory ends with `/`
    "a/", "b.py", "a.py", "ab", "a/b/", "a/b.py", "a/b/c/", "a/b/c/a", "b/", "b/a/", "b/a/c.py",
    "[a]", "a-b", "a]", "-", "!a", "#a", "a b", "a ", "aXb", "A", "x/", "x/a/", "x/a/b", "a/a/",
    "a/a/a/", "a/a/a/b", "\\a", "c", "x/c/", "x/c/ab",
]  # fmt: skip


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "-q", root], check=True)
    for path in PATHS:
        place = root / path
        if path.endswith("/"):
            place.mkdir(parents=True, exist_ok=True)
        else:
            place.touch()
    return root


def ignored_by_git(repository: Path, lines: list[str]) -> dict[str, bool | None]:
    """What the last matching line says for each path, None where none matches."""
    (repository / ".gitignore").write_text("\n".join(lines) + "\n")
    command = ["git", "check-ignore", "--no-index", "-v", "-n", "-z", "--stdin"]
    asked = "".join(path.rstrip("/") + "\0" for path in PATHS).encode()
    done = subprocess.run(command, cwd=repository, input=asked, capture_output=True)
    fields = done.stdout.decode().split("\0")
    said = zip(PATHS, fields[::4], fields[2::4], strict=False)
    return {path: None if not file else not line.startswith("!") for path, file, line in said}


def ours(lines: list[str], path: str) -> bool | None:
    """The verdict for the outermost directory that a line ignores, else for the entry."""
    patterns = Ignore(lines)
    at = path.find("/")
    while 0 <= at < len(path) - 1:
        if patterns.verdict(path[: at + 1]):
            return True
        at = path.find("/", at + 1)
    return patterns.verdict(path)


CASES = [
    ["a"], ["/a"], ["a/"], ["*.py"], ["a/*.py"], ["**/a"], ["a/**"], ["a/**/c"], ["**"], ["/**"],
    ["**/b/**"], ["*", "!a/"], ["a/*", "!a/b"], ["a*", "!ab"], ["a", "!a/b"], ["[ab]"], ["[!a]"],
    ["[a-b].py"], ["[]]"], ["[]-a]"], ["[a"], ["\\[a]"], ["\\!a"], ["\\#a"], ["#a"], ["!a"],
    ["a\\ "],
    ["a "], ["a**"], ["**a"], ["a/***/c"], ["[[:alpha:]]"], ["[[:bogus:]]"], ["[b-a]"],
    ["a\\"], ["\\\\a"], ["?"], ["a?b"], ["/"], ["//"], ["a//b"], ["!"], ["a[/]b"], ["[^-]"], ["a/"],
    ["*/b"], ["**/"], ["a/**/"], ["x/**/b"], ["**/a/**/b"], ["a\r"], ["[[:upper:]]"], ["\\a\\b"],
]  # fmt: skip


@pytest.mark.parametrize("lines", CASES, ids=map(repr, CASES))
def test_each_kind_of_pattern_means_what_git_says(repository: Path, lines: list[str]) -> None:
    assert {path: ours(lines, path) for path in PATHS} == ignored_by_git(repository, lines)


PIECES = st.sampled_from(
    ["a", "b", "c", "*", "**", "?", "/", "[ab]", "[!a]", ".py", "\\", "!", "]"]
)
# git lets `a**/b` match `ab`: it strips the literal `a` and then reads `**/` as a whole part.
LINE = st.lists(PIECES, min_size=1, max_size=6).map("".join)
LINES = st.lists(
    LINE.filter(lambda line: not re.search(r"[^/!]\*\*", line)), min_size=1, max_size=4
)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(lines=LINES)
def test_generated_patterns_mean_what_git_says(repository: Path, lines: list[str]) -> None:
    assert {path: ours(lines, path) for path in PATHS} == ignored_by_git(repository, lines)


def test_comments_and_blank_lines_are_no_patterns() -> None:
    assert [parse(line) for line in ("", "#x", "   ", "\n", "!")] == [None] * 5


@pytest.mark.parametrize(("globs", "admitted"), ROWS["globs admit and exclude"])
def test_globs_admit_and_exclude(globs: list[str], admitted: list[str]) -> None:
    chosen = Globs(globs)
    assert [path for path in ("a.py", "src/a.py", "src/x/b.ts") if chosen.admits(path)] == admitted


@pytest.mark.parametrize(
    "pattern", ["*a" * 40 + "b", "**/a/" * 30 + "b", "**/" * 60 + "x", "[^b]*" * 40 + "b"]
)
def test_no_pattern_takes_exponential_time(pattern: str) -> None:
    patterns = Ignore([pattern])
    with ends():
        for path in ("a" * 250, "a/" * 1_000 + "c"):
            patterns.verdict(path)


def test_what_needs_more_characters_than_a_path_has_is_not_compiled() -> None:
    """Compiling it takes seconds."""
    assert translate("?" * LONGEST_PATH) is not None
    for glob in ("?" * (LONGEST_PATH + 1), "a/" * LONGEST_PATH + "?", "[a-z]" * 5_000):
        assert translate(glob) is None
    assert Ignore(["?" * 5_000, "b.py"]).verdict("b.py") is True
