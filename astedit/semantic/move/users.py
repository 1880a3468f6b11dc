"""What becomes of a module that uses what moves: its imports, receivers and lists of names."""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tree_sitter import Node

from astedit.python.facts import AttributeUse, ImportUse, ListedUse, SpelledUse
from astedit.python.module_paths import ModulePaths
from astedit.semantic.imports.python import PythonImport, module_of
from astedit.semantic.move.file_imports import FileImports, ImportStatement
from astedit.semantic.move.listed_names import unlisted
from astedit.semantic.move.module_code import ModuleCode, refused
from astedit.semantic.move.module_names import ModuleNames, split_level
from astedit.text.splice import Change

_RECEIVER = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*\.")
_SCOPES = ("function_definition", "module", "lambda")


class Receiver(NamedTuple):
    """What stands before `.f`: bytes `start` to `end` without the dot, its text, its scope."""

    start: int
    end: int
    text: str
    scope: Node


@dataclass(slots=True)
class AttributeUsers:
    """Rewrites the receivers of one file; `unclear` are the starts of uses that stay.

    `is_needed` says of a module's name whether another module takes it from there.
    """

    file: FileImports
    source: str
    dest: str
    names: ModuleNames
    is_needed: Callable[[str, str], bool]
    changes: list[Change] = field(default_factory=list)
    unclear: list[int] = field(default_factory=list)

    def follow(self, starts: Sequence[int]) -> None:
        """Takes the attributes that begin at these bytes to the new module."""
        groups: dict[tuple[int, int], list[Receiver]] = {}
        bindings: dict[tuple[int, int], tuple[ImportStatement, int]] = {}
        for start in starts:
            receiver = self._receiver(start)
            if receiver is None:
                self.unclear.append(start)
                continue
            if self.file.module.path == self.dest:
                self.changes.append((receiver.start, start, b""))
                self._check_bare(receiver, start)
            bound = self._binding(receiver, whole=True) or self._binding(receiver, whole=False)
            if bound is None:
                raise self._cannot(receiver, "it is not clear which import brings its module")
            key = (bound[0].node.start_byte, bound[1])
            groups.setdefault(key, []).append(receiver)
            bindings[key] = bound
        for key, receivers in groups.items():
            self._group(*bindings[key], receivers)

    # -- what stands there -------------------------------------------------------------------

    def _receiver(self, start: int) -> Receiver | None:
        """The dotted name before an attribute; None for any other expression, and for a target."""
        node = self.file.module.root.descendant_for_byte_range(start, start + 1)
        attribute = node.parent if node is not None else None
        if attribute is None:
            return None
        text = self.file.module.code[attribute.start_byte : start].decode()
        if not _RECEIVER.fullmatch(text) or is_target(attribute):
            return None
        scope = attribute.parent
        while scope is not None and scope.type not in _SCOPES:
            scope = scope.parent
        assert scope is not None
        return Receiver(attribute.start_byte, start - 1, text[:-1], scope)

    def _binding(self, receiver: Receiver, *, whole: bool) -> tuple[ImportStatement, int] | None:
        """The import, by its statement and number, that brings the module to the receiver.

        If not `whole`, one of a package through which the receiver reaches it: `import pkg`.
        """
        scope: Node | None = receiver.scope
        while scope is not None:
            for statement in self.file.statements:
                if _scope_of(statement.node) == scope:
                    for number, (item, _) in enumerate(statement.imports):
                        text = self._means(item) if whole else _package(item)
                        if text == receiver.text or (
                            not whole and text and receiver.text.startswith(f"{text}.")
                        ):
                            return statement, number
            scope = scope.parent
            while scope is not None and scope.type not in _SCOPES:
                scope = scope.parent
        return None

    def _means(self, item: PythonImport, path: str = "") -> str:
        """How code writes the module by this import; "" if it brings another."""
        path = path or self.source
        if item.module is None:
            if self.file.resolved(item.name) != path:
                return ""
            return item.alias or item.name
        return item.bound if self.file.submodule(item) == path else ""

    # -- what comes instead ------------------------------------------------------------------

    def _group(
        self, statement: ImportStatement, number: int, receivers: Sequence[Receiver]
    ) -> None:
        item = statement.imports[number][0]
        if self.file.module.path == self.dest:
            if self._means(item) and not self._remaining(item, statement, receivers):
                self.file.take_out(statement, {number})
            return
        remaining = not self._means(item) or self._remaining(item, statement, receivers)
        spelling = self._spelling(statement)
        if spelling is not None:
            self._write(receivers, spelling)
            if not remaining:
                self.file.take_out(statement, {number})
            return
        new = self._new(item)
        if item.alias and not remaining:
            new = PythonImport.of(new.module, new.name, item.alias)
        written = new.name if new.module is None and not new.alias else new.bound
        if not (item.alias and not remaining):
            self._check_free(new, receivers[0])
            self._write(receivers, written)
        if remaining:
            self.file.add([new], statement)
        elif len(statement.imports) == 1:
            self.file.replace(statement, new)
        else:
            self.file.take_out(statement, {number})
            self.file.add([new], statement)

    def _write(self, receivers: Sequence[Receiver], text: str) -> None:
        self.changes += [(receiver.start, receiver.end, text.encode()) for receiver in receivers]

    def _spelling(self, statement: ImportStatement) -> str | None:
        """How code writes the new module already, by an import of the same scope."""
        scope = _scope_of(statement.node)
        for other in self.file.statements:
            if _scope_of(other.node) == scope and other.node.parent == statement.node.parent:
                for item, _ in other.imports:
                    if text := self._means(item, self.dest):
                        return text
        return None

    def _new(self, item: PythonImport) -> PythonImport:
        """The import of the new module in the style of that of the old one."""
        path = self.file.module.path
        if item.module is None:
            return self._dotted(item)
        level, _ = split_level(item.module)
        written = self.names.written(path, self.dest, relative=level > 0, levels=level)
        dots, name = split_level(written)
        package, _, last = name.rpartition(".")
        module = "." * dots + package
        return PythonImport.of(module, last, None) if module and last else self._dotted(item)

    def _dotted(self, item: PythonImport) -> PythonImport:
        """`import` of the new module; under its last name if the old one had a name of its own."""
        path = self.file.module.path
        dotted = self.names.absolute(path, self.dest)
        if dotted is None:
            raise refused(path, f"has no way to `import` {self.dest}", "no_module_name")
        _, dot, last = dotted.rpartition(".")
        renamed = item.alias and dot and self._means(item)
        return PythonImport.of(None, dotted, last if renamed else None)

    def _check_free(self, new: PythonImport, receiver: Receiver) -> None:
        """Raises unless the name of the new module means nothing else anywhere in the file."""
        head = new.bound
        dotted = new.module is None and not new.alias
        for statement in self.file.statements:
            for item, _ in statement.imports:
                plain = item.module is None and not item.alias
                same = (dotted and plain) or self._means(item, self.dest)
                if item.bound == head and not same:
                    raise self._cannot(receiver, f"the name {head} means {item} in the file")
        if head in self.file.module.bound_otherwise:
            raise self._cannot(receiver, f"the name {head} means something else in the file")

    def _check_bare(self, receiver: Receiver, start: int) -> None:
        code = self.file.module.code[start:]
        word = re.match(rb"\w+", code)
        name = word[0].decode() if word else ""
        if name in self.file.module.bound_inside:
            raise self._cannot(receiver, f"the name {name} is bound in a function of the file")

    def _remaining(
        self, item: PythonImport, statement: ImportStatement, receivers: Sequence[Receiver]
    ) -> bool:
        """Whether anything else than these uses needs the import."""
        code = self.file.module.code
        text = item.name if item.module is None and not item.alias else item.bound
        gone = {receiver.start for receiver in receivers}
        spans = [(entry.node.start_byte, entry.node.end_byte) for entry in self.file.statements]
        others = [
            place
            for place in re.finditer(rb"(?<![\w.])" + re.escape(text.encode()) + rb"(?!\w)", code)
            if place.start() not in gone
            and not any(low <= place.start() < high for low, high in spans)
        ]
        if any(_counts(self.file.module.root, place.start()) for place in others):
            return True
        if _scope_of(statement.node).type == "module" and self._is_read_here(item):
            return True
        head = text.partition(".")[0]
        return head != text and self._needs_head(head, item, gone, spans)

    def _is_read_here(self, item: PythonImport) -> bool:
        """Whether other modules reach the old module through this one."""
        return self.is_needed(self.file.module.path, item.alias or item.name.rpartition(".")[2])

    def _needs_head(
        self, head: str, item: PythonImport, gone: set[int], spans: Sequence[tuple[int, int]]
    ) -> bool:
        """Whether a package is used that only `import package.module` brings."""
        items = [other for statement in self.file.statements for other, _ in statement.imports]
        if any(other.bound == head and other != item for other in items):
            return False
        word = re.compile(rb"(?<![\w.])" + re.escape(head.encode()) + rb"(?!\w)")
        return any(
            place.start() not in gone
            and not any(low <= place.start() < high for low, high in spans)
            and _counts(self.file.module.root, place.start())
            for place in word.finditer(self.file.module.code)
        )

    def _cannot(self, receiver: Receiver, why: str) -> Exception:
        code = self.file.module.code
        line = code.count(b"\n", 0, receiver.start) + 1
        place = f"{self.file.module.path}:{line}:"
        return refused(place, f"{receiver.text} cannot become {self.dest}: {why}", "collision")


