"""How far an apply is: one count that only rises, over files looked at and files written."""

from astedit.staging.progress import Count, reported
from astedit.transaction.commit import FileChange


def test_one_rising_count_over_looking_and_writing() -> None:
    told: list[tuple[int, int]] = []
    count = Count(2, lambda done, total: told.append((done, total)))
    for done in (1, 2, 3):
        count.looked(done, 3)
    count.written()
    count.written()
    assert told == [(1, 5), (2, 5), (3, 5), (4, 5), (5, 5)]


def test_a_change_counts_when_the_next_is_asked_for() -> None:
    changes = [FileChange(name, b"", "", b"", "", 0o644) for name in ("a", "b")]
    told: list[str] = []
    counted = reported(iter(changes), lambda: told.append("written"))
    assert [(change.path, len(told)) for change in counted] == [("a", 0), ("b", 1)]
    assert len(told) == 2
