"""The server: documents as the editor has them, and answers about the latest text alone.

One thread runs the engine. What is typed while it works is looked at next, and what was found
in an older text is thrown away.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from typing import Any, NamedTuple, TypeVar
from uuid import uuid4

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from astedit.errors import AstEditError
from astedit.lsp import answers
from astedit.lsp.answers import DocumentActions, TextPositions
from astedit.lsp.folder import RuleFolder
from astedit.lsp.pages import Pages
from astedit.rule.document import SEVERITIES
from astedit.testing.baseline import FoundJson
from astedit.version import __version__

RULE_SUFFIXES = (".yml", ".yaml", "astedit.toml", "astedit.lock")
_ROUNDS = 20  # times that a newer text makes an answer begin anew
_SHOWN = 1_000  # diagnostics of one document: more than anybody reads, and each is sent anew
Answer = TypeVar("Answer")


class OpenText(NamedTuple):
    """A document at one moment. `path` is below the root of its folder."""

    uri: str
    version: int | None
    text: bytes
    path: str
    folder: RuleFolder


class RuleServer(LanguageServer):
    """What the editor talks to. `state` is what --state-dir says."""

    def __init__(self, state: str | None = None) -> None:
        super().__init__("astedit", __version__)
        self._state = state
        self._thread = ThreadPoolExecutor(1, "rules")
        self._folders: dict[str, RuleFolder] = {}
        self._stale: set[str] = set()
        self._waiting: dict[str, None] = {}
        self._running: asyncio.Task[None] | None = None
        self._announced: set[str] = set()  # files that have diagnostics of their rules
        self._known: dict[str, tuple[int | None, list[FoundJson], TextPositions]] = {}
        self.pages = Pages()

    async def run_in_thread(self, work: Callable[..., Answer], *arguments: Any) -> Answer:
        """Runs it in the one thread of the engine."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *arguments)

    @property
    def encoding(self) -> str:
        """How the client counts columns."""
        chosen = self.server_capabilities.position_encoding
        return str(getattr(chosen, "value", chosen) or "utf-16")

    @property
    def pulls(self) -> bool:
        """Whether the client asks for diagnostics, so that none are sent."""
        document = self.client_capabilities.text_document
        return bool(document is not None and document.diagnostic is not None)

    def folder_paths(self) -> list[str]:
        """The directories of the editor's folders, inner ones first."""
        uris = list(self.workspace.folders) or [self.workspace.root_uri or ""]
        paths = [os.path.realpath(path) for uri in uris if (path := to_fs_path(uri))]
        return sorted(paths, key=len, reverse=True)

    def open_text(self, uri: str) -> OpenText | None:
        """A document as it is now; None for one that is not open, or in no folder."""
        document = self.workspace.text_documents.get(uri)
        path = to_fs_path(uri)
        if document is None or path is None:
            return None
        folder = self.folder_of(path)
        below = folder.below(path) if folder is not None else None
        if folder is None or below is None:
            return None
        text = document.source.encode("utf-8", "replace")
        return OpenText(uri, document.version, text, below, folder)

    def point(self, uri: str, position: types.Position) -> tuple[int, int]:
        """A position of the client in an open document: line and character, both from 0."""
        document = self.workspace.text_documents[uri]
        lines = document.source.split("\n")  # with an empty last one, unlike `document.lines`
        place = document.position_codec.position_from_client_units(lines, position)
        return place.line, place.character

    def folder_of(self, path: str) -> RuleFolder | None:
        """The folder that a file belongs to."""
        real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
        for directory in self.folder_paths():
            if real == directory or real.startswith(directory.rstrip("/") + "/"):
                return self._opened(directory)
        return None

    def _opened(self, directory: str) -> RuleFolder | None:
        if directory not in self._folders:
            try:
                self._folders[directory] = RuleFolder(directory, self._state)
            except AstEditError as error:
                self.tell(f"{directory}: {error.message}", types.MessageType.Warning)
                return None
            self._stale.add(directory)
        return self._folders[directory]

    def folders(self) -> list[RuleFolder]:
        """All folders that can be opened."""
        opened = [self._opened(directory) for directory in self.folder_paths()]
        return list({folder.root: folder for folder in opened if folder is not None}.values())

    def tell(self, text: str, kind: types.MessageType = types.MessageType.Info) -> None:
        """Shows a message to the person."""
        self.window_show_message(types.ShowMessageParams(kind, text))

    async def ask_settings(self) -> None:
        """Asks for the client's configuration, `astedit.severity`, and reads the rules anew."""
        workspace = self.client_capabilities.workspace
        if workspace is not None and workspace.configuration:
            for folder in self.folders():
                item = types.ConfigurationItem(from_fs_path(folder.root), "astedit")
                params = types.ConfigurationParams([item])
                answer = await self.workspace_configuration_async(params)
                settings = answer[0] if answer and isinstance(answer[0], dict) else {}
                levels = settings.get("severity")
                folder.severities = {
                    id: level
                    for id, level in (levels if isinstance(levels, dict) else {}).items()
                    if level in SEVERITIES
                }
        self.forget_rules()

    def forget_rules(self) -> None:
        """Rule files changed: they are read again before the next answer."""
        self._stale |= self._folders.keys()
        self._known.clear()
        for uri in self.workspace.text_documents:
            self.look_at(uri)

    def changed(self, uri: str) -> None:
        """A document was opened, changed or saved."""
        if uri.endswith(RULE_SUFFIXES):
            self.forget_rules()
        else:
            self.look_at(uri)

    def forget(self, uri: str) -> None:
        """A document was closed."""
        self._known.pop(uri, None)
        if not self.pulls:
            self.send(uri, None, [])
        if uri.endswith(RULE_SUFFIXES):
            self.forget_rules()

    def look_at(self, uri: str) -> None:
        """Sends the diagnostics of a document as soon as the engine is free."""
        self._waiting[uri] = None
        if self._running is None or self._running.done():
            self._running = asyncio.get_running_loop().create_task(self._look())

    async def _look(self) -> None:
        while self._waiting:
            uri = next(iter(self._waiting))
            del self._waiting[uri]
            try:
                found = await self.diagnostics(uri)
            except Exception as error:  # whatever one file does, the others go on
                self.report_server_error(error, JsonRpcException)
                continue
            if found is None or self.pulls:
                continue
            version, listed = found
            document = self.workspace.text_documents.get(uri)
            if document is not None and document.version == version:
                self.send(uri, version, listed)

    def send(self, uri: str, version: int | None, listed: list[types.Diagnostic]) -> None:
        """Sends the diagnostics of a document."""
        params = types.PublishDiagnosticsParams(uri, listed, version)
        self.text_document_publish_diagnostics(params)

    async def diagnostics(self, uri: str) -> tuple[int | None, list[types.Diagnostic]] | None:
        """The diagnostics of the latest text, with its version."""
        found = await self.findings(uri)
        if found is None:
            return None
        opened, findings, positions = found
        listed = [
            answers.diagnostic(one, positions, uri)
            for one in findings[:_SHOWN]
            if one["ruleId"] not in opened.folder.quiet
        ]
        wrong = [one for one in opened.folder.problems if one.path == opened.path]
        listed += [answers.problem(one, positions) for one in wrong]
        return opened.version, listed

    async def findings(self, uri: str) -> tuple[OpenText, list[FoundJson], TextPositions] | None:
        """What the rules find in the latest text; None for a document that is not open."""
        for _ in range(_ROUNDS):
            opened = self.open_text(uri)
            if opened is None:
                return None
            await self.load_rules()
            known = self._known.get(uri)
            if known is not None and known[0] == opened.version:
                return opened, known[1], known[2]
            find = opened.folder.findings
            findings = await self.run_in_thread(find, opened.path, opened.text)
            now = self.workspace.text_documents.get(uri)
            if now is None:
                return None
            if now.version == opened.version and not self._stale:
                positions = TextPositions(opened.text, self.encoding)
                self._known[uri] = (opened.version, findings, positions)
                return opened, findings, positions
        return None

    async def load_rules(self) -> None:
        """Reads the rules again that changed, and says what is wrong with them."""
        while self._stale:
            directory = self._stale.pop()
            folder = self._folders[directory]
            texts = {
                path: document.source.encode("utf-8", "replace")
                for uri, document in list(self.workspace.text_documents.items())
                if uri.endswith(RULE_SUFFIXES) and (file := to_fs_path(uri)) is not None
                if (path := folder.below(file)) is not None
            }
            await self.run_in_thread(folder.load, texts)
            self._tell_problems(folder)

    def _tell_problems(self, folder: RuleFolder) -> None:
        """Problems of rule files that are not open; those of open ones come with the others."""
        by_uri: dict[str, list[types.Diagnostic]] = {}
        for wrong in folder.problems:
            uri = from_fs_path(os.path.join(folder.root, wrong.path)) or ""
            if uri in self.workspace.text_documents:
                continue
            try:
                text, _ = folder.workspace.read(wrong.path, 1 << 20)
            except OSError:
                text = b""
            listed = answers.problem(wrong, TextPositions(text, self.encoding))
            by_uri.setdefault(uri, []).append(listed)
        prefix = from_fs_path(folder.root) or ""
        for uri in self._announced - by_uri.keys():
            if uri.startswith(prefix) and uri not in self.workspace.text_documents:
                self.send(uri, None, [])
        for uri, listed_all in by_uri.items():
            self.send(uri, None, listed_all)
        self._announced = set(by_uri)

    async def actions(self, uri: str) -> tuple[DocumentActions, list[FoundJson]] | None:
        """The code actions of a document, and what was found in it."""
        found = await self.findings(uri)
        if found is None:
            return None
        opened, findings, positions = found
        capabilities = self.client_capabilities
        made = DocumentActions(
            opened.folder, opened.path, uri, opened.version, positions, capabilities
        )
        if findings:
            find = opened.folder.findings
            findings = await self.run_in_thread(find, opened.path, opened.text, True)
        return made, findings

    async def show(self, folder: RuleFolder, action_id: str) -> str | None:
        """Opens the review page of a plan; the link, or None where there is no page."""
        link = await self.run_in_thread(lambda: self.pages.link(folder.place, action_id))
        if link is None:
            self.tell(f"Look at it with: astedit review {action_id}")
            return None
        window = self.client_capabilities.window
        if window is not None and window.show_document is not None:
            with suppress(JsonRpcException):
                await self.window_show_document_async(
                    types.ShowDocumentParams(uri=link, external=True)
                )
        else:
            self.tell(f"Review the plan: {link}")
        return link

    @asynccontextmanager
    async def progress_of(self, title: str) -> AsyncIterator[None]:
        """Shows that something takes its time, where the client can show it."""
        window = self.client_capabilities.window
        if window is None or not window.work_done_progress:
            yield
            return
        token = str(uuid4())
        await self.work_done_progress.create_async(token)
        self.work_done_progress.begin(token, types.WorkDoneProgressBegin(title))
        try:
            yield
        finally:
            self.work_done_progress.end(token, types.WorkDoneProgressEnd())

    def refresh(self) -> None:
        """Has the client ask for code lenses again."""
        workspace = self.client_capabilities.workspace
        lens = workspace.code_lens if workspace is not None else None
        if lens is not None and lens.refresh_support:
            self.workspace_code_lens_refresh(None)

    def close(self) -> None:
        """Ends pages and lets go of the folders."""
        self.pages.close()
        for folder in self._folders.values():
            folder.close()
        self._thread.shutdown(wait=False, cancel_futures=True)
