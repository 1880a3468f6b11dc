"""Images are kept for a time and up to a size, and those of an open intent always."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from resolve import PendingAction, SqliteStore
from resolve.records import DropIntent, Push, SaveIntent
from resolve.storage import rows


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    made = SqliteStore(tmp_path / "state.db")
    yield made
    made.close()


def save(store: SqliteStore, action: str, *images: str, close: bool = True) -> None:
    store.commit(SaveIntent(action, "{}", {name: name.encode() * 9 for name in images}))
    if close:
        store.commit(DropIntent(action))


def aged(store: SqliteStore, days: int) -> None:
    """Lets time pass for what is stored."""
    with store.file.transaction():
        store.file.run("UPDATE images SET created = created - ?", (days * 24 * 3600 * 1000,))


def test_images_older_than_30_days_go_and_those_of_open_intents_stay(store: SqliteStore) -> None:
    save(store, "a1", "old")
    save(store, "a2", "open", close=False)
    aged(store, 20)
    save(store, "a3", "young")
    aged(store, 11)
    save(store, "a4", "new")
    assert store.image_names() == {"open", "young", "new"}
    assert store.image("open") == b"open" * 9


def test_what_a_pending_undo_needs_stays(store: SqliteStore) -> None:
    save(store, "a1", "old")
    aged(store, 31)
    store.commit(Push(PendingAction("back", handler="undo"), "{}"))
    save(store, "a2", "new")
    assert store.image_names() == {"old", "new"}


def test_beyond_the_size_the_oldest_go(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        save(store, f"a{number}", f"image{number}")
        aged(store, 1)
    size = store.file.read("SELECT max(length(image)) FROM images")[0][0]
    monkeypatch.setattr(rows, "IMAGE_BYTES", 3 * size)
    save(store, "a9", "image9")
    assert store.image_names() == {"image3", "image4", "image9"}
