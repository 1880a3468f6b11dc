"""Findings as the protocol has them: positions, diagnostics, code actions."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from lsprotocol import types

from astedit.language import Row
from astedit.language.traits import traits
from astedit.lsp.folder import RuleFolder, RuleProblem
from astedit.testing.baseline import FoundJson

_BREAK = re.compile(rb"\r\n|\n|\r")
_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "info": types.DiagnosticSeverity.Information,
    "hint": types.DiagnosticSeverity.Hint,
}
_TAGS = {
    "unnecessary": types.DiagnosticTag.Unnecessary,
    "deprecated": types.DiagnosticTag.Deprecated,
}
SOURCE = "astedit"
FIX_ALL = "source.fixAll.astedit"
EVERYWHERE = "astedit.everywhere"


class TextPositions:
    """Offsets of a text in UTF-8, and the client's positions in it."""

    def __init__(self, text: bytes, encoding: str) -> None:
        self.text = text
        self._encoding = encoding
        self._starts = [0, *(found.end() for found in _BREAK.finditer(text))]

    def position(self, offset: int) -> types.Position:
        """Where an offset is; one behind the end is the end."""
        offset = min(max(offset, 0), len(self.text))
        line = bisect_right(self._starts, offset) - 1
        before = self.text[self._starts[line] : offset]
        return types.Position(line, self._units(before))

    def _units(self, text: bytes) -> int:
        if self._encoding == "utf-8" or text.isascii():
            return len(text)
        decoded = text.decode("utf-8", "replace")
        if self._encoding == "utf-32":
            return len(decoded)
        return len(decoded.encode("utf-16-le", "surrogatepass")) // 2

    def range(self, start: int, end: int) -> types.Range:
        """From one offset to another."""
        return types.Range(self.position(start), self.position(end))

    def line(self, number: int) -> types.Range:
        """A whole line; the last one for a number behind the end."""
        number = min(max(number, 0), len(self._starts) - 1)
        after = [*self._starts, len(self.text) + 1][number + 1]
        text = self.text[self._starts[number] : after].rstrip(b"\r\n")
        return self.range(self._starts[number], self._starts[number] + len(text))

    def start_of_line(self, number: int) -> int:
        """The offset at which a line begins."""
        return self._starts[min(max(number, 0), len(self._starts) - 1)]


def _span(found: FoundJson) -> tuple[int, int]:
    offsets = found["range"]["byteOffset"]
    return offsets["start"], offsets["end"]


def diagnostic(found: FoundJson, positions: TextPositions, uri: str) -> types.Diagnostic:
    """A finding as a diagnostic."""
    note = found.get("note")
    message = found["message"] or found["ruleId"]
    url = found.get("url", "")
    related = [
        types.DiagnosticRelatedInformation(
            types.Location(uri, positions.range(*_span(label))), label["message"]
        )
        for label in found.get("labels", ())
        if label.get("message")
    ]
    return types.Diagnostic(
        range=positions.range(*_span(found)),
        message=f"{message}\n{note.strip()}" if note else message,
        severity=_SEVERITIES[found["severity"]],
        code=found["ruleId"],
        code_description=types.CodeDescription(url)
        if url.startswith(("https://", "http://"))
        else None,
        source=SOURCE,
        tags=list(_tags(found)) or None,
        related_information=related or None,
    )


def _tags(found: FoundJson) -> Iterator[types.DiagnosticTag]:
    metadata = found.get("metadata") or {}
    listed = metadata.get("tags")
    names = listed if isinstance(listed, list) else [listed]
    for name, tag in _TAGS.items():
        if (
            name in names
            or metadata.get(name) is True
            or (name == "unnecessary" and found["ruleId"] == "unused-suppression")
        ):
            yield tag


def problem(wrong: RuleProblem, positions: TextPositions) -> types.Diagnostic:
    """What is wrong with a rule file, at its line."""
    return types.Diagnostic(
        range=positions.line(wrong.line),
        message=wrong.message,
        severity=types.DiagnosticSeverity.Error,
        source=SOURCE,
        code="bad-rule",
    )


