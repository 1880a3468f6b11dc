"""A `WorkspaceEdit` of a language server as a change of the tree."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from lsprotocol import types

from astedit.discover.discover import discover
from astedit.engine.whole_files import FILE_MODE
from astedit.errors import LimitError, OutsideRootError, PreconditionError
from astedit.producers.token_changes import token_changes
from astedit.producers.tree_change import TreeChange
from astedit.text.source import UNITS, Change, UnitPlaces, splice
from astedit.workspace.root import path_below

_MARK = b"\xef\xbb\xbf"


class Positions(UnitPlaces):
    """The lines of a UTF-8 text, and its bytes by line and unit in an `encoding`.

    Raises `PreconditionError` for a text in another encoding than UTF-8, and for an unknown
    `encoding` of positions.
    """

    def __init__(self, path: str, content: bytes, encoding: str) -> None:
        if encoding not in UNITS:
            raise PreconditionError(f"The language server counts in {encoding!r}.")
        try:
            content.decode("utf-8")
        except UnicodeDecodeError as error:
            raise PreconditionError(f"{path} is not UTF-8") from error
        self._path = path
        first = len(_MARK) if content.startswith(_MARK) else 0  # no server counts the mark
        super().__init__(content, encoding, first)

    def offset(self, line: int, unit: int) -> int:
        """The byte at a position; one behind the end of a line is its end, as servers mean it."""
        lines = len(self.starts)
        if not 0 <= line <= lines:
            raise PreconditionError(
                f"{self._path}: the language server named line {line + 1}, and there are {lines}"
            )
        return super().offset(line, unit)


OPENED = 1  # the version of every document that a server is given
_MOST = 10_000  # files of a directory that moves
TextEdits = Sequence[types.TextEdit | types.AnnotatedTextEdit | types.SnippetTextEdit]


@dataclass(slots=True)
class _Document:
    """A file on its way: where it was, what it held, and what it holds after some edits."""

    source: str | None
    before: bytes
    mode: int
    content: bytes
    batches: list[list[Change]] = field(default_factory=list)

    def changes(self, path: str) -> list[Change]:
        """The server's own edits where they were made at once, else what differs."""
        if len(self.batches) == 1:
            return self.batches[0]
        return token_changes(path, self.before, self.content)


