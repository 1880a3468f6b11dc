"""What the server answers, method by method."""

from typing import Any

from lsprotocol import types

from astedit.errors import AstEditError
from astedit.lsp import answers
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

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def reconfigured(params: Any) -> None:
        server.forget_rules()


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

    @server.feature(types.TEXT_DOCUMENT_RENAME)
    async def rename(params: types.RenameParams) -> types.WorkspaceEdit | None:
        """Stages it: what an editor would write is not what the gate would have written."""
        opened = server.open_text(params.text_document.uri)
        if opened is None or not opened.path.endswith((".py", ".pyi")):
            return None
        line, column = params.position.line, params.position.character
        try:
            plan = await server.run_in_thread(
                lambda: opened.folder.rename(opened.path, line + 1, column + 1, params.new_name)
            )
        except (AstEditError, ToolError) as error:
            server.tell(str(error), types.MessageType.Error)
            return None
        await tell_staged(server, opened.folder, plan, f"Rename to {params.new_name}")
        return None
