"""What each tool does. Every function blocks: the server calls them in threads."""

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any

from astedit.agents.reply import Reply, ToolCall, failure, of_undo, refusal
from astedit.agents.text.budget import LIMIT, Budget
from astedit.agents.text.plan import edit_text, located_text, search_text, staged_text
from astedit.agents.tools import specs
from astedit.engine.resident import Resident
from astedit.interface import functions, operations
from astedit.limits import Cancelled
from astedit.model.plan import Plan
from astedit.staging import on_top, overlaps, stage, undo
from astedit.staging.open_workspace import ServedStack
from astedit.staging.plan_contents import contents_of, redraw
from astedit.staging.plan_label import command_of, described
from astedit.staging.stored import stored
from astedit.text import first_lines, number
from astedit.workspace.root import Workspace
from resolve import AbortError, PendingAction, Session, ToolError
from resolve.tool import parse
from resolve.visible import one_line

_PERSONS = (
    "approval_missing",
    "interrupted",
    "needs_attention",
    "blocked",
)  # a person runs a command
_LIMIT = 1_000  # matches of a search that does not say


def uri(action_id: str) -> str:
    """The resource that holds all of a staged plan."""
    return f"astedit://pending/{action_id}"


def page_uri(action_id: str) -> str:
    """The resource that shows a staged plan as a page, for hosts that render pages."""
    return f"ui://astedit/pending/{action_id}"


def _of_plan(text: str, plan: Plan) -> Reply:
    counts = {
        "replacements": plan.total_replacements,
        "files": plan.files_touched,
        "blocked": sum(item.matches for item in plan.blocked),
    }
    resource = uri(plan.action_id) if plan.action_id else None
    reply = Reply(text, plan.to_json, action_id=plan.action_id, counts=counts, resource=resource)
    reply.fingerprint, reply.checked = plan.fingerprint, plan.stats.checked
    reply.title = plan.title
    return reply


def _needs_files(name: str, values: Mapping[str, Any]) -> bool:
    """Whether a call reads or writes below the root; one of the stack alone does not."""
    if name == "resolve":
        return bool(values["action"] == "apply")
    return name != "pending" or "target" in values


def _names_a_path(identifier: str, **where: Any) -> bool:
    """Whether a route or a client is meant, which a path renames and not a name."""
    result = functions.locate(identifier, **where)
    nodes = [result.node] if result.node else [one.node for one in result.candidates]
    return bool(nodes) and all(node.kind != "symbol" for node in nodes)


