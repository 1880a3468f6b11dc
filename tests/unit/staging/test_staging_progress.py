"""How far an apply is: one count that only rises, over files looked at and files written."""

from collections.abc import Iterator

import pytest

from astedit.staging.outcome import Count, prepared
from astedit.transaction.commit import FileChange
from resolve import AbortError, AbortSignal


def test_one_rising_count_over_looking_and_writing() -> None:
    told: list[tuple[int, int]] = []
    count = Count(2, lambda done, total: told.append((done, total)))
    for done in (1, 2, 3):
        count.looked(done, 3)
    count.written()
    count.written()
    assert told == [(1, 5), (2, 5), (3, 5), (4, 5), (5, 5)]


def changes() -> Iterator[FileChange]:
    return (FileChange(name, b"", "", b"", "", 0o644) for name in ("a", "b"))


def test_a_change_counts_when_the_next_is_asked_for() -> None:
    told: list[int] = []
    count = Count(2, lambda done, total: told.append(done))
    counted = prepared(changes(), count, AbortSignal())
    assert [(change.path, len(told)) for change in counted] == [("a", 0), ("b", 1)]
    assert told == [1, 2]


def test_no_file_is_prepared_after_an_abort() -> None:
    signal = AbortSignal()
    coming = prepared(changes(), Count(2, lambda done, total: signal.abort("enough")), signal)
    assert next(coming).path == "a"
    with pytest.raises(AbortError, match="enough"):
        next(coming)
