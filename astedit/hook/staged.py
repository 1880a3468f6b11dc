"""The edits of one client session as its pending plan, which holds all of them.

Each edit is made on what the plan so far would leave. The new plan takes the old one's place,
so one apply lands all. It is a patch, like any other that is staged: verified, compared with
the files when it is applied, and never written here.
"""

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import cached_property
from hashlib import sha256

from astedit.engine.run.plan import check_limits
from astedit.engine.run_context import Run
from astedit.engine.whole_files import check_policy
from astedit.errors import PreconditionError, RequestError
from astedit.hook.edits import ChangedFiles
from astedit.limits import MAX_FILE_SIZE
from astedit.model.edit import FilePlan
from astedit.model.plan import Plan
from astedit.model.request import EditRequest
from astedit.producers.patch import request_of_patch
from astedit.staging.ast_edit import stage
from astedit.staging.plan_contents import contents_of
from astedit.staging.preview import preview
from astedit.staging.stored import HANDLER, stored
from astedit.staging.workspace_session import acting, workspace_session
from astedit.text.diff import content_diff
from astedit.text.splice import splice
from astedit.workspace.config import Config
from astedit.workspace.root import Workspace
from resolve import PendingAction, Session
from resolve.errors import SessionBusy

_WAIT = 4.0  # seconds for another call of the same session
_REPEATED = 2.0  # seconds within which the same input is the same call, where no id says so
_KEPT, _SESSIONS = 8, 32  # answers of a session, sessions whose answers are kept
_INDEX = "hook sessions"


class ClientSession:
    """What is kept of one session of a client: its plan, its last answers, its edits alike.

    The workspace is open, and so is the gate's session, under the name of the client's.
    """

    def __init__(self, workspace: Workspace, config: Config, session: Session) -> None:
        self.workspace, self.config, self.session = workspace, config, session
        known = session.records.meta(session.id)
        self._notes = json.loads(known) if known else {}

    def answered(self, key: str, *, whatever_time: bool) -> list[str] | None:
        """The answer that a call got already; one without an id is the same for a moment only."""
        for known, when, answer in reversed(self._notes.get("answers", ())):
            if known == key and (whatever_time or abs(time.time() - when) < _REPEATED):
                return list(answer)
        return None

    def keep(self, key: str, answer: list[str]) -> None:
        """Keeps an answer for the same call again."""
        answers = self._notes.setdefault("answers", [])
        answers.append([key, time.time(), answer])
        del answers[:-_KEPT]
        records = self.session.records
        listed = json.loads(records.meta(_INDEX) or "[]")
        if self.session.id not in listed:
            for old in listed[: -_SESSIONS + 1]:
                records.set_meta(old, "")
            records.set_meta(_INDEX, json.dumps([*listed[-_SESSIONS + 1 :], self.session.id]))
        records.set_meta(self.session.id, json.dumps(self._notes))

    def count(self, mark: str) -> int:
        """How many edits of this mark there are now."""
        counts = self._notes.setdefault("alike", {})
        counts[mark] = counts.get(mark, 0) + 1
        return int(counts[mark])

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

    @property
    def pending(self) -> PendingAction | None:
        """The plan that waits of this session, if one does."""
        records = self.session.records
        actions = records.select(("pending",), session=self.session.id)
        return next((action for action in actions if action.kind == HANDLER), None)

    def changes(self, place: Callable[[str], str], *, fresh: bool) -> ChangedFiles:
        """The files as the pending plan would leave them; with `fresh` as they lie there.

        `place` makes a path of a call one below the root.
        """
        left = {} if fresh else self._left
        return ChangedFiles(
            place, lambda path: left[path] if path in left else self.disk(path), self.disk
        )

    @cached_property
    def _left(self) -> dict[str, bytes | None]:
        """What the files of the pending plan would hold; None for one that goes."""
        action = self.pending
        if action is None:
            return {}
        plan = stored(self.session, action)
        before = contents_of(plan, self.workspace)
        if any(before(file) is None for file in plan.files):
            try:  # the same patch on the files of now
                plan = preview(plan.request, self.workspace, self._run)
            except PreconditionError as error:
                raise PreconditionError(
                    f"{action.id}, which holds the earlier edits, is stale: {error.message}",
                    code="stale",
                    hint=f"Discard {action.id}, and make the edits again on the files of now.",
                ) from error
            before = contents_of(plan, self.workspace)
        left: dict[str, bytes | None] = {}
        for file in plan.files:
            left |= _left_by(file, before(file) or b"")
        return left

    @property
    def _run(self) -> Run:
        return Run(inline=True, config=self.config)

    def stage(self, after: dict[str, bytes | None], title: str) -> Plan | None:
        """Stages these contents with those of the pending plan, in its place.

        None if the files then hold what they hold now; then nothing of the session is pending.
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
        if not patch:
            if old is not None:
                self.session.resolve("discard", "the edits cancel each other", target=old.id)
            return None
        request = request_of_patch(patch)
        assert request.operation is not None
        request.operation.arguments["label"] = title
        plan = preview(request, self.workspace, self._run)
        check_limits(plan)
        stage(plan, self.session, replace=old.id if old else None)
        return plan


def _left_by(file: FilePlan, before: bytes) -> Iterator[tuple[str, bytes | None]]:
    if file.source is not None:
        yield file.source, None
    yield file.path, None if file.operation == "delete" else splice(before, file.changes)


@contextmanager
def client_session(
    workspace: Workspace, config: Config, state: str, client: str, name: str
) -> Iterator[ClientSession]:
    """The session of this name of a client, while no other call of it is answered.

    Raises `resolve.StoreError` where nothing can be kept, `SessionBusy` where another call of
    it does not come to an end.
    """
    mark = sha256(f"{name}\0{workspace.root}".encode("utf-8", "surrogatepass")).hexdigest()
    with workspace_session(
        workspace.root,
        state,
        who=acting(f"hook:{client}", config.actor),
        id=f"hook-{client}-{mark[:12]}",
        create=True,
        inline=True,
        config=config,
    ) as session:
        end = time.monotonic() + _WAIT
        while True:
            with suppress(SessionBusy):
                hold = session.records.hold(session.id)
                break
            if time.monotonic() > end:
                raise RequestError(f"Another call of {session.id} does not come to an end.")
        with closing(hold):
            yield ClientSession(workspace, config, session)
