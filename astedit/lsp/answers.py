"""Texts and findings as the protocol has them: positions, diagnostics, code actions."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidRequest, JsonRpcServerNotInitialized
from pygls.protocol import LanguageServerProtocol

from astedit.language import load
from astedit.language.traits import traits
from astedit.lsp.folder import RuleFolder, RuleProblem
from astedit.testing.baseline import FoundJson, span_of
from astedit.text.source import LINE_BREAK, Change, UnitPlaces

_LEVELS = ("error", "warning", "info", "hint")
_SEVERITIES = dict(zip(_LEVELS, types.DiagnosticSeverity, strict=True))
_TAGS = {tag.name.lower(): tag for tag in types.DiagnosticTag}
_CLOSING = {"/*": " */", "<!--": " -->", "{#": " #}"}  # what ends a comment that begins so
_FIRST = re.compile(rb"#!|<\?|\xef\xbb\xbf|.*coding[:=]")  # what must stay at the very beginning
_QUICK = types.CodeActionKind.QuickFix
SOURCE = "astedit"
FIX_ALL = "source.fixAll.astedit"
EVERYWHERE = "astedit.everywhere"


class AnsweringProtocol(LanguageServerProtocol):
    """Answers what pygls only logs, while the client waits: a request that cannot be read, or
    that comes before the server is initialized, or after the end."""

    def handle_message(self, message: Any) -> None:
        method = getattr(message, "method", types.EXIT)  # of an answer to us, too
        refused: JsonRpcException | None = None
        if self._shutdown:
            refused = JsonRpcInvalidRequest("The server has been told to end.")
        elif self._workspace is None and method != types.INITIALIZE:
            refused = JsonRpcServerNotInitialized()
        elif self._workspace is not None and method == types.INITIALIZE:
            refused = JsonRpcInvalidRequest("The server is initialized already.")
        if refused is None or method == types.EXIT:
            super().handle_message(message)
        elif hasattr(message, "id"):
            self._send_response(message.id, error=refused.to_response_error())

    def structure_message(self, data: dict[str, Any]) -> Any:
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if "jsonrpc" in data and data.keys() >= {"id", "method"}:
                self._send_response(data["id"], error=error.to_response_error())
            raise


class EditorText:
    """A document at one moment. Positions that do not exist are the nearest ones that do."""

    def __init__(self, uri: str, version: int | None, content: bytes, encoding: str) -> None:
        self.uri, self.version, self.content, self._encoding = uri, version, content, encoding
        self._places = UnitPlaces(content, encoding)

    def changed(
        self, changes: Iterable[types.TextDocumentContentChangeEvent], version: int | None
    ) -> "EditorText":
        """The text after the client's changes, each of which is about the one before it."""
        text = self
        for change in changes:
            content = change.text.encode("utf-8", "replace")  # half a pair is one unit, as "?" is
            if isinstance(change, types.TextDocumentContentChangePartial):
                start, end = map(text.offset, (change.range.start, change.range.end))
                old = text.content
                content = b"".join((old[:start], content, old[max(start, end) :]))
            text = EditorText(self.uri, version, content, self._encoding)
        return text

    def offset(self, position: types.Position) -> int:
        """The offset of a position; inside of a character it is where that begins."""
        return self._places.offset(position.line, position.character)

    def position(self, offset: int) -> types.Position:
        """Where an offset is; one behind the end is the end."""
        return types.Position(*self._places.position(offset))

    def range(self, start: int, end: int) -> types.Range:
        """From one offset to another."""
        return types.Range(self.position(start), self.position(end))


class EditorClient(NamedTuple):
    """What the client can do: how it counts columns, and what it understands."""

    encoding: str
    pulls: bool  # it asks for diagnostics, so that none are sent
    resolves: bool  # it asks for the edits of a code action when it needs them
    shows_disabled: bool
    takes_versions: bool  # edits say of which version of a document they are


class OpenFile(NamedTuple):
    """A text of the editor in its folder; `path` is below the root of that."""

    folder: RuleFolder
    path: str
    text: EditorText


