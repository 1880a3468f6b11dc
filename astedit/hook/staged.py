"""The edits of one client session as its pending plan, which holds all of them.

Each edit is made on what the plan so far would leave. The new plan takes the old one's place,
so one apply lands all. It is a patch, like any other that is staged: verified, compared with
the files when it is applied, and never written here.
"""

import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import cached_property
from hashlib import sha256
from typing import Any

from astedit.engine.run.plan import check_limits
from astedit.engine.run_context import Run
from astedit.engine.whole_files import check_policy
from astedit.errors import AstEditError, LimitError, PreconditionError, RequestError, StaleError
from astedit.hook.program import UNTIL
from astedit.limits import MAX_FILE_SIZE
from astedit.model.plan import Plan
from astedit.model.request import EditRequest
from astedit.producers.patch import request_of_patch
from astedit.staging.plan_contents import changes_of
from astedit.staging.preview import preview
from astedit.staging.stage import stage
from astedit.staging.stored import HANDLER, stored
from astedit.staging.workspace_session import acting, workspace_session
from astedit.text.diff import content_diff
from astedit.workspace.config import Config, load
from astedit.workspace.root import Workspace, state_dir
from resolve import PendingAction, Session
from resolve.errors import SessionBusy

_SPARE = 0.5  # seconds that staging and an answer may take; without them the call passes
_WAIT = 4.0  # seconds for another call of the same session
_REPEATED = 2.0  # seconds within which the same input is the same call, where no id says so
_ANSWERS = 8  # of a session, that are kept
_SLOTS = 64  # for what is kept: of two sessions in one slot it is the later one's


class ClientSession:
    """What is kept of one session of a client: its plan, its last answers, its edits alike.

    The workspace is open, and so is the gate's session, under the name of the client's.
    """

    def __init__(self, workspace: Workspace, config: Config, session: Session) -> None:
        self.workspace, self._session = workspace, session
        self._run = Run(inline=True, config=config)
        self._slot = f"hook {int(session.id.rpartition('-')[2], 16) % _SLOTS}"
        self._notes: dict[str, Any] = json.loads(session.records.meta(self._slot) or "{}")
        if self._notes.get("session") != session.id:
            self._notes = {"session": session.id}

    def once(self, key: str, make: Callable[[], Sequence[str]], mark: str) -> Sequence[str]:
        """The answer that a call got already, else a new one; without a mark only the last."""
        answers = self._notes.setdefault("answers", [])
        is_last = not mark and self._notes.get("plan") == getattr(self.pending, "id", None)
        for name, when, answer in reversed(answers if mark else answers[-1:] * is_last):
            if name == key and (mark or abs(time.time() - when) < _REPEATED):
                return list(answer)
        answer = make()
        self._notes["answers"] = [*answers, (key, time.time(), answer)][-_ANSWERS:]
        self._notes["plan"] = getattr(self.pending, "id", None)
        self._session.records.set_meta(self._slot, json.dumps(self._notes))
        return answer

    def count(self, mark: str) -> int:
        """How many edits of this mark there are now."""
        counts = self._notes.setdefault("alike", {})
        counts[mark] = counts.get(mark, 0) + 1
        return int(counts[mark])

    def place(self, path: str, directory: str) -> str:
        """A path of a call, made in this directory, below the root."""
        below = self.workspace.relative(path, directory)
        try:
            return self.workspace.check(below)
        except AstEditError as error:  # below the root, and no name that is edited
            raise PreconditionError(error.message, path=path) from error

    def disk(self, path: str) -> bytes | None:
        """A file as it lies there; None where none is. Raises `PreconditionError` for a link."""
        try:
            content, _ = self.workspace.read(path, MAX_FILE_SIZE)
        except FileNotFoundError:
            return None
        except OSError as error:
            why = os.strerror(error.errno or 0)
            raise PreconditionError(f"{path} cannot be edited: {why}.", path=path) from error
        if len(content) > MAX_FILE_SIZE:
            raise PreconditionError(f"{path} has more than {MAX_FILE_SIZE:,} bytes.", path=path)
        return content

    def content(self, path: str) -> bytes | None:
        """A file as the pending plan would leave it."""
        return self._left[path] if path in self._left else self.disk(path)

    @property
    def pending(self) -> PendingAction | None:
        """The plan that waits of this session, if one does."""
        actions = self._session.records.select(("pending",), session=self._session.id)
        return next((action for action in actions if action.kind == HANDLER), None)

    @cached_property
    def _left(self) -> dict[str, bytes | None]:
        """What the files of the pending plan would hold; None for one that goes."""
        action = self.pending
        if action is None:
            return {}
        plan = stored(self._session, action)
        with suppress(StaleError):
            return _after(plan, self.workspace)
        try:  # the same patch on the files of now
            return _after(preview(plan.request, self.workspace, self._run), self.workspace)
        except PreconditionError as error:
            raise PreconditionError(
                f"{action.id}, which holds the earlier edits, is stale: {error.message}",
                code="stale",
                hint=f"Discard {action.id}, and make the edits again on the files of now.",
            ) from error

    def stage(self, after: dict[str, bytes | None], title: str) -> Plan | None:
        """Stages these contents with those of the pending plan, in its place.

        None if the files then hold what they hold now; then nothing of the session is pending.
        Raises `LimitError` (`late`) where the client may have let the call through by then.
        """
        old = self.pending
        wanted = {**self._left, **after}
        changed = [path for path in sorted(wanted) if wanted[path] != self.disk(path)]
        for path in changed:
            check_policy(path, EditRequest(), self.workspace)
            if len(wanted[path] or b"") > MAX_FILE_SIZE:
                why = f"{path} would have more than {MAX_FILE_SIZE:,} bytes."
                raise PreconditionError(why, path=path)
        patch = b"".join(content_diff(path, self.disk(path), wanted[path]) for path in changed)
        plan = None
        if patch:
            plan = preview(request_of_patch(patch, label=title), self.workspace, self._run)
            check_limits(plan)
        if time.monotonic() > float(os.environ.get(UNTIL, "inf")) - _SPARE:
            raise LimitError("no time is left to stage it", code="late")
        if plan is not None:
            stage(plan, self._session, replace=old.id if old else None)
        elif old is not None:
            self._session.resolve("discard", "the edits cancel each other", target=old.id)
        return plan


def _after(plan: Plan, workspace: Workspace) -> dict[str, bytes | None]:
    return {change.path: change.after for change in changes_of(plan, workspace)}


@contextmanager
def client_session(root: str, state: str | None, client: str, name: str) -> Iterator[ClientSession]:
    """The session of this name of a client, while no other call of it is answered.

    Raises `resolve.StoreError` where nothing can be kept, `RequestError` where another call of
    it does not come to an end.
    """
    with Workspace(root) as workspace:
        config = load(workspace)
        mark = sha256(f"{name}\0{workspace.root}".encode("utf-8", "surrogatepass")).hexdigest()
        with workspace_session(
            workspace.root,
            state_dir(workspace, state or config.state_dir),
            who=acting(f"hook:{client}", config.actor),
            id=f"hook-{client}-{mark[:12]}",
            create=True,
            inline=True,
            config=config,
        ) as session:
            try:
                hold = session.records.hold(session.id, _WAIT)
            except SessionBusy as error:
                message = f"Another call of {session.id} does not come to an end."
                raise RequestError(message) from error
            with closing(hold):
                yield ClientSession(workspace, config, session)
