"""A workspace that a server or a program has opened, and its session with the gate."""

import os
import secrets
import shlex
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from copy import copy
from dataclasses import replace
from hashlib import sha256
from typing import Literal, Protocol, Self

from astedit.errors import PreconditionError
from astedit.staging.approval import await_approval
from astedit.staging.leftover_recovery import recover_from_leftovers, strange_leftovers
from astedit.staging.preview import refuse_changed_root
from astedit.staging.workspace_session import acting, describe, handlers_of, workspace_session
from astedit.workspace.config import ApprovalPolicy, Config, load
from astedit.workspace.root import STATE_FILE, Workspace, find_root, state_dir
from resolve import AbortSignal, PendingAction, Session, SqliteStore
from resolve.recovery import Recovery
from resolve.storage.marker import interrupted

Surface = Literal["agent", "api", "editor"]
_NAMED = {"agent": "mcp", "api": "api", "editor": "lsp"}  # how their sessions are called


class ServedStack(Protocol):
    """Where calls stage and resolve: one root, and its stack of pending actions."""

    @property
    def root(self) -> str: ...

    @property
    def state_dir(self) -> str | None: ...

    @property
    def options(self) -> str:
        """What leads a command to this very place."""

    def session(self, *, create: bool = False) -> AbstractContextManager[Session]:
        """Opens the stack; only `create` makes one that is not there."""

    def own(self, action: PendingAction) -> bool:
        """Whether it was staged through here."""

    def earlier(self, action: PendingAction) -> bool:
        """Whether the same client staged it in an earlier connection."""

    def await_approval(
        self, target: str, seconds: float, signal: AbortSignal | None = None
    ) -> None:
        """Waits until a person has decided, where one has to, and so long at most."""

    def settle(self) -> None:
        """Ends an interrupted apply, or refuses while a person must look at it."""

    def refuse_changed_root(self) -> None:
        """Raises `PreconditionError` (`root_changed`) if the path leads to another root now."""