class DocumentActions:
    """The code actions of one text of one document."""

    def __init__(
        self,
        folder: RuleFolder,
        path: str,
        uri: str,
        version: int | None,
        positions: TextPositions,
        capabilities: types.ClientCapabilities,
    ) -> None:
        self._folder, self._path, self._uri, self._version = folder, path, uri, version
        self._positions = positions
        document = capabilities.text_document
        actions = document.code_action if document is not None else None
        resolve = actions.resolve_support if actions is not None else None
        self.lazy = bool(
            actions is not None
            and actions.data_support
            and resolve is not None
            and "edit" in resolve.properties
        )
        self._disabled = bool(actions is not None and actions.disabled_support)
        edits = capabilities.workspace.workspace_edit if capabilities.workspace else None
        self._versioned = bool(edits is not None and edits.document_changes)

    def all(
        self, findings: Iterable[FoundJson], where: types.Range, only: Sequence[str] | None
    ) -> Iterator[types.CodeAction]:
        """Those for what touches a range, of the kinds that the client asks for."""
        touching = [found for found in findings if self._touches(found, where)]
        if _wants(only, "quickfix"):
            for found in touching:
                yield from self._fixes(found)
            for rule in dict.fromkeys(found["ruleId"] for found in touching):
                yield from self._of_rule(rule, [f for f in touching if f["ruleId"] == rule])
        if _wants(only, FIX_ALL) and (only or touching):
            title = "Fix all that astedit finds in this file"
            yield self._later(title, None, FIX_ALL)

    def _touches(self, found: FoundJson, where: types.Range) -> bool:
        start, end = map(self._positions.position, _span(found))
        low, high = (where.start.line, where.start.character), (where.end.line, where.end.character)
        return (start.line, start.character) <= high and low <= (end.line, end.character)

    def _fixes(self, found: FoundJson) -> Iterator[types.CodeAction]:
        listed = found.get("fixes") or ([found] if "replacement" in found else [])
        shown = [] if found["ruleId"] in self._folder.quiet else [self._diagnostic(found)]
        reason = found.get("blocked", {}).get("reason")
        for fix in listed:
            title = fix.get("title") or f"Fix: {found['message'] or found['ruleId']}"
            action = types.CodeAction(title, kind=types.CodeActionKind.QuickFix, diagnostics=shown)
            if reason is not None:
                action.disabled = types.CodeActionDisabled(f"The fix is blocked: {reason}.")
                if self._disabled:
                    yield action
                continue
            action.is_preferred = fix is listed[0]
            offsets = fix["replacementOffsets"]
            text = fix["replacement"].encode("utf-8", "replace")
            action.edit = self._edit([(offsets["start"], offsets["end"], text)])
            yield action

    def _diagnostic(self, found: FoundJson) -> types.Diagnostic:
        return diagnostic(found, self._positions, self._uri)

    def _of_rule(self, rule: str, touching: Sequence[FoundJson]) -> Iterator[types.CodeAction]:
        if rule not in self._folder.rules:
            return
        if any("replacement" in found for found in touching):
            quick = types.CodeActionKind.QuickFix
            yield self._later(f"Fix all of {rule} in this file", rule, quick)
            title = f"Fix {rule} everywhere, as a plan"
            command = types.Command(
                title, EVERYWHERE, arguments=[{"ruleId": rule, "root": self._folder.root}]
            )
            yield types.CodeAction(title, kind=quick, command=command)
        if rule in self._folder.quiet:
            return
        row = self._folder.language(self._path)
        for title, edit in self._ignoring(rule, touching[0], row):
            yield types.CodeAction(title, kind=types.CodeActionKind.QuickFix, edit=edit)

    def _ignoring(
        self, rule: str, found: FoundJson, row: Row | None
    ) -> Iterator[tuple[str, types.WorkspaceEdit]]:
        marks = traits(row.name).facts.comments if row is not None else ()
        if not marks:
            return
        mark = marks[0].decode()
        close = {"/*": " */", "<!--": " -->", "{#": " #}"}.get(mark, "")
        comment = f"{mark} ast-grep-ignore: {rule}{close}"
        start, _ = _span(found)
        at = self._positions.start_of_line(self._positions.position(start).line)
        line = self._positions.text[at:start]
        indent = line[: len(line) - len(line.lstrip())]
        text = indent + comment.encode() + b"\n"
        yield f"Ignore {rule} on this line", self._edit([(at, at, text)])
        if not self._positions.text.startswith((b"#!", b"\xef\xbb\xbf", b"<?")):
            yield f"Ignore {rule} in this file", self._edit([(0, 0, f"{comment}\n\n".encode())])

    def _later(
        self, title: str, rule: str | None, kind: types.CodeActionKind | str
    ) -> types.CodeAction:
        data = {"uri": self._uri, "version": self._version, "rule": rule}
        action = types.CodeAction(title, kind=kind, data=data)
        return action if self.lazy else self.resolved(action)

    def resolved(self, action: types.CodeAction) -> types.CodeAction:
        """The action with its edit, for the text of now."""
        rule = action.data.get("rule") if isinstance(action.data, dict) else None
        action.edit = self._edit(self._folder.fixed(self._path, self._positions.text, rule))
        return action

    def _edit(self, changes: Sequence[tuple[int, int, bytes]]) -> types.WorkspaceEdit:
        edits = [
            types.TextEdit(self._positions.range(start, end), new.decode("utf-8", "replace"))
            for start, end, new in changes
        ]
        if not self._versioned:
            return types.WorkspaceEdit(changes={self._uri: edits})
        document = types.OptionalVersionedTextDocumentIdentifier(self._uri, self._version)
        return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(document, edits)])


def _wants(only: Sequence[Any] | None, kind: str) -> bool:
    """Whether a client that asks for these kinds wants this one: `source` includes `source.x`."""
    texts = [str(getattr(one, "value", one)) for one in only or ()]
    return not texts or any(kind == text or kind.startswith(f"{text}.") for text in texts)
