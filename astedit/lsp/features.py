"""What the server answers, method by method."""

import os
from typing import Any

from lsprotocol import types
from pygls.uris import from_fs_path, to_fs_path

from astedit.errors import AstEditError
from astedit.explanation.reading import ExplainedFile
from astedit.lsp import answers, rule_help
from astedit.lsp.answers import TextPositions
from astedit.lsp.commands import add_commands, tell_staged
from astedit.lsp.server import RULE_SUFFIXES, RuleServer
from astedit.text.count_phrases import number
from resolve import ToolError


def make_server(state: str | None = None) -> RuleServer:
    """The server with all that it answers."""
    server = RuleServer(state)
    _documents(server)
    _asked(server)
    add_commands(server)
    return server


def _documents(server: RuleServer) -> None:
    # None of these is a coroutine: the next answer must know that the text is another
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def changed(
        params: types.DidOpenTextDocumentParams
        | types.DidChangeTextDocumentParams
        | types.DidSaveTextDocumentParams,
    ) -> None:
        server.changed(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        server.forget(uri)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def watched(params: types.DidChangeWatchedFilesParams) -> None:
        if any(change.uri.endswith(RULE_SUFFIXES) for change in params.changes):
            server.forget_rules()

    @server.feature(types.INITIALIZED)
    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def reconfigured(params: Any) -> None:
        await server.ask_settings()


def _asked(server: RuleServer) -> None:
    @server.feature(
        types.TEXT_DOCUMENT_DIAGNOSTIC,
        types.DiagnosticOptions(inter_file_dependencies=False, workspace_diagnostics=False),
    )
    async def diagnostic(
        params: types.DocumentDiagnosticParams,
    ) -> types.RelatedFullDocumentDiagnosticReport:
        found = await server.diagnostics(params.text_document.uri)
        return types.RelatedFullDocumentDiagnosticReport(items=[] if found is None else found[1])

    kinds = [types.CodeActionKind.QuickFix, answers.FIX_ALL]
    options = types.CodeActionOptions(code_action_kinds=kinds, resolve_provider=True)

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, options)
    async def code_action(params: types.CodeActionParams) -> list[types.CodeAction]:
        answer = await server.actions(params.text_document.uri)
        if answer is None:
            return []
        made, findings = answer
        only = params.context.only
        return await server.run_in_thread(lambda: list(made.all(findings, params.range, only)))

    @server.feature(types.CODE_ACTION_RESOLVE)
    async def resolve(action: types.CodeAction) -> types.CodeAction:
        data = action.data if isinstance(action.data, dict) else {}
        answer = await server.actions(str(data.get("uri")))
        if answer is None:
            return action
        return await server.run_in_thread(lambda: answer[0].resolved(action))

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensOptions())
    async def code_lens(params: types.CodeLensParams) -> list[types.CodeLens]:
        opened = server.open_text(params.text_document.uri)
        if opened is None:
            return []
        lenses = await server.run_in_thread(lambda: opened.folder.lenses(opened.path, opened.text))
        positions = TextPositions(opened.text, server.encoding)
        return [
            types.CodeLens(
                positions.line(lens.line),
                types.Command(
                    f"{number(lens.edits, 'edit')} pending: show, review",
                    "astedit.show",
                    arguments=[{"id": lens.actions[0], "root": opened.folder.root}],
                ),
            )
            for lens in lenses
        ]

    @server.feature(types.TEXT_DOCUMENT_COMPLETION)
    async def completion(params: types.CompletionParams) -> list[types.CompletionItem]:
        opened = server.open_text(params.text_document.uri)
        await server.load_rules()
        if opened is None or opened.path not in opened.folder.rule_files:
            return []
        text = opened.text.decode("utf-8", "replace")
        line, column = server.point(opened.uri, params.position)
        before = text.split("\n")[line][:column]
        found = rule_help.completions(text, line, before, opened.folder.utilities)
        return [types.CompletionItem(label) for label in found]

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        opened = server.open_text(params.text_document.uri)
        await server.load_rules()
        if opened is None or opened.path not in opened.folder.rule_files:
            return None
        text, line = opened.text.decode("utf-8", "replace"), params.position.line
        row = rule_help.language_at(text, line)
        others = filter(None, map(server.open_text, list(server.workspace.text_documents)[::-1]))
        alike = (one for one in others if row is not None and one.folder.language(one.path) == row)
        beside = next((ExplainedFile(one.path, one.text) for one in alike), None)
        shown = await server.run_in_thread(rule_help.hover, text, line, beside)
        if shown is None:
            return None
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, shown))

    python = types.FileOperationPattern("**/*.py")
    filters = [types.FileOperationFilter(python, "file")]
    options_of_moves = types.FileOperationRegistrationOptions(filters)

    @server.feature(types.WORKSPACE_WILL_RENAME_FILES, options_of_moves)
    async def will_rename(params: types.RenameFilesParams) -> types.WorkspaceEdit | None:
        """The edits of imports; the editor itself moves the file, and asks first."""
        if len(params.files) != 1:
            return None
        old, new = (to_fs_path(uri) for uri in (params.files[0].old_uri, params.files[0].new_uri))
        folder = server.folder_of(old) if old else None
        if folder is None or old is None or new is None:
            return None
        try:
            edits = await server.run_in_thread(folder.moved, old, new)
        except (AstEditError, ToolError) as error:
            server.tell(f"The imports do not follow: {error}", types.MessageType.Warning)
            return None
        changes = {}
        for path, text, spans in edits:
            positions = TextPositions(text, server.encoding)
            uri = from_fs_path(os.path.join(folder.root, path)) or ""
            changes[uri] = [
                types.TextEdit(positions.range(start, end), made.decode("utf-8", "replace"))
                for start, end, made in spans
            ]
        return types.WorkspaceEdit(changes=changes) if changes else None

    @server.feature(types.TEXT_DOCUMENT_RENAME)
    async def rename(params: types.RenameParams) -> types.WorkspaceEdit | None:
        """Stages it: what an editor would write is not what the gate would have written."""
        opened = server.open_text(params.text_document.uri)
        if opened is None or not opened.path.endswith((".py", ".pyi")):
            return None
        place = server.point(opened.uri, params.position)
        try:
            plan = await server.run_in_thread(
                opened.folder.rename, opened.path, opened.text, *place, params.new_name
            )
        except (AstEditError, ToolError) as error:
            server.tell(str(error), types.MessageType.Error)
            return None
        await tell_staged(server, opened.folder, plan, f"Rename to {params.new_name}")
        return None
