"""What a hook answers to a call: nothing, a word beside it, or a denial with the preview.

What it reads was written by a model, about files that anybody may have written: in the answer
every line of theirs begins with `|`, as in all that agents read from us.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, NamedTuple

from astedit.agents.kit.rows import Client, ClientTool, HookMode, caller, is_own
from astedit.errors import (
    AstEditError,
    LimitError,
    OutsideRootError,
    PreconditionError,
    RequestError,
)
from astedit.hook.apply_patch import in_shell
from astedit.limits import MAX_FILE_SIZE, Deadline
from astedit.text.count_phrases import number
from astedit.workspace.config import load
from astedit.workspace.root import Workspace, find_root, state_dir
from resolve import StoreError, ToolError
from resolve.visible import hidden, one_line

_SESSION = ("session_id", "sessionId", "conversation_id", "sessionID")
_TOOL = ("tool_name", "toolName", "tool")
_INPUT = ("tool_input", "toolArgs", "args")
_ID = ("tool_use_id", "toolUseId", "callID")
_THIRD = 3  # edits alike, before it is said
_SHOWN = 80  # characters of a text in a sentence
_SECONDS = 1.5  # for counting where a text stands
_PATCH = ClientTool("patch", {"patch": "patch"})
_OF_TOKENS = re.compile(r"\w+|[^\w\s]")
_UNSEEN = (
    "This hook sees edit tools, and shell commands that write in ways it knows. It does not see "
    "what a script, a compiler or a program of one's own writes."
)


class Said(NamedTuple):
    """What goes to standard output, and to standard error."""

    out: str = ""
    err: str = ""


@dataclass(slots=True)
class HookCall:
    """One call, read: whose it is, what it wants, and where."""

    client: Client
    tool: str
    values: Mapping[str, Any]
    directory: str
    session: str
    id: str = ""

    @classmethod
    def of(cls, name: str, text: bytes) -> "HookCall":
        """Reads a call; raises `RequestError` for what is none."""
        try:
            call = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise RequestError(f"The call is not JSON: {error}.") from error
        if not isinstance(call, dict):
            raise RequestError("The call is no JSON object.")
        values = _first(call, _INPUT, {})
        if isinstance(values, str):  # Copilot sends a text of it
            try:
                values = json.loads(values)
            except (ValueError, RecursionError) as error:
                raise RequestError(f"The tool's input is not JSON: {error}.") from error
        tool = _first(call, _TOOL, None)
        if not isinstance(tool, str) or not isinstance(values, dict):
            raise RequestError("The call names no tool, or its input is not an object.")
        places = [call.get("cwd"), *_texts(call.get("workspace_roots")), os.getcwd()]
        directory = next(each for each in places if isinstance(each, str) and each)
        session, mark = _first(call, _SESSION, ""), _first(call, _ID, "")
        return cls(caller(name, call), tool, values, directory, str(session), str(mark))

    def key(self, mode: HookMode) -> str:
        """By what the same call is known again: its id, else what it wants.

        A hook that lets through does not answer for one that stages, where a user has one and
        the project the other.
        """
        wanted = json.dumps(sorted(map(repr, self.values.items()))).encode()
        does = "offer" if mode == "offer" else "stage"
        return f"{does} id {self.id}" if self.id else f"{does} {sha256(wanted).hexdigest()[:24]}"


def answer(
    name: str, mode: HookMode, text: bytes, root: str | None = None, state: str | None = None
) -> Said:
    """Answers the call of the hook of a client.

    `root` and `state` are as on the command line; without them both follow from where the call
    says that it is. Raises `AstEditError` or `ToolError` where there is no answer.
    """
    call = HookCall.of(name, text)
    tool = call.client.tools.get(call.tool)
    if tool is None:
        return _without_tool(call, mode)
    if mode == "require" and (unknown := tool.unknown(call.values)):
        field = one_line(unknown[0])[:_SHOWN]
        return _denied(call, f"`{call.tool}` has a field that is not known here: {field}.")
    values = call.values
    if tool.does == "shell":
        command = values.get(tool.fields["command"])
        patch = in_shell(command) if isinstance(command, str) else None
        if patch is None:
            return _of_shell(call, command) if mode == "require" else Said()
        tool, values = _PATCH, {"patch": patch}
    elif tool.unknown(values):
        return Said(err=f"let through: `{call.tool}` has fields that are not known here.")
    elif values.get(tool.fields.get("command", "")) == "view":
        return Said()
    with Workspace(root or find_root(_existing(call.directory), [])) as workspace:
        config = load(workspace)
        place = state_dir(workspace, state or config.state_dir)
        return _of_edit(call, mode, tool, values, workspace, config, place)


def _without_tool(call: HookCall, mode: HookMode) -> Said:
    if mode != "require" or call.client.reads(call.tool) or is_own(call.tool):
        return Said()
    return _denied(
        call, f"`{one_line(call.tool)[:_SHOWN]}` is no tool that is known here to write no file."
    )


def _of_shell(call: HookCall, command: object) -> Said:
    from astedit.hook.shell import writes

    if not isinstance(command, str):
        return _denied(call, "The call has no command.")
    why = writes(command, powershell=call.tool.lower() == "powershell")
    if why is None:
        return Said()
    return _denied(
        call,
        f"This command writes files ({why}). Change them with your edit tools, which are staged, "
        "or with `ast_edit` and `rename`; stage what a program writes with "
        f"`astedit capture -- COMMAND`; then call `resolve`. {_UNSEEN}",
    )


def _of_edit(
    call: HookCall,
    mode: HookMode,
    tool: ClientTool,
    values: Mapping[str, Any],
    workspace: Workspace,
    config: Any,
    state: str,
) -> Said:
    from astedit.hook.staged import client_session

    def place(path: str) -> str:
        try:
            os.fsencode(path)
            below = workspace.relative(path, call.directory)
        except UnicodeEncodeError as error:
            raise RequestError(f"{path!r} is not a file name.") from error
        try:
            return workspace.check(below)
        except AstEditError as error:  # below the root, and no name that is edited
            raise PreconditionError(error.message, path=path) from error

    with client_session(workspace, config, state, call.client.name, call.session) as session:
        key = call.key(mode)
        if (known := session.answered(key, whatever_time=bool(call.id))) is not None:
            return Said(*known)
        try:
            changes = session.changes(place, fresh=mode == "offer")
            changes.take(tool, values)
            made = _offered if mode == "offer" else _staged
            said = made(call, session, changes.changed)
        except OutsideRootError as error:
            if mode != "require":
                return Said(err=f"let through: {error.message}")
            said = _denied(call, f"{error.message} Only files below the root may be edited.")
        except AstEditError as error:  # also a budget that ran out: it cannot be shown
            if mode == "offer":
                return Said()  # the client's own tool says what is wrong
            said = _denied(call, _failure(error))
        session.keep(key, list(said))
        return said


def _staged(call: HookCall, session: Any, files: Mapping[str, Any]) -> Said:
    from astedit.agents.text import edit_text

    if not files:
        return _denied(call, "No changes to make: the files hold this already.")
    earlier = session.pending
    plan = session.stage({path: after for path, (_, after) in files.items()}, call.client.name)
    if plan is None:
        return _denied(call, "This edit takes back the earlier ones: nothing is staged any more.")
    if plan.action_id is None:
        raise PreconditionError("The plan changes nothing.")
    root = session.workspace.root
    hiding = sum(_hidden(after) - _hidden(before) for before, after in files.values())
    warned = f"Hidden characters in the new text, shown as escapes: {hiding:,}.\n" * (hiding > 0)
    replaced = f"It holds the earlier edits too, in the place of {earlier.id}.\n" if earlier else ""
    return _denied(
        call,
        "Nothing was written: edits are staged here, and written when they are resolved.\n"
        f"{edit_text(plan)}{warned}{replaced}"
        f'Apply: call `resolve` with action "apply" and target "{plan.action_id}", or run: '
        f"astedit resolve apply {plan.action_id} --reason TEXT --root {one_line(root)}\n"
        "Or go on: a later edit is made on top of this one, and gives one plan with a new id. "
        "Until then files read as they were.",
    )


def _hidden(content: bytes | None) -> int:
    return hidden((content or b"").replace(b"\r\n", b"\n").decode("utf-8", "replace"))


def _offered(call: HookCall, session: Any, files: Mapping[str, Any]) -> Said:
    """Says of the third edit alike how many more places have that text."""
    from astedit.producers.token_changes import token_changes

    for path, (before, after) in files.items():
        if before is None or after is None:
            continue
        for start, end, new in token_changes(path, before, after):
            gone, come = before[start:end], new
            tokens = [_OF_TOKENS.findall(each.decode("utf-8", "replace")) for each in (gone, come)]
            mark = sha256(json.dumps(tokens).encode()).hexdigest()[:16]
            if tokens[0] and session.count(mark) == _THIRD:
                text = _third(session.workspace, gone.strip(), path, after)
                out = call.client.notice(text)
                return Said(out, "" if out else text)
    return Said()


def _third(workspace: Workspace, gone: bytes, path: str, after: bytes) -> str:
    count = sum(_counts(workspace, gone, path, after))
    shown = one_line(gone.decode("utf-8", "replace"))
    shown = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"
    return (
        f"This is the third edit alike. The removed text stands in {number(count, 'more place')}: "
        f"`ast_edit` changes them in one plan. The text, quoted from a file:\n| {shown}"
    )


def _counts(workspace: Workspace, gone: bytes, path: str, after: bytes) -> Iterator[int]:
    """How often whole words stand in each file of the tree, while there is time."""
    from astedit.discover.discover import discover

    words = re.compile(rb"(?<!\w)%s(?!\w)" % re.escape(gone))
    deadline = Deadline(_SECONDS)
    with suppress(LimitError):
        for name in discover(workspace, ["."], deadline=deadline).files:
            deadline.check()
            with suppress(OSError):
                content = after if name == path else workspace.read(name, MAX_FILE_SIZE)[0]
                yield len(words.findall(content)) if gone in content else 0


def _failure(error: AstEditError) -> str:
    """What a model reads of an edit that does not fit, or that no plan may make."""
    texts = {
        "protected": "A person edits it, or stages a patch: astedit stage --allow-protected",
        "breaks_syntax": "Make the whole change in one call, so that the file parses after it.",
    }
    way = texts.get(error.code) or error.hint
    message = error.message
    if error.code == "breaks_syntax":
        path = one_line(error.path or "the file")
        message = f"With this edit {path} would not parse any more."
    return f"Nothing was written or staged. {message}" + (f"\nnext: {way}" if way else "")


def _denied(call: HookCall, text: str) -> Said:
    return Said(call.client.denial(text))


def _existing(directory: str) -> str:
    """The working directory of a call; one that is not there is where nothing can be edited."""
    if "\0" in directory or not os.path.isdir(directory):
        raise RequestError(f"The working directory {directory!r} of the call is none.")
    return directory


def _first(call: Mapping[str, Any], names: tuple[str, ...], usual: Any) -> Any:
    return next((call[name] for name in names if call.get(name) is not None), usual)


def _texts(value: object) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


EXPECTED = (AstEditError, ToolError, StoreError, OSError)  # what a call without an answer raises
