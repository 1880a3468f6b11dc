"""What a hook answers to a call: nothing, a word beside it, or a denial with the preview.

What it reads was written by a model, about files that anybody may have written: in the answer
every line of theirs begins with `|`, as in all that agents read from us.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from astedit.agents.kit.rows import Client, ClientTool, HookMode, caller, unknown_fields
from astedit.errors import AstEditError, LimitError, OutsideRootError, RequestError
from astedit.hook.apply_patch import in_shell
from astedit.limits import MAX_FILE_SIZE, Deadline
from astedit.text import clipped, number
from astedit.workspace.root import Workspace, find_root, path_below, project_above
from resolve.visible import hidden, one_line

if TYPE_CHECKING:
    from astedit.hook.edits import ChangedFiles
    from astedit.hook.staged import ClientSession

_SESSION = ("session_id", "sessionId", "conversation_id", "sessionID")
_TOOL = ("tool_name", "toolName", "tool")
_INPUT = ("tool_input", "toolArgs", "args")
_ID = ("tool_use_id", "toolUseId", "callID")
_THIRD = 3  # edits alike, before it is said
_SHOWN = 80  # characters of a text in a sentence
_SECONDS = 1.5  # for counting where a text stands
_PATCH = {"does": "patch", "patch": "patch"}
_OF_TOKENS = re.compile(r"\w+|[^\w\s]")
_WRITES = """\
This command writes files ({}). Change them with your edit tools, which are staged, or with \
`ast_edit` and `rename`; stage what a program writes with `astedit capture -- COMMAND`; then call \
`resolve`. This hook sees edit tools, and shell commands that write in ways it knows. It does not \
see what a script, a compiler or a program of one's own writes."""
_NEXT = {  # by the code of what went wrong; else its own hint
    "protected": "A person edits it, or stages a patch: astedit stage --patch FILE "
    "--allow-protected",
    "breaks_syntax": "Make the whole change in one call, so that the file parses after it. If the "
    "code is right, and only this grammar does not know it, ask a person to write it.",
}


class HookReply(NamedTuple):
    """What goes to standard output, and to standard error."""

    out: str = ""
    err: str = ""


@dataclass(slots=True)
class HookCall:
    """One call, read: whose it is, what it wants, and where; and the mode of the hook."""

    mode: HookMode
    client: Client
    tool: str
    values: Mapping[str, Any]
    directory: str
    roots: Sequence[str]  # of the project, where the client says them
    session: str
    id: str = ""
    beside: str = ""  # ends each denial

    @classmethod
    def of(cls, name: str, mode: HookMode, text: bytes) -> "HookCall":
        """Reads a call; raises `RequestError` for what is none."""
        call = _object(text, "The call")
        values, tool = _first(call, _INPUT, {}), _first(call, _TOOL, None)
        if isinstance(values, str):  # Copilot sends a text of it
            values = _object(values, "The call's tool input")
        if not isinstance(tool, str) or not isinstance(values, dict):
            raise RequestError("The call names no tool, or its input is not an object.")
        several = call.get("workspace_roots")
        project = os.environ.get("CLAUDE_PROJECT_DIR")  # which Gemini CLI and Cursor set, too
        places = [project, *(several if isinstance(several, list) else ())]
        roots = [root for root in places if isinstance(root, str) and os.path.isdir(root)]
        places = [call.get("cwd"), *roots, os.getcwd()]
        directory = next(place for place in places if isinstance(place, str) and place)
        session, mark = str(_first(call, _SESSION, "")), str(_first(call, _ID, ""))
        return cls(mode, caller(name, call), tool, values, directory, roots, session, mark)

    @property
    def key(self) -> str:
        """By what the same call is known again: its id, else what it wants.

        A hook that lets through does not answer for one that stages, where a user has one and
        the project the other.
        """
        wanted = json.dumps(sorted(map(repr, self.values.items()))).encode()
        does = "offer" if self.mode == "offer" else "stage"
        return f"{does} id {self.id}" if self.id else f"{does} {sha256(wanted).hexdigest()[:24]}"

    def denied(self, text: str) -> HookReply:
        """Tells the model why the call is denied."""
        return HookReply(self.client.answer("deny", f"{text}{self.beside}"))


