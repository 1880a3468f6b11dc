"""`astedit log`: each filter picks its rows, alone and together with others."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from astedit.cli.place import find_place
from resolve import SqliteStore
from resolve.actions import new_id
from resolve.records import AuditRow
from tests.support.lists import rows
from tests.support.project import Project

ROWS = rows(Path(__file__).with_suffix(".txt"))

NOON = datetime(2026, 11, 20, 12, 0, 0, 500_000).astimezone()
DAY = timedelta(days=1)


@pytest.fixture
def logged(project: Project) -> Project:
    """Four resolutions, one a day, the oldest by a session of its own."""
    given = [
        ("batch_rename", "agent", "failed", -2),
        ("ast_edit", "cli", "failed", -1),
        ("ast_edit", "cli:alice", "discarded", 0),
        ("ast_edit", "cli", "applied", 1),
    ]
    store = SqliteStore(Path(find_place(None).state(None)) / "state.db")
    for kind, who, outcome, days in given:
        row = AuditRow(new_id(), kind, outcome, who, f"day {days}", outcome)
        row.time = (NOON + days * DAY).astimezone(UTC)
        store.commit(row)
    store.close()
    return project


def picked(project: Project, *filters: str) -> list[str]:
    rows = project("log", "--json", *filters).json
    return [row["reason"].removeprefix("day ") for row in rows]


@pytest.mark.parametrize(("filters", "days"), ROWS["a filter picks its rows"])
def test_a_filter_picks_its_rows(
    logged: Project, filters: tuple[str, ...], days: list[str]
) -> None:
    assert picked(logged, *filters) == days


def test_a_time_may_name_its_zone(logged: Project) -> None:
    moment = NOON.astimezone(UTC).isoformat(timespec="milliseconds")
    assert picked(logged, "--since", moment, "--until", moment.replace("+00:00", "Z")) == ["0"]


def test_an_action_is_named_by_the_end_of_its_id(project: Project) -> None:
    project.write(a_py="f(1)\n")
    for reason in ("first", "second"):
        assert project("edit", "-p", "f($A)", "-r", "g($A)").code == 0
        assert project("resolve", "discard", "--reason", reason).code == 0
    second, first = project("log", "--json").json
    assert project("log", "--json", "--action", first["actionId"][-8:]).json == [first]
    line = project("log", "--action", second["actionId"]).text
    assert line.count("\n") == 1 and second["actionId"] in line and line.endswith("second\n")


def test_an_unknown_action_exits_3(project: Project) -> None:
    assert project("log", "--action", "zzzz").code == 3


@pytest.mark.parametrize("moment", ["yesterday", "", "2026-13-01"])
def test_what_is_no_time_is_a_usage_error(project: Project, moment: str) -> None:
    refused = project("log", "--until", moment)
    assert refused.code == 2
    assert "is not a time such as 2026-11-21" in refused.err


def test_an_empty_list_says_so(project: Project) -> None:
    assert project("log").err.endswith("Nothing has been resolved yet.\n")
    assert project("log", "--limit", "3", "--json").text == "[]\n"


def test_a_filter_that_picks_nothing_says_so(logged: Project) -> None:
    assert logged("log", "--outcome", "lost").err.endswith("No such resolution.\n")
    assert "No such" not in logged("log").err