class OpenWorkspace:
    """One root and its state file; what is staged through it carries its own `id`.

    Of the root a descriptor is kept, to notice when the path leads elsewhere: then nothing
    is previewed or applied any more. The state file is opened for each call, so any thread
    may make one, and other processes may resolve what is staged here. `codemods` are classes
    that the caller has named, by codemod, `commands` patterns of those that may run again for
    a plan that came from one.
    """

    def __init__(
        self,
        root: str | None = None,
        state: str | None = None,
        *,
        surface: Surface = "agent",
        policy: ApprovalPolicy | None = None,
    ) -> None:
        """`policy` stands instead of the configured one; `surface` is recorded as who acts.

        Raises `RequestError` for a root that cannot be opened, or state inside it.
        """
        self.workspace = Workspace(find_root(os.getcwd(), []) if root is None else root)
        self.root = self.workspace.root
        settings = load(self.workspace)
        self.state_dir = state_dir(self.workspace, state or settings.state_dir)
        self.state = state
        self.warnings = settings.warnings
        self.who = acting(surface, settings.actor)
        self._client = _NAMED[surface]
        self._serial = f"{os.getpid()}-{secrets.token_hex(4)}"
        self.codemods: dict[str, str] = {}
        self.commands: Sequence[str] = ()
        self._policy = policy

    def named(self, client: str | None, connection: str | None) -> Self:
        """This place for one of several clients.

        `client` is the stable name that it gives itself, by which it finds again what it has
        staged in earlier connections; `connection` tells apart those of one server.
        """
        one = copy(self)
        if client:
            mark = sha256(f"{client}\0{self.root}".encode("utf-8", "surrogateescape"))
            one._client = f"{self._client}-{mark.hexdigest()[:12]}"
        if connection:
            one._serial = f"{self._serial}-{sha256(connection.encode()).hexdigest()[:8]}"
        return one

    @property
    def id(self) -> str:
        """The name of the session under which it stages."""
        return f"{self._client}-{self._serial}"

    def close(self) -> None:
        """Lets go of the root."""
        self.workspace.close()

    def refuse_changed_root(self) -> None:
        refuse_changed_root(self.workspace)

    @property
    def options(self) -> str:
        """What leads a command to this very place, wherever it is run."""
        words = ["--root", self.root]
        words += ["--state-dir", os.path.abspath(self.state)] if self.state else []
        return shlex.join(words)

    @contextmanager
    def session(self, *, create: bool = False) -> Iterator[Session]:
        """Opens the workspace's stack. An apply reads the configuration of its own time.

        Without a state file the stack is empty, and only `create` makes one. Raises
        `resolve.StoreError` when it cannot be used.
        """
        with workspace_session(
            self.root,
            self.state_dir,
            who=self.who,
            id=self.id,
            create=create,
            codemods=self.codemods,
            config=self._settings(),
            commands=self.commands,
        ) as session:
            yield session

    def await_approval(
        self, target: str, seconds: float, signal: AbortSignal | None = None
    ) -> None:
        with self.session() as session:
            action = session.store.find(target)
        with Workspace(self.root) as workspace:
            settings = self._settings() or load(workspace)
        await_approval(self.session, action.id, settings, seconds, signal)

    def _settings(self) -> Config | None:
        """The configuration of now under the policy that was asked for, if one was."""
        if self._policy is None:
            return None
        with Workspace(self.root) as workspace:
            return replace(load(workspace), policy=self._policy)

    @property
    def _state_file(self) -> str:
        return os.path.join(self.state_dir, STATE_FILE)

    def recover(self) -> list[Recovery]:
        """Ends what killed processes left open; nothing while another apply is running."""
        if not os.path.lexists(self._state_file) and not interrupted(self._state_file):
            return []
        with self.session() as session:
            if not session.records.unsettled:
                return []
            if (hold := session.lock.try_hold()) is None:
                return []
            with closing(hold):
                return session.recover()

    def recover_from_leftovers(self) -> list[Recovery]:
        """As `recover`; what nobody can prove is ended by what lies below the root."""
        return recover_from_leftovers(self.session, self.root, self._state_file)

    def strange_leftovers(self) -> list[Recovery]:
        """What an apply left below the root of which nothing is stored here."""
        return strange_leftovers(self.root)

    def settle(self) -> None:
        """Ends an interrupted apply; `PreconditionError` if a person must look at it first.

        A preview of a tree that may be a mix must not be staged.
        """
        if not interrupted(self._state_file):
            return
        self.recover()
        if not (ids := interrupted(self._state_file)):
            return
        with self.session() as session:
            hold = session.lock.try_hold()
        if hold is not None:  # no other apply is running
            hold.close()
            raise PreconditionError(
                f"An apply was interrupted ({', '.join(ids)}) and needs a person.",
                code="interrupted",
                hint="A person runs: astedit recover",
            )

    def own(self, action: PendingAction) -> bool:
        return action.session == self.id

    def earlier(self, action: PendingAction) -> bool:
        named = self._client not in _NAMED.values()
        return named and not self.own(action) and action.session.startswith(f"{self._client}-")


class OneSession:
    """A stack of which one session is open; what that has staged, now or before, is its own."""

    def __init__(self, session: Session) -> None:
        self.recorded = session

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


class RecordedSession(OneSession):
    """The session `session_id` of a workspace, from now until `close`.

    What is called in it is on disk before it runs. Raises `resolve.SessionBusy` while
    another process holds it, and `resolve.StoreError` for a state file that cannot be used.
    """

    def __init__(self, place: OpenWorkspace, session_id: str) -> None:
        self.place = place
        self.root, self.state_dir, self.options = place.root, place.state_dir, place.options
        self.settle, self.await_approval = place.settle, place.await_approval
        self.refuse_changed_root = place.refuse_changed_root
        self._store = SqliteStore(os.path.join(place.state_dir, STATE_FILE))
        try:
            describe(self._store, place.root)
            session = Session(
                self._store,
                id=session_id,
                lock=place.root,
                who=place.who,
                handlers=handlers_of(codemods=place.codemods),
            )
        except BaseException:
            self._store.close()
            raise
        super().__init__(session)

    def close(self) -> None:
        """Lets go of the session's lock and of the store."""
        self.recorded.close()
        self._store.close()
