"""Payloads: strict JSON at the door, plain data behind it."""

from __future__ import annotations

import pytest

from resolve import Session, SqliteStore, ToolError


def test_payloads_are_plain_data_and_name_no_code(sqlite: SqliteStore) -> None:
    """CVE-class: a payload that looks like a pickle or a constructor stays a string."""
    hostile = {"py/object": "os.system", "__reduce__": ["os.system", ["id"]], "lc": 1}
    with Session(sqlite) as session:
        action = session.stage(handler="h", payload=hostile, label="x")
        assert session.records.payload(action.id) == hostile


@pytest.mark.parametrize(
    "payload",
    [
        {"n": float("nan")},
        {"n": float("inf")},
        {1: "key"},
        {"s": "\ud800"},
        {"\udfff": 1},
        {"b": b"bytes"},
        {"s": {1, 2}},
        {"o": object()},
    ],
)
def test_what_is_not_strict_json_is_refused_at_the_door(
    sqlite: SqliteStore, payload: object
) -> None:
    with Session(sqlite) as session:
        with pytest.raises(ToolError) as caught:
            session.stage(handler="h", payload=payload, label="x")
        assert caught.value.code == "invalid"
        assert session.store.count == 0


def test_deep_payloads_are_refused_without_recursion(sqlite: SqliteStore) -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    with Session(sqlite) as session, pytest.raises(ToolError, match="more than 100 levels"):
        session.stage(handler="h", payload=deep, label="x")
    while deep:  # or the interpreter recurses to free it
        deep = deep[0]


def test_a_huge_payload_is_refused(sqlite: SqliteStore) -> None:
    with Session(sqlite) as session, pytest.raises(ToolError) as caught:
        session.stage(handler="h", payload={"n": "x" * 70_000_000}, label="x")
    assert caught.value.code == "too_large"
