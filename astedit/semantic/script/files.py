"""The JavaScript and TypeScript files of a workspace: their trees, and which module is which."""

import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property

from tree_sitter import Node

from astedit.language import for_path, root_of
from astedit.language.brackets import parents
from astedit.python.syntax import every_node, parts_of
from astedit.rule.scope import EditedFile
from astedit.semantic.imports.edits import without_idle_imports
from astedit.semantic.imports.javascript import JavaScript, is_common
from astedit.semantic.imports.javascript_import import (
    ENDINGS,
    Item,
    JavaScriptImport,
    file_of,
    module_of,
)
from astedit.semantic.imports.javascript_layout import style_of
from astedit.semantic.imports.lines import is_about_file, merged
from astedit.semantic.imports.local_names import LOCALS
from astedit.semantic.imports.statement import Statement
from astedit.semantic.library import Library, NameRequest
from astedit.semantic.listed_uses import UsePlace
from astedit.semantic.module_code import ChangedFile, refused
from astedit.semantic.rename.gather import in_project
from astedit.text.source import Change, Lines, line_end, line_start, splice

LANGUAGES = ("javascript", "typescript", "tsx")
_PAGES = ("vue", "svelte", "astro", "html", "htm", "mdx")  # which may import scripts
# what has all of a module
_WHOLE = re.compile(rb"\*\s*as\b|\bexport\s*\*|\brequire\s*\(")


def is_script(path: str) -> bool:
    """Whether a path is that of a file in one of the languages."""
    row = for_path(path)
    return row is not None and row.name in LANGUAGES


class ScriptFile:
    """A file with its tree."""

    def __init__(self, path: str, code: bytes) -> None:
        row = for_path(path)
        assert row is not None
        self.path, self.code, self.language = path, code, row.name
        self.root = root_of(row.name, code)
        self._leaves: dict[str, dict[Node, None]] = {}

    @cached_property
    def imports(self) -> list[Statement[JavaScriptImport]]:
        """What the file imports and requires at its top."""
        return JavaScript(self.language).statements(self.root)

    @property
    def imported(self) -> list[Item]:
        """Each import by itself, with its node."""
        return [item for statement in self.imports for item in statement.imports]

    @property
    def again(self) -> Iterator[tuple[Node, str]]:
        """The statements that export something of another module again, each with that module."""
        for node in self.root.named_children:
            if node.type == "export_statement" and (module := module_of(node)):
                yield node, module

    def leaves(self, name: str) -> dict[Node, None]:
        """Where the file's own name of this spelling stands."""
        if name not in self._leaves:
            every = LOCALS[self.language].of_the_file(self.root, name)
            self._leaves[name] = dict.fromkeys(every)
        return self._leaves[name]

    def declarations(self, name: str) -> list[Node]:
        """Where the file itself binds a name, imports aside."""
        return LOCALS[self.language].declarations(self.root, name)

    def binders(self, word: Node) -> list[Node]:
        """What binds a name where it stands, in the nearest scope."""
        return LOCALS[self.language].binders(word, self.root)

    def is_hidden(self, name: str, node: Node) -> bool:
        """Whether a name of the file would mean something local where a node stands."""
        return LOCALS[self.language].holds(self.root, name, node)

    def place(self, node: Node, why: str) -> UsePlace:
        """Where a use stands that may be meant."""
        line, column = Lines(self.code).place(node.start_byte)
        return UsePlace(self.path, line, why, column, node.byte_range)

    def words(self, name: str) -> Iterator[Node]:
        """The leaves of this spelling, whatever they mean."""
        word = re.compile(rb"(?<![\w$#])" + re.escape(name.encode()) + rb"(?![\w$])")
        for match in word.finditer(self.code):
            node = self.root.descendant_for_byte_range(*match.span())
            if node is not None:
                yield node

    @property
    def is_common(self) -> bool:
        """Whether the file exports as CommonJS does."""
        tops = (child for node in self.root.named_children for child in node.children[:2])
        return is_common(self.root) or any(child.type == "=" for child in tops)

    def makes_jsx(self, name: str) -> bool:
        """Whether a name makes the JSX of the file without standing there."""
        is_jsx = (node.type.startswith("jsx_") for node in every_node(self.root))
        return name in ("React", "h") and any(is_jsx)

    def is_unclear(self, word: Node) -> bool:
        """Whether a word is code, and the grammar cannot read what is around it."""
        around = (above.type for above, _ in parents(word))
        return word.type != "comment" and "ERROR" in around

    def lines_of(self, node: Node) -> tuple[int, int]:
        """The lines of a statement or a member, with the comments and decorators above it.

        Raises `PreconditionError` for one that shares its lines with other code.
        """
        first, last = node, node.end_byte
        while (above := first.prev_sibling) is not None:
            adjacent = above.end_point.row + 1 >= first.start_point.row
            is_part = above.type == "decorator" or (
                above.type == "comment" and not is_about_file(above)
            )
            behind = above.prev_sibling
            if not (adjacent and is_part) or (
                behind and behind.end_point.row == above.start_point.row
            ):
                break
            first = above
        after = node.next_sibling
        if after is not None and after.type in (";", ","):
            last = after.end_byte
        low, high = line_start(self.code, first.start_byte), line_end(self.code, last - 1)
        before, rest = self.code[low : first.start_byte], self.code[last:high].partition(b"//")[0]
        if before.strip(b"; \t") or rest.strip():
            raise refused(self.path, "shares its line with other code", "not_movable", at=node)
        return low, high


