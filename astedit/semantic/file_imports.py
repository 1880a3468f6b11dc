"""The import statements of one file, changes of them, and who else takes names from there."""

import posixpath
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cached_property

from tree_sitter import Node

from astedit.errors import PreconditionError
from astedit.pattern.listed import outermost
from astedit.python.module_paths import ModulePaths, stem_of
from astedit.python.syntax import IMPORTS, child_of, field_of, split_level
from astedit.rewrite.make.delete import cuts
from astedit.semantic.imports.lines import indented, without
from astedit.semantic.imports.python import (
    Python,
    PythonImport,
    import_statements,
    is_single,
    module_of,
    run_of,
    statement_of,
    statement_text,
)
from astedit.semantic.imports.statement import Statement
from astedit.semantic.module_code import ModuleCode, WorkspaceCode, refused
from astedit.text.source import Change, line_end, line_start

ImportStatement = Statement[PythonImport]


class FileImports:
    """The import statements of a module, and `changes` of them, in no order."""

    def __init__(self, module: ModuleCode, modules: ModulePaths) -> None:
        self.module, self._modules = module, modules
        statements = outermost(
            module.root, lambda at: at.type in IMPORTS, lambda at: b"import" in (at.text or b"")
        )
        self.statements = list(map(statement_of, statements))
        self.changes: list[Change] = []
        self._single = is_single(import_statements(module.root))

    @cached_property
    def items(self) -> list[tuple[ImportStatement, int, PythonImport]]:
        """Every import by its statement and its number in that."""
        return [
            (statement, number, item)
            for statement in self.statements
            for number, (item, _) in enumerate(statement.imports)
        ]

    def source_of(self, statement: ImportStatement) -> str | None:
        """The file that a `from` import takes its names from, if it is in the workspace."""
        module = module_of(statement.node)
        return None if module is None else self.resolved(module)

    def resolved(self, module: str) -> str | None:
        """The file that the name of a module means here."""
        return self._modules.find(self.module.path, *split_level(module))

    def submodule(self, item: PythonImport) -> str | None:
        """The module that `from package import module` brings; None if it brings none."""
        package = self.resolved(item.module) if item.module else None
        return None if package is None else self._modules.inside(package, item.name)

    def target(self, item: PythonImport) -> str | None:
        """The module that an import brings; None if that is none of the workspace."""
        return self.submodule(item) if item.module else self.resolved(item.name)

    @property
    def is_relative(self) -> bool | None:
        """Whether relative imports are the custom of the file; None if it shows none."""
        written = [module_of(item.node) or "" for item in self.statements]
        if any(module.startswith(".") for module in written):
            return True
        return False if any(map(self.source_of, self.statements)) else None

    def stands(self, text: str, gone: Collection[int]) -> bool:
        """Whether code has a dotted name outside of imports, the places `gone` aside."""
        word = re.compile(rb"(?<![\w.])" + re.escape(text.encode()) + rb"(?!\w)")
        spans = [entry.node.byte_range for entry in self.statements]
        return any(
            at not in gone
            and not any(low <= at < high for low, high in spans)
            and _counts(self.module.root, at)
            for place in word.finditer(self.module.code)
            for at in [place.start()]
        )

    def needs_head(self, head: str, item: PythonImport, gone: Collection[int]) -> bool:
        """Whether a package is used that only `import package.module` brings."""
        others = (other for _, _, other in self.items if other != item)
        return all(other.bound != head for other in others) and self.stands(head, gone)

    def hiding(self, new: PythonImport, is_same: Callable[[PythonImport], bool]) -> str:
        """Why the name of a new import would mean something else in the file; "" if it would not.

        `is_same` says of an import that it brings the same.
        """
        is_plain = not (new.module or new.alias)
        for _, _, item in self.items:
            same = (is_plain and not (item.module or item.alias)) or is_same(item)
            if item.bound == new.bound and not same:
                return f"the name {new.bound} means {item} in the file"
        every = (scope.bindings.get(new.bound, ()) for scope in self.module.scopes.all)
        is_other = any(bound and all(b.kind != "import" for b in bound) for bound in every)
        is_other |= new.bound in self.module.rebound
        return f"the name {new.bound} means something else in the file" if is_other else ""

    def refused(self, at: int, why: str, code: str) -> PreconditionError:
        """The refusal of a change because of the code at a byte."""
        return refused(self.module.path, why, code, at=self.module.code.count(b"\n", 0, at) + 1)

    def replace(self, statement: ImportStatement, new: PythonImport) -> None:
        """Writes another import in the place of a statement that has one."""
        node = statement.node
        self.changes.append((*node.byte_range, str(new).encode()))

    def put_module(self, statement: ImportStatement, module: str) -> None:
        """Lets a statement import from another module; all else of it stays."""
        node, code = child_of(statement.node, "module_name"), self.module.code
        before = b"" if code[node.start_byte - 1 : node.start_byte].isspace() else b" "
        behind = b"" if code[node.end_byte : node.end_byte + 1].isspace() else b" "
        self.changes.append((*node.byte_range, before + module.encode() + behind))

    def take_out(self, statement: ImportStatement, gone: set[int]) -> None:
        """Takes items out of a statement, by their numbers, and the statement with the last."""
        if len(gone) < len(statement.imports):
            nodes = [statement.imports[at][1] for at in gone]
            self.changes += cuts(nodes, self.module.code)
            return
        node, code = statement.node, self.module.code
        line = code[line_start(code, node.start_byte) : line_end(code, node.end_byte)]
        siblings = node.parent.named_children if node.parent is not None else [node]
        others = [s for s in siblings if s.type != "comment" and s != node]
        shared = line.replace(code[node.start_byte : node.end_byte], b"", 1).partition(b"#")[0]
        if shared.strip() or (not others and node.parent != self.module.root):
            self.changes.append((*node.byte_range, b"pass"))
        else:
            self.changes += without([node], code, b"#")

    def add(self, adding: Sequence[PythonImport], near: ImportStatement) -> None:
        """Brings imports of one module, into a statement of that module or on a line near by."""
        block, code = near.node.parent or near.node, self.module.code
        if code[line_start(code, near.node.start_byte) : near.node.start_byte].strip():
            text = statement_text(tuple(adding)).encode()
            self.changes.append((near.node.end_byte, near.node.end_byte, b"; " + text))
            return
        self.changes += indented(Python().added(adding, block, code, near=near.node), block, code)

    def has_near(self, module: str, near: ImportStatement) -> bool:
        """Whether a statement of the same lines imports names of that module already."""
        run = [entry for entry in run_of(near.node, self.module.code) if entry.imports]
        return not self._single and module in [module_of(entry.node) for entry in run]