@dataclass(slots=True)
class ServerEdit:
    """Takes the operations of a server in their order; `finish` puts them into the change."""

    change: TreeChange
    encoding: str
    documents: dict[str, _Document] = field(default_factory=dict)
    gone: dict[str, tuple[bytes, int]] = field(default_factory=dict)
    moved: set[str] = field(default_factory=set)

    def take(self, edit: types.WorkspaceEdit) -> None:
        """Takes in one edit; raises `PreconditionError` for what cannot be done."""
        unsure = {
            mark: note.label
            for mark, note in (edit.change_annotations or {}).items()
            if note.needs_confirmation
        }
        if edit.document_changes is None:
            for uri, edits in (edit.changes or {}).items():
                self._edit(uri, edits, unsure)
            return
        for operation in edit.document_changes:
            if isinstance(operation, types.TextDocumentEdit):
                _refuse_other_version(operation.text_document)
                self._edit(operation.text_document.uri, operation.edits, unsure)
            else:
                self._operate(operation, unsure)

    def finish(self) -> None:
        """Puts into the change what the documents have become."""
        sources = {document.source for document in self.documents.values()}
        self.change.leaving = frozenset(
            {*self.gone, *(source for source in sources if source is not None)}
        )
        for path, document in self.documents.items():
            with self.change.listing():
                self._finish(path, document)
        for path, (before, mode) in self.gone.items():
            if path not in self.documents:
                with self.change.listing():
                    self.change.delete(path, before, mode)

    def _finish(self, path: str, document: _Document) -> None:
        if document.source is None and path in self.gone:
            before, mode = self.gone[path]
            self.change.edit(path, before, mode, token_changes(path, before, document.content))
        elif document.source is None:
            self.change.create(path, document.content, document.mode)
        elif document.source == path:
            self.change.edit(path, document.before, document.mode, document.changes(path))
        else:
            self.change.move(
                document.source, path, document.before, document.changes(path), document.mode
            )

    def _operate(
        self, operation: types.CreateFile | types.RenameFile | types.DeleteFile,
        unsure: dict[str, str],
    ) -> None:  # fmt: skip
        mark = operation.annotation_id
        if isinstance(operation, types.CreateFile):
            path = self.path_of(operation.uri)
            self._create(path, operation.options)
        elif isinstance(operation, types.RenameFile):
            path = self.path_of(operation.new_uri)
            self._rename(self.path_of(operation.old_uri), path)
        else:
            path = self.path_of(operation.uri)
            self._delete(path, operation.options)
        if mark in unsure:
            self._doubt(path, 0, unsure[mark or ""])

    def _create(self, path: str, options: types.CreateFileOptions | None) -> None:
        options = options or types.CreateFileOptions()
        if path in self.documents or (path not in self.gone and self._exists(path)):
            if not options.overwrite and options.ignore_if_exists:
                return
            if not options.overwrite:
                raise PreconditionError(f"{path} is not created: it exists already")
            self._delete(path, None)
        self.documents[path] = _Document(None, b"", FILE_MODE, b"")

    def _rename(self, source: str, path: str) -> None:
        place = os.path.join(self.change.workspace.root, source)
        if not os.path.isdir(place) or os.path.islink(place):
            self._rename_file(source, path)
            return
        if path.startswith(f"{source}/"):
            raise PreconditionError(f"{source} would come into itself")
        for file in self._files_below(source):
            self._rename_file(file, path + file[len(source) :])

    def _rename_file(self, source: str, path: str) -> None:
        self.documents[path] = self._document(source)
        del self.documents[source]
        self.moved.add(source)

    def _files_below(self, directory: str) -> list[str]:
        """The files of a directory that go with it: those that git ignores stay."""
        there = discover(self.change.workspace, [directory], no_ignore=["hidden", "dot"])
        new = [path for path in self.documents if path.startswith(f"{directory}/")]
        links = (skip.path for skip in there.skipped)
        files = {*there.files, *links} - self.gone.keys() - self.moved | {*new}
        if len(files) > _MOST:
            raise LimitError(
                f"{directory} has {len(files):,} files, more than a plan moves at once.",
                code="too_many_changes",
            )
        return sorted(files)

    def _delete(self, path: str, options: types.DeleteFileOptions | None) -> None:
        if options is not None and options.ignore_if_not_exists and not self._exists(path):
            return
        document = self._document(path)
        del self.documents[path]
        if document.source is not None:
            self.gone[document.source] = document.before, document.mode

    def _exists(self, path: str) -> bool:
        return os.path.lexists(os.path.join(self.change.workspace.root, path))

    def _document(self, path: str) -> _Document:
        if path not in self.documents:
            if path in self.gone or path in self.moved:
                what = "deleted" if path in self.gone else "moved"
                raise PreconditionError(f"{path}: the language server edits what it {what}")
            before, mode = self.change.read(path)
            self.documents[path] = _Document(path, before, mode, before)
        return self.documents[path]

    def _edit(self, uri: str, edits: TextEdits, unsure: dict[str, str]) -> None:
        path = self.path_of(uri)
        document = self._document(path)
        positions = Positions(path, document.content, self.encoding)
        for edit in edits:
            mark = getattr(edit, "annotation_id", None)
            if mark in unsure:
                self._doubt(path, edit.range.start.line + 1, unsure[mark])
        batch = list(_changes(path, document.content, edits, positions))
        document.batches.append(batch)
        document.content = splice(document.content, batch)

    def _doubt(self, path: str, line: int, label: str) -> None:
        self.change.notes.append(f"{path}:{line}: the server asks to look at this: {label}")

    def path_of(self, uri: str) -> str:
        """The path below the root that a server names; raises `OutsideRootError`."""
        parts = urlsplit(uri)
        place = os.path.normpath(unquote(parts.path, errors="surrogateescape"))
        path = path_below(self.change.workspace.root, place)
        local = parts.scheme == "file" and parts.netloc in ("", "localhost")
        if not local or path in (None, "."):
            raise OutsideRootError(
                f"The language server edits {uri}, which is outside the root; nothing was staged.",
                path=uri,
            )
        return path


def _refuse_other_version(document: types.OptionalVersionedTextDocumentIdentifier) -> None:
    """Refuses edits of a text that the server was never given: each is opened once."""
    if document.version is not None and document.version > OPENED:
        raise PreconditionError(
            f"The language server edits version {document.version} of {document.uri}, and was "
            f"given version {OPENED}; nothing was staged.",
            code="server_stale",
            hint="Ask it again.",
        )


def _changes(path: str, content: bytes, edits: TextEdits, positions: Positions) -> Iterable[Change]:
    """The edits in the order of the text; those that change nothing are left out."""
    rows = []
    for number, edit in enumerate(edits):
        if isinstance(edit, types.SnippetTextEdit):
            raise PreconditionError(f"{path}: the edit is a snippet, which asks a person")
        start, end = (
            positions.offset(at.line, at.character) for at in (edit.range.start, edit.range.end)
        )
        rows.append((start, end, number, edit.new_text.encode("utf-8", "surrogatepass")))
    rows.sort()
    last = 0
    for start, end, _, new in rows:
        if start < last or end < start:
            raise PreconditionError(f"{path}: the edits of the language server overlap")
        last = end
        if content[start:end] != new:
            yield start, end, new