def _package(item: PythonImport) -> str:
    """How code writes what an `import` brings; "" for any other import."""
    return item.name if item.module is None and not item.alias else ""


def _counts(root: Node, place: int) -> bool:
    """Whether a word may be a use: not in a comment, and not the keyword of a call."""
    node = root.descendant_for_byte_range(place, place)
    if node is None or node.type == "comment":
        return False
    parent = node.parent
    if node.type == "identifier" and parent is not None and parent.type == "keyword_argument":
        return parent.child_by_field_name("name") != node
    return True


def is_target(attribute: Node) -> bool:
    """Whether an attribute is assigned or deleted."""
    node, parent = attribute, attribute.parent
    while parent is not None and parent.type in ("pattern_list", "tuple_pattern", "list_pattern"):
        node, parent = parent, parent.parent
    if parent is None:
        return False
    left = parent.child_by_field_name("left") == node
    return left or parent.type in ("delete_statement", "pattern_list", "as_pattern_target")


def _scope_of(node: Node) -> Node:
    scope = node.parent
    while scope is not None and scope.type not in _SCOPES:
        scope = scope.parent
    assert scope is not None
    return scope


@dataclass(slots=True)
class MovedNames:
    """The names that go from the module `source` to `dest`.

    `starred` are those that `from source import *` brings, and that of `dest` will; `reexport`
    says that an import stays.
    """

    names: Sequence[str]
    source: str
    dest: str
    starred: Collection[str] = ()
    reexport: bool = False


