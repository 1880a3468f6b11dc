"""Actions: their ids, their times and how they are listed."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

from resolve import PendingAction
from resolve.actions import FINAL, MOVES, Condition, new_id, now


def test_ids_sort_by_creation_and_look_like_ids() -> None:
    ids = [new_id() for _ in range(2000)]
    assert ids == sorted(ids)
    assert len(set(ids)) == 2000
    assert all(re.fullmatch(r"a[0-9a-hjkmnp-tv-z]{17}", one) for one in ids)


def test_listing_shows_neither_callbacks_nor_payload() -> None:
    action = PendingAction("Drop table users", apply=print, id="a000000000aaaa7777", session="s1")
    action.created_at = datetime(2026, 11, 21, 22, 13, 4, 120_999, UTC)
    assert action.to_json() == {
        "id": "a000000000aaaa7777",
        "label": "Drop table users",
        "title": "Drop table users",
        "kind": "custom_tool",
        "sourceToolName": "custom_tool",
        "session": "s1",
        "createdAt": "2026-11-21T22:13:04.120Z",
        "state": "pending",
        "details": None,
        "condition": None,
    }


def test_listing_shows_why_it_waits_and_who_resolved_it() -> None:
    action = PendingAction("change", handler="h", condition=Condition("stale", "a.py changed."))
    action.state, action.resolved_by, action.reason = "applied", "cli", "reviewed"
    action.resolved_at = datetime(2026, 1, 2, tzinfo=timezone(timedelta(hours=1)))
    row = action.to_json()
    assert (row["kind"], action.durable) == ("h", True)
    assert row["condition"] == {"name": "stale", "sentence": "a.py changed."}
    assert (row["resolvedAt"], row["resolvedBy"]) == ("2026-01-01T23:00:00.000Z", "cli")


def test_a_condition_is_its_name_and_has_a_sentence_always() -> None:
    assert Condition("held") == "held"
    assert Condition("held").sentence == "held"
    assert Condition("held", "Another process.").sentence == "Another process."


def test_no_state_that_is_final_is_left_but_by_an_undo() -> None:
    left = {source for source, target in MOVES if source in FINAL}
    assert left == {"applied", "undone"}
    assert {target for source, target in MOVES if source in left} == left


def test_times_are_kept_to_the_millisecond() -> None:
    assert now().microsecond % 1000 == 0
    assert now().tzinfo is UTC
