"""`move` in JavaScript and TypeScript: definitions of the top level go to another module.

The code stays as it is, but for the `export` that others need. Whoever imports it follows.
"""

import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache

from tree_sitter import Node

from astedit.engine.whole_files import check_place, created, with_files
from astedit.language.brackets import nearest
from astedit.model.plan import Plan
from astedit.python.evaluation import is_within
from astedit.python.module_paths import ModulePaths
from astedit.python.syntax import every_node, parts_of, text_of
from astedit.semantic.imports.javascript import JavaScript
from astedit.semantic.imports.javascript_import import JavaScriptImport, module_of, source_of
from astedit.semantic.imports.local_names import NAMES
from astedit.semantic.imports.statement import Statement
from astedit.semantic.library import NameRequest
from astedit.semantic.listed_uses import listed
from astedit.semantic.module_code import refused, top_of
from astedit.semantic.move.import_cycles import way_between
from astedit.semantic.remove import item_cuts
from astedit.semantic.script.files import (
    ChangedScript,
    ScriptFile,
    ScriptFiles,
    is_script,
    specifier,
    stem_of,
    without_idle,
)
from astedit.semantic.script.move_module import is_module, relative_names
from astedit.semantic.script.object_types import SETTING
from astedit.semantic.script.remove import cuts, definition_of
from astedit.semantic.script.uses import ScriptUse, ScriptUses
from astedit.text.source import Change, end_of_line, line_end, splice

_HOISTED = ("function_declaration", "generator_function_declaration", "function_signature",
            "interface_declaration", "type_alias_declaration")  # fmt: skip


def plan(asked: NameRequest) -> Plan:
    """The plan of a move in scripts; raises `PreconditionError` for what cannot follow."""
    arguments, path = asked.arguments, asked.path
    names = arguments["names"].split()
    files = ScriptFiles(asked, names[0])
    dest = arguments["new"].rstrip("/")
    if any(file.startswith(f"{dest}/") for file in files.library.files):
        dest = f"{dest}/{posixpath.basename(path)}"
    if not is_script(dest) or "::" in dest:
        why = "is no script: scripts move to a file, such as `src/prices.ts`"
        raise refused(dest, why, "no_module")
    if dest == path:
        raise refused(path, f"has {names[0]} already", "same_place")
    if path.endswith((".ts", ".tsx", ".mts", ".cts")) and not dest.endswith(("ts", "tsx")):
        raise refused(dest, "is JavaScript, and the code may have types", "no_module")
    is_new = dest not in files.library.files
    if is_new:
        dest = check_place(dest, asked.request, asked.workspace, frozenset())
    move = _Move(files, path, dest, names, ScriptFile(dest, b"") if is_new else files.needed(dest))
    move.follow("reexport" in arguments)
    edits = {
        user: file.changes for user, file in move.changed.items() if user != dest or not is_new
    }
    result = asked.plan(files.library.worked_out(edits, move.hints()))
    return with_files(result, [created(dest, move.changed[dest].code.code)] if is_new else [])


