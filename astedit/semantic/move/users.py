"""What becomes of a module that uses what moves: its imports, receivers and lists of names."""

import re
from bisect import bisect
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tree_sitter import Node

from astedit.errors import PreconditionError
from astedit.language.brackets import beyond, nearest
from astedit.python.evaluation import TARGETS
from astedit.python.facts import AttributeUse, ImportUse, ListedUse, SpelledUse
from astedit.python.syntax import dotted_start, parts_of, plain, split_level, text_of
from astedit.semantic.file_imports import FileImports, ImportStatement
from astedit.semantic.imports.python import PythonImport, module_of
from astedit.semantic.module_code import ModuleCode, ModuleNames, WorkspaceCode, refused
from astedit.semantic.remove import NewItem, item_cuts, relisted
from astedit.semantic.rename.definition_nodes import definition_nodes
from astedit.text.source import Change

_RECEIVER = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*\.")
_LISTS = ("list", "tuple", "set")
_SCOPES = ("function_definition", "module", "lambda")


class Receiver(NamedTuple):
    """What stands before `.f`: bytes `start` to `end` without the dot, and its text."""

    start: int
    end: int
    text: str
    node: Node


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


class MovedUser:
    """A module that uses what moves: its `changes`, in no order, and what is `unclear`.

    `is_needed` says of a module's name whether another module takes it from there.
    """

    def __init__(
        self,
        module: ModuleCode,
        moved: MovedNames,
        code: WorkspaceCode,
        names: ModuleNames,
        is_needed: Callable[[str, str], bool],
    ) -> None:
        self._module, self._moved, self._names = module, moved, names
        self._code, self._is_needed = code, is_needed
        self._file = FileImports(module, code.modules)
        self._is_dest = module.path == moved.dest
        self._changes: list[Change] = []
        self.unclear: list[int] = []  # where uses begin that stay as they are

    def changes(self, uses: Sequence[SpelledUse]) -> list[Change]:
        """What becomes of the module with these uses of the names."""
        self._follow_attributes([use.start for use in uses if isinstance(use, AttributeUse)])
        brought = {use.start for use in uses if isinstance(use, ImportUse)}
        for statement in self._file.statements:
            if self._is_dest:
                self._end(statement, brought)
            elif self._file.source_of(statement) == self._moved.source:
                self._follow(statement)
        changes = [*self._changes, *self._file.changes]
        if self._module.path == self._moved.source and not self._moved.reexport:
            places = [use.start for use in uses if isinstance(use, ListedUse) and not use.owner]
            changes += unlisted(self._module, places)
        return changes

    # -- from a import f ---------------------------------------------------------------------

    def _follow(self, statement: ImportStatement) -> None:
        file, starred = self._file, self._moved.starred
        every = enumerate(statement.imports)
        numbers = {at for at, (item, _) in every if item.name in self._moved.names}
        items = [statement.imports[at][0] for at in sorted(numbers)]
        is_star = not statement.imports
        if not (items or (is_star and starred)):
            return
        module = self._written(module_of(statement.node) or "")
        stars = [entry for entry in file.statements if not entry.imports]
        near = [star for star in stars if star.node.parent == statement.node.parent]
        brought = all(item.name in starred and not item.alias for item in items)
        if brought and self._moved.dest in map(file.source_of, near):
            if items:  # a star import beside it will bring all of them
                file.take_out(statement, numbers)
        elif is_star:
            file.add([PythonImport.of(module, name, None) for name in sorted(starred)], statement)
        elif len(items) == len(statement.imports) and not file.has_near(module, statement):
            file.put_module(statement, module)
        else:
            file.take_out(statement, numbers)
            aliases = ((item, item.name if item.repeated else item.alias) for item in items)
            file.add(
                [PythonImport.of(module, item.name, alias) for item, alias in aliases], statement
            )

    def _written(self, module: str) -> str:
        """How an import writes the new module that writes the old one like this."""
        level, _ = split_level(module)
        return self._names.written(
            self._module.path, self._moved.dest, relative=level > 0, levels=level
        )

    def _end(self, statement: ImportStatement, brought: set[int]) -> None:
        """In the new module itself nothing is imported any more, through whatever module."""
        numbers = set()
        for number, (item, node) in enumerate(statement.imports):
            if item.name in self._moved.names and node.start_byte in brought:
                numbers.add(number)
                if item.bound != item.name:
                    why = f"{item} would import the module itself"
                    raise refused(self._module.path, why, "self_import", at=node)
        if numbers:
            self._file.take_out(statement, numbers)

    # -- a.f: what stands there ----------------------------------------------------------------

    def _follow_attributes(self, starts: Sequence[int]) -> None:
        """Takes the attributes that begin at these bytes to the new module."""
        groups: dict[tuple[int, int], list[Receiver]] = {}
        bindings: dict[tuple[int, int], tuple[ImportStatement, int]] = {}
        for start in starts:
            if (receiver := self._receiver(start)) is None:
                self.unclear.append(start)
                continue
            if self._is_dest:
                self._changes.append((receiver.start, start, b""))
                name = self._module.word_at(start)
                if any(name in scope.bindings for scope in self._module.scopes.all[1:]):
                    why = f"the name {name} is bound in a function of the file"
                    raise self._cannot(receiver, why)
            bound = self._binding(receiver, self._means) or self._binding(receiver, _package)
            if bound is None:
                raise self._cannot(receiver, "it is not clear which import brings its module")
            key = (bound[0].node.start_byte, bound[1])
            groups.setdefault(key, []).append(receiver)
            bindings[key] = bound
        for key, receivers in groups.items():
            self._group(*bindings[key], receivers)

    def _receiver(self, start: int) -> Receiver | None:
        """The dotted name before an attribute; None for any other expression, and for a target."""
        node = self._module.root.descendant_for_byte_range(start, start + 1)
        attribute = node.parent if node is not None else None
        if attribute is None:
            return None
        first = dotted_start(self._module.code, start)
        text = self._module.code[first:start].decode()
        if not _RECEIVER.fullmatch(text) or is_target(attribute):
            return None
        return Receiver(first, start - 1, text[:-1], attribute)

    def _binding(
        self, receiver: Receiver, means: Callable[[PythonImport], str]
    ) -> tuple[ImportStatement, int] | None:
        """The import, by its statement and number, that brings the module to the receiver.

        By `_package` it is one of a package through which the receiver reaches it: `import pkg`.
        """
        scope = nearest(receiver.node, _SCOPES)
        while scope is not None:
            for statement, number, item in self._file.items:
                text = means(item) if nearest(statement.node, _SCOPES) == scope else ""
                inside = means is _package and receiver.text.startswith(f"{text}.")
                if text and (text == receiver.text or inside):
                    return statement, number
            scope = nearest(scope, _SCOPES)
        return None

    def _means(self, item: PythonImport, path: str = "") -> str:
        """How code writes the module by this import; "" if it brings another."""
        if self._file.target(item) != (path or self._moved.source):
            return ""
        return item.bound if item.module else item.alias or item.name

    # -- a.f: what comes instead ---------------------------------------------------------------

    def _group(
        self, statement: ImportStatement, number: int, receivers: Sequence[Receiver]
    ) -> None:
        item, file = statement.imports[number][0], self._file
        remaining = not self._means(item) or self._remaining(item, statement, receivers)
        if not self._is_dest and self._code.hides(self._moved.dest):
            why = "the package around that calls something else by its name"
            raise self._cannot(receivers[0], why)
        spelling = "" if self._is_dest else self._spelling(statement)
        if self._is_dest or spelling:
            if spelling:
                self._write(receivers, spelling)
            if not remaining:
                file.take_out(statement, {number})
            return
        new = self._new(item)
        if item.alias and not remaining:
            new = PythonImport.of(new.module, new.name, item.alias)
        else:
            why = file.hiding(new, lambda other: bool(self._means(other, self._moved.dest)))
            if why:
                raise self._cannot(receivers[0], why)
            self._write(receivers, new.name if _package(new) else new.bound)
        if not remaining and len(statement.imports) == 1:
            file.replace(statement, new)
            return
        if not remaining:
            file.take_out(statement, {number})
        file.add([new], statement)

    def _write(self, receivers: Sequence[Receiver], text: str) -> None:
        self._changes += [(receiver.start, receiver.end, text.encode()) for receiver in receivers]

    def _spelling(self, statement: ImportStatement) -> str:
        """How code writes the new module already, by an import of the same block."""
        block = statement.node.parent
        near = (item for other, _, item in self._file.items if other.node.parent == block)
        return next(filter(None, (self._means(item, self._moved.dest) for item in near)), "")

    def _new(self, item: PythonImport) -> PythonImport:
        """The import of the new module in the style of that of the old one."""
        if item.module is not None:
            dots, name = split_level(self._written(item.module))
            package, _, last = name.rpartition(".")
            if last and (dots or package):
                return PythonImport.of("." * dots + package, last, None)
        path, dest = self._module.path, self._moved.dest
        if (dotted := self._names.absolute(path, dest)) is None:
            raise refused(path, f"has no way to `import` {dest}", "no_module_name")
        _, dot, last = dotted.rpartition(".")
        # under its last name if the old one had a name of its own
        renamed = item.alias and dot and self._means(item)
        return PythonImport.of(None, dotted, last if renamed else None)

    def _remaining(
        self, item: PythonImport, statement: ImportStatement, receivers: Sequence[Receiver]
    ) -> bool:
        """Whether anything else than these uses needs the import."""
        text, gone = _package(item) or item.bound, {receiver.start for receiver in receivers}
        if self._file.stands(text, gone):
            return True
        is_top = nearest(statement.node, _SCOPES) == self._module.root
        name = item.alias or item.name.rpartition(".")[2]
        if is_top and self._is_needed(self._module.path, name):
            return True  # other modules reach the old module through this one
        head = text.partition(".")[0]
        return head != text and self._file.needs_head(head, item, gone)

    def _cannot(self, receiver: Receiver, why: str) -> PreconditionError:
        why = f"{receiver.text} cannot become {self._moved.dest}: {why}"
        return self._file.refused(receiver.start, why, "collision")