def diagnostic(found: FoundJson, text: EditorText) -> types.Diagnostic:
    """A finding as a diagnostic."""
    message, note, url = found["message"] or found["ruleId"], found.get("note"), found.get("url")
    is_link = (url or "").startswith(("https://", "http://"))
    related = [
        types.DiagnosticRelatedInformation(
            types.Location(text.uri, text.range(*span_of(label))), label["message"]
        )
        for label in found.get("labels", ())
        if label.get("message")
    ]
    return types.Diagnostic(
        range=text.range(*span_of(found)),
        message=f"{message}\n{note.strip()}" if note else message,
        severity=_SEVERITIES[found["severity"]],
        code=found["ruleId"],
        code_description=types.CodeDescription(url) if url and is_link else None,
        source=SOURCE,
        tags=_tags(found) or None,
        related_information=related or None,
    )


def notes(
    findings: Iterable[FoundJson], text: EditorText, where: types.Position
) -> types.Hover | None:
    """What the rules say at length about what they find at a position."""
    at = text.offset(where)
    around = [found for found in findings if span_of(found)[0] <= at <= span_of(found)[1]]
    told = dict.fromkeys(found["note"].strip() for found in around if found.get("note"))
    content = types.MarkupContent(types.MarkupKind.Markdown, "\n\n".join(told))
    return types.Hover(content) if told else None


def _tags(found: FoundJson) -> list[types.DiagnosticTag]:
    metadata = found.get("metadata") or {}
    tags = metadata.get("tags")
    names = {name for name in _TAGS if name == tags or metadata.get(name) is True}
    names |= {name for name in _TAGS if isinstance(tags, list) and name in tags}
    names |= {"unnecessary"} if found["ruleId"] == "unused-suppression" else set()
    return [tag for name, tag in _TAGS.items() if name in names]


def problem(wrong: RuleProblem) -> types.Diagnostic:
    """What is wrong with a rule file, at its line."""
    error = types.DiagnosticSeverity.Error
    where = types.Range(types.Position(wrong.line, 0), types.Position(wrong.line + 1, 0))
    return types.Diagnostic(where, wrong.message, severity=error, source=SOURCE, code="bad-rule")


