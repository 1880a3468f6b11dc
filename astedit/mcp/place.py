"""The workspace that a server works in, and its session with the gate."""

import os
import secrets
import shlex
from collections.abc import Iterator
from contextlib import closing, contextmanager

from astedit.errors import PreconditionError
from astedit.staging import ast_edit, undo
from astedit.workspace.config import load
from astedit.workspace.root import Workspace, find_root, state_dir
from resolve import MemoryStore, PendingAction, Session, SqliteStore, handlers
from resolve.marker import interrupted
from resolve.recovery import Recovery


class Place:
    """One root and its state file; what is staged through it carries its own `id`.

    Nothing is kept open between two calls, so any thread may make one, the root may be
    deleted and made again, and other processes may resolve what is staged here.
    """

    def __init__(self, root: str | None = None, state: str | None = None) -> None:
        """Raises `RequestError` for a root that cannot be opened, or state inside it."""
        with Workspace(find_root(os.getcwd(), []) if root is None else root) as workspace:
            self.root = workspace.root
            settings = load(workspace)
            self.state_file = os.path.join(
                state_dir(workspace, state or settings.state_dir), "state.db"
            )
        self.state = state
        self.warnings = settings.warnings
        self.who = f"agent:{settings.actor}" if settings.actor else "agent"
        self.id = f"mcp-{os.getpid()}-{secrets.token_hex(4)}"
        handlers.register(ast_edit.HANDLER)(ast_edit.AstEdit())
        handlers.register(undo.HANDLER)(undo.Undo())

    @property
    def options(self) -> str:
        """What leads a command to this very place, wherever it is run."""
        given = ["--root", self.root]
        given += ["--state-dir", os.path.abspath(self.state)] if self.state else []
        return shlex.join(given)

    @contextmanager
    def session(self, *, create: bool = False) -> Iterator[Session]:
        """Opens the workspace's stack; without a state file it is empty, and only `create`
        makes one. Raises `resolve.StoreError` when it cannot be used."""
        if not create and not os.path.exists(self.state_file):
            yield Session(MemoryStore(), id=self.id, workspace=True, who=self.who)
            return
        with closing(SqliteStore(self.state_file)) as store:
            if create:
                self._describe(store)
            yield Session(store, id=self.id, lock=self.root, workspace=True, who=self.who)

    def _describe(self, store: SqliteStore) -> None:
        """Notes which directory the state is of, for a person who finds the file."""
        status = os.stat(self.root)
        store.set_meta("path", self.root)
        store.set_meta("device", str(status.st_dev))
        store.set_meta("inode", str(status.st_ino))

    def recover(self) -> list[Recovery]:
        """Ends what killed processes left open; nothing while another apply is running."""
        if not os.path.exists(self.state_file):
            return []
        with self.session() as session:
            if not session.records.unsettled:
                return []
            hold = session.lock.try_hold()
            if hold is None:
                return []
            with closing(hold):
                return session.recover()

    def settle(self) -> None:
        """Ends an interrupted apply; `PreconditionError` if a person must look at it first.

        A preview of a tree that may be a mix must not be staged.
        """
        if not interrupted(self.state_file):
            return
        self.recover()
        ids = interrupted(self.state_file)
        if ids and self._nobody_applies():
            raise PreconditionError(
                f"An apply was interrupted ({', '.join(ids)}) and needs a person.",
                code="interrupted",
                hint="A person runs: astedit recover",
            )

    def _nobody_applies(self) -> bool:
        with self.session() as session:
            hold = session.lock.try_hold()
            if hold is not None:
                hold.close()
            return hold is not None

    def own(self, action: PendingAction) -> bool:
        """Whether it was staged through this server."""
        return action.session == self.id
