"""`astedit.open`: one workspace for a program, on the store that every surface shares.

with astedit.open(root=".") as work:
    plan = work.edit([{"pat": "f($$$A)", "out": "g($$$A)"}], paths=["src"])
    print(plan.diff())
    plan.apply("reviewed")
"""

import inspect
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import fields, replace
from functools import partial
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Concatenate, Self, TypeVar, cast

from astedit.engine.run_context import Run
from astedit.errors import PreconditionError
from astedit.interface import functions
from astedit.interface.functions import Answer, Parameters, checked
from astedit.interface.operations import planned, taking_parameters
from astedit.model.plan import Plan
from astedit.operations import Descriptor, kinds
from astedit.review.selectors import Undecided
from astedit.staging import undo
from astedit.staging.open_workspace import OpenWorkspace, RecordedSession
from astedit.staging.stage import stage
from astedit.workspace.config import ApprovalPolicy
from astedit.workspace.root import Workspace
from resolve import PendingAction, Session, ToolResult
from resolve.records import AuditRow
from resolve.recovery import Recovery

Result = TypeVar("Result")


class StagedPlan(Plan):
    """A plan that waits for `apply` or `discard`, if it replaces anything."""

    _gate: "Work"

    @classmethod
    def of(cls, plan: Plan, gate: "Work") -> Self:
        """The plan, tied to the gate that it was staged through."""
        staged = cls.__new__(cls)
        for each in fields(plan):
            if each.name != "shapes":  # made when somebody asks
                setattr(staged, each.name, getattr(plan, each.name))
        staged._gate = gate
        return staged

    @checked
    def apply(
        self,
        reason: str,
        *,
        only: Iterable[str] | None = None,
        exclude: Iterable[str] | None = None,
        reviewed: bool = False,
        undecided: Undecided | None = None,
        keep_rest: bool = False,
        wait: float = 0,
    ) -> ToolResult:
        """Writes what was previewed, or the part of it that `only` and `exclude` choose.

        With `reviewed` only what was accepted in a review; `undecided` says what becomes of the
        other edits. With `keep_rest` what is not applied is staged again, as a plan of its own.
        Where a person has to approve it, the call waits for so many seconds at most.

        They hold edit ids, path globs, `FILE:LINE`, `shape:N`, `rule:ID` and `op:N`; without
        `only` all edits are chosen, with an empty one none, which is refused. Raises
        `RequestError` for a choice of no edit, `StaleError` when the tree has changed, and
        `PreconditionError` for anything else in the way; nothing is written then.
        """
        chosen = {"only": only, "exclude": exclude}
        extra: dict[str, Any] = {
            key: list(value) for key, value in chosen.items() if value is not None
        }
        asked = {"reviewed": reviewed, "undecided": undecided, "keepRest": keep_rest}
        extra |= {key: value for key, value in asked.items() if value}
        result = self._gate.resolve("apply", self._id, reason, extra or None, wait)
        self.applied, self.notice = True, result.text
        return result

    @checked
    def discard(self, reason: str) -> ToolResult:
        """Drops the plan; nothing is written."""
        return self._gate.resolve("discard", self._id, reason)

    @property
    def _id(self) -> str:
        if self.action_id is None:
            raise PreconditionError(
                "The plan replaces nothing, so nothing was staged.",
                code="nothing_staged",
                hint="Look at its `hints`, `blocked` and `near`.",
            )
        return self.action_id


class StagedUndo:
    """The inverse of an applied action, waiting for `apply` or `discard`."""

    def __init__(self, action: PendingAction, patch: bytes, gate: "Work") -> None:
        self.action_id = action.id
        self.label, self.title = action.label, action.title
        self._patch = patch
        self._gate = gate

    def diff(self) -> str:
        """What would be put back, as a unified diff; bytes that are not UTF-8 as surrogates."""
        return self._patch.decode("utf-8", "surrogateescape")

    @checked
    def apply(self, reason: str) -> ToolResult:
        """Puts every file back; `StaleError` with nothing written if one was edited since."""
        return self._gate.resolve("apply", self.action_id, reason)

    @checked
    def discard(self, reason: str) -> ToolResult:
        """Drops the undo; nothing is written."""
        return self._gate.resolve("discard", self.action_id, reason)

    def __repr__(self) -> str:
        return f"StagedUndo({self.action_id}: {self.title})"


