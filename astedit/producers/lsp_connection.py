"""A language server as a child process: started, waited for, asked, and ended.

A server that has not finished loading answers with too little and does not say so. So a
question waits for the end of the work that the server has announced and for a quiet second,
and it is asked until two answers in a row are the same.
"""

import asyncio
import contextlib
import errno
import logging
import os
import signal
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.io_ import run_async
from pygls.lsp.client import LanguageClient

from astedit.errors import AstEditError, LimitError, PreconditionError, RequestError
from astedit.limits import Deadline
from astedit.programs import MARK, clean_path, end_marked, find_program, scratch, written
from astedit.version import __version__

_QUIET = 1.0  # seconds without a message, after which a server has nothing more to do
_LOADING = 60.0  # seconds after which a question does not wait for that any more
_ROUNDS = 8  # times that a question is asked before its answers count as different
_LARGEST = 64 << 20  # bytes of one message
_TOGETHER = 512 << 20  # bytes of all messages
_PATIENCE = 2.0  # seconds that a server has to end itself
_LOOK = 0.05

Answer = TypeVar("Answer")


class _BoundedReader:
    """Reads what the server writes, notes when, and stops at what no server needs to write."""

    def __init__(self, stream: asyncio.StreamReader) -> None:
        self._stream = stream
        self._read = 0
        self.last = time.monotonic()

    async def readline(self) -> bytes:
        return self._counted(await self._stream.readline())

    async def readexactly(self, n: int) -> bytes:
        if n > _LARGEST:
            raise _flood(f"a message of {n:,} bytes")
        return self._counted(await self._stream.readexactly(n))

    def _counted(self, part: bytes) -> bytes:
        self.last = time.monotonic()
        self._read += len(part)
        if self._read > _TOGETHER:
            raise _flood(f"more than {_TOGETHER:,} bytes")
        return part