class ChangedScript(ChangedFile[ScriptFile]):
    """A script, and the changes that were made to it."""

    def make_statements(self, changes: Sequence[Change], more: int) -> None:
        """Makes changes that bring whole statements; raises where one goes on with another."""
        count = _statements(self.code) + more
        self.make(changes)
        if _statements(self.code) != count:
            why = "what is left on both sides would run together"
            raise refused(self.code.path, why, "not_movable", "Write a `;` between them first.")

    def bring(self, items: Iterable[JavaScriptImport], like: ScriptFile | None = None) -> None:
        """Adds what is not there, in a new file as `like` writes it; raises at a taken name."""
        syntax, root = JavaScript(self.code.language), self.code.root
        present = {item for item, _ in self.code.imported}
        new = [i for i in dict.fromkeys(items) if not syntax.satisfied(i, root, present)]
        for item in new:
            if syntax.clashes(item, root, present):
                raise refused(self.code.path, f"has another {item.bound}", "collision")
        if new:
            like = self.before if self.before.code.strip() else like or self.before
            syntax.style = style_of(like.root, like.code)
            self.make(syntax.added(new, root, self.code.code))


def _statements(file: ScriptFile) -> int:
    return sum(node.type != "empty_statement" for node in parts_of(file.root))


class ScriptFiles:
    """The scripts of the workspace of a request about a name, read when asked."""

    def __init__(self, asked: NameRequest, name: str) -> None:
        self.library = Library(asked, name, None, LANGUAGES, _PAGES)
        self._memo: dict[str, ScriptFile | None] = {}

    def file(self, path: str) -> ScriptFile | None:
        """A file; None if it cannot be read."""
        if path not in self._memo:
            text = self.library.text(path) if is_script(path) else None
            self._memo[path] = ScriptFile(path, text.code) if text is not None else None
        return self._memo[path]

    def needed(self, path: str) -> ScriptFile:
        """A file; raises `PreconditionError` for one that cannot be read."""
        file = self.file(path)
        if file is None:
            raise refused(path, "cannot be read", "unreadable")
        return file

    def holding(self, word: str, *, of: str | None = None) -> list[ScriptFile]:
        """The files that hold a word; also those that may have all of the module at a path."""
        inner, files = word.encode(), filter(None, map(self.file, self.library.files))
        stem = b"" if of is None or stem_of(of) == "index" else stem_of(of).encode()
        has = _WHOLE.search
        return [f for f in files if inner in f.code or (of and stem in f.code and has(f.code))]

    def resolved(self, importer: str, module: str) -> str | None:
        """The file that a relative module means; None if it is none of these."""
        return file_of(importer, module, self.library.modules.has)

    def is_outside(self, module: str) -> bool:
        """Whether no file here can be meant, by a path of the project or its own name either."""
        return not module.startswith(".") and stem_of(module) not in self._stems

    def in_pages(self, word: str, paths: Collection[str] = ()) -> Iterator[UsePlace]:
        """Where a name stands in pages that name one of some modules; without them a member's."""
        workspace, pages = self.library.asked.workspace, self.library.pages
        if paths:
            pages = sorted({place.path for place in in_project(workspace, pages, naming(paths))})
        before = rb"(?<![\w$])" if paths else rb"\."
        pattern = re.compile(before + re.escape(word.encode()) + rb"(?![\w$])")
        for place in in_project(workspace, pages, pattern, "a page names it"):
            yield place._replace(span=(0, 0))  # which is no code by itself

    @cached_property
    def _stems(self) -> set[str]:
        return {stem_of(part) for path in self.library.files for part in path.split("/")}


def stem_of(path: str) -> str:
    """The last part of a path or a module without its endings."""
    return posixpath.basename(path).partition(".")[0]


def naming(paths: Iterable[str]) -> re.Pattern[bytes]:
    """What names a module in a text: by a relative path, or one of the project."""
    places = (posixpath.dirname(path) if stem_of(path) == "index" else path for path in paths)
    stems = b"|".join(re.escape(stem_of(place).encode()) for place in places)
    return re.compile(rb"[\"'](?:[^\"'\n]*/|[#~@$])(?:%s)(?:/index)?(?:\.\w+)*[\"']" % stems)


def specifier(importer: str, target: str, like: str) -> str:
    """The relative name of a module, with an ending and `index` as another one has them."""
    path = posixpath.relpath(target, posixpath.dirname(importer) or ".")
    stem = next(path.removesuffix(end) for end in (".d.ts", *ENDINGS, "") if path.endswith(end))
    if is_script(target):
        ending = next((end for end in (".d.ts", *ENDINGS) if like.endswith(end)), "")
        whole = like.rpartition("/")[2].partition(".")[0] == "index" or ending
        path = (stem if whole else re.sub(r"(^|/)index\Z", "", stem) or ".") + ending
    return path if path.startswith(".") else f"./{path}"


def without_idle(file: ScriptFile, changes: Iterable[Change]) -> list[Change]:
    """The changes of a file, and the imports that nothing in it uses after them."""
    first = merged(list(changes))
    after = splice(file.code, first)
    return without_idle_imports(EditedFile(file.path, file.language, file.code, after), first)