@dataclass(slots=True)
class ModuleUses:
    """The changes of one module, in no order; `unclear` are uses that stay as they are."""

    changes: list[Change] = field(default_factory=list)
    unclear: list[int] = field(default_factory=list)


class Following:
    """Lets the modules that use what moves follow it."""

    def __init__(
        self,
        moved: MovedNames,
        modules: ModulePaths,
        names: ModuleNames,
        is_needed: Callable[[str, str], bool],
    ) -> None:
        self._moved, self._modules, self._names = moved, modules, names
        self._is_needed = is_needed

    def changes(self, module: ModuleCode, uses: Sequence[SpelledUse]) -> ModuleUses:
        """What becomes of a module with these uses of the names."""
        file = FileImports(module, self._modules)
        attributes = AttributeUsers(
            file, self._moved.source, self._moved.dest, self._names, self._is_needed
        )
        attributes.follow([use.start for use in uses if isinstance(use, AttributeUse)])
        brought = {use.start for use in uses if isinstance(use, ImportUse)}
        for statement in file.statements:
            if module.path == self._moved.dest:
                self._end(file, statement, brought)
            elif file.source_of(statement) == self._moved.source:
                self._follow(file, statement)
        changes = [*attributes.changes, *file.changes]
        if module.path == self._moved.source and not self._moved.reexport:
            places = [use.start for use in uses if isinstance(use, ListedUse) and not use.owner]
            changes += unlisted(module, places)
        return ModuleUses(changes, attributes.unclear)

    def _follow(self, file: FileImports, statement: ImportStatement) -> None:
        numbers = [
            number
            for number, (item, _) in enumerate(statement.imports)
            if item.name in self._moved.names
        ]
        items = [statement.imports[number][0] for number in numbers]
        star = not statement.imports
        if not (items or (star and self._moved.starred)):
            return
        module = self._written(file, statement)
        if self._is_starred(file, statement, items):
            if items:
                file.take_out(statement, {*numbers})
        elif star:
            new = [PythonImport.of(module, name, None) for name in sorted(self._moved.starred)]
            file.add(new, statement)
        elif len(items) == len(statement.imports) and not file.has_near(module, statement):
            file.put_module(statement, module)
        else:
            new = [_from(module, item) for item in items]
            file.take_out(statement, {*numbers})
            file.add(new, statement)

    def _is_starred(
        self, file: FileImports, statement: ImportStatement, items: Sequence[PythonImport]
    ) -> bool:
        """Whether a star import beside it will bring all that a statement takes."""
        brought = all(item.name in self._moved.starred and not item.alias for item in items)
        stars = [entry for entry in file.statements if not entry.imports]
        near = [star for star in stars if star.node.parent == statement.node.parent]
        return brought and self._moved.dest in map(file.source_of, near)

    def _written(self, file: FileImports, statement: ImportStatement) -> str:
        level, _ = split_level(module_of(statement.node) or "")
        return self._names.written(
            file.module.path, self._moved.dest, relative=level > 0, levels=level
        )

    def _end(self, file: FileImports, statement: ImportStatement, brought: set[int]) -> None:
        """In the new module itself nothing is imported any more, through whatever module."""
        numbers = set()
        for number, (item, node) in enumerate(statement.imports):
            if item.name in self._moved.names and node.start_byte in brought:
                numbers.add(number)
                if item.bound != item.name:
                    place = f"{file.module.path}:{node.start_point.row + 1}:"
                    raise refused(place, f"{item} would import the module itself", "self_import")
        if numbers:
            file.take_out(statement, numbers)


def _from(module: str, item: PythonImport) -> PythonImport:
    alias = item.name if item.repeated else item.alias
    return PythonImport.of(module, item.name, alias)