@dataclass(slots=True)
class Connection:
    """A server that was initialized. `applied` are the edits that it wanted to make itself.

    `answers` holds how large the answers to the last question were.
    """

    client: LanguageClient
    process: asyncio.subprocess.Process
    reader: _BoundedReader
    reading: "asyncio.Task[None]"
    log: int
    encoding: str = types.PositionEncodingKind.Utf16.value
    capabilities: types.ServerCapabilities = field(default_factory=types.ServerCapabilities)
    working: set[str | int] = field(default_factory=set)
    applied: list[types.WorkspaceEdit] = field(default_factory=list)
    nonsense: Exception | None = None
    answers: list[int] = field(default_factory=list)
    settled: bool = True
    deadline: Deadline = field(default_factory=Deadline)
    diagnostics: dict[str, list[types.Diagnostic]] = field(default_factory=dict)

    async def answer(self, question: Coroutine[Any, Any, Answer]) -> Answer:
        """What the server answers; an error of ours where it refuses, dies or talks nonsense."""
        task = asyncio.ensure_future(question)
        try:
            while not task.done():
                await asyncio.wait({task, self.reading}, timeout=_LOOK * 10,
                                   return_when=asyncio.FIRST_COMPLETED)  # fmt: skip
                if not task.done():
                    self._check_alive()
            return task.result()
        except JsonRpcException as error:
            raise PreconditionError(
                f"The language server refused: {error.message}", code="server_refused"
            ) from error
        except AstEditError:
            raise
        except Exception as error:  # of the converter: what came is no answer to that question
            self._check_alive()
            raise self._broken(f"gave an answer that makes no sense ({error})") from error
        finally:
            task.cancel()

    def _check_alive(self) -> None:
        self.deadline.check()
        if self.nonsense is not None:
            raise self._broken(f"wrote what is no message ({self.nonsense})")
        if self.reading.done():
            error = self.reading.exception()
            if isinstance(error, AstEditError):
                raise error
            raise self._broken(f"wrote what is no message ({error})" if error else "ended")
        if self.process.returncode is not None:
            raise self._broken("ended")

    def _broken(self, how: str) -> PreconditionError:
        lines = written(self.log)[-10_000:].decode("utf-8", "replace").strip().splitlines()
        last = f" It said last: {lines[-1][:200]}" if lines else ""
        return PreconditionError(
            f"The language server {how}; nothing was staged.{last}", code="server_failed"
        )

    def progress(self, params: types.ProgressParams) -> None:
        """Notes that the server has begun or ended some work."""
        value = params.value
        kind = value.get("kind") if isinstance(value, dict) else getattr(value, "kind", None)
        if kind == "begin":
            self.working.add(params.token)
        elif kind == "end":
            self.working.discard(params.token)

    def diagnose(self, params: types.PublishDiagnosticsParams) -> None:
        """Keeps what the server says of a file: some actions are answers to that."""
        self.diagnostics[params.uri] = list(params.diagnostics)

    def apply(self, params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        """Keeps an edit that the server wants to be made."""
        self.applied.append(params.edit)
        return types.ApplyWorkspaceEditResult(applied=True)

    async def settle(self) -> None:
        """Waits until the server has nothing more to do, or for so long at most."""
        start = self.reader.last = time.monotonic()
        while (now := time.monotonic()) - start < _LOADING:
            self._check_alive()
            if not self.working and now - self.reader.last >= _QUIET:
                return
            await asyncio.sleep(_LOOK)
        self.settled = False

    async def agreed(
        self, question: Callable[[], Awaitable[Answer]], size: Callable[[Answer], int]
    ) -> Answer:
        """The answer that comes twice in a row."""
        await self.settle()
        last = await question()
        self.answers = [size(last)]
        for _ in range(_ROUNDS):
            await self.settle()
            again = await question()
            self.answers.append(size(again))
            if again == last:
                return again
            last = again
        raise PreconditionError(
            f"The language server gave {_ROUNDS + 1} different answers; nothing was staged.",
            code="server_differs",
        )


@contextlib.asynccontextmanager
async def connected(
    words: Sequence[str], root: str, deadline: Deadline
) -> AsyncIterator[Connection]:
    """Starts a server for the root, and ends it with whatever it has started."""
    logging.getLogger("pygls").setLevel(logging.CRITICAL)  # what is wrong we say ourselves
    log = scratch()
    try:
        mark = os.urandom(16).hex()
        process = await _started(words, root, log, mark)
        try:
            connection = _connection(process, log)
            connection.deadline = deadline
            await _initialize(connection, root)
            yield connection
        finally:
            await _ended(process)
            end_marked(mark)
    finally:
        os.close(log)


async def _started(
    words: Sequence[str], root: str, log: int, mark: str
) -> asyncio.subprocess.Process:
    """The process of the server that a person named; `log` takes its standard error.

    All that it starts has the `mark`.
    """
    name, *others = words
    program = os.path.abspath(name) if "/" in name else find_program(name, None)
    try:
        if program is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        return await asyncio.create_subprocess_exec(
            program, *others, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            stderr=log, cwd=root, start_new_session=True,
            env={**os.environ, "PATH": clean_path(None), MARK: mark},
        )  # fmt: skip
    except OSError as error:
        raise RequestError(
            f"The language server {name!r} cannot be started: {error.strerror}.", code="no_server"
        ) from error


def _connection(process: asyncio.subprocess.Process, log: int) -> Connection:
    assert process.stdin is not None and process.stdout is not None
    client = LanguageClient("astedit", __version__)
    client.protocol.set_writer(process.stdin)
    reader = _BoundedReader(process.stdout)
    holder: list[Connection] = []

    def misread(error: Exception, source: object) -> None:
        holder[0].nonsense = error

    reading = asyncio.ensure_future(
        run_async(threading.Event(), reader, client.protocol, None, misread)
    )
    holder.append(Connection(client, process, reader, reading, log))
    _register(holder[0])
    return holder[0]


def _register(connection: Connection) -> None:
    """What the server may ask of us, and what it tells."""
    handlers: dict[str, Callable[[Any], Any]] = {
        types.WINDOW_WORK_DONE_PROGRESS_CREATE: lambda params: None,
        types.CLIENT_REGISTER_CAPABILITY: lambda params: None,
        types.WINDOW_SHOW_MESSAGE_REQUEST: lambda params: None,
        types.WORKSPACE_CONFIGURATION: lambda params: [{} for _ in params.items],
        types.PROGRESS: connection.progress,
        types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS: connection.diagnose,
        types.WORKSPACE_APPLY_EDIT: connection.apply,
    }
    for name, handler in handlers.items():
        connection.client.feature(name)(_plain(handler))


def _plain(handler: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function, which the client can mark; a method cannot be."""

    def handle(params: Any) -> Any:
        return handler(params)

    return handle


async def _initialize(connection: Connection, root: str) -> None:
    uri = Path(root).as_uri()
    folders = [types.WorkspaceFolder(uri=uri, name=os.path.basename(root))]
    params = types.InitializeParams(
        process_id=os.getpid(), root_uri=uri, root_path=root, workspace_folders=folders,
        capabilities=_capabilities(),
    )  # fmt: skip
    result = await connection.answer(connection.client.initialize_async(params))
    connection.capabilities = result.capabilities
    chosen = result.capabilities.position_encoding or connection.encoding
    connection.encoding = chosen.value if isinstance(chosen, Enum) else chosen
    connection.client.initialized(types.InitializedParams())


def _capabilities() -> types.ClientCapabilities:
    kinds = types.ClientCodeActionKindOptions(
        value_set=[kind.value for kind in types.CodeActionKind]
    )
    edits = types.WorkspaceEditClientCapabilities(
        document_changes=True,
        resource_operations=list(types.ResourceOperationKind),
        change_annotation_support=types.ChangeAnnotationsSupportOptions(),
    )
    actions = types.CodeActionClientCapabilities(
        code_action_literal_support=types.ClientCodeActionLiteralOptions(code_action_kind=kinds),
        data_support=True,
        disabled_support=True,
        is_preferred_support=True,
        resolve_support=types.ClientCodeActionResolveOptions(properties=["edit", "command"]),
    )
    return types.ClientCapabilities(
        general=types.GeneralClientCapabilities(
            position_encodings=[
                types.PositionEncodingKind.Utf8,
                types.PositionEncodingKind.Utf32,
                types.PositionEncodingKind.Utf16,
            ]
        ),
        window=types.WindowClientCapabilities(work_done_progress=True),
        workspace=types.WorkspaceClientCapabilities(
            apply_edit=True,
            configuration=True,
            workspace_folders=True,
            workspace_edit=edits,
            file_operations=types.FileOperationClientCapabilities(will_rename=True),
        ),
        text_document=types.TextDocumentClientCapabilities(
            rename=types.RenameClientCapabilities(honors_change_annotations=True),
            code_action=actions,
        ),
    )


async def _ended(process: asyncio.subprocess.Process) -> None:
    """Ends the server by closing its input, else by force, with all that it has started."""
    if process.stdin is not None:
        process.stdin.close()
    with contextlib.suppress(asyncio.TimeoutError):
        await asyncio.wait_for(process.wait(), _PATIENCE)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    await process.wait()


def _flood(what: str) -> LimitError:
    return LimitError(
        f"The language server wrote {what}; nothing was staged.", code="server_floods"
    )
