"""Matches with lines around them, as text for people."""

from typing import Any

import pytest

from astedit.cli.output import matches, streams
from astedit.engine.files.matches import lines_around
from astedit.engine.files.places import Around
from astedit.engine.run.search import Hits

SOURCE = b"a\nfoo(1); foo(2)\nb\nc\nd\r\nfoo(\n3)\ne\n"


def spans() -> list[tuple[int, int]]:
    return [(2, 8), (10, 16), (24, 31)]


def shown(before: int, after: int, heading: bool = False, colour: bool = False) -> list[str]:
    found: tuple[Any, ...] = tuple(lines_around(spans(), SOURCE, Around(before, after)))
    paint = (lambda code, text: f"<{text}>") if colour else (lambda code, text: text)
    style = matches.MatchStyle(heading, bool(before or after), paint)
    hits = Hits(files=[("a.py", found), ("b.py", found[:1])])
    return list(matches.lines_around(hits, matches.ShownPaths([(".", ".")]), style))


def test_the_places_of_this_test_are_what_they_should_be() -> None:
    assert [SOURCE[low:high] for low, high in spans()] == [b"foo(1)", b"foo(2)", b"foo(\n3)"]


def test_lines_around_are_marked_and_gaps_are_shown() -> None:
    assert shown(0, 1) == [
        "a.py:2:foo(1); foo(2)", "a.py-3-b", "--", "a.py:6:foo(", "a.py:7:3)", "a.py-8-e",
        "--", "b.py:2:foo(1); foo(2)", "b.py-3-b",
    ]  # fmt: skip


def test_lines_that_two_matches_want_come_once() -> None:
    assert shown(3, 3)[:8] == [
        "a.py-1-a", "a.py:2:foo(1); foo(2)", "a.py-3-b", "a.py-4-c", "a.py-5-d",
        "a.py:6:foo(", "a.py:7:3)", "a.py-8-e",
    ]  # fmt: skip


def test_with_headings_each_file_is_named_once() -> None:
    assert shown(0, 0, heading=True) == [
        "a.py", "2:foo(1); foo(2)", "6:foo(", "7:3)", "", "b.py", "2:foo(1); foo(2)",
    ]  # fmt: skip


def test_exactly_what_matches_is_in_colour() -> None:
    assert shown(1, 0, colour=True) == [
        "<a.py>-<1>-a", "<a.py>:<2>:<foo(1)>; <foo(2)>", "--", "<a.py>-<5>-d",
        "<a.py>:<6>:<foo(>", "<a.py>:<7>:<3)>", "--",
        "<b.py>-<1>-a", "<b.py>:<2>:<foo(1)>; foo(2)",
    ]  # fmt: skip


def test_nothing_is_coloured_that_nobody_looks_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert streams.painter()("31", "x") == "x"
