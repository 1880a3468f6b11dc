"""Every use of a name of a module that the modules of JavaScript and TypeScript show.

Followed is what the modules alone say: a name of a file, wherever it is imported or exported
again. The rest is listed.
"""

import re
from typing import Literal, NamedTuple, TypeAlias

from tree_sitter import Node

from astedit.language.brackets import nearest
from astedit.python.evaluation import is_within
from astedit.python.syntax import text_of
from astedit.semantic.imports.javascript_import import JavaScriptImport, source_of
from astedit.semantic.listed_uses import AlsoUses, UsePlace, standing
from astedit.semantic.module_code import top_of
from astedit.semantic.script.files import ScriptFile, ScriptFiles, stem_of

_PASSING = ("variable_declarator", "spread_element", "arguments", "pair", "object", "array",
            "export_specifier", "export_statement", "assignment_expression")  # fmt: skip
_READING = ("property_identifier", "shorthand_property_identifier_pattern")
_REQUIRED = re.compile(rb"\brequire\s*\(\s*[\"'](\.[^\"']*)[\"']\s*\)(?!\s*\.)")
_TYPED = rb"\{(?!@)[^{}\n]*?(?<![\w$\"'/])(%b)(?![\w$])[^{}\n]*\}"  # `@param {Cart} cart`
_LOADING = rb"(?:import|require)\s*\([^)]*(?:%b)"
_EXPORTS = ("exports", "module.exports")
UNCLEAR = "the code around it cannot be parsed"
UseKind: TypeAlias = Literal[
    "definition", "name", "shorthand", "export", "common", "import", "again",
    "star", "member", "taken",
]  # fmt: skip
_SPACES = 3  # modules within modules that are followed


class ScriptUse(NamedTuple):
    """One use, by the node of the name, or the statement of an `export *`.

    `common` is what CommonJS exports, `taken` the member in `const { it } = value`. A use is
    `renamed` if it stands under another name.
    """

    file: ScriptFile
    node: Node
    kind: UseKind
    renamed: bool = False


class NameUses:
    """The `uses` of a name, and `places` that may be some."""

    def __init__(self) -> None:
        self.uses: list[ScriptUse] = []
        self.places: list[UsePlace] = []

    @property
    def definitions(self) -> list[ScriptUse]:
        """Where it is defined."""
        return [use for use in self.uses if use.kind == "definition"]

    def is_own(self, use: ScriptUse) -> bool:
        """Whether a definition is the one that is meant, and none of a class above or below."""
        return True