class _Move:
    """Definitions on their way from one file to another."""

    def __init__(
        self, files: ScriptFiles, path: str, dest: str, names: Sequence[str], there: ScriptFile
    ) -> None:
        self._files, self._path, self._dest, self._names = files, path, dest, names
        self._source = files.needed(path)
        for file in (self._source, there):
            if file.root.has_error:
                raise refused(file.path, "cannot be parsed as a whole", "parse_error")
        files.library.modules = ModulePaths([*files.library.files, dest])
        self.changed = {dest: ChangedScript(there)}
        self._uses = {name: ScriptUses(files, path, name, aliases=True) for name in names}
        self._going: list[Node] = []
        self._exports: set[Change] = set()  # what of the old file others need from now on
        for name, uses in self._uses.items():
            own = [definition_of(u) for u in uses.definitions if u.file is self._source]
            if not own:
                raise refused(path, f"has no {name} at its top", "not_movable")
            self._check(name, own, uses)
            self._going += own
        self._going.sort(key=lambda node: node.start_byte)

    def _check(self, name: str, own: Sequence[Node], uses: ScriptUses) -> None:
        for node in own:
            if node.type == "export_statement" and any(c.type == "default" for c in node.children):
                raise refused(self._path, f"exports {name} by default", "not_movable", at=node)
        for use in uses.uses:
            _refuse_set(use.file, name, use.node)
            if use.kind == "common" or (
                use.kind == "import" and nearest(use.node, ("import_statement",)) is None
            ):
                why = f"has {name} by `require` or `exports`, which is not followed"
                raise refused(use.file.path, why, "not_movable", at=use.node)

    def _at(self, file: ScriptFile) -> ChangedScript:
        return self.changed.setdefault(file.path, ChangedScript(file))

    def follow(self, reexport: bool) -> None:
        """Works out what becomes of every file."""
        carried = self._carried()
        by_file: dict[str, list[tuple[str, ScriptUse]]] = {}
        for name, use in ((name, use) for name, uses in self._uses.items() for use in uses.uses):
            if use.file is not self._source or not self._is_inside(use.node):
                by_file.setdefault(use.file.path, []).append((name, use))
        for user, every in sorted(by_file.items()):
            if user != self._path:
                self._user(every[0][1].file, every)
        self._arrive(is_used=bool(by_file))
        self.changed[self._dest].bring(carried, self._source)
        self._leave(by_file.get(self._path, []), reexport)
        for path, is_exporting in (
            (self._dest, by_file or any(n.type == "export_statement" for n in self._going)),
            (self._path, reexport or self._exports),
        ):
            if is_exporting and self.changed[path].before.is_common:
                why = "exports as CommonJS does, and cannot export by name beside it"
                raise refused(path, why, "not_movable")
        self._check_circle()

    def _is_inside(self, node: Node) -> bool:
        return any(n.start_byte <= node.start_byte < n.end_byte for n in self._going)

    # -- the code -------------------------------------------------------------------------------

    def _carried(self) -> list[JavaScriptImport]:
        """The imports that the moved code needs, as the new file has them."""
        source, items = self._source, list[JavaScriptImport]()
        words = [word for node in self._going for word in every_node(node)]
        is_jsx = any(word.type.startswith("jsx_") for word in words)
        other = {text_of(word) for word in words if word.type in NAMES}.difference(self._names)
        for item, _ in source.imported:
            is_used = item.bound and any(map(self._is_inside, source.leaves(item.bound)))
            if is_used or (is_jsx and source.makes_jsx(item.bound)):
                items.append(self._elsewhere(item))
            other.discard(item.bound)
        for name in sorted(other):
            inside = [n for n in source.leaves(name) if self._is_inside(n)]
            if not inside or not source.declarations(name):
                continue
            for leaf in inside:
                _refuse_set(source, name, leaf)
            items.append(self._own(name))
        return [item for item in items if item.module]

    def _elsewhere(self, item: JavaScriptImport) -> JavaScriptImport:
        """An import of the old file as the new one writes it; one without a module is needless."""
        target = self._files.resolved(self._path, item.module)
        if target == self._dest:
            if item.name != item.bound or not self.changed[self._dest].code.leaves(item.bound):
                raise refused(self._dest, f"has no {item.bound} of its own", "self_import")
            return replace(item, module="")
        if target is None and item.module.startswith("."):
            raise refused(self._path, f"imports {item.module}, which is not there", "no_module")
        module = item.module if target is None else specifier(self._dest, target, item.module)
        return replace(item, module=module)

    def _own(self, name: str) -> JavaScriptImport:
        """The import of a name of the old file, which is exported from then on."""
        uses = ScriptUses(self._files, self._path, name, aliases=True)
        exported = next((n for path, n in uses.exporting if path == self._path), "")
        if not exported:
            for statement in map(top_of, self._source.declarations(name)):
                at = statement.start_byte
                self._exports.add((at, at, b"export "))
        return JavaScriptImport(self._module(self._dest, self._path), exported or name, name)

    def _module(self, importer: str, target: str) -> str:
        """How a file names a module that it did not import so far: as it or others name modules."""
        file = self._files.file(importer) or self._source
        others = self._files.holding(stem_of(self._path))
        every = [item.module for one in (file, *others) for item, _ in one.imported]
        every += [module for one in (file, *others) for _, module in one.again]
        return specifier(importer, target, next((m for m in every if m.startswith(".")), ""))

    def _arrive(self, *, is_used: bool) -> None:
        there = self.changed[self._dest]
        pieces = []
        named = list(relative_names(self._files, self._source, self._dest, {}))
        for node in self._going:
            low, high = self._source.lines_of(node)
            at, paths = node.start_byte - low, list[Change]()
            for word, module, new in named:
                if is_module(word) and is_within(word, node):
                    start = word.start_byte + 1 - low
                    paths.append((start, start + len(module.encode()), new.encode()))
            text = splice(self._source.code[low:high], paths)
            if node.type != "export_statement" and is_used:
                text = text[:at] + b"export " + text[at:]
            pieces.append(text if text.endswith(b"\n") else text + end_of_line(text))
        for name in self._names:
            if there.code.leaves(name) and not any(
                u.file is there.before for u in self._uses[name].uses
            ):
                raise refused(self._dest, f"has another {name}", "collision")
        code, eol = there.code.code, end_of_line(there.code.code or self._source.code)
        at = len(code)
        if not all(_kind(node) in _HOISTED for node in self._going):
            at = self._first_user(there.code)
        text = eol.join(pieces)
        if at < len(code):
            text += eol
        elif code.strip():
            text = (b"" if code.endswith(b"\n") else eol) + eol + text
        there.make_statements([(at, at, text)], len(self._going))

    def _first_user(self, file: ScriptFile) -> int:
        """Where the first statement begins that needs one of the names; the end for none."""
        nodes = [leaf for name in self._names for leaf in file.leaves(name)]
        tops = [n for n in file.root.named_children if n.type != "import_statement"]
        users = (t for t in tops if any(t.start_byte <= n.start_byte < t.end_byte for n in nodes))
        return next((file.lines_of(user)[0] for user in users), len(file.code))

    # -- who uses it ------------------------------------------------------------------------------

    def _user(self, file: ScriptFile, every: Sequence[tuple[str, ScriptUse]]) -> None:
        """What becomes of another file with these uses; the new one has the names itself."""
        user, changes, new = self._at(file), list[Change](), list[JavaScriptImport]()
        there, is_new = self._module(file.path, self._dest), file.path == self._dest
        own = {text_of(use.node.parent) for _, use in every if use.kind == "again"}
        own |= {*self._names} if is_new else set()
        doomed = set[JavaScriptImport]()
        imported = [(name, use.node) for name, use in every if use.kind == "import"]
        for statement in file.imports:
            pairs = ((item, node, pair) for item, node in statement.imports for pair in imported)
            taken = {item: name for item, node, (name, word) in pairs if is_within(word, node)}
            doomed |= self._retarget(file, statement, taken, changes, new) if taken else set()
        again: dict[Node, list[tuple[str, ScriptUse]]] = {}
        for name, use in every:
            export = nearest(use.node, ("export_statement",)) or use.node  # of `export *`
            is_direct = self._files.resolved(file.path, module_of(export)) == self._path
            if use.kind == "member":
                changes.append(self._bare(file, name, use))
                new.append(JavaScriptImport(there, name, name))
            elif use.kind == "again" and is_direct:
                again.setdefault(export, []).append((name, use))
            elif use.kind == "star" and is_direct and name not in own:
                changes.append(_exported(file, export, name, there))
        changes += (c for export, uses in again.items() for c in self._again(file, export, uses))
        user.make(without_idle(file, changes))
        user.make(JavaScript(file.language).removed(doomed, user.code.root, user.code.code))
        user.bring([] if is_new else new)

    def _retarget(
        self,
        file: ScriptFile,
        statement: Statement[JavaScriptImport],
        taken: Mapping[JavaScriptImport, str],
        changes: list[Change],
        new: list[JavaScriptImport],
    ) -> set[JavaScriptImport]:
        """Lets imports follow: all of a statement, or one by one (which goes, and comes as new)."""
        if file.path == self._dest:  # by whatever way it has them
            for item in taken:
                if item.bound != item.name:
                    why = f"calls {item.name} {item.bound}"
                    raise refused(file.path, why, "self_import", at=statement.node)
            return {*taken}
        module = statement.imports[0][0].module
        if self._files.resolved(file.path, module) != self._path:
            return set()
        module = specifier(file.path, self._dest, module)
        source = source_of(statement.node)
        if source is not None and all(other.name in self._names for other, _ in statement.imports):
            changes.append((source.start_byte + 1, source.end_byte - 1, module.encode()))
            return set()
        new += [replace(item, name=name, module=module) for item, name in taken.items()]
        return {*taken}

    def _bare(self, file: ScriptFile, name: str, use: ScriptUse) -> Change:
        """`space.name` becomes the name alone."""
        known = {u.node.start_byte for u in self._uses[name].uses if u.file is file}
        if any(leaf.start_byte not in known for leaf in file.leaves(name)):
            raise refused(file.path, f"has another {name}", "collision", at=use.node)
        whole = use.node.parent
        assert whole is not None
        return whole.start_byte, use.node.end_byte, name.encode()

    def _again(
        self, file: ScriptFile, statement: Node, uses: Sequence[tuple[str, ScriptUse]]
    ) -> list[Change]:
        """`export { name } from` another module, which may have it by another name."""
        items, source = dict[Node, str](), source_of(statement)
        assert source is not None
        module = specifier(file.path, self._dest, module_of(statement))
        is_new = file.path == self._dest
        for name, use in uses:
            node = use.node.parent
            assert node is not None
            item = text_of(node).removeprefix(text_of(use.node))
            items[node] = name + (item or f" as {text_of(use.node)}" if use.renamed else item)
            if is_new and items[node] != name:
                why = f"exports {name} by another name"
                raise refused(file.path, why, "self_import", at=statement)
        if len(items) < len(parts_of(next(iter(items)).parent)):
            gone = item_cuts([*items], file.code, file.language)
            item = ", ".join(items.values())
            return gone if is_new else [*gone, _exported(file, statement, item, module)]
        if is_new:
            return cuts(file, [statement])
        low, high = source.start_byte + 1, source.end_byte - 1
        named = ((*node.byte_range, item.encode()) for node, item in items.items())
        return [(low, high, module.encode()), *named]

    def _leave(self, own: Sequence[tuple[str, ScriptUse]], reexport: bool) -> None:
        """Takes the code out of the old file, which imports what it still uses."""
        source, module = self._at(self._source), self._module(self._path, self._dest)
        used = list(dict.fromkeys(name for name, _ in own))
        left = [*self._exports, *cuts(self._source, self._going)]
        ChangedScript(self._source).make_statements(left, -len(self._going))
        source.make(without_idle(self._source, left))
        source.bring(JavaScriptImport(module, name, name) for name in used)
        if reexport:
            names, code = ", ".join(self._names), source.code.code
            line = f'export {{ {names} }} from "{module}";'.encode() + end_of_line(code)
            source.make([(len(code), len(code), line)])

    # -- circles --------------------------------------------------------------------------------

    def _check_circle(self) -> None:
        """Raises where the two files would import each other before their values are there."""
        if all(_kind(node) in _HOISTED for node in self._going):
            return

        @cache  # each start walks the same graph
        def imports(path: str, *, after: bool) -> set[str]:
            file = self._files.file(path)
            if after and path in self.changed:
                file = self.changed[path].code
            every = file.imported if file else []
            modules = {item.module for item, _ in every if not item.is_type}
            modules |= {module for _, module in file.again} if file else set()
            return {t for m in modules if (t := self._files.resolved(path, m)) is not None}

        for start in sorted(self.changed):
            before = imports(start, after=False)
            for end in sorted(imports(start, after=True) - before):
                way = way_between(end, start, lambda path: imports(path, after=True))
                if way is not None and not (
                    self._path in before
                    and way_between(self._path, start, lambda path: imports(path, after=False))
                ):
                    circle = " -> ".join([start, *way])
                    why = f"would be in a circle of imports, {circle}"
                    hint = "Move what the code needs as well."
                    raise refused(start, why, "import_cycle", hint)

    def hints(self) -> list[str]:
        """What was left alone although it may mean what moves."""
        every = ((name, sorted(set(uses.places))) for name, uses in self._uses.items())
        return [hint for name, places in every for hint in listed(name, places)]


def _refuse_set(file: ScriptFile, name: str, leaf: Node) -> None:
    """Raises `PreconditionError` (`not_movable`) where a use of a name sets it."""
    if leaf.parent and leaf.parent.type in SETTING and leaf.parent.named_children[0] == leaf:
        why = f"sets {name}, which no file can do that imports it"
        raise refused(file.path, why, "not_movable", at=leaf)


def _kind(node: Node) -> str:
    inner = node.child_by_field_name("declaration") if node.type == "export_statement" else node
    return inner.type if inner is not None else ""


def _exported(file: ScriptFile, like: Node, item: str, module: str) -> Change:
    """The line behind a statement that exports one more name as it does."""
    quote, end = text_of(source_of(like))[:1], ";" * text_of(like).endswith(";")
    line = f"export {{ {item} }} from {quote}{module}{quote}{end}".encode()
    at = line_end(file.code, like.end_byte)
    return at, at, line + end_of_line(file.code)
