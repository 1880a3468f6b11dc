"""`rename` in JavaScript and TypeScript: what modules export, import and pass on.

Followed is what the modules alone say: a name of a file, wherever it is imported or exported
again, and a member of a class through `this`, `super` and what `new` gives. The rest is listed.
"""

import posixpath
import re

from tree_sitter import Node

from astedit.engine.run_context import Run
from astedit.errors import PreconditionError
from astedit.model.plan import Plan
from astedit.model.request import EditRequest
from astedit.semantic.imports.javascript import JavaScript
from astedit.semantic.imports.javascript_import import JavaScriptImport, source_of
from astedit.semantic.imports.statement import text_of
from astedit.semantic.library import Library
from astedit.semantic.listed_uses import AlsoUses, UsePlace, listed
from astedit.semantic.rename.script_files import LANGUAGES, ScriptFile, ScriptFiles
from astedit.semantic.rename.script_members import MemberRename
from astedit.workspace.root import Workspace

_DECLARATIONS = (
    *("variable_declarator", "lexical_declaration", "variable_declaration", "enum_declaration"),
    *("class_declaration", "abstract_class_declaration", "function_declaration"),
    *("generator_function_declaration", "interface_declaration", "type_alias_declaration"),
    *("function_signature", "ambient_declaration"),
)


class ScriptRename:
    """Follows one name; the edits are those of the files."""

    def __init__(self, files: ScriptFiles, old: str, new: str) -> None:
        self._files, self._old, self._new = files, old, new
        self.places: list[UsePlace] = []
        self._exporting: list[str] = []

    # -- a name of a module ----------------------------------------------------------------------

    def follow(self, path: str) -> None:
        """Renames what the file at `path` itself calls `old`, and follows its exports."""
        file = self._files.file(path)
        assert file is not None
        self._local(file)
        for exporting in self._exporting:  # grows while it is looked through
            for other in self._files.holding(self._old):
                if other.path != exporting:
                    self._user(other, exporting)
        for other in self._files.holding(self._old):
            self._list(other)

    def _export(self, path: str) -> None:
        if path not in self._exporting:
            self._exporting.append(path)

    def _local(self, file: ScriptFile) -> None:
        """Renames the file's own name, and notes whether it is exported under it."""
        if next(file.words(self._new), None) is not None and file.leaves(self._new):
            raise self._taken(file)
        for leaf in file.leaves(self._old):
            above = leaf.parent
            kind = above.type if above is not None else ""
            if kind == "export_specifier" and above is not None:
                statement = above.parent.parent if above.parent is not None else None
                if statement is not None and statement.child_by_field_name("source") is not None:
                    continue  # of another module
                if above.child_by_field_name("name") != leaf:
                    continue
                if above.child_by_field_name("alias") is None:
                    self._export(file.path)
                file.change(leaf, self._new)
            elif kind == "nested_type_identifier" and above is not None:
                if above.named_children[0] == leaf:
                    file.change(leaf, self._new)
            elif leaf.type.startswith("shorthand_property_identifier"):
                self._shorthand(file, leaf)
            elif kind != "import_specifier":
                file.change(leaf, self._new)
                if _is_exported(leaf):
                    self._export(file.path)
        for node in file.words(self._old):  # exports.old = …
            above = node.parent
            if above is not None and above.type == "member_expression":
                target = text_of(above.child_by_field_name("object"))
                is_set = above.parent is not None and above.parent.type == "assignment_expression"
                value = (
                    above.parent.child_by_field_name("right") if is_set and above.parent else None
                )
                if target in ("exports", "module.exports") and text_of(value) == self._old:
                    file.change(node, self._new)
                    self._export(file.path)

    def _shorthand(self, file: ScriptFile, leaf: Node) -> None:
        """`{ old }` names a property, too, which stays, unless it is what a module exports."""
        whole = leaf.parent.parent if leaf.parent is not None else None
        exported = (
            whole is not None
            and whole.type == "assignment_expression"
            and text_of(whole.child_by_field_name("left")) == "module.exports"
        )
        if exported:
            self._export(file.path)
        file.change(leaf, self._new if exported else f"{self._old}: {self._new}")

    def _user(self, file: ScriptFile, exporting: str) -> None:
        """Follows what one file has of a module that exports the name."""
        for statement in JavaScript(file.language).statements(file.root):
            for item, node in statement.imports:
                if self._files.resolved(file.path, item.module) == exporting:
                    is_common = statement.node.type != "import_statement"
                    self._imported(file, item, node, is_common=is_common)
        for node in file.root.named_children:
            source = source_of(node) if node.type == "export_statement" else None
            if source is not None:
                module = text_of(source)[1:-1]
                if self._files.resolved(file.path, module) == exporting:
                    self._again(file, node)

    def _imported(
        self, file: ScriptFile, item: JavaScriptImport, node: Node, *, is_common: bool
    ) -> None:
        if item.name in ("*", "=") or (item.name == "default" and is_common):
            self._members(file, item.local)
        elif item.name == self._old:
            words = [w for w in file.words(self._old) if _within(w, node)]
            if item.local != self._old:
                file.change(words[0], self._new)
            elif node.start_byte not in file.edits:
                self._local(file)
                for word in words:
                    file.change(word, self._new)

    def _members(self, file: ScriptFile, space: str) -> None:
        """`space.old` becomes `space.new`, wherever the file's own `space` is meant."""
        for leaf in file.leaves(space):
            above = leaf.parent
            last = above.named_children[-1] if above is not None else None
            kinds = ("member_expression", "nested_type_identifier", "nested_identifier")
            if above is not None and above.type in kinds and text_of(last) == self._old:
                assert last is not None
                file.change(last, self._new)

    def _again(self, file: ScriptFile, statement: Node) -> None:
        """`export … from` a module that exports the name."""
        clause = next((n for n in statement.named_children if n.type == "export_clause"), None)
        if clause is None and not any(
            n.type == "namespace_export" for n in statement.named_children
        ):
            self._export(file.path)  # export *
        for specifier in clause.named_children if clause is not None else ():
            name = specifier.child_by_field_name("name")
            if name is not None and text_of(name) == self._old:
                file.change(name, self._new)
                if specifier.child_by_field_name("alias") is None:
                    self._export(file.path)

    def _list(self, file: ScriptFile) -> None:
        """Lists what may mean an exported name although no import of the file says so."""
        reads = any(self._may_read(file, path) for path in self._exporting)
        for word in file.words(self._old):
            above = word.parent
            if word.start_byte in file.edits or above is None:
                continue
            if word.type == "string_fragment" and text_of(word) == self._old:
                self.places.append(file.place(word, "a string"))
            elif above.type == "import_specifier" and above.child_by_field_name("name") == word:
                statement = (
                    above.parent.parent.parent if above.parent and above.parent.parent else None
                )
                module = text_of(source_of(statement))[1:-1] if statement is not None else "."
                if not module.startswith("."):
                    why = "the module does not say where it has it from"
                    self.places.append(file.place(word, why))
            elif word.type == "property_identifier" and reads and self._exporting:
                self.places.append(file.place(word, "the object may be the module"))

    def _may_read(self, file: ScriptFile, path: str) -> bool:
        """Whether a file names a module in a way that is not followed, as by `import()`."""
        stem = posixpath.basename(path).partition(".")[0].encode()
        return re.search(rb"(?:import|require)\s*\([^)]*" + re.escape(stem), file.code) is not None

    def _taken(self, file: ScriptFile) -> PreconditionError:
        return PreconditionError(
            f"{self._new!r} is taken in {file.path}; nothing was staged.",
            path=file.path,
            code="collision",
            hint="Choose another name, or rename that one first.",
        )