def _counts(root: Node, place: int) -> bool:
    """Whether a word may be a use: not in a comment, and not the keyword of a call."""
    node = root.descendant_for_byte_range(place, place)
    if node is None or node.type == "comment":
        return False
    above = node.parent
    return above is None or above.type != "keyword_argument" or field_of(node) != "name"


def is_relative(*files: FileImports) -> bool:
    """Whether relative imports are the custom of the first of these files that shows one."""
    return next((shown for file in files if (shown := file.is_relative) is not None), False)


_IMPORT = re.compile(rb"^[ \t]*(?:from|import)\b([^\n(]*(?:\([^)]*\))?)", re.MULTILINE)
_WORD = re.compile(rb"[^\W\d]\w*|\.(?=\s)")


class OutsideNeeds:
    """Looks through the modules of a workspace; their imports are listed once."""

    def __init__(self, code: WorkspaceCode) -> None:
        self._code = code
        self._questions: set[tuple[str, str]] = set()

    @cached_property
    def _importing(self) -> dict[bytes, list[str]]:
        """The files by every word of their imports; a dot alone is the package around a file."""
        files: dict[bytes, list[str]] = defaultdict(list)
        for path in self._code.library.files:
            text = self._code.bytes(path) or b""
            for word in {word for item in _IMPORT.findall(text) for word in _WORD.findall(item)}:
                files[word].append(path)
        return files

    def need(self, path: str, name: str) -> bool:
        """Whether another module imports the name from the one at `path`, or reads it there."""
        return next(self.taking(path, name), None) is not None

    def taking(self, path: str, name: str) -> Iterator[str]:
        """The modules that do."""
        stem = posixpath.basename(stem_of(path))
        files = {*self._importing.get(stem.encode(), ())}
        if path.endswith("__init__.py"):
            files.update(self._importing.get(b".", ()))
        word = re.compile(rb"(?<!\w)" + name.encode() + rb"(?!\w)|import[ \t]*\*")
        for other in sorted(files - {path}):
            if word.search(self._code.bytes(other) or b"") and self._needs(other, path, stem, name):
                yield other

    def _needs(self, other: str, path: str, stem: str, name: str) -> bool:
        if (module := self._code.code(other)) is None:
            return True
        file = FileImports(module, self._code.modules)
        aliases = {stem}
        for statement in file.statements:
            if file.source_of(statement) == path:
                names = {item.name for item, _ in statement.imports}
                if name in names or (not names and self._is_starred(path, name, module)):
                    return True
        for _, _, item in file.items:
            if item.alias and path in (file.submodule(item), file.resolved(item.name)):
                aliases.add(item.alias)
        words = "|".join(re.escape(entry) for entry in aliases)
        return bool(re.search(rf"\b(?:{words})\.{re.escape(name)}\b", module.code.decode()))

    def _is_starred(self, path: str, name: str, by: ModuleCode) -> bool:
        """Whether a star import of a module by another brings what somebody needs of it."""
        module = self._code.code(path)
        if name.startswith("_") or (module is not None and "__all__" in module.bound):
            return False
        if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", by.code.decode()):
            return True
        self._questions.add((path, name))  # a circle of star imports
        return (by.path, name) not in self._questions and self.need(by.path, name)