def _package(item: PythonImport) -> str:
    """How code writes what an `import` brings; "" for any other import."""
    return item.name if item.module is None and not item.alias else ""


def is_target(attribute: Node) -> bool:
    """Whether an attribute is assigned or deleted."""
    kinds = ("pattern_list", "tuple_pattern", "list_pattern")
    node, parent = beyond(attribute, lambda outer: outer.type in kinds)
    if parent is None:
        return False
    left = parent.type in TARGETS and parent.child_by_field_name("left") == node
    return left or parent.type in ("delete_statement", "pattern_list", "as_pattern_target")


def unlisted(module: ModuleCode, places: Sequence[int]) -> list[Change]:
    """The changes that take names out of lists; a place is a byte within the string of one."""
    strings = []
    for place in places:
        word = module.root.descendant_for_byte_range(place, place)
        node = nearest(word, ("string",)) if word is not None else None
        above = node.parent if node is not None else None
        if node is None or above is None or above.type not in _LISTS:
            line = module.code.count(b"\n", 0, place) + 1
            why = "takes a name into __all__ otherwise than in a list"
            raise refused(module.path, why, "dynamic_all", at=line)
        strings.append(node)
    return item_cuts(strings, module.code)


def listed(module: ModuleCode, names: Sequence[str]) -> list[Change] | None:
    """The changes that take names into `__all__`; None if it is not a plain list.

    They come in order where the list is in order, else to its end.
    """
    every = [n for n in definition_nodes(module.root, "__all__") if n.parent == module.root]
    value = parts_of(every[0])[0].child_by_field_name("right") if every else None
    node = plain(value) if value is not None else None
    if node is None or node.type not in _LISTS:
        return None
    items = parts_of(node)
    texts = [text_of(item).strip("'\"") for item in items]
    quote = text_of(items[0])[:1] if items else '"'
    comma = "," if node.type == "tuple" and not items and len(names) == 1 else ""
    is_sorted, new = texts == sorted(texts), list[NewItem](range(len(items)))
    for name in names:
        at = bisect(texts, name) if is_sorted else len(texts)
        texts.insert(at, name)
        new.insert(at, f"{quote}{name}{quote}{comma}".encode())
    return relisted(node, items, new, module.code, lambda _: b"")
