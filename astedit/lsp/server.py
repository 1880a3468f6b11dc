"""The server: texts as the editor has them, and answers about the latest ones alone.

The main thread keeps the texts; one other thread runs the engine, and makes the answers. What
is typed while it works is looked at next, and what was found in an older text is thrown away.
"""

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cached_property, partial
from typing import Any, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from astedit.errors import AstEditError
from astedit.explanation.reading import ExplainedFile
from astedit.lsp import answers, rule_help
from astedit.lsp.answers import AnsweringProtocol, CodeActions, EditorClient, EditorText, OpenFile
from astedit.lsp.folder import RuleFolder
from astedit.lsp.plans import PlanCommands, client_can, edits_of_move, lenses
from astedit.rule.document import SEVERITIES
from astedit.testing.baseline import FoundJson
from astedit.version import __version__
from resolve import ToolError

_RULES = (".yml", ".yaml", "astedit.toml", "astedit.lock")  # what rules may come from
_ROUNDS = 20  # times that a newer text makes an answer begin anew
_SHOWN = 1_000  # diagnostics of one document: more than anybody reads, and each is sent anew
Answer = TypeVar("Answer")


class RuleServer(LanguageServer):
    """What the editor talks to. `state` is what --state-dir says."""

    def __init__(self, state: str | None = None) -> None:
        super().__init__("astedit", __version__, protocol_cls=AnsweringProtocol)
        self._state = state
        self.code = 0  # for the process to exit with
        self._engine = ThreadPoolExecutor(1, "rules")
        self._texts: dict[str, EditorText] = {}
        self._early: set[str] = set()  # texts that were asked about before they were opened
        self._waiting: dict[str, None] = {}  # texts whose diagnostics will be looked for
        self._looking: asyncio.Task[None] | None = None
        self._version = 0  # of the rules: how often they may have changed
        self._severities: dict[str, dict[str, str]] = {}  # by directory, as the client wants
        # Only the engine's thread touches what follows.
        self._folders: dict[str, RuleFolder] = {}
        self._known: dict[tuple[str, bool], tuple[EditorText, int, list[FoundJson]]] = {}
        self._plans = PlanCommands(self, self._all_folders)
        self._add_features()

    def _add_features(self) -> None:
        builtin = self.protocol.fm.builtin_features  # texts are kept here: see `EditorText`
        for name, note in (
            (types.TEXT_DOCUMENT_DID_OPEN, self._opened),
            (types.TEXT_DOCUMENT_DID_CHANGE, self._changed),
            (types.TEXT_DOCUMENT_DID_CLOSE, self._closed),
            (types.TEXT_DOCUMENT_DID_SAVE, self._saved),
            (types.WORKSPACE_DID_CHANGE_WATCHED_FILES, self._watched),
            (types.INITIALIZED, self._initialized),
            (types.EXIT, self._exited),
            (types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS, self._configured),
            (types.WORKSPACE_DID_CHANGE_CONFIGURATION, self._configured),
        ):
            if name.startswith("textDocument/"):
                builtin.pop(name, None)
            self.feature(name)(partial(note))
        of_actions = types.CodeActionOptions(
            [types.CodeActionKind.QuickFix, answers.FIX_ALL], resolve_provider=True
        )
        pulled = types.DiagnosticOptions(False, False)
        none = types.RelatedFullDocumentDiagnosticReport([])
        self._answer(types.TEXT_DOCUMENT_DIAGNOSTIC, pulled, self._pulled, none)
        self._answer(types.TEXT_DOCUMENT_CODE_ACTION, of_actions, self._code_actions)
        self._answer(types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensOptions(), lenses)
        self._answer(types.TEXT_DOCUMENT_COMPLETION, None, self._completion)
        self._answer(types.TEXT_DOCUMENT_HOVER, None, self._hover)
        python = types.FileOperationFilter(types.FileOperationPattern("**/*.py"), "file")
        moves = types.FileOperationRegistrationOptions([python])
        self.feature(types.CODE_ACTION_RESOLVE)(self._once(self._resolve))
        self.feature(types.TEXT_DOCUMENT_RENAME)(self._once(self._rename))
        self.feature(types.WORKSPACE_WILL_RENAME_FILES, moves)(self._once(self._will_rename))
        for name, command in (
            (answers.EVERYWHERE, self._plans.everywhere),
            ("astedit.pending", self._plans.pending),
            ("astedit.show", self._plans.show),
            ("astedit.discard", self._plans.discard),
        ):
            self.command(name)(self._once(command, lambda error: {"error": str(error)}))

    # The main thread: texts, and who is asked for an answer.

    def _opened(self, params: types.DidOpenTextDocumentParams) -> None:
        document = params.text_document
        content = document.text.encode("utf-8", "replace")
        self._keep(EditorText(document.uri, document.version, content, self.editor.encoding))
        if document.uri in self._early:
            self._early.remove(document.uri)
            self._rules_changed()  # so that it asks again

    def _changed(self, params: types.DidChangeTextDocumentParams) -> None:
        document = params.text_document
        if (text := self._texts.get(document.uri)) is not None:
            self._keep(text.changed(params.content_changes, document.version))

    def _keep(self, text: EditorText) -> None:
        self._texts[text.uri] = text
        if not self._is_of_rules(text.uri):
            self._look_at(text.uri)

    def _saved(self, params: types.DidSaveTextDocumentParams) -> None:
        self._is_of_rules(params.text_document.uri)  # a new file is one of the project now

    def _is_of_rules(self, uri: str) -> bool:
        """Whether rules may come from a file; then they are read again before the next answer."""
        if uri.endswith(_RULES):
            self._rules_changed()
        return uri.endswith(_RULES)

    def _closed(self, params: types.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        self._texts.pop(uri, None)
        self._engine.submit(self._forget, uri)
        self._is_of_rules(uri)

    def _watched(self, params: types.DidChangeWatchedFilesParams) -> None:
        any(self._is_of_rules(change.uri) for change in params.changes)

    def _exited(self, params: Any = None) -> None:
        """pygls knows this code and does not hand it on."""
        self.code = 0 if self.protocol._shutdown else 1

    async def _initialized(self, params: types.InitializedParams) -> None:
        if client_can(self, "workspace.did_change_watched_files.dynamic_registration"):
            globs = ("**/*.{yml,yaml}", "**/astedit.{toml,lock}")
            of_rules = types.DidChangeWatchedFilesRegistrationOptions(
                [types.FileSystemWatcher(glob) for glob in globs]
            )
            name = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
            registered = types.RegistrationParams([types.Registration("rules", name, of_rules)])
            self.client_register_capability(registered)
        await self._configured(params)

    async def _configured(self, params: Any) -> None:
        """Asks for the client's configuration, `astedit.severity`, and reads the rules anew."""
        if client_can(self, "workspace.configuration"):
            folders = self._directories()
            items = [types.ConfigurationItem(from_fs_path(path), "astedit") for path in folders]
            asked = types.ConfigurationParams(items)
            with suppress(JsonRpcException):  # VS Code may not be ready to answer yet
                settings = await self.workspace_configuration_async(asked)
                for path, value in zip(folders, settings or (), strict=False):
                    levels = value.get("severity") if isinstance(value, dict) else None
                    known = levels.items() if isinstance(levels, dict) else ()
                    self._severities[path] = {id: to for id, to in known if to in SEVERITIES}
        self._rules_changed()

    def _rules_changed(self) -> None:
        self._version += 1
        for uri in self._texts:
            self._look_at(uri)
        if self.editor.pulls and client_can(self, "workspace.diagnostics.refresh_support"):
            self.workspace_diagnostic_refresh(None)

    def _look_at(self, uri: str) -> None:
        self._waiting.pop(uri, None)
        self._waiting[uri] = None
        if self._looking is None or self._looking.done():
            self._looking = asyncio.get_running_loop().create_task(self._look())

    async def _look(self) -> None:
        """Publishes the diagnostics of all that waits; what was changed last comes first."""
        while self._waiting and not self.editor.pulls:
            uri, _ = self._waiting.popitem()
            try:
                await self._run(self._publish_found, uri)
            except Exception as error:  # whatever one file does, the others go on
                self.report_server_error(error, JsonRpcException)

    def _answer(
        self, name: str, options: Any, work: Callable[[OpenFile, Any], Any], empty: Any = None
    ) -> None:
        """Adds what is answered about a text; about the new one if that changes meanwhile."""

        async def answer(params: Any) -> Any:
            uri = params.text_document.uri
            for _ in range(_ROUNDS):
                if (text := self._texts.get(uri)) is None:
                    self._early.add(uri)
                found = await self._run(self._about, text, work, params)
                if self._texts.get(uri) is text:
                    return empty if found is None else found
            return empty

        self.feature(name, options)(answer)

    def _once(
        self, work: Callable[[Any], Any], failed: Callable[[Exception], Any] = lambda error: None
    ) -> Callable[..., Any]:
        """An answer in the engine's thread, made once: the person is told where it fails."""

        def done(params: Any) -> Any:
            try:
                return work(params)
            except (AstEditError, ToolError) as error:
                self._plans.tell(str(error), types.MessageType.Error)
                return failed(error)

        async def answer(*params: Any) -> Any:
            return await self._run(done, params[0] if params else None)

        return answer

    async def _run(self, work: Callable[..., Answer], *arguments: Any) -> Answer:
        return await asyncio.get_running_loop().run_in_executor(self._engine, work, *arguments)

    @cached_property
    def editor(self) -> EditorClient:
        """What the client can do."""
        can, actions = partial(client_can, self), "text_document.code_action"
        encoding = self.server_capabilities.position_encoding or "utf-16"
        return EditorClient(
            str(getattr(encoding, "value", encoding)),
            pulls=can("text_document.diagnostic"),
            resolves=can(f"{actions}.data_support")
            and can(f"{actions}.resolve_support.properties", "edit"),
            shows_disabled=can(f"{actions}.disabled_support"),
            takes_versions=can("workspace.workspace_edit.document_changes"),
        )

    def _directories(self) -> list[str]:
        """The directories of the editor's folders, inner ones first."""
        folders = self.workspace.folders.values()  # the keys are unquoted: no URIs
        uris = [folder.uri for folder in folders] or [self.workspace.root_uri or ""]
        paths = [os.path.realpath(path) for uri in uris if (path := to_fs_path(uri))]
        return sorted(paths, key=len, reverse=True)

    # The engine's thread: folders, and what is answered.

    def _publish(self, uri: str, version: int | None, listed: list[types.Diagnostic]) -> None:
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, listed, version))

    def _folder(self, directory: str) -> RuleFolder | None:
        """The folder that is opened there, with its rules of now."""
        if directory not in self._folders:
            try:
                self._folders[directory] = RuleFolder(directory, self._state)
            except AstEditError as error:
                self._plans.tell(f"{directory}: {error.message}", types.MessageType.Warning)
                return None
        folder = self._folders[directory]
        if folder.version != self._version:
            folder.version = self._version
            texts = {
                path: text.content
                for uri, text in list(self._texts.items())
                if uri.endswith(_RULES) and (path := folder.below(to_fs_path(uri) or "/"))
            }
            folder.load(texts, self._severities.get(directory, {}))
            self._announce(folder)
        return folder

    def _announce(self, folder: RuleFolder) -> None:
        """Publishes what is wrong with closed rule files; an open one has it with its own."""
        closed: dict[str, list[types.Diagnostic]] = {uri: [] for uri in folder.announced}
        for wrong in folder.problems:
            uri = from_fs_path(os.path.join(folder.root, wrong.path)) or ""
            closed[uri] = [*closed.get(uri, ()), answers.problem(wrong)]
        folder.announced = {uri for uri, listed in closed.items() if listed}
        for uri, listed in closed.items():
            if uri not in self._texts:
                self._publish(uri, None, listed)

    def _all_folders(self) -> list[RuleFolder]:
        folders = map(self._folder, self._directories())
        return list({folder.root: folder for folder in folders if folder is not None}.values())

    def _file(self, uri: str) -> tuple[RuleFolder, str] | None:
        """The innermost folder that a file belongs to, and its path below that."""
        path = to_fs_path(uri) or ""
        real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
        for directory in self._directories() if os.path.isabs(path) else ():  # `C:` is none here
            if real == directory or real.startswith(directory.rstrip("/") + "/"):
                folder = self._folder(directory)
                below = None if folder is None else folder.below(real)
                return None if folder is None or below is None else (folder, below)
        return None

    def _open_file(self, text: EditorText | None) -> OpenFile | None:
        """A text in its folder; None for one that is not open, or in no folder."""
        there = None if text is None else self._file(text.uri)
        return None if text is None or there is None else OpenFile(*there, text)

    def _about(self, text: EditorText | None, work: Callable[..., Any], params: Any) -> Any:
        file = self._open_file(text)
        return None if file is None else work(file, params)

    def _publish_found(self, uri: str) -> None:
        file = self._open_file(text := self._texts.get(uri))
        listed = [] if file is None else self._diagnostics(file)  # its folder may be closed
        if text is not None and self._texts.get(uri) is text:
            self._publish(uri, text.version, listed)

    def _forget(self, uri: str) -> None:
        for fixes in (False, True):
            self._known.pop((uri, fixes), None)
        if not self.editor.pulls:
            self._publish(uri, None, [])

    def _findings(self, file: OpenFile, fixes: bool = False) -> list[FoundJson]:
        """What the rules find in a file; looked for once in each text."""
        key, text, version = (file.text.uri, fixes), file.text, file.folder.version
        known = self._known.get(key)
        if known is None or known[0] is not text or known[1] != version:
            findings = file.folder.findings(file.path, text.content, fixes)
            known = self._known[key] = (text, version, findings)
        return known[2]

    def _diagnostics(self, file: OpenFile) -> list[types.Diagnostic]:
        quiet, problems = file.folder.quiet, file.folder.problems
        shown = [one for one in self._findings(file)[:_SHOWN] if one["ruleId"] not in quiet]
        wrong = [answers.problem(one) for one in problems if one.path == file.path]
        return [*(answers.diagnostic(one, file.text) for one in shown), *wrong]

    def _pulled(self, file: OpenFile, params: Any) -> types.RelatedFullDocumentDiagnosticReport:
        return types.RelatedFullDocumentDiagnosticReport(self._diagnostics(file))

    def _code_actions(
        self, file: OpenFile, params: types.CodeActionParams
    ) -> list[types.CodeAction]:
        findings = self._findings(file) and self._findings(file, fixes=True)
        only = params.context.only
        return list(CodeActions(file, self.editor).around(findings, params.range, only))

    def _resolve(self, action: types.CodeAction) -> types.CodeAction:
        """The action with its edits of the latest text."""
        uri = action.data.get("uri") if isinstance(action.data, dict) else None
        file = self._open_file(self._texts.get(uri or ""))
        return action if file is None else CodeActions(file, self.editor).resolved(action)

    def _completion(
        self, file: OpenFile, params: types.CompletionParams
    ) -> list[types.CompletionItem]:
        if not file.folder.holds_rules(file.path):
            return []
        before = file.text.content[: file.text.offset(params.position)].decode("utf-8", "replace")
        text = file.text.content.decode("utf-8", "replace")
        names = rule_help.completions(text, before, file.folder.utilities)
        return [types.CompletionItem(name) for name in names]

    def _hover(self, file: OpenFile, params: types.HoverParams) -> types.Hover | None:
        """The notes of what is found there; in a rule file how a pattern is read.

        That is shown beside the text of its language that was opened last.
        """
        if not file.folder.holds_rules(file.path):
            return answers.notes(self._findings(file), file.text, params.position)
        text, line = file.text.content.decode("utf-8", "replace"), params.position.line
        row, beside = rule_help.language_at(text, line), None
        for other in list(self._texts.values()):
            there = self._file(other.uri)
            if there is not None and row is not None and there[0].language(there[1]) == row:
                beside = ExplainedFile(there[1], other.content)
        shown = rule_help.hover(text, line, beside)
        content = types.MarkupContent(types.MarkupKind.Markdown, shown or "")
        return types.Hover(content) if shown else None

    def _rename(self, params: types.RenameParams) -> None:
        """Stages it: what an editor would write is not what the gate would have written."""
        file = self._open_file(self._texts.get(params.text_document.uri))
        if file is not None and file.path.endswith((".py", ".pyi")):
            self._plans.rename(file, file.text.offset(params.position), params.new_name)

    def _will_rename(self, params: types.RenameFilesParams) -> types.WorkspaceEdit | None:
        """The edits of imports; the editor itself moves the file, and asks first."""
        moves = [tuple(map(to_fs_path, (one.old_uri, one.new_uri))) for one in params.files]
        there = self._file(params.files[0].old_uri) if len(moves) == 1 else None
        if there is None or not all(moves[0]):
            return None
        folder, changed = there[0], []
        real, opened = os.path.realpath, [*self._texts.values()]
        texts = {real(to_fs_path(text.uri) or ""): text for text in opened}
        for path, content, edits in edits_of_move(folder, *map(str, moves[0])):
            place = os.path.join(folder.root, path)
            saved = EditorText(from_fs_path(place) or "", None, content, self.editor.encoding)
            if (text := texts.get(real(place), saved)).content == content:
                changed.append((text, edits))
            else:  # the plan is of what is on disk
                self._plans.tell(f"{path} is not saved: its imports stay as they are.")
        return answers.workspace_edit(changed, self.editor) if changed else None

    def close(self) -> None:
        """Ends the pages, and what the engine does."""
        self._plans.close()
        self._engine.shutdown(wait=False, cancel_futures=True)