def _is_exported(leaf: Node) -> bool:
    """Whether a declaration is exported by its own name."""
    node, above = leaf, leaf.parent
    while above is not None and above.type in _DECLARATIONS:
        is_list = above.type in ("lexical_declaration", "variable_declaration")
        if not is_list and above.child_by_field_name("name") != node:
            return False
        node, above = above, above.parent
    if above is None or node == leaf or above.type != "export_statement":
        return False
    return not any(child.type == "default" for child in above.children)


def _within(node: Node, outer: Node) -> bool:
    return outer.start_byte <= node.start_byte and node.end_byte <= outer.end_byte


def plan(request: EditRequest, workspace: Workspace, run: Run) -> Plan:
    """The plan of a rename in the scripts of a workspace; see `rename.plan`."""
    assert request.operation is not None
    arguments = request.operation.arguments
    owner, _, old = arguments["name"].rpartition(".")
    files = ScriptFiles(Library(request, workspace, run, old, None, LANGUAGES))
    rename: ScriptRename | MemberRename
    if owner:
        rename = members = MemberRename(files, old, arguments["new"])
        members.follow(arguments["path"], owner)
    else:
        rename = names = ScriptRename(files, old, arguments["new"])
        names.follow(arguments["path"])
    also = AlsoUses(arguments)
    taken, places = also.taken(sorted(set(rename.places)))
    also.check(places)
    for file in files.holding(old) if taken else ():
        spans = [place.span for place in taken if place.path == file.path]
        file.edits |= {start: (start, end, arguments["new"].encode()) for start, end in spans}
    changes = {file.path: file.edits.values() for file in files.holding(old)}
    return files.library.worked_out(changes, listed(old, places)).plan(request, workspace, run)
