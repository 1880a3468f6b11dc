"""Both stores under one suite: a test that takes `store` or `session` runs against each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from resolve import MemoryStore, Session, SqliteStore, handlers
from resolve.store import PendingActionStore
from tests.support.gate.handlers import Recorder, Rejecting


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[PendingActionStore]:
    if request.param == "memory":
        yield MemoryStore()
    else:
        durable = SqliteStore(tmp_path / "state" / "state.db")
        yield durable
        durable.close()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The directory that applies lock."""
    directory = tmp_path / "root"
    directory.mkdir()
    return directory


@pytest.fixture
def session(store: PendingActionStore, root: Path) -> Iterator[Session]:
    with Session(store, lock=root, lock_wait=1.0) as made:
        yield made


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state" / "state.db"


@pytest.fixture
def sqlite(state: Path) -> Iterator[SqliteStore]:
    made = SqliteStore(state)
    yield made
    made.close()


@pytest.fixture
def recorder() -> Iterator[Recorder]:
    made = Recorder()
    handlers.register("recorder")(made)
    yield made
    handlers.unregister("recorder")


@pytest.fixture
def rejecting() -> Iterator[Rejecting]:
    made = Rejecting()
    handlers.register("rejecting")(made)
    yield made
    handlers.unregister("rejecting")
