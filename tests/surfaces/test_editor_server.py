"""`astedit lsp` as an editor talks to it: a real process, over its standard streams."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, closing
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from tests.support.patience import LAST

pytest.importorskip("pygls")
from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams
from pygls.lsp.client import LanguageClient
from pygls.protocol import default_converter

from astedit.lsp import folder
from astedit.lsp.answers import EditorText
from astedit.lsp.server import RuleServer
from tests.support.cases import tree
from tests.support.project import Project

RULES = tree("editor-server")["rules.yml"]
Work = Callable[["Editor"], Coroutine[Any, Any, None]]


def converter() -> Any:
    """lsprotocol takes a code action that has a command for a command."""
    new: Any = default_converter
    made: Any = new()

    def action_or_command(value: Any, _: type) -> Any:
        is_action = isinstance(value.get("command"), dict) or "command" not in value
        return made.structure(value, types.CodeAction if is_action else types.Command)

    made.register_structure_hook(types.Command | types.CodeAction, action_or_command)
    return made


class Editor:
    """A client with documents, and what the server has told it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.client = LanguageClient("editor", "1", converter_factory=converter)
        self.published: dict[str, types.PublishDiagnosticsParams] = {}
        self.messages: list[str] = []
        self.shown: list[str] = []
        self.progress: list[str] = []
        self.news = asyncio.Event()
        self.versions: dict[str, int] = {}

        on = self.client.protocol.fm.feature
        on(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(lambda params: self._publish(params))
        on(types.WINDOW_SHOW_MESSAGE)(lambda params: self.messages.append(params.message))
        on(types.WINDOW_SHOW_DOCUMENT)(lambda params: self._show(params))
        on(types.WINDOW_WORK_DONE_PROGRESS_CREATE)(lambda params: None)
        self.settings: Any = {}
        on(types.WORKSPACE_CONFIGURATION)(lambda params: [self.settings for _ in params.items])
        self.refreshes = asyncio.Semaphore(0)
        on(types.WORKSPACE_DIAGNOSTIC_REFRESH)(lambda _: self.refreshes.release())
        on(types.PROGRESS)(lambda params: self.progress.append(params.value["kind"]))

    def _publish(self, params: types.PublishDiagnosticsParams) -> None:
        self.published[params.uri] = params
        self.news.set()

    def _show(self, params: types.ShowDocumentParams) -> types.ShowDocumentResult:
        self.shown.append(params.uri)
        return types.ShowDocumentResult(True)

    def uri(self, path: str) -> str:
        return (self.root / path).as_uri()

    def open(self, path: str, text: str, language: str = "python") -> str:
        uri = self.uri(path)
        self.versions[uri] = 1
        item = types.TextDocumentItem(uri, language, 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return uri

    def change(self, uri: str, text: str, span: types.Range | None = None) -> None:
        self.versions[uri] += 1
        change: Any = types.TextDocumentContentChangeWholeDocument(text)
        if span is not None:
            change = types.TextDocumentContentChangePartial(span, text)
        identifier = types.VersionedTextDocumentIdentifier(self.versions[uri], uri)
        params = types.DidChangeTextDocumentParams(identifier, [change])
        self.client.text_document_did_change(params)

    async def diagnostics(self, uri: str) -> list[types.Diagnostic]:
        """Those of the latest version."""
        async with asyncio.timeout(LAST):
            while True:
                told = self.published.get(uri)
                if told is not None and told.version in (None, self.versions.get(uri)):
                    return list(told.diagnostics)
                self.news.clear()
                await self.news.wait()

    async def actions(
        self, uri: str, span: types.Range, only: list[str] | None = None
    ) -> dict[str, types.CodeAction]:
        context = types.CodeActionContext([], only=only)
        params = types.CodeActionParams(types.TextDocumentIdentifier(uri), span, context)
        found = await self.client.text_document_code_action_async(params)
        return {one.title: one for one in found or () if isinstance(one, types.CodeAction)}

    async def command(self, name: str, argument: Any = None) -> Any:
        params = types.ExecuteCommandParams(name, [] if argument is None else [argument])
        return await self.client.workspace_execute_command_async(params)


LAZY = types.ClientCodeActionResolveOptions(["edit"])


def capabilities(encoding: str = "utf-16", *, lazy: bool = True, pull: bool = False) -> Any:
    actions = types.CodeActionClientCapabilities(
        disabled_support=True, data_support=lazy, resolve_support=LAZY if lazy else None
    )
    diagnostic = types.DiagnosticClientCapabilities() if pull else None
    return types.ClientCapabilities(
        general=types.GeneralClientCapabilities(position_encodings=[encoding]),
        text_document=types.TextDocumentClientCapabilities(
            code_action=actions, diagnostic=diagnostic
        ),
        workspace=types.WorkspaceClientCapabilities(
            workspace_edit=types.WorkspaceEditClientCapabilities(document_changes=True)
        ),
        window=types.WindowClientCapabilities(
            show_document=types.ShowDocumentClientCapabilities(support=True),
            work_done_progress=True,
        ),
    )


@asynccontextmanager
async def editing(root: Path, wanted: Any = None) -> AsyncIterator[Editor]:
    editor = Editor(root)
    state = str(root.parent / "state")
    await editor.client.start_io(sys.executable, "-m", "astedit", "lsp", "--state-dir", state)
    folder = types.WorkspaceFolder(root.as_uri(), "folder")
    begin = types.InitializeParams(wanted or capabilities(), workspace_folders=[folder])
    with pytest.raises(JsonRpcException, match="NotInitialized"):
        await editor.client.shutdown_async(None)
    await editor.client.initialize_async(begin)
    with pytest.raises(JsonRpcException, match="initialized already"):
        await editor.client.initialize_async(begin)
    editor.client.initialized(types.InitializedParams())
    try:
        yield editor
    finally:
        await editor.client.shutdown_async(None)
        with pytest.raises(JsonRpcException, match="told to end"):
            await editor.client.shutdown_async(None)
        editor.client.exit(None)
        stop: Any = editor.client.stop
        await stop()


@pytest.fixture
def rules(project: Project) -> Project:
    project.put("sgconfig.yml", "ruleDirs: [rules]\n")
    project.put("rules/all.yml", RULES)
    return project


def run(project: Project, work: Work, wanted: Any = None) -> None:
    async def whole() -> None:
        async with editing(project.root, wanted) as editor:
            await work(editor)

    asyncio.run(whole())


def span(line: int, start: int, end: int) -> types.Range:
    return types.Range(types.Position(line, start), types.Position(line, end))


def applied(text: str, action: types.CodeAction) -> str:
    """The text with the edits of an action; ASCII alone."""
    assert action.edit is not None and action.edit.document_changes
    (document,) = action.edit.document_changes
    assert isinstance(document, types.TextDocumentEdit)
    lines = text.splitlines(True)
    starts = [sum(map(len, lines[:number])) for number in range(len(lines) + 1)]
    edits = [edit for edit in document.edits if isinstance(edit, types.TextEdit)]
    places = sorted(
        (starts[at.start.line] + at.start.character, starts[at.end.line] + at.end.character, new)
        for at, new in ((edit.range, edit.new_text) for edit in edits)
    )
    for low, high, new in reversed(places):
        text = text[:low] + new + text[high:]
    return text


def test_diagnostics_of_unsaved_text_with_all_that_a_rule_says(rules: Project) -> None:
    async def work(editor: Editor) -> None:
        uri = editor.open("a.py", "x = 'é😀'; print(1)\n")
        (one,) = await editor.diagnostics(uri)
        assert one.range == span(0, 11, 19)
        assert one.message == "Log 1 instead.\nPrinting is for scripts."
        assert (one.code, one.severity) == ("no-print", types.DiagnosticSeverity.Error)
        assert one.code_description is not None
        assert one.code_description.href == "https://example.org/no-print"
        assert list(one.tags or ()) == [types.DiagnosticTag.Deprecated]
        assert one.related_information is not None
        assert one.related_information[0].location.range == span(0, 17, 18)
        hover = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(0, 12))
        shown = await editor.client.text_document_hover_async(hover)
        assert shown is not None and isinstance(shown.contents, types.MarkupContent)
        assert shown.contents.value == "Printing is for scripts."
        editor.change(uri, "", span(0, 11, 19))
        assert await editor.diagnostics(uri) == []
        editor.change(uri, "len(x) == 0\n")
        assert await editor.diagnostics(uri) == []  # for its fix alone
        assert "Fix: quiet" in await editor.actions(uri, span(0, 0, 0))

    run(rules, work)


@pytest.mark.parametrize(("encoding", "start"), [("utf-8", 14), ("utf-16", 11), ("utf-32", 10)])
def test_positions_count_as_the_client_does(rules: Project, encoding: str, start: int) -> None:
    async def work(editor: Editor) -> None:
        uri = editor.open("a.py", "x = 'é😀'; print(1)\r\n\rprint(2)\n")
        found = [one.range for one in await editor.diagnostics(uri)]
        assert found == [span(0, start, start + 8), span(2, 0, 8)]

    run(rules, work, capabilities(encoding))


def test_fixes_are_code_actions(rules: Project) -> None:
    text = "def f():\n    print(1)\n    old(2)\n    print(3)\n"

    async def work(editor: Editor) -> None:
        uri = editor.open("a.py", text)
        actions = await editor.actions(uri, span(1, 6, 6))
        assert applied(text, actions["Fix: Log 1 instead."]) == text.replace("print(1)", "log(1)")
        every = actions["Fix all of no-print in this file"]
        assert every.edit is None
        every = await editor.client.code_action_resolve_async(every)
        assert applied(text, every) == text.replace("print", "log")
        ignored = applied(text, actions["Ignore no-print on this line"])
        assert "    # ast-grep-ignore: no-print\n    print(1)" in ignored
        editor.change(uri, ignored)
        assert [one.range.start.line for one in await editor.diagnostics(uri)] == [3, 4]
        editor.change(uri, applied(text, actions["Ignore no-print in this file"]))
        assert [one.code for one in await editor.diagnostics(uri)] == ["two-ways"]
        editor.change(uri, text)
        assert {"Use new", "Use newer"} <= (await editor.actions(uri, span(2, 4, 4))).keys()
        (whole,) = (await editor.actions(uri, span(0, 0, 0), ["source.fixAll"])).values()
        whole = await editor.client.code_action_resolve_async(whole)
        assert applied(text, whole) == text.replace("print", "log").replace("old", "new")

    run(rules, work)


COMMENTED = [  # a text, where it is looked at, and what becomes of it
    ("x = 1 + \\\nprint(1)\n", 1, None, "# I\n\nx = 1 + \\\nprint(1)\n"),
    ("\ufeffprint(1)\n", 0, None, None),
    ("# coding: latin-1\nprint(1)\n", 1, "# coding: latin-1\n# I\nprint(1)\n", None),
    ("a\r\nprint(1)\r\n", 1, "a\r\n# I\r\nprint(1)\r\n", "# I\r\n\r\na\r\nprint(1)\r\n"),
    ('f(f"""\n{print(1)}""")\n', 1, None, '# I\n\nf(f"""\n{print(1)}""")\n'),
]


@pytest.mark.parametrize(("text", "line", "above", "top"), COMMENTED)
def test_a_comment_that_silences_is_offered_where_it_does(
    rules: Project, text: str, line: int, above: str | None, top: str | None
) -> None:
    async def work(editor: Editor) -> None:
        actions = await editor.actions(editor.open("a.py", text), span(line, 1, 1))
        places = ("on this line", "in this file")
        made = [actions.get(f"Ignore no-print {place}") for place in places]
        wanted = [one and one.replace("I", "ast-grep-ignore: no-print") for one in (above, top)]
        assert [one and applied(text, one) for one in made] == wanted

    run(rules, work)


def test_clients_without_data_get_actions_whole_and_blocked_ones_disabled(rules: Project) -> None:
    rules.put("rules/b.yml", "id: b\nlanguage: python\nrule: {pattern: bad($A)}\nfix: '(('\n")

    async def work(editor: Editor) -> None:
        uri = editor.open("a.py", "print(1)\nbad(1)\n")
        actions = await editor.actions(uri, span(0, 0, 1))
        assert actions["Fix all of no-print in this file"].edit is not None
        blocked = (await editor.actions(uri, span(1, 0, 1)))["Fix: b"]
        assert blocked.disabled is not None and "blocked" in blocked.disabled.reason

    run(rules, work, capabilities(lazy=False))


def test_a_rule_everywhere_is_a_plan_and_nothing_is_written(rules: Project) -> None:
    rules.write(a_py="def f():\n    print(1)\n", b_py="print(2)\nprint(3)\n")
    before = rules.files()

    async def work(editor: Editor) -> None:
        uri = editor.open("a.py", "def f():\n    print(1)\n")
        action = (await editor.actions(uri, span(1, 5, 5)))["Fix no-print everywhere, as a plan"]
        assert action.command is not None and action.command.arguments
        answer = await editor.command(action.command.command, action.command.arguments[0])
        assert (answer["replacements"], answer["files"]) == (3, 2)
        assert editor.progress == ["begin", "end"]
        assert editor.shown == [answer["link"]] and answer["link"].startswith("http://127.0.0.1:")
        (row,) = await editor.command("astedit.pending")
        assert row["id"] == answer["actionId"]
        params = types.CodeLensParams(types.TextDocumentIdentifier(uri))
        (lens,) = await editor.client.text_document_code_lens_async(params) or ()
        assert lens.command is not None
        assert (lens.range.start.line, lens.command.title) == (0, "1 edit pending: show, review")
        assert (await editor.command("astedit.show", {"id": row["id"]}))["link"] == answer["link"]
        await editor.command("astedit.discard", {"id": row["id"]})
        assert await editor.command("astedit.pending") == []
        assert "error" in await editor.command("astedit.everywhere", {"ruleId": "absent"})
        assert "error" in await editor.command("astedit.everywhere")
        assert "error" in await editor.command("astedit.discard", {"id": "absent"})

    run(rules, work)
    assert rules.files() == before


def test_a_wrong_rule_file_is_a_diagnostic_in_it_and_the_others_go_on(rules: Project) -> None:
    rules.put("rules/bad.yml", "id: bad\nlanguage: python\nrule:\n  patern: x\n")
    rules.put("rules/kind.yml", "id: k\nlanguage: python\nrule:\n  kind: no_such\n")

    async def work(editor: Editor) -> None:
        uri = editor.open("a.py", "print(1)\n")
        assert [one.code for one in await editor.diagnostics(uri)] == ["no-print"]
        (wrong,) = await editor.diagnostics(editor.uri("rules/bad.yml"))
        assert (wrong.range.start.line, "pattern" in wrong.message) == (3, True)
        (kind,) = await editor.diagnostics(editor.uri("rules/kind.yml"))
        assert kind.range.start.line == 3
        editor.published.clear()
        rule = editor.open("rules/bad.yml", rules.read("rules/bad.yml"), "yaml")
        assert len(await editor.diagnostics(rule)) == 1
        editor.change(rule, "id: ok\nlanguage: python\nrule:\n  pattern: print(1)\n")
        assert await editor.diagnostics(rule) == []
        while {one.code for one in await editor.diagnostics(uri)} != {"no-print", "ok"}:
            del editor.published[uri]  # which was on its way before the rule changed
        editor.change(rule, "id: [\n")
        assert len(await editor.diagnostics(rule)) == 1

    run(rules, work)


def test_a_new_rule_file_counts_once_it_is_saved(rules: Project) -> None:
    text = "id: new\nlanguage: python\nrule: {pattern: y}\n"

    async def work(editor: Editor) -> None:
        uri = editor.open("a.py", "y\n")
        rule = editor.open("rules/new.yml", text, "yaml")
        assert await editor.diagnostics(uri) == []
        rules.put("rules/new.yml", text)
        saved = types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(rule))
        editor.client.text_document_did_save(saved)
        editor.change(uri, "y\ny\n")
        assert [one.code for one in await editor.diagnostics(uri)] == ["new", "new"]

    run(rules, work)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_edits_of_any_client_make_its_text(encoding: str) -> None:
    """Line ends of the protocol alone end lines, and half a character is none."""
    client = "a\x0cb\u2028\r\nc😀d\r\n\nlast"
    text = EditorText("file:///a", 1, client.encode(), encoding)
    for at in [at for at in range(len(client) + 1) if client[at - 1 : at + 1] != "\r\n"]:
        offset = len(client[:at].encode())
        assert text.offset(text.position(offset)) == offset
    inside = text.content[: text.offset(types.Position(1, 2))].decode()  # half of a pair
    assert inside == client[:8] if encoding == "utf-32" else inside == client[:7]
    edits = [
        types.TextDocumentContentChangePartial(span(3, 4, 99), "\ud83d"),
        types.TextDocumentContentChangePartial(span(2, 0, 7), "x"),
        types.TextDocumentContentChangePartial(span(9, 9, 0), "!"),
        types.TextDocumentContentChangePartial(span(0, 99, 99), "y"),
    ]
    assert text.changed(edits, 2).content.decode() == "a\x0cb\u2028y\r\nc😀d\r\nx\nlast?!"


