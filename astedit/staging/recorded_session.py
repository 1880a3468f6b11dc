"""One recorded conversation with the gate, held open by the program whose it is."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from astedit.staging.open_workspace import OpenWorkspace
from astedit.staging.workspace_session import describe, handlers_of
from astedit.workspace.root import STATE_FILE
from resolve import AbortSignal, PendingAction, Session, SqliteStore


class RecordedSession:
    """The session `session_id` of a workspace, from now until `close`.

    What is called in it is on disk before it runs. Raises `resolve.SessionBusy` while
    another process holds it, and `resolve.StoreError` for a state file that cannot be used.
    """

    def __init__(self, place: OpenWorkspace, session_id: str) -> None:
        self.place = place
        self.root, self.state_dir, self.options = place.root, place.state_dir, place.options
        self._store = SqliteStore(os.path.join(place.state_dir, STATE_FILE))
        try:
            describe(self._store, place.root)
            self.recorded = Session(
                self._store,
                id=session_id,
                lock=place.root,
                who=place.who,
                handlers=handlers_of(codemods=place.codemods),
            )
        except BaseException:
            self._store.close()
            raise

    @contextmanager
    def session(self, *, create: bool = False) -> Iterator[Session]:
        """The session, which is open already."""
        yield self.recorded

    def own(self, action: PendingAction) -> bool:
        """Whether it was staged in this conversation, now or before."""
        return action.session == self.recorded.id

    def earlier(self, action: PendingAction) -> bool:
        """Never: what the session staged before is its own."""
        return False

    def settle(self) -> None:
        """Ends an interrupted apply, as `OpenWorkspace.settle`."""
        self.place.settle()

    def await_approval(
        self, target: str, seconds: float, signal: AbortSignal | None = None
    ) -> None:
        """Waits as `OpenWorkspace.await_approval`."""
        self.place.await_approval(target, seconds, signal)

    def refuse_changed_root(self) -> None:
        """Raises as `OpenWorkspace.refuse_changed_root`."""
        self.place.refuse_changed_root()

    def close(self) -> None:
        """Lets go of the session's lock and of the store."""
        self.recorded.close()
        self._store.close()