@checked
def open(
    root: str | PathLike[str] | None = None,
    policy: ApprovalPolicy | None = None,
    state_dir: str | PathLike[str] | None = None,
    session_id: str | None = None,
) -> "Work":
    """Opens the workspace at `root`; without one the nearest project above the directory.

    What is staged is what `astedit pending`, `approve`, `undo` and `log` see. `policy`
    ("agent" or "human") stands instead of the configured one, `state_dir` instead of the
    place where the command line keeps its state. With `session_id` the conversation is
    recorded under that name, and no other process can open it meanwhile (`SessionBusy`).
    Raises `RequestError` for a root that cannot be opened and for state inside it.
    """
    places = (None if path is None else fspath(path) for path in (root, state_dir))
    return Work(OpenWorkspace(*places, surface="api", policy=policy), session_id)


_OWN = ("root", "state", "session", "stack", "dry_run")  # which a work knows


def _method(
    function: Callable[Parameters, Answer],
    text: str,
    act: Callable[["Work", "partial[Answer]"], Result],
) -> Callable[Concatenate["Work", Parameters], Result]:
    """A method that takes what a function takes, less what a work knows, and explains it.

    `act` is called with the work and the call.
    """
    signature = inspect.signature(function)
    shown = [each for each in signature.parameters.values() if each.name not in _OWN]

    def method(self: "Work", *args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        return act(self, partial(function, *args, **kwargs))

    this = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    method.__name__ = function.__name__.removeprefix("ast_")
    method.__qualname__ = f"Work.{method.__name__}"
    method.__doc__ = text + "".join((function.__doc__ or "").partition("\n\nOptions:\n")[1:])
    return checked(cast(Any, method), inspect.Signature([this, *shown]))


class Work(AbstractContextManager["Work"]):
    """An open workspace: previews that are staged, searches, and the gate; a context manager.

    Any thread may use it. Previews take the options of `astedit.ast_edit` and raise what it
    raises; they return plans with `apply` and `discard`. A preview that replaces nothing
    stages nothing.
    """

    def __init__(self, place: OpenWorkspace, session_id: str | None = None) -> None:
        self._place = place
        self.stack: OpenWorkspace | RecordedSession = place  # where its tools stage and resolve
        self.recorded: Session | None = None  # whose calls are on disk before they run
        if session_id is not None:
            self.stack = RecordedSession(place, session_id)
            self.recorded = self.stack.recorded

    @property
    def root(self) -> str:
        """The workspace's directory."""
        return self._place.root

    @property
    def session_id(self) -> str:
        """The name under which this work stages."""
        return self._place.id if self.recorded is None else self.recorded.id

    def close(self) -> None:
        """Lets go of the store and of the root; what is staged stays."""
        self.stack.close()
        self._place.close()

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Work({self.root!r})"

    # -- previews ----------------------------------------------------------------------------

    def _staged(
        self, make: "Callable[[dict[str, Any]], Plan]", replace: str | None = None
    ) -> StagedPlan:
        self._place.settle()
        plan = make({"root": self.root, "state": self._place.state_dir})
        if plan.total_replacements:
            with self.session(create=True) as session:
                stage(plan, session, replace=replace)
        return StagedPlan.of(plan, self)

    edit = _method(
        functions.ast_edit,
        """Stages what ops, rules or a patch would do. As `astedit.ast_edit`.

With `after` (an id) it is previewed on the tree as that pending action would leave it; with
`replace` it takes the place of an earlier plan of this work.""",
        lambda work, make: work._staged(lambda place: make(**place), make.keywords.get("replace")),
    )

    def _operated(
        self, operation: Descriptor, values: Any, *, title: str | None = None
    ) -> StagedPlan:
        """What each operation's method does, see below."""
        if hasattr(values, "codemods"):  # an apply has to know what the names mean, too
            self._place.codemods |= values.codemods
            values = replace(values, codemods=self._place.codemods)
        return self._staged(lambda place: planned(operation, values, title=title, **place))

    if TYPE_CHECKING:

        def __getattr__(self, kind: str) -> Callable[..., StagedPlan]: ...

    @checked
    def learn(
        self,
        like: str | None = None,
        *,
        files: tuple[str, str] | None = None,
        patch: bytes | None = None,
        commit: str | None = None,
        answers: Mapping[str, str] | None = None,
        questions: int = 0,
    ) -> StagedPlan:
        """Stages what an example means for the rest of the tree; `like` is the id of a plan."""
        from astedit.learning.examples import read_example  # what few programs need
        from astedit.learning.learning import Learning

        ways: dict[str, Any] = {"files": files, "patch": patch, "commit": commit, "plan": like}
        with Workspace(self.root) as workspace:
            example = read_example(workspace, self.session, **ways)
            learning = Learning.of(example, workspace, Run(), most=questions)
            plan = learning.settled_plan(answers or {})
        return self._staged(lambda _: plan)

    @checked
    def undo(self, action_id: str) -> StagedUndo:
        """Stages the inverse of an applied action; its id may be shortened.

        Raises `PreconditionError`: it is not applied, or what its files held before is not
        stored any more; `StaleError`: a file was edited since.
        """
        self._place.settle()
        with self.session() as session:
            action, patch, _ = undo.stage_shown(action_id, self.root, session)
            return StagedUndo(action, patch, self)

    # -- looking -----------------------------------------------------------------------------

    search = _method(
        functions.search,
        "Every match of a pattern or a rule. As `astedit.search`.",
        lambda work, call: call(root=work.root, state=work._place.state_dir),
    )
    scan = _method(
        functions.scan,
        "What rules find. As `astedit.scan`.",
        lambda work, call: call(root=work.root),
    )
    locate = _method(
        functions.locate,
        "Which symbol, route or client an identifier names. As `astedit.locate`.",
        lambda work, call: call(root=work.root, state=work._place.state_dir),
    )

    # -- the gate ----------------------------------------------------------------------------

    @checked
    def pending(self) -> list[PendingAction]:
        """What waits for a decision in this workspace, newest first, whoever staged it."""
        with self.session() as session:
            return session.records.select(("pending", "applying"))

    @checked
    def log(self, limit: int | None = None) -> list[AuditRow]:
        """Every resolution of this workspace, newest first."""
        with self.session() as session:
            return session.records.audit(limit=limit)

    @checked
    def resolve(
        self, action: str, target: str, reason: str, extra: Any = None, wait: float = 0
    ) -> ToolResult:
        """Applies or discards any pending action of this workspace by its id.

        Where a person has to approve it, an apply waits for so many seconds at most. Raises
        `StaleError` or `PreconditionError` with nothing written.
        """
        if wait and action == "apply":
            self._place.await_approval(target, wait)
        with self.session() as session:
            return session.resolve(action, reason, extra, target)

    @checked
    def recover(self, *, from_leftovers: bool = False) -> list[Recovery]:
        """Ends what killed processes left open; nothing while another apply is running.

        Where that cannot be known or done, the outcome is `blocked`, or `PreconditionError`
        is raised. `from_leftovers` is for a person: then every file is put wholly old or new
        from what lies beside it, and what nothing is left of is forgotten.
        """
        if from_leftovers:
            return self._place.recover_from_leftovers()
        return self._place.recover() or self._place.strange_leftovers()

    def session(self, *, create: bool = False) -> AbstractContextManager[Session]:
        """The gate's own session, for what this class has no method for."""
        return self.stack.session(create=create)


for _kind in kinds():
    _method = taking_parameters(_kind, Work._operated, f"Stages that. As `astedit.{_kind}`.")
    setattr(Work, _kind, _method)