def test_clients_that_pull_are_asked_nothing(rules: Project) -> None:
    async def work(editor: Editor) -> None:
        uri = editor.open("a.py", "print(1)\n")
        for place, codes in ((uri, ["no-print"]), (editor.uri("never.py"), [])):
            params = types.DocumentDiagnosticParams(types.TextDocumentIdentifier(place))
            report = await editor.client.text_document_diagnostic_async(params)
            assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
            assert [one.code for one in report.items] == codes
        async with asyncio.timeout(LAST):
            await editor.refreshes.acquire()  # when its configuration was asked for
            editor.open("never.py", "print(1)\n")  # VS Code may say so after it has asked
            await editor.refreshes.acquire()
            del editor.client.protocol.fm.features[types.WORKSPACE_CONFIGURATION]  # not ready yet
            changed = types.DidChangeConfigurationParams(None)
            editor.client.workspace_did_change_configuration(changed)
            await editor.refreshes.acquire()
        assert editor.published == {}

    wanted = capabilities(pull=True)
    wanted.workspace.configuration = True
    wanted.workspace.diagnostics = types.DiagnosticWorkspaceClientCapabilities(True)
    run(rules, work, wanted)


def test_rules_that_are_called_are_not_shown_and_packs_are(rules: Project) -> None:
    called = "id: called\nlanguage: python\nwhen: triggered\nrule: {pattern: x}\nfix: y\n"
    calling = "id: calling\nlanguage: python\nrule: {pattern: f($A)}\nfix: x\n"
    calling += "then: [{use: called, in: file}]\n"
    rules.put("rules/c.yml", f"{called}---\n{calling}")
    rules.put("p/r.yml", "id: z\nlanguage: python\nrule: {pattern: z}\n")
    rules.put("sgconfig.yml", "ruleDirs: [rules]\npacks: [./p, ./absent]\n")

    async def work(editor: Editor) -> None:
        uri = editor.open("a.py", "x\nf(1)\nz\n")
        assert [one.code for one in await editor.diagnostics(uri)] == ["calling", "p/z"]
        (wrong,) = await editor.diagnostics(editor.uri("sgconfig.yml"))
        assert "./absent" in wrong.message
        answer = await editor.command("astedit.everywhere", {"ruleId": "calling"})
        assert answer["replacements"] == 0

    run(rules, work)