def answer(
    name: str, mode: HookMode, text: bytes, root: str | None = None, state: str | None = None
) -> HookReply:
    """Answers the call of the hook of a client.

    `root` and `state` are as on the command line; without them both follow from where the call
    says that it is. Raises `AstEditError` or `resolve.ToolError` where there is no answer.
    """
    call = HookCall.of(name, mode, text)
    tool, values, closed = call.client.tools.get(call.tool), call.values, mode == "require"
    if tool is None:
        if not closed or call.client.passes(call.tool):
            return HookReply()
        shown = one_line(call.tool)[:_SHOWN]
        return call.denied(f"`{shown}` is no tool that is known here to write no file.")
    unknown = unknown_fields(tool, values)
    if unknown and closed:
        field = one_line(unknown[0])[:_SHOWN]
        return call.denied(f"`{call.tool}` has a field that is not known here: {field}.")
    if tool["does"] == "shell":
        command = values.get(tool["command"])
        run = in_shell(command) if isinstance(command, str) else None
        if run is None:
            return _of_shell(call, command) if closed else HookReply()
        patch, place, has_more = run
        within = str(values.get(tool.get("directory", "")) or "")
        call.directory = os.path.join(call.directory, within, place)
        call.beside = "\nThe other commands of this call were not run." * has_more
        tool, values = _PATCH, {"patch": patch}
    elif unknown:
        return HookReply(err=f"let through: `{call.tool}` has fields that are not known here.")
    elif values.get(tool.get("command", "")) == "view":
        return HookReply()
    if not os.path.isdir(call.directory):
        raise RequestError(f"The working directory {call.directory!r} of the call is none.")
    from astedit.hook.staged import client_session

    root = root or _root(call, values.get(tool.get("path", "")))
    with client_session(root, state, call.client.name, call.session) as session:
        make = partial(_of_edit, call, session, tool, values)
        reply = HookReply(*session.once(call.key, make, call.id))
        return make() if closed and not reply.out else reply  # `stage` has let it through


def _root(call: HookCall, path: object) -> str:
    """The project's root: the one that has the file, of those that the client says.

    Where it says none it is above the working directory, or else above the file.
    """
    above = os.path.dirname(path) if isinstance(path, str) and path.isprintable() else ""
    home = os.path.realpath(os.path.join(call.directory, above))
    roots = [find_root(root, []) for root in call.roots]
    others = filter(None, map(project_above, (os.path.realpath(call.directory), home)))
    usual = (*roots, find_root(call.directory, []))[0]
    return next((root for root in roots or others if path_below(root, home)), usual)


def _of_shell(call: HookCall, command: object) -> HookReply:
    from astedit.hook.shell import writes

    if not isinstance(command, str):
        return call.denied("The call has no command.")
    why = writes(command, powershell=call.tool.lower() == "powershell")
    return HookReply() if why is None else call.denied(_WRITES.format(why))


def _of_edit(
    call: HookCall, session: "ClientSession", tool: ClientTool, values: Mapping[str, Any]
) -> HookReply:
    from astedit.hook.edits import ChangedFiles

    offers = call.mode == "offer"
    place = partial(session.place, directory=call.directory)
    changes = ChangedFiles(place, session.disk if offers else session.content, session.disk)
    try:
        changes.take(tool, values)
        return (_offered if offers else _staged)(call, session, changes)
    except OutsideRootError as error:
        if call.mode != "require":
            return HookReply(err=f"let through: {error.message}")
        return call.denied(f"{error.message} Only files below the root may be edited.")
    except AstEditError as error:  # also a budget that ran out: it cannot be shown
        if error.code == "late":
            raise
        if offers:
            return HookReply()  # the client's own tool says what is wrong
        message, way = error.message, _NEXT.get(error.code) or error.hint
        if error.code == "breaks_syntax":
            file, why = one_line(error.path or "the file"), message.partition("\n")[2]
            message = f"With this edit {file} would not parse any more:\n{why}"
        following = f"\nnext: {way}" if way else ""
        return call.denied(f"Nothing was written or staged. {message}{following}")