class Calls:
    """The tools of one workspace. Those that use the engine take turns; `close` ends it.

    With `resident` the worker processes and what they know stay for the next call. `commands`
    are the patterns of those that `prove` and `capture` may run; without any there are no
    such tools.
    """

    def __init__(
        self, served: ServedStack, *, resident: bool = True, commands: Sequence[str] = ()
    ) -> None:
        self.served = served
        self._commands = commands
        self._resident = Resident() if resident else None

    @property
    def tools(self) -> dict[str, specs.ToolSpec]:
        """The tools that work here, by name; what each does is the method of that name."""
        tools = (*specs.toolset(), *(specs.optional_tools() if self._commands else ()))
        return {tool.name: tool for tool in tools}

    def __call__(self, name: str, values: Mapping[str, Any] | None, call: ToolCall) -> Reply:
        """Runs a tool. Expected failures are answers; only a cancelled call raises."""
        try:
            checked = specs.arguments(name, values or {})
            if _needs_files(name, checked):
                self.served.refuse_changed_root()
            calls = copy(self)  # for the client that asks
            calls.served = call.served or self.served
            reply: Reply = getattr(calls, f"_{name}")(checked, call)
            return reply
        except (Cancelled, AbortError):
            raise
        except Exception as error:
            reply = failure(error, name)
            if reply.code not in _PERSONS:
                return reply
            # The command to run, complete: a person's terminal may be anywhere.
            fields = reply.data["error"]
            hint = f"{fields['hint']} {self.served.options}. Then call {name} again."
            return refusal(fields["code"], fields["message"], hint)

    def close(self) -> None:
        """Ends the workers."""
        if self._resident is not None:
            self._resident.close()

    def withdraw(self, action_id: str) -> None:
        """Takes back what a call staged whose caller did not wait for the answer."""
        with self.served.session() as session:
            session.resolve("discard", "the call was cancelled", target=action_id)

    # -- previews ----------------------------------------------------------------------------

    def _ast_edit(self, values: dict[str, Any], call: ToolCall) -> Reply:
        self.served.settle()
        if values.keys() & {"like", "questions", "token", "answers"}:
            return self._like(values, call)
        old = values.pop("replace", None)
        with self.served.session() as session:
            plan = functions.ast_edit(
                **values, **self._around(call), resident=self._resident, stack=session
            )
        call.signal.throw_if_aborted()
        return self._staged(plan, old)

    def _like(self, values: dict[str, Any], call: ToolCall) -> Reply:
        from astedit.agents.like_call import like  # what few calls need

        with self.served.session(create=True) as session:
            reply, plan = like(values, call, self.served, session)
        return reply if plan is None else self._staged(plan, values.get("replace"), reply.text)

    def _rename(self, values: dict[str, Any], call: ToolCall) -> Reply:
        self.served.settle()
        where = self._where
        if _names_a_path(values["identifier"], **where):
            path, title = values["new_name"], values.get("title")
            plan = operations.set_path(values["identifier"], path, title=title, **where)
        else:
            plan = operations.rename(**values, **where)
        call.signal.throw_if_aborted()
        return self._staged(plan)

    def _refactor(self, values: dict[str, Any], call: ToolCall) -> Reply:
        self.served.settle()
        plan = getattr(operations, values["kind"])(**specs.keywords(values), **self._where)
        call.signal.throw_if_aborted()
        return self._staged(plan)

    def _staged(self, plan: Plan, old: str | None = None, beside: str = "") -> Reply:
        """Stages the plan if it changes anything, in the place of an old one, and shows it."""
        if plan.total_replacements:
            self._stage(plan, old)
        reply = _of_plan(edit_text(plan) + beside, plan)
        reply.staged = plan.action_id is not None
        return reply

    @property
    def _where(self) -> dict[str, Any]:
        return {"root": self.served.root, "state": self.served.state_dir}

    def _around(self, call: ToolCall) -> dict[str, Any]:
        """What a run gets from here, beside the caller's arguments."""
        return self._where | {"signal": call.signal, "progress": call.progress}

    def _stage(self, plan: Plan, old: str | None) -> None:
        try:
            with self.served.session(create=True) as session:
                stage.stage(plan, session, replace=old)
        except ToolError as error:
            raise ToolError(
                f"{error} The preview is not registered: nothing can be applied.",
                code=error.code,
                hint=error.hint,
            ) from error

    def _prove(self, values: dict[str, Any], call: ToolCall) -> Reply:
        from astedit.agents.prove_call import prove  # only where it is allowed

        return prove(values, call, self.served, self._commands)

    def _capture(self, values: dict[str, Any], call: ToolCall) -> Reply:
        from astedit.agents.prove_call import captured  # only where it is allowed

        self.served.settle()
        return self._staged(captured(values, call, self.served, self._commands))

    def _ast_grep(self, values: dict[str, Any], call: ToolCall) -> Reply:
        values.setdefault("limit", _LIMIT)
        result = functions.search(**values, **self._around(call), resident=self._resident)
        counts = {"matches": len(result.matches)}
        checked = result.stats.checked
        return Reply(search_text(result), result.to_json, counts=counts, checked=checked)

    def _locate(self, values: dict[str, Any], call: ToolCall) -> Reply:
        result = functions.locate(**values, **self._around(call))
        nodes = len(result.candidates) or int(result.node is not None)
        document = result.to_json()
        return Reply(located_text(result), document, not result.success, counts={"nodes": nodes})

    # -- the stack ---------------------------------------------------------------------------

    def _pending(self, values: dict[str, Any], call: ToolCall) -> Reply:
        with self.served.session() as session:
            if "target" in values:
                return self._shown(session, session.store.find(values["target"]), values)
            actions = session.store.list(("pending", "applying"))
            stale = self._stale(actions, session)
        rows = [
            action.to_json() | {"own": self.served.own(action), "stale": action.id in stale}
            for action in actions
        ]
        document = {"schema": "astedit/pending/1", "pending": rows}
        return Reply(self._listed(actions, stale), document, counts={"pending": len(rows)})

    def _shown(self, session: Session, action: PendingAction, values: dict[str, Any]) -> Reply:
        """One action again: the plan that is staged, or what an undo would put back."""
        if action.kind == undo.HANDLER:
            with Workspace(self.served.root) as workspace:
                diff = undo.diff_of(undo.shown_as(action, session), workspace, session)
                return of_undo(action, diff)
        text, plan = staged_text(session, action.id, values.get("paths"), self.served.root)
        return _of_plan(text, plan)

    def _stale(self, actions: list[PendingAction], session: Session) -> set[str]:
        """The ids of those whose files are not as they were previewed."""
        with Workspace(self.served.root) as workspace:
            present = overlaps.Present(workspace, session.records)
            return {each.id for each in actions if present.contradicts(each)}

    def _listed(self, actions: list[PendingAction], stale: set[str]) -> str:
        if not actions:
            return "Nothing is pending.\n"
        head = f"{number(len(actions), 'action')} pending, newest first; files are NOT modified."
        waiting = {action.id for action in actions}
        rows = [self._row(action, action.id in stale, waiting) for action in actions]
        return "\n".join([head, *first_lines(rows, len(Budget(LIMIT - 100).first(rows)))]) + "\n"

    def _row(self, action: PendingAction, stale: bool, waiting: set[str]) -> str:
        moment = action.created_at.strftime("%Y-%m-%d %H:%M:%SZ")
        whose = "yours" if self.served.own(action) else "of another session"
        if self.served.earlier(action):
            whose = "yours, from an earlier connection"
        after = action.notes.get("after")
        waits = f"after {after}" if after in waiting else None
        mark = action.condition or ("stale" if stale else waits)
        condition = f" [{mark}]" if mark else ""
        label = described(action) + command_of(action)
        return f"{action.id}  {moment}  {label}  ({whose}){condition}"

    def document(self, action_id: str) -> tuple[dict[str, Any], str]:
        """All of a staged plan: as data, and as a diff. Raises `ToolError` if there is none."""
        self.served.refuse_changed_root()
        with self.served.session() as session, Workspace(self.served.root) as workspace:
            action = session.store.find(action_id)
            plan = stored(session, action)
            with on_top.as_previewed(plan, workspace, session.records):
                redraw(plan, workspace)
            return plan.to_json() | {"state": action.state}, plan.diff()

    def page(self, action_id: str) -> str:
        """A staged plan as a page to look at. Raises `ToolError` if there is none."""
        from astedit.page.report import report  # with the colours of all languages
        from astedit.staging.proof import newest_proof
        from astedit.workspace.codeowners import CodeOwners

        self.served.refuse_changed_root()
        with self.served.session() as session, Workspace(self.served.root) as workspace:
            action = session.store.find(action_id)
            plan = stored(session, action)
            with on_top.as_previewed(plan, workspace, session.records):
                owners = CodeOwners.read(workspace).of
                proof = newest_proof(action.id, session.records)
                said = None if proof is None else proof.sentence()
                return report(plan, contents_of(plan, workspace), action.title, owners, said)

    def actions(self) -> list[PendingAction]:
        """What is pending, newest first."""
        with self.served.session() as session:
            return session.store.list(("pending",))

    # -- the gate ----------------------------------------------------------------------------

    def _resolve(self, values: dict[str, Any], call: ToolCall) -> Reply:
        wait = values.pop("wait", 0)
        parse(values)  # what is wrong whatever is pending
        if wait and values["action"] == "apply":
            self.served.await_approval(values["target"], wait, call.signal)
        with self.served.session() as session:
            session.on_progress = call.progress
            action = session.store.find(values["target"])
            verb, reason, extra = values["action"], values["reason"], values.get("extra")
            result = session.resolve(verb, reason, extra, action.id, call.signal)
            left = session.store.list(("pending",))
        label = described(action)
        own = action.handler in ("ast_edit", "undo")  # others' words begin no line
        named = f"{label} ({action.id})" if own else f"{action.id}: {label}"
        lines = [] if one_line(action.label) in result.text else [named]
        lines.append(result.text)
        if not self.served.own(action) and not self.served.earlier(action):
            lines.append("It was staged by another session.")
        lines += [f"Still pending: {number(len(left), 'action')}."] if left else []
        document = {"schema": "astedit/result/1", "details": result.details}
        return Reply("\n".join(lines) + "\n", document, action_id=action.id)

    def _undo(self, values: dict[str, Any], call: ToolCall) -> Reply:
        self.served.settle()
        with self.served.session() as session:
            action, diff, new = undo.stage_shown(values["target"], self.served.root, session)
        reply = of_undo(action, diff, already=not new)
        reply.staged = new
        return reply
