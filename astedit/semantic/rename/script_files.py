"""The JavaScript and TypeScript files of a workspace: their trees, and which module is which."""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from tree_sitter import Node

from astedit.language import for_path, load
from astedit.semantic.imports.local_names import LOCALS
from astedit.semantic.library import Library
from astedit.semantic.listed_uses import UsePlace
from astedit.text.splice import Change, Lines

LANGUAGES = ("javascript", "typescript", "tsx")
_ENDINGS = (".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts")


@dataclass(slots=True)
class ScriptFile:
    """A file with its tree; `edits` by the byte where each begins."""

    path: str
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
    """The scripts of a workspace, read through a library when asked."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self._memo: dict[str, ScriptFile | None] = {}

    def file(self, path: str) -> ScriptFile | None:
        """A file; None if it cannot be read."""
        if path not in self._memo:
            text, row = self.library.text(path), for_path(path)
            made = None
            if text is not None and row is not None:
                root = load(row).parser().parse(text.code).root_node
                made = ScriptFile(path, text.code, root, row.name)
            self._memo[path] = made
        return self._memo[path]

    def holding(self, word: str) -> list[ScriptFile]:
        """The files that hold a word."""
        files = (self.file(path) for path in self.library.files)
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
        return next((path for path in every if self.library.modules.has(path)), None)