def test_rule_files_have_completion_and_hover(rules: Project) -> None:
    text = "id: x\nlanguage: python\nrule:\n  kind: \n  pattern: print($A, $B)\n  has:\n    \n"

    async def work(editor: Editor) -> None:
        editor.open("a.py", "print(1)\n")
        identifier = types.TextDocumentIdentifier(editor.open("rules/all.yml", text, "yaml"))

        async def labels(line: int, column: int) -> set[str]:
            params = types.CompletionParams(identifier, types.Position(line, column))
            found = await editor.client.text_document_completion_async(params)
            assert isinstance(found, list)
            return {one.label for one in found}

        assert {"call", "if_statement"} <= await labels(3, 8)
        assert {"pattern", "stopBy", "inside"} <= await labels(6, 4)
        assert {"severity", "fix"} <= await labels(7, 0)
        params = types.HoverParams(identifier, types.Position(4, 14))
        shown = await editor.client.text_document_hover_async(params)
        assert shown is not None and isinstance(shown.contents, types.MarkupContent)
        assert "call" in shown.contents.value and "argument_list" in shown.contents.value

    run(rules, work)


def test_a_rename_is_a_plan_and_imports_follow_a_file(rules: Project) -> None:
    wide = "x = '\U0001f642\U0001f642\U0001f642\U0001f642', "
    rules.write(
        a_py=f"def old():\n    return 1\n\n\n{wide}old()\n", b_py="import a\n\nprint(a.old())\n"
    )
    before = rules.files()

    async def work(editor: Editor) -> None:
        uri = editor.open("a.py", rules.read("a.py"))
        identifier = types.TextDocumentIdentifier(uri)
        column = len(wide.encode("utf-16-le")) // 2  # as the client counts
        params = types.RenameParams(identifier, types.Position(4, column), "new")
        assert await editor.client.text_document_rename_async(params) is None
        (row,) = await editor.command("astedit.pending")
        assert "new" in row["title"]
        await editor.command("astedit.everywhere", {"ruleId": "no-print"})
        assert [one["id"] for one in await editor.command("astedit.pending")][1:] == [row["id"]]
        other = editor.uri("b.py")
        params_of_move = types.RenameFilesParams([types.FileRename(uri, editor.uri("c.py"))])
        edit = await editor.client.workspace_will_rename_files_async(params_of_move)
        assert edit is not None and edit.document_changes is not None
        (changed,) = edit.document_changes
        assert isinstance(changed, types.TextDocumentEdit)
        assert (changed.text_document.uri, changed.text_document.version) == (other, None)
        assert [one.new_text for one in changed.edits] == ["c as a"]  # type: ignore[union-attr]
        editor.open("b.py", rules.read("b.py"))
        edit = await editor.client.workspace_will_rename_files_async(params_of_move)
        assert edit is not None and "version=1" in str(edit.document_changes)
        editor.change(other, "\n" + rules.read("b.py"))  # the plan is of what is on disk
        assert await editor.client.workspace_will_rename_files_async(params_of_move) is None
        assert "b.py is not saved: its imports stay as they are." in editor.messages

    run(rules, work)
    assert rules.files() == before


