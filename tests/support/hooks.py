"""Calls of agents' edit tools, as each client's documentation records them, and the hook run."""

import io
import json
from dataclasses import dataclass
from typing import Any

import pytest

from tests.support.project import Outcome, Project

# Client, and by our words what it calls the tool and its input; None where it has no such tool.
EDIT = {
    "claude": ("Edit", "file_path", "old_string", "new_string", "replace_all"),
    "gemini": ("replace", "file_path", "old_string", "new_string", "allow_multiple"),
    "copilot": ("edit", "path", "old_str", "new_str", ""),
    "opencode": ("edit", "filePath", "oldString", "newString", "replaceAll"),
}
WRITE = {
    "claude": ("Write", "file_path", "content"),
    "cursor": ("Write", "file_path", "content"),
    "gemini": ("write_file", "file_path", "content"),
    "copilot": ("create", "path", "file_text"),
    "opencode": ("write", "filePath", "content"),
}
PATCH = {"codex": ("apply_patch", "command"), "opencode": ("apply_patch", "patchText")}
SHELL = {
    "claude": "Bash",
    "codex": "Bash",
    "cursor": "Shell",
    "gemini": "run_shell_command",
    "copilot": "bash",
    "opencode": "bash",
}


def payload(client: str, root: str, tool: str, given: Any, session: str, mark: str) -> Any:
    """What a client sends before a tool runs."""
    claude = {
        "session_id": session,
        "transcript_path": "/transcripts/t.jsonl",
        "cwd": root,
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": tool,
        "tool_input": given,
        "tool_use_id": mark,
    }
    match client:
        case "codex":
            return claude | {"turn_id": "t", "model": "m", "transcript_path": None}
        case "cursor":
            return {
                "conversation_id": session,
                "generation_id": "g",
                "model": "m",
                "hook_event_name": "preToolUse",
                "cursor_version": "2.0.0",
                "workspace_roots": [root],
                "user_email": None,
                "transcript_path": None,
                "tool_name": tool,
                "tool_input": given,
                "tool_use_id": mark,
                "cwd": root,
            }
        case "gemini":
            own = {"hook_event_name": "BeforeTool", "timestamp": "2026-11-24T10:00:00Z"}
            return {key: claude[key] for key in claude if key != "tool_use_id"} | own
        case "copilot":
            arguments = json.dumps(given)
            own = {"sessionId": session, "timestamp": 1_764_000_000_000, "cwd": root}
            return own | {"toolName": tool, "toolArgs": arguments}
        case "opencode":
            own = {"tool": tool, "sessionID": session, "callID": mark}
            return own | {"args": given, "cwd": root}
        case _:
            return claude


def reason(client: str, out: str) -> str:
    """The text of a denial, in exactly the form that the client reads; fails for another."""
    answer = json.loads(out)
    match client:
        case "claude" | "codex":
            inner = answer.pop("hookSpecificOutput")
            assert answer == {} and inner.pop("hookEventName") == "PreToolUse"
            assert inner.pop("permissionDecision") == "deny"
            text = inner.pop("permissionDecisionReason")
            assert inner == {}
        case "cursor":
            text = answer["user_message"]
            assert answer == {"permission": "deny", "user_message": text, "agent_message": text}
        case "gemini":
            text = answer["reason"]
            assert answer == {"decision": "deny", "reason": text}
        case "copilot":
            text = answer["permissionDecisionReason"]
            assert answer == {"permissionDecision": "deny", "permissionDecisionReason": text}
        case _:
            text = answer["deny"]
            assert answer == {"deny": text}
    assert isinstance(text, str)
    return text


@dataclass
class Hook:
    """A client's session in a project: its calls, answered in this process."""

    project: Project
    patch: pytest.MonkeyPatch
    client: str = "claude"
    mode: str = "stage"
    session: str = "s1"
    calls: int = 0

    def send(self, text: bytes) -> Outcome:
        """Answers these bytes."""
        self.patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text)))
        return self.project("hook", self.client, "--mode", self.mode)

    def call(self, tool: str, given: Any, mark: str | None = None, **beside: Any) -> Outcome:
        """Answers a call of a tool."""
        self.calls += 1
        mark = mark or f"t{self.calls}"
        root = str(self.project.root)
        sent = payload(self.client, root, tool, given, self.session, mark) | beside
        return self.send(json.dumps(sent).encode())

    def denied(self, tool: str, given: Any, **more: Any) -> str:
        """The reason of a call that has to be denied."""
        outcome = self.call(tool, given, **more)
        assert outcome.code == 0, outcome.err
        return reason(self.client, outcome.text)

    def passes(self, tool: str, given: Any, **more: Any) -> str:
        """What is said beside a call that has to be let through, on standard error."""
        outcome = self.call(tool, given, **more)
        assert (outcome.code, outcome.out) == (0, b""), (outcome.out, outcome.err)
        return outcome.err

    def edit(self, path: str, old: str, new: str, **more: Any) -> str:
        """The reason of the denial of an edit."""
        tool, place, before, after, _ = EDIT[self.client]
        full = str(self.project.root / path)
        return self.denied(tool, {place: full, before: old, after: new}, **more)

    def write(self, path: str, content: str) -> str:
        """The reason of the denial of a write."""
        tool, place, text = WRITE[self.client]
        return self.denied(tool, {place: str(self.project.root / path), text: content})

    @property
    def pending(self) -> list[str]:
        """The ids of what waits."""
        return [each["id"] for each in self.project("pending", "--json").json]

    def apply(self) -> Outcome:
        """Applies the one plan that waits."""
        (action,) = self.pending
        return self.project("resolve", "apply", action, "--reason", "read")
