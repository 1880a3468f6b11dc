"""What is staged and not applied yet: `locate` sees the disk, and says where a name waits."""

import os
import re
from collections.abc import Generator
from contextlib import closing

from astedit.errors import AstEditError
from astedit.locating import LocateResult
from astedit.locating.identifier import parse
from astedit.workspace.config import load
from astedit.workspace.root import STATE_FILE, Workspace, state_dir

_LOOKED = 20  # the newest pending actions that are looked into


def mention(
    result: LocateResult, identifier: str, workspace: Workspace, directory: str | None = None
) -> None:
    """Adds to an answer of none which pending action would write the name, if one would.

    `directory` is that of the workspace's state, if the caller knows it. Without a state
    file nothing is opened.
    """
    if not result.success or result.status != "none":
        return
    parsed = parse(identifier)
    text = parsed.name[-1] if parsed.name else parsed.path
    place = directory or state_dir(workspace, load(workspace).state_dir)
    database = os.path.join(place, STATE_FILE)
    if not text or not os.path.exists(database):
        return
    word = re.compile(rf"(?<!\w){re.escape(text)}(?!\w)")
    from resolve import StoreError

    try:
        with closing(_writing(database, word)) as writing:
            waiting = next(writing, None)
    except StoreError:
        return  # what cannot be read is told by the commands that need it; the answer stands
    if waiting is not None:
        result.message = f"{result.message} The pending action {waiting} would write that name."


def _writing(database: str, word: "re.Pattern[str]") -> Generator[str, None, None]:
    """The pending actions whose edits bring the word, newest first."""
    from astedit.staging.stored import HANDLER
    from resolve import SqliteStore

    store = SqliteStore(database)
    try:
        for action in store.list(("pending",))[:_LOOKED]:
            payload = store.records.payload(action.id) if action.handler == HANDLER else None
            if payload is not None and _brings(payload, word):
                yield action.id
    finally:
        store.close()


def _brings(payload: object, word: "re.Pattern[str]") -> bool:
    from astedit.staging.stored import unpacked

    try:
        plan = unpacked(payload)
    except AstEditError:
        return False  # damaged: whoever resolves it is told
    edits = (edit for file in plan.files for edit in file.edits)
    return any(
        word.search(edit.whole_after) and not word.search(edit.whole_before) for edit in edits
    )