class CodeActions:
    """The code actions of one text."""

    def __init__(self, file: OpenFile, client: EditorClient) -> None:
        self._folder, self._path, self._text = file
        self._client = client

    def around(
        self, findings: Iterable[FoundJson], where: types.Range, only: Sequence[Any] | None
    ) -> Iterator[types.CodeAction]:
        """Those for what touches a range, of the kinds that the client asks for."""
        low, high = self._text.offset(where.start), self._text.offset(where.end)
        spans = [(found, *span_of(found)) for found in findings]
        touching = [found for found, start, end in spans if start <= high and low <= end]
        if _wants(only, "quickfix"):
            for found in touching:
                yield from self._fixes(found)
            for rule in dict.fromkeys(found["ruleId"] for found in touching):
                yield from self._of_rule(rule, [f for f in touching if f["ruleId"] == rule])
        if _wants(only, FIX_ALL) and (only or touching):
            yield self._later("Fix all that astedit finds in this file", None, FIX_ALL)

    def _fixes(self, found: FoundJson) -> Iterator[types.CodeAction]:
        about = [] if found["ruleId"] in self._folder.quiet else [diagnostic(found, self._text)]
        reason = found.get("blocked", {}).get("reason")
        fixes = found.get("fixes") or ([found] if "replacement" in found else [])
        for fix in fixes:
            title = fix.get("title") or f"Fix: {found['message'] or found['ruleId']}"
            action = types.CodeAction(title, kind=_QUICK, diagnostics=about)
            if reason is None:
                offsets, text = fix["replacementOffsets"], fix["replacement"]
                change = offsets["start"], offsets["end"], text.encode("utf-8", "replace")
                action.is_preferred = fix is fixes[0]
                action.edit = self._edit([change])
                yield action
            elif self._client.shows_disabled:
                action.disabled = types.CodeActionDisabled(f"The fix is blocked: {reason}.")
                yield action

    def _of_rule(self, rule: str, touching: Sequence[FoundJson]) -> Iterator[types.CodeAction]:
        """What is offered once for a rule: its fix in the file and everywhere, silence."""
        if rule not in self._folder.rules:
            return
        if any("replacement" in found for found in touching):
            yield self._later(f"Fix all of {rule} in this file", rule, _QUICK)
            title = f"Fix {rule} everywhere, as a plan"
            arguments = [{"ruleId": rule, "root": self._folder.root}]
            command = types.Command(title, EVERYWHERE, arguments=arguments)
            yield types.CodeAction(title, kind=_QUICK, command=command)
        if rule not in self._folder.quiet:
            for title, at, comment in self._comments(rule, touching[0]):
                yield types.CodeAction(title, kind=_QUICK, edit=self._edit([(at, at, comment)]))

    def _comments(self, rule: str, found: FoundJson) -> Iterator[tuple[str, int, bytes]]:
        """The comments that silence a rule: what they do, where they go, and their text."""
        row = self._folder.language(self._path)
        facts = traits(row.name).facts if row is not None else None
        if row is None or facts is None or not (marks := facts.comments) or facts.lax_comments:
            return
        mark, content = marks[0].decode(), self._text.content
        comment = f"{mark} ast-grep-ignore: {rule}{_CLOSING.get(mark, '')}".encode()
        start, _ = span_of(found)
        at = max(content.rfind(b"\n", 0, start), content.rfind(b"\r", 0, start)) + 1
        line, broken = content[at:start], LINE_BREAK.search(content)
        indent, end = line[: len(line) - len(line.lstrip())], broken[0] if broken else b"\n"
        places = [("on this line", at, indent + comment + end)]
        for where, place, text in (*places, ("in this file", 0, comment + end + end)):
            old, new = content[:place], content[:place] + text + content[place:]
            scans = (self._folder.findings(self._path, some) for some in (content, new))
            count, left = (sum(one["ruleId"] == rule for one in some) for some in scans)
            # what a backslash goes on with is no comment, though the parser may take it for one
            is_bad = old.rstrip(b"\r\n").endswith(b"\\") or (not old and _FIRST.match(content))
            begin, behind = place + len(text) - len(text.lstrip()), place + len(text.rstrip())
            root = load(row).parser().parse(new).root_node
            read = root.descendant_for_byte_range(begin, behind)
            if left < count and not is_bad and read is not None and read.is_extra:
                yield f"Ignore {rule} {where}", place, text

    def _later(self, title: str, rule: str | None, kind: Any) -> types.CodeAction:
        action = types.CodeAction(title, kind=kind, data={"uri": self._text.uri, "rule": rule})
        return action if self._client.resolves else self.resolved(action)

    def resolved(self, action: types.CodeAction) -> types.CodeAction:
        """The action with its edit, for the text of now."""
        rule = action.data.get("rule") if isinstance(action.data, dict) else None
        action.edit = self._edit(self._folder.fixed(self._path, self._text.content, rule))
        return action

    def _edit(self, changes: Iterable[Change]) -> types.WorkspaceEdit:
        return workspace_edit([(self._text, changes)], self._client)


def workspace_edit(
    changed: Iterable[tuple[EditorText, Iterable[Change]]], client: EditorClient
) -> types.WorkspaceEdit:
    """Changes of some texts as the client makes them, of the versions that they are of."""
    edits = [(text, text_edits(changes, text)) for text, changes in changed]
    if not client.takes_versions:
        return types.WorkspaceEdit(changes={text.uri: some for text, some in edits})
    named = types.OptionalVersionedTextDocumentIdentifier
    files = (types.TextDocumentEdit(named(one.uri, one.version), [*some]) for one, some in edits)
    return types.WorkspaceEdit(document_changes=[*files])


def text_edits(changes: Iterable[Change], text: EditorText) -> list[types.TextEdit]:
    """Changes of a text as the client makes them."""
    return [
        types.TextEdit(text.range(start, end), new.decode("utf-8", "replace"))
        for start, end, new in changes
    ]


def _wants(only: Sequence[Any] | None, kind: str) -> bool:
    """Whether a client that asks for these kinds wants this one: `source` includes `source.x`."""
    texts = [str(getattr(one, "value", one)) for one in only or ()]
    return not texts or any(kind == text or kind.startswith(f"{text}.") for text in texts)
