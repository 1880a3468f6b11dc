"""Audit rows as `log --json` prints them."""

from __future__ import annotations

from datetime import UTC, datetime

from resolve.records import AuditRow


def test_a_row_prints_all_but_the_call_it_came_from() -> None:
    file = {"path": "a.py", "before": None, "after": "abc"}
    row = AuditRow("a1", "ast_edit", "1 edit", "cli", "tested", "failed", "stale", "No.", [file])
    row.session, row.call_id, row.seq, row.time = "s1", "c1", 7, datetime(2026, 1, 2, tzinfo=UTC)
    assert row.to_json() == {
        "seq": 7,
        "time": "2026-01-02T00:00:00.000Z",
        "actionId": "a1",
        "kind": "ast_edit",
        "label": "1 edit",
        "who": "cli",
        "reason": "tested",
        "outcome": "failed",
        "code": "stale",
        "text": "No.",
        "files": [file],
        "session": "s1",
    }