def test_no_project_says_nothing(project: Project) -> None:
    async def work(editor: Editor) -> None:
        assert await editor.diagnostics(editor.open("a.py", "print(1)\n")) == []
        assert editor.messages == []

    run(project, work)


def test_a_request_that_does_not_fit_is_answered() -> None:
    bad = {"jsonrpc": "2.0", "id": 7, "method": "textDocument/hover", "params": {}}
    out = BytesIO()
    with closing(RuleServer()) as server:
        server.protocol.set_writer(out)
        with pytest.raises(JsonRpcInvalidParams):
            server.protocol.structure_message(bad)
    assert b'"id": 7' in out.getvalue() and b"-32602" in out.getvalue()


def test_the_latest_text_wins_whatever_the_client_sends(rules: Project) -> None:
    async def work(editor: Editor) -> None:
        uri = editor.open("a.py", "print(0)\n" * 2000)
        for number in range(100):
            editor.change(uri, f"print({number})\n", span(number, 0, 0))
        editor.change(uri, "x", types.Range(types.Position(99_999, 7), types.Position(99_999, 99)))
        editor.change(uri, "\ud800 = 'half'\nprint(7)\n")
        (one,) = await editor.diagnostics(uri)
        assert one.range == span(1, 0, 8)
        editor.change(uri, "print(1)\n" * 2_000 + "#" * 1_980_000)  # 2 MB
        assert len(await editor.diagnostics(uri)) == 1000
        params = types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(editor.uri("no.py")))
        editor.client.text_document_did_close(params)
        editor.change(uri, "print(1)\n")
        assert len(await editor.diagnostics(uri)) == 1

    run(rules, work)


