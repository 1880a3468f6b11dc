"""What each tool does. Every function blocks: the server calls them in threads."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from astedit import api
from astedit.agents.text import edit_text, located_text, search_text, staged_text
from astedit.agents.text.budget import LIMIT, Budget
from astedit.agents.tools import arguments
from astedit.engine.resident import Resident
from astedit.limits import Cancelled
from astedit.mcp.answer import Answer, bounded, failure, refusal
from astedit.mcp.served_workspace import ServedWorkspace
from astedit.model.plan import Plan
from astedit.staging import ast_edit
from astedit.staging.stored_diff import redraw
from astedit.staging.stored_plan import stored
from astedit.text.count_phrases import first_lines, number
from astedit.workspace.root import Workspace
from resolve import AbortError, AbortSignal, PendingAction, Session, ToolError
from resolve.actions import listing
from resolve.tool import parse
from resolve.visible import one_line

_PERSONS = ("approval_missing", "interrupted", "needs_attention")  # a person runs a command
_LIMIT = 1_000  # matches of a search that does not say


@dataclass(slots=True)
class ToolCall:
    """One call under way: how to stop it, and how far it has come."""

    signal: AbortSignal = field(default_factory=AbortSignal)
    done: int = 0
    total: int = 0

    def progress(self, done: int, total: int) -> None:
        """Notes how many files have been looked at, of how many."""
        self.done, self.total = done, total


def uri(action_id: str) -> str:
    """The resource that holds all of a staged plan."""
    return f"astedit://pending/{action_id}"


class Calls:
    """The tools of one workspace. Those that use the engine take turns; `close` ends it."""

    def __init__(self, served: ServedWorkspace) -> None:
        self.served = served
        self._resident = Resident()
        self._tools: dict[str, Callable[[dict[str, Any], ToolCall], Answer]] = {
            "ast_edit": self._edit,
            "ast_grep": self._grep,
            "locate": self._locate,
            "pending": self._pending,
            "resolve": self._resolve,
        }

    @property
    def names(self) -> frozenset[str]:
        """The tools that work here."""
        return frozenset(self._tools)

    def __call__(self, name: str, values: Mapping[str, Any] | None, call: ToolCall) -> Answer:
        """Runs a tool. Expected failures are answers; only a cancelled call raises."""
        try:
            return self._tools[name](arguments(name, values or {}), call)
        except (Cancelled, AbortError):
            raise
        except Exception as error:
            answer = failure(error, name)
            return self._for_a_person(answer, name) if answer.code in _PERSONS else answer

    def _for_a_person(self, answer: Answer, name: str) -> Answer:
        """The command to run, complete: a person's terminal may be anywhere."""
        fields = answer.data["error"]
        hint = f"{fields['hint']} {self.served.options}. Then call {name} again."
        return refusal(fields["code"], fields["message"], hint)

    def close(self) -> None:
        """Ends the workers."""
        self._resident.close()

    def withdraw(self, action_id: str) -> None:
        """Takes back what a call staged whose caller did not wait for the answer."""
        with self.served.session() as session:
            session.resolve("discard", "the call was cancelled", target=action_id)

    # -- previews ----------------------------------------------------------------------------

    def _edit(self, values: dict[str, Any], call: ToolCall) -> Answer:
        self.served.settle()
        plan = api.ast_edit(**values, **self._around(call))
        call.signal.throw_if_aborted()
        if plan.total_replacements:
            self._stage(plan)
        document = bounded(plan.to_json(), uri(plan.action_id) if plan.action_id else None)
        return Answer(edit_text(plan), document, staged=plan.action_id)

    def _around(self, call: ToolCall) -> dict[str, Any]:
        """What a run gets from here, beside the caller's arguments."""
        return {
            "root": self.served.root,
            "signal": call.signal,
            "progress": call.progress,
            "resident": self._resident,
            "state": self.served.state_dir,
        }

    def _stage(self, plan: Plan) -> None:
        try:
            with self.served.session(create=True) as session:
                ast_edit.stage(plan, session)
        except ToolError as error:
            raise ToolError(
                f"{error} The preview is not registered: nothing can be applied.",
                code=error.code,
                hint=error.hint,
            ) from error

    def _grep(self, values: dict[str, Any], call: ToolCall) -> Answer:
        values.setdefault("limit", _LIMIT)
        result = api.search(**values, **self._around(call))
        return Answer(search_text(result), bounded(result.to_json()))

    def _locate(self, values: dict[str, Any], call: ToolCall) -> Answer:
        result = api.locate(
            **values,
            root=self.served.root,
            signal=call.signal,
            progress=call.progress,
            state=self.served.state_dir,
        )
        return Answer(located_text(result), bounded(result.to_json()), not result.success)

    # -- the stack ---------------------------------------------------------------------------

    def _pending(self, values: dict[str, Any], call: ToolCall) -> Answer:
        with self.served.session() as session:
            if "target" in values:
                target, paths = values["target"], values.get("paths")
                text, plan = staged_text(session, target, paths, self.served.root)
                return Answer(text, bounded(plan.to_json(), uri(str(plan.action_id))))
            actions = session.store.list(("pending", "applying"))
        rows = [action.to_json() | {"own": self.served.own(action)} for action in actions]
        document = {"schema": "astedit/pending/1", "pending": rows[:100], "total": len(rows)}
        return Answer(self._listed(actions), document)

    def _listed(self, actions: list[PendingAction]) -> str:
        if not actions:
            return "Nothing is pending.\n"
        head = f"{number(len(actions), 'action')} pending, newest first; files are NOT modified."
        rows = [self._row(action) for action in actions]
        shown = len(Budget(LIMIT - 100).first(rows))
        return "\n".join([head, *first_lines(rows, shown)]) + "\n"

    def _row(self, action: PendingAction) -> str:
        moment = action.created_at.strftime("%Y-%m-%d %H:%M:%SZ")
        whose = "yours" if self.served.own(action) else "of another session"
        condition = f" [{action.condition}]" if action.condition else ""
        return f"{action.id}  {moment}  {one_line(action.label)}  ({whose}){condition}"

    def document(self, action_id: str) -> tuple[dict[str, Any], str]:
        """All of a staged plan: as data, and as a diff. Raises `ToolError` if there is none."""
        with self.served.session() as session, Workspace(self.served.root) as workspace:
            action = session.store.find(action_id)
            plan = stored(session, action)
            redraw(plan, workspace)
            return plan.to_json() | {"state": action.state}, plan.diff()

    def actions(self) -> list[PendingAction]:
        """What is pending, newest first."""
        with self.served.session() as session:
            return session.store.list(("pending",))

    # -- the gate ----------------------------------------------------------------------------

    def _resolve(self, values: dict[str, Any], call: ToolCall) -> Answer:
        parse(values)  # what is wrong whatever is pending
        with self.served.session() as session:
            session.on_progress = call.progress
            action = self._meant(session, values.get("target"))
            verb, reason, extra = values["action"], values["reason"], values.get("extra")
            result = session.resolve(verb, reason, extra, action.id, call.signal)
            left = session.store.list(("pending",))
        lines = [result.text]
        if not self.served.own(action):
            lines.append("It was staged by another session.")
        lines += [f"Still pending: {number(len(left), 'action')}."] if left else []
        return Answer("\n".join(lines) + "\n", {"schema": "astedit/result/1"} | result.to_json())

    def _meant(self, session: Session, target: str | None) -> PendingAction:
        """The named action; else the newest that this server staged, never another's."""
        if target is not None:
            return session.store.find(target)
        pending = session.store.list(("pending",))
        own = next(filter(self.served.own, pending), None)
        if own is not None:
            return own
        if not pending:
            raise ToolError(
                "No pending action to resolve. Nothing to apply or discard.",
                code="nothing_pending",
            )
        raise ToolError(
            f"You have staged nothing that is pending; these are of other sessions:\n"
            f"{listing(pending[:20])}",
            code="foreign",
            hint="Read one with pending and its id as target; resolve it only with that target.",
        )