class ScriptUses(NameUses):
    """Follows the name `old` of the file at `path`; `places` are what may be uses.

    `aliases` says whether it is followed under the names that imports and exports give it. `own`
    are the files that call it by a name of theirs, `exporting` those that export it, and as what.
    """

    def __init__(
        self, files: ScriptFiles, path: str, old: str, aliases: bool, also: AlsoUses | None = None
    ) -> None:
        self._files, self._old, self._aliases = files, old, aliases
        super().__init__()
        self.own: dict[str, ScriptFile] = {}
        self.exporting: list[tuple[str, str]] = []
        self._seen: set[tuple[str, int]] = set()
        self._local(files.needed(path), old)
        for other in files.holding(old) if self.exporting else ():
            self._foreign(other, also or AlsoUses({}))
        for exporting in self.exporting:  # grows while it is looked through
            name = exporting[1].partition(".")[0]
            for other in files.holding("" if name == "default" else name, of=exporting[0]):
                if other.path != exporting[0]:
                    self._user(other, exporting)
        for other in files.holding(old):
            self._list(other)
        if self.exporting:
            self.places += files.in_pages(old, [path for path, _ in self.exporting])

    def _note(self, file: ScriptFile, node: Node, kind: UseKind) -> None:
        if (file.path, node.start_byte) not in self._seen:
            self._seen.add((file.path, node.start_byte))
            renamed = kind != "star" and text_of(node) != self._old
            self.uses.append(ScriptUse(file, node, kind, renamed))

    def _export(self, path: str, name: str) -> None:
        is_meant = self._aliases or name.rpartition(".")[2] == self._old
        if (path, name) not in self.exporting and is_meant:
            self.exporting.append((path, name))

    def _local(self, file: ScriptFile, name: str) -> None:
        """Notes the uses of the file's own name, and under what it is exported."""
        self.own[file.path] = file
        declarations = file.declarations(name)
        if file.makes_jsx(name):
            self.places.append(UsePlace(file.path, 1, "it makes the JSX of this file"))
        for leaf in file.leaves(name):
            above, word = leaf.parent, _common(leaf)
            assert above is not None
            if word is not None and text_of(word) == name:
                self._note(file, word, "common")
                self._export(file.path, name)
            if above.type == "export_specifier":
                statement = nearest(leaf, ("export_statement",))
                is_own = statement is not None and source_of(statement) is None
                if is_own and above.child_by_field_name("name") == leaf:
                    self._export(file.path, text_of(above.child_by_field_name("alias")) or name)
                    self._note(file, leaf, "export")
            elif above.type == "nested_type_identifier":
                if above.named_children[0] == leaf:
                    self._note(file, leaf, "name")
            elif leaf.type.startswith("shorthand_property_identifier"):
                self._note(file, leaf, "shorthand")
            elif above.type != "import_specifier":
                is_own = leaf in declarations and above.child_by_field_name("name") == leaf
                self._note(file, leaf, "definition" if is_own else "name")
            statement = top_of(leaf)
            is_default = any(child.type == "default" for child in statement.children)
            is_it = leaf in declarations or (is_default and above == statement)
            if statement.type == "export_statement" and is_it:
                self._export(file.path, "default" if is_default else name)

    def _user(self, file: ScriptFile, exporting: tuple[str, str]) -> None:
        """Follows what one file has of a module that exports the name."""
        path, name = exporting
        for item, node in file.imported:
            if self._files.resolved(file.path, item.module) == path:
                self._imported(file, item, node, name)
        for node, module in file.again:
            if self._files.resolved(file.path, module) == path:
                self._again(file, node, name)
        for match in _REQUIRED.finditer(file.code):
            call = file.root.descendant_for_byte_range(*match.span())
            is_it = self._files.resolved(file.path, match[1].decode()) == path
            above = call.parent if call is not None and is_it else None
            if above is not None and above.type in _PASSING[1:]:
                self._pass_on(file, above)

    def _imported(self, file: ScriptFile, item: JavaScriptImport, node: Node, name: str) -> None:
        space, _, inner = name.partition(".")
        is_common = top_of(node).type != "import_statement"
        if item.name in ("*", "=") or (item.name == "default" and is_common):
            self._members(file, item.bound, name)
        elif inner and item.name == space:
            self._members(file, item.bound, inner)
        elif item.name == name:
            words = [w for w in file.words(name) if is_within(w, node)] or [node]
            follows = item.bound == self._old == name or self._aliases
            for word in words if follows else words[:1]:
                self._note(file, word, "import")
            if follows:
                self._local(file, item.bound)

    def _members(self, file: ScriptFile, space: str, name: str) -> None:
        """`space.old`, wherever the file's own `space` is meant; `name` may be `inner.old`."""
        *outer, name = name.split(".")
        for leaf in file.leaves(space):
            above = leaf.parent
            for step in outer:
                is_it = above is not None and text_of(above.named_children[-1]) == step
                above = above.parent if above is not None and is_it else None
            last = above.named_children[-1] if above is not None else None
            kinds = ("member_expression", "nested_type_identifier", "nested_identifier")
            if above is not None and above.type in kinds and text_of(last) == name:
                assert last is not None
                self._note(file, last, "member")
            elif above is not None and above.type in _PASSING:
                self._pass_on(file, leaf)

    def _pass_on(self, file: ScriptFile, node: Node) -> None:
        place = file.place(node, "all of its module is passed on")
        self.places.append(place._replace(span=(0, 0)))  # it is another name

    def _again(self, file: ScriptFile, statement: Node, name: str) -> None:
        """`export … from` a module that exports the name, which may be `space.old`."""
        first, dot, inner = name.partition(".")
        parts = {node.type: node for node in statement.named_children}
        space, clause = map(parts.get, ("namespace_export", "export_clause"))
        if space is not None and name.count(".") < _SPACES:
            self._export(file.path, f"{text_of(space.children[-1])}.{name}")
        if space is None and clause is None and name != "default":
            self._export(file.path, name)
            if not dot:
                self._note(file, statement, "star")
        for specifier in clause.named_children if clause is not None else ():
            word, alias = map(specifier.child_by_field_name, ("name", "alias"))
            if word is not None and text_of(word) == first:
                self._export(file.path, (text_of(alias) or first) + dot + inner)
                if not dot:
                    self._note(file, word, "again")

    def _foreign(self, file: ScriptFile, also: AlsoUses) -> None:
        """Lists what has the name from a module that is no file here; follows what is taken."""
        every = [(item.module, node, item) for item, node in file.imported]
        for module, node, item in [*every, *((m, n, None) for n, m in file.again)]:
            words = [word for word in file.words(self._old) if is_within(word, node)]
            if module.startswith(".") or not words or (item and item.name != self._old):
                continue
            place = file.place(words[0], "the module does not say where it has it from")
            if not also.takes(place):
                self.places.append(place)
            elif item:
                self._imported(file, item, node, self._old)
            else:
                self._again(file, node, self._old)

    def _list(self, file: ScriptFile) -> None:
        """Lists what may mean an exported name although no import of the file says so."""
        is_it = file.path in self.own or not file.declarations(self._old)
        typed = re.compile(_TYPED % re.escape(self._old.encode()))
        for place in standing(file.path, file.code, typed, (), "a type in a comment"):
            node = file.root.descendant_for_byte_range(*place.span)
            self.places += [place] if node and node.type == "comment" and is_it else []
        # a file may name a module in a way that is not followed, as by `import()`
        stems = [stem_of(path).encode() for path, _ in self.exporting]
        loading = re.compile(_LOADING % b"|".join(map(re.escape, stems)))
        reads = stems and loading.search(file.code)
        for word in file.words(self._old):
            if (file.path, word.start_byte) in self._seen or word.parent is None:
                continue
            if word.type == "string_fragment" and text_of(word) == self._old:
                self.places.append(file.place(word, "a string"))
            elif file.is_unclear(word):
                self.places.append(file.place(word, UNCLEAR))
            elif word.type in _READING and reads:
                self.places.append(file.place(word, "the object may be the module"))


def _common(leaf: Node) -> Node | None:
    """The name under which CommonJS exports what a name means, if it does."""
    above = leaf.parent
    whole = above if above is None or above.type == "assignment_expression" else above.parent
    left = whole.child_by_field_name("left") if whole is not None else None
    if above is None or left is None or leaf == left:
        return None
    if above == whole and text_of(left.child_by_field_name("object")) in _EXPORTS:
        return left.child_by_field_name("property")
    is_it = leaf.type.startswith("shorthand") and text_of(left) == "module.exports"
    return leaf if is_it else None