def test_a_text_that_takes_the_parser_too_long_shows_nothing(
    rules: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under a limit other threads run meanwhile: the next keystroke is read."""
    opened = folder.RuleFolder(str(rules.root), None)
    opened.load({}, {})
    assert len(opened.findings("a.py", b"print(1)\n" * 20)) == 20
    monkeypatch.setattr(folder, "_PARSING", 0.0)
    assert opened.findings("b.py", b"print(1)\n" * 20) == []


def test_diagnostics_are_the_findings_of_scan(rules: Project) -> None:
    texts = {f"f{number}.py": f"x = {number}\nprint(old({number}))\n" for number in range(20)}
    for path, text in texts.items():
        rules.put(path, text)
    listed = json.loads(rules("scan", "--json").out)
    scanned = {(one["file"], one["ruleId"], one["range"]["start"]["column"]) for one in listed}

    async def work(editor: Editor) -> None:
        found = set()
        for path, text in texts.items():
            for one in await editor.diagnostics(editor.open(path, text)):
                found.add((path, one.code, one.range.start.character))
        assert found == scanned

    run(rules, work)


@pytest.mark.parametrize("name", ["a#b", "a?b", "a%41b"])
def test_any_name_of_a_folder_and_one_that_is_closed(rules: Project, name: str) -> None:
    root = rules.root.rename(rules.root.parent / name)

    async def work(editor: Editor) -> None:
        uri = editor.open("a.py", "print(1)\n")
        assert len(await editor.diagnostics(uri)) == 1
        gone = types.WorkspaceFoldersChangeEvent([], [types.WorkspaceFolder(root.as_uri(), "x")])
        params = types.DidChangeWorkspaceFoldersParams(gone)
        del editor.published[uri]
        editor.client.workspace_did_change_workspace_folders(params)
        assert await editor.diagnostics(uri) == []

    run(Project(root, rules._capture), work)


def test_the_configuration_of_the_client_sets_severities(rules: Project) -> None:
    wanted = capabilities()
    wanted.workspace.configuration = True

    async def work(editor: Editor) -> None:
        uri = editor.open("a.py", "print(1)\nold(2)\n")
        assert [one.code for one in await editor.diagnostics(uri)] == ["no-print", "two-ways"]
        editor.settings = {"severity": {"no-print": "off", "two-ways": "error", "x": 1}}
        editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
        async with asyncio.timeout(LAST):
            while len(found := await editor.diagnostics(uri)) != 1:
                editor.news.clear()
                await editor.news.wait()
        error = types.DiagnosticSeverity.Error
        assert (found[0].code, found[0].severity) == ("two-ways", error)

    run(rules, work, wanted)
