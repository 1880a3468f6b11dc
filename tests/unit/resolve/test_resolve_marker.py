"""The marker beside the state file says which applies are open."""

from __future__ import annotations

from pathlib import Path

import pytest

from resolve.marker import announce, interrupted


def test_without_a_marker_nothing_was_interrupted(tmp_path: Path) -> None:
    assert interrupted(tmp_path / "state.db") == []
    assert interrupted(tmp_path / "nowhere" / "state.db") == []


def test_what_is_announced_is_read_until_nothing_is_open(tmp_path: Path) -> None:
    state = tmp_path / "state.db"
    announce(state, ["a1", "a2"])
    assert interrupted(state) == ["a1", "a2"]
    assert (tmp_path / "intent").stat().st_mode & 0o777 == 0o600
    announce(state, ["a2"])
    assert interrupted(str(state)) == ["a2"]
    announce(state, [])
    announce(state, [])
    assert list(tmp_path.iterdir()) == []


def test_a_link_in_place_of_the_marker_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "intent").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError):
        announce(tmp_path / "state.db", ["a1"])
    assert not (tmp_path / "elsewhere").exists()
