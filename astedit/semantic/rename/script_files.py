"""The JavaScript and TypeScript files of a workspace: their trees, and which module is which."""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from tree_sitter import Node

from astedit.discover.discover import discover
from astedit.engine.known_edits import view_of
from astedit.engine.run_context import Run
from astedit.language import for_path, load, named
from astedit.model.request import EditRequest
from astedit.semantic.imports.local_names import LOCALS
from astedit.semantic.listed_uses import UsePlace
from astedit.text.source import NotDecodable
from astedit.text.splice import Change, Lines
from astedit.workspace.file_bytes import read_within
from astedit.workspace.path_policy import is_vendored
from astedit.workspace.root import Workspace

LANGUAGES = ("javascript", "typescript", "tsx")
_ENDINGS = (".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts")


@dataclass(slots=True)
class ScriptFile:
    """A file with its tree; `edits` by the byte where each begins."""

    path: str
    raw: bytes
    code: bytes
    root: Node
    language: str
    edits: dict[int, Change] = field(default_factory=dict)

    def leaves(self, name: str) -> list[Node]:
        """Where the file's own name of this spelling stands."""
        return LOCALS[self.language].of_the_file(self.root, self.code, name)

    def change(self, node: Node, new: str) -> None:
        """Writes a name in the place of a node."""
        self.edits[node.start_byte] = (node.start_byte, node.end_byte, new.encode())

    def place(self, node: Node, why: str) -> UsePlace:
        """Where a use stands that may be meant."""
        line, column = Lines(self.code).place(node.start_byte)
        return UsePlace(self.path, line, why, column, (node.start_byte, node.end_byte))

    def words(self, name: str) -> Iterator[Node]:
        """The leaves of this spelling, whatever they mean."""
        word = re.compile(rb"(?<![\w$])" + re.escape(name.encode()) + rb"(?![\w$])")
        for match in word.finditer(self.code):
            node = self.root.descendant_for_byte_range(*match.span())
            if node is not None:
                yield node


class ScriptFiles:
    """The scripts of a workspace that hold a word, read when asked."""

    def __init__(self, request: EditRequest, workspace: Workspace, run: Run) -> None:
        suffixes = {end for name in LANGUAGES if (row := named(name)) for end in row.suffixes}
        found = discover(
            workspace,
            request.paths,
            suffixes=frozenset(suffixes),
            ignore=run.ignore,
            deadline=run.deadline,
        ).files
        self.paths = [path for path in found if not is_vendored(path)]
        self._known, self._request, self._workspace = {*self.paths}, request, workspace
        self._memo: dict[str, ScriptFile | None] = {}

    def file(self, path: str) -> ScriptFile | None:
        """A file; None if it cannot be read, or does not parse."""
        if path not in self._memo:
            self._memo[path] = self._read(path)
        return self._memo[path]

    def _read(self, path: str) -> ScriptFile | None:
        raw, _, skip = read_within(self._workspace.read, path, self._request.max_file_size)
        row = for_path(path)
        if raw is None or skip is not None or row is None:
            return None
        try:
            code = view_of(raw, path, self._request.encoding).text
        except NotDecodable:
            return None
        return ScriptFile(path, raw, code, load(row).parser().parse(code).root_node, row.name)

    def holding(self, word: str) -> list[ScriptFile]:
        """The files that hold a word."""
        files = (self.file(path) for path in self.paths)
        return [file for file in files if file is not None and word.encode() in file.code]

    def resolved(self, importer: str, module: str) -> str | None:
        """The file that a relative module means; None if it is none of these."""
        if not module.startswith("."):
            return None
        place = posixpath.normpath(posixpath.join(posixpath.dirname(importer), module))
        stem, ending = posixpath.splitext(place)
        stems = [place, stem] if ending in (".js", ".jsx", ".mjs", ".cjs") else [place]
        every = [place, *(s + end for s in stems for end in _ENDINGS)]
        every += [f"{place}/index{end}" for end in _ENDINGS]
        return next((path for path in every if path in self._known), None)
