"""A session with the gate for one workspace: the one way to open it, whoever asks.

On the command line and for agents alike a session is the workspace: whatever anybody has
staged there can be listed and resolved. Who opens it brings where its state is.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from typing import TYPE_CHECKING

from astedit.errors import RequestError
from astedit.staging.stored import HANDLER, UNDO
from astedit.workspace.config import Config
from astedit.workspace.root import STATE_FILE, Workspace
from resolve import MemoryStore, Session, SqliteStore, StoreError
from resolve.storage.marker import interrupted

if TYPE_CHECKING:
    from astedit.transaction.leftovers import Leftover

WAY_OUT = "A person ends it, every file wholly old or new: astedit recover --from-leftovers"
_WITH_IT = "With that file is lost what was staged, what files held before, and the log."
_LOST = ("store_lost", "store_damaged")


def explained(error: StoreError, root: str, state_file: str) -> StoreError:
    """The error, with what lies below the root, and how a person ends it.

    Any other error, and one of a state in which nothing was interrupted, stays as it is.
    """
    from astedit.transaction.recovery import listed

    ids = ""
    with suppress(StoreError):  # a marker that tells nothing
        ids = ", ".join(interrupted(state_file)) if error.code in _LOST else ""
    if not ids:
        return error
    lines = [leftover.describe() for leftover in leftovers_below(root)]
    left = f"\nLeft beside the files:{listed(lines)}" if lines else "\nNothing is left of it."
    lost = "" if error.code == "store_lost" else f" An apply was interrupted ({ids}). {_WITH_IT}"
    return StoreError(f"{error.message}{lost}{left}", code=error.code, hint=WAY_OUT)


def leftovers_below(root: str) -> list[Leftover]:
    """What lies below the root; nothing where there is no such directory."""
    from astedit.transaction.leftovers import find_leftovers

    try:
        with Workspace(root) as workspace:
            return find_leftovers(workspace.fd)
    except RequestError:
        return []


@contextmanager
def workspace_session(
    root: str,
    state: str,
    *,
    who: str,
    id: str | None = None,
    create: bool = False,
    inline: bool = False,
    codemods: Mapping[str, str] | None = None,
    config: Config | None = None,
    commands: Sequence[str] = (),
) -> Iterator[Session]:
    """Opens the stack of the workspace at `root`, whose state is in the directory `state`.

    Without a state file it is empty, and only `create` makes one. `who` is recorded with
    what is resolved, `id` with what is staged. `inline`, `codemods`, `config` and
    `commands` are as for `AstEdit`. Raises `resolve.StoreError` when the state file cannot be
    used. One that is gone while an interrupted apply is announced beside it is made anew, and
    found empty.
    """
    handlers = handlers_of(inline=inline, codemods=codemods, config=config, commands=commands)
    path = os.path.join(state, STATE_FILE)
    try:
        if not create and not os.path.lexists(path) and not interrupted(path):
            yield Session(MemoryStore(), id=id, workspace=True, who=who, handlers=handlers)
            return
        with closing(SqliteStore(path)) as store:
            if create:
                describe(store, root)
            yield Session(store, id=id, lock=root, workspace=True, who=who, handlers=handlers)
    except StoreError as error:
        raise explained(error, root, path) from error


def handlers_of(
    *,
    inline: bool = False,
    codemods: Mapping[str, str] | None = None,
    config: Config | None = None,
    commands: Sequence[str] = (),
) -> dict[str, object]:
    """Returns who applies what is staged, for a session; the arguments are as for `AstEdit`."""

    def editing() -> object:
        from astedit.staging.ast_edit import AstEdit  # most sessions apply nothing

        return AstEdit(inline=inline, codemods=codemods, config=config, commands=commands)

    def undoing() -> object:
        from astedit.staging.undo import Undo

        return Undo(config=config)

    return {HANDLER: editing, UNDO: undoing}


def acting(surface: str, actor: str | None) -> str:
    """Who acts: the surface, and the name that ASTEDIT_ACTOR or the configuration adds."""
    return f"{surface}:{actor}" if actor else surface


def describe(store: SqliteStore, root: str) -> None:
    """Notes which directory the state is of, for a person who finds the file."""
    status = os.stat(root)
    known = {"path": root, "device": str(status.st_dev), "inode": str(status.st_ino)}
    for key, value in known.items():
        store.set_meta(key, value)