def _staged(call: HookCall, session: "ClientSession", changes: "ChangedFiles") -> HookReply:
    from astedit.agents.text.plan import edit_text

    if not (files := changes.changed):
        return call.denied("No changes to make: the files hold this already.")
    earlier = session.pending
    plan = session.stage({path: after for path, (_, after) in files.items()}, call.client.name)
    if plan is None:
        return call.denied("This edit takes back the earlier ones: nothing is staged any more.")
    texts = ([(text or b"").replace(b"\r\n", b"\n") for text in both] for both in files.values())
    counts = ([hidden(text.decode("utf-8", "replace")) for text in both] for both in texts)
    hiding = sum(after - before for before, after in counts)
    warned = f"Hidden characters in the new text, shown as escapes: {hiding:,}.\n" * (hiding > 0)
    replaced = f"It holds the earlier edits too, in the place of {earlier.id}.\n" if earlier else ""
    if changes.replaced:
        replaced += f"But it replaces earlier edits of the same lines of {changes.replaced}.\n"
    return call.denied(
        "Nothing was written: edits are staged here, and written when they are resolved.\n"
        f"{edit_text(plan)}{warned}{replaced}"
        f'Apply: call `resolve` with action "apply" and target "{plan.action_id}", or run: '
        f"astedit resolve apply {plan.action_id} --reason TEXT "
        f"--root {one_line(session.workspace.root)}\n"
        "Or go on: a later edit is made on top of this one, and gives one plan with a new id. "
        "Until then files read as they were."
    )


def _offered(call: HookCall, session: "ClientSession", changes: "ChangedFiles") -> HookReply:
    """Says of the third edit alike how many more places have that text."""
    from astedit.producers.token_changes import token_changes

    for path, (before, after) in changes.changed.items():
        if before is None or after is None:
            continue
        for start, end, new in token_changes(path, before, after):
            both = [text.decode("utf-8", "replace") for text in (before[start:end], new)]
            tokens = [_OF_TOKENS.findall(text) for text in both]
            mark = sha256(json.dumps(tokens).encode()).hexdigest()[:16]
            if not tokens[0] or session.count(mark) != _THIRD:
                continue
            count = sum(_counts(session.workspace, before[start:end].strip(), {path: after}))
            if not count:
                continue
            text = (
                f"This is the third edit alike. The removed text stands in "
                f"{number(count, 'more place')}: `ast_edit` changes them in one plan. "
                f"The text, quoted from a file:\n| {clipped(one_line(both[0].strip()), _SHOWN)}"
            )
            notice = call.client.answer("note", text)
            return HookReply(notice, "" if notice else text)
    return HookReply()


def _counts(workspace: Workspace, gone: bytes, after: Mapping[str, bytes]) -> Iterator[int]:
    """How often whole words stand in each file of the tree, while there is time."""
    from astedit.discover.discover import discover

    words = re.compile(rb"(?<!\w)%s(?!\w)" % re.escape(gone))
    deadline = Deadline(_SECONDS)
    with suppress(LimitError):
        for name in discover(workspace, ["."], deadline=deadline).files:
            deadline.check()
            with suppress(OSError):
                content = after[name] if name in after else workspace.read(name, MAX_FILE_SIZE)[0]
                yield len(words.findall(content)) if gone in content else 0


def _object(text: bytes | str, what: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RequestError(f"{what} is not JSON: {error}.") from error
    if not isinstance(value, dict):
        raise RequestError(f"{what} is no JSON object.")
    return value


def _first(call: Mapping[str, Any], names: tuple[str, ...], usual: Any) -> Any:
    return next((call[name] for name in names if call.get(name) is not None), usual)
