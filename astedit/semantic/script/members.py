"""Members of classes in scripts: through `this`, `super`, `new` and annotations."""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import TypeAlias

from tree_sitter import Node

from astedit.errors import PreconditionError
from astedit.language.brackets import nearest
from astedit.python.syntax import every_node, parts_of
from astedit.semantic.imports.javascript_import import module_of, source_of
from astedit.semantic.imports.statement import text_of
from astedit.semantic.library import NameRequest
from astedit.semantic.listed_uses import UsePlace
from astedit.semantic.module_code import parents
from astedit.semantic.move.import_cycles import reached
from astedit.semantic.script.files import ScriptFile, ScriptFiles
from astedit.semantic.script.uses import UNCLEAR, NameUses, ScriptUse, ScriptUses, UseKind

_TYPES = ("class_declaration", "abstract_class_declaration", "class", "interface_declaration",
          "type_alias_declaration")  # fmt: skip
_BODIES = ("class_body", "interface_body", "object_type")
_HERITAGE = ("class_heritage", "extends_clause", "implements_clause", "extends_type_clause")
_Type: TypeAlias = tuple[str, str]
_OWN_THIS = ("function_declaration", "function_expression", "generator_function", "class_body",
             "generator_function_declaration", "object")  # fmt: skip
_DEFINING = ("_declaration", "variable_declarator", "type_parameter")
_OUTSIDE = ""  # instead of the path of a type that no file of the workspace defines
_OWN_NAMES = ("method_definition", "arrow_function", "function_expression", "function_declaration")
_UNKNOWN = "the object's class is not evident"
_STATIC = "static "  # before the name of a member that the class itself has
_MAPPED = ("Omit", "Pick", "Partial", "Required", "Readonly")  # types of members of another


class MemberUses(NameUses):
    """The uses of the member `old` of the type `owner`, and `places` that may be some.

    `members` are the names that each type of the workspace has, `prefix` what stands before that
    of the member in them; `family` are the type, those below it, and those above it that have the
    member as well.
    """

    def __init__(self, files: ScriptFiles, asked: NameRequest) -> None:
        owner, _, old = asked.name.rpartition(".")
        self._files, self._old, self._owner = files, old, (asked.path, owner)
        super().__init__()
        self._low, self._high = map(int, asked.arguments["region"].split(":"))
        self.prefix = ""
        self.members: dict[_Type, list[str]] = {}
        self._meanings: dict[tuple[str, str, str], _Type | None] = {}
        self.family = self._family()
        for file in files.holding(old):
            for word in file.words(old):
                verdict = self._member(file, word)
                if verdict is True:
                    above = word.parent
                    is_local = word.type == "identifier" and not _is_field(word)
                    is_use = above is not None and above.type == "member_expression"
                    kind: UseKind = "name" if is_local else "member" if is_use else "definition"
                    kind = "taken" if word.type.startswith("shorthand") else kind
                    self.uses.append(ScriptUse(file, word, kind))
                elif verdict is None or file.is_unclear(word):
                    self.places.append(file.place(word, _UNKNOWN if verdict is None else UNCLEAR))

    def has(self, name: str) -> bool:
        """Whether the type has another member of this name, where this one is."""
        return self.prefix + name in self.members.get(self._owner, ())

    def _family(self) -> set["_Type"]:
        derived: dict[_Type, tuple[ScriptFile, Node]] = {}
        for file in filter(None, map(self._files.file, self._files.library.files)):
            for node in _types(file.root):
                here = (file.path, text_of(node.child_by_field_name("name")))
                derived[here] = file, node
                self.members[here] = _members(node)
                for member in getattr(_body(node), "named_children", ()):
                    is_it = _name_of(member).removeprefix(_STATIC) == self._old
                    if (
                        is_it
                        and here == self._owner
                        and self._low <= member.start_byte < self._high
                    ):
                        self.prefix = _STATIC if _is_static(member) else ""
        bases = {
            here: [self._class(file, name) or (_OUTSIDE, name) for name in _bases(node, self._old)]
            for here, (file, node) in derived.items()
        }
        if self.members.get(self._owner, []).count(self.prefix + self._old) > 1:
            path, name = self._owner
            message = f"{name} has {self._old!r} more than once; nothing was staged."
            raise PreconditionError(message, path=path, code="ambiguous")
        named = self.prefix + self._old
        having = {here for here, names in self.members.items() if named in names}
        family = {self._owner}
        while True:
            more = {here for here, above in bases.items() if family & set(above)}
            above = (reached(here, lambda kind: {*bases.get(kind, ())}) for here in family)
            more |= {base for every in above for base in every if base in having}
            if more <= family:
                break
            family |= more
        outside = {base[1] for here in family for base in bases.get(here, ()) if base not in bases}
        for name in sorted(outside):
            why = f"{name}, a base from outside, may have it"
            self.places.append(UsePlace(self._owner[0], 1, why))
        return family

    def _class(self, file: ScriptFile, name: str) -> _Type | None:
        """The type that a file calls by a name; None if that is not evident."""
        return self._once((file.path, name, ""), lambda: self._own(file, name))

    def _exported(self, path: str | None, name: str) -> _Type | None:
        """The type that a module exports by a name; None if that is not evident."""
        file = self._files.file(path) if path is not None else None
        key = (path or "", name, "exported")
        return self._once(key, lambda: self._passed(file, name) if file is not None else None)

    def _once(self, key: tuple[str, str, str], find: Callable[[], _Type | None]) -> _Type | None:
        if key not in self._meanings:
            self._meanings[key] = None  # where modules export each other's names
            self._meanings[key] = find()
        return self._meanings[key]

    def _own(self, file: ScriptFile, name: str) -> _Type | None:
        for item in (item for statement in file.imports for item, _ in statement.imports):
            if item.local == name:
                target = self._files.resolved(file.path, item.module)
                is_outside = target is None and not item.module.startswith(".")
                return (_OUTSIDE, name) if is_outside else self._exported(target, item.name)
        return self._defined(file, name)

    def _defined(self, file: ScriptFile, name: str) -> _Type | None:
        if (file.path, name) in self.members:
            return file.path, name
        places = [word.parent for word in file.words(name) if word.parent is not None]
        defining = [
            node
            for node in places
            if node.type == "import_alias"
            or (node.type.endswith(_DEFINING) and text_of(node.child_by_field_name("name")) == name)
        ]
        if not defining:
            return _OUTSIDE, name
        other = _type_name(defining[0].child_by_field_name("value")) if len(defining) == 1 else ""
        return self._class(file, other) if other else None

    def _passed(self, file: ScriptFile, name: str) -> _Type | None:
        found = self._defined(file, name)
        for node in file.root.named_children if found == (_OUTSIDE, name) else ():
            if node.type == "export_statement":
                further = self._of_export(file, node, name)
                # what nobody can tell may still be told by another statement
                found = further if further != (_OUTSIDE, name) else found
                if found is not None and found[0] != _OUTSIDE:
                    break
        return found

    def _of_export(self, file: ScriptFile, node: Node, name: str) -> _Type | None:
        """The type that a statement exports by a name, `_OUTSIDE` if it exports none."""
        source, own = source_of(node), ""
        clause = next((n for n in node.named_children if n.type == "export_clause"), None)
        for word in clause.named_children if clause is not None else ():
            inner = word.child_by_field_name("name")
            if name == text_of(word.child_by_field_name("alias") or inner):
                own = text_of(inner)
        if source is not None:
            module, other = module_of(node), own if clause is not None else name
            if other and module.startswith("."):
                return self._exported(self._files.resolved(file.path, module), other)
        elif name == "default" and any(child.type == "default" for child in node.children):
            declared = node.child_by_field_name("declaration")
            value = declared.child_by_field_name("name") if declared is not None else None
            own = text_of(value or node.child_by_field_name("value"))
        return self._class(file, own) if own and source is None else (_OUTSIDE, name)

    def _is_parameter(self, file: ScriptFile, word: Node) -> bool | None:
        """Whether a name is that of a parameter of a constructor which makes the member."""
        constructor = nearest(word, ("method_definition",))
        whole = nearest(word, _TYPES)
        if constructor is None or whole is None or self._old not in _fields_of(constructor):
            return False
        inner = nearest(word, _OWN_NAMES)
        parameters = inner.child_by_field_name("parameters") if inner is not None else None
        if inner != constructor and self._old in map(text_of, every_node(parameters or word)):
            return None  # of a function inside, perhaps
        return (file.path, text_of(whole.child_by_field_name("name"))) in self.family

    def _member(self, file: ScriptFile, word: Node) -> bool | None:
        """Whether a property is the member; None if that is not evident."""
        above = word.parent
        if above is None or (word.type == "string_fragment" and text_of(word) != self._old):
            return False
        value = _destructured(word)
        if value is not None:
            return self._has(file, value)
        if word.type.startswith("shorthand_property") or word.type == "string_fragment":
            return None
        if word.type == "identifier":
            return self._is_parameter(file, word)
        if "property_identifier" not in word.type:
            return False
        around = above.parent
        if above.type != "member_expression":
            if around is not None and around.type in ("object", "object_pattern"):
                return None  # it may be taken for one of the class
            if around is None or around.type not in _BODIES or around.parent is None:
                return False
            own = text_of(around.parent.child_by_field_name("name"))
            is_own = (file.path, own) in self.family and _is_static(above) == bool(self.prefix)
            # an interface that nobody names may be one that the class fits
            return is_own or (False if around.type == "class_body" else None)
        target = above.child_by_field_name("object")
        return self._has(file, target) if target is not None else None

    def _has(self, file: ScriptFile, target: Node) -> bool | None:
        """Whether an object has the member; None if that is not evident."""
        kind: _Type | None
        is_class = False
        if target.type in ("this", "super"):
            owner, is_class = _this_class(target)
            kind = (file.path, owner) if owner else None
        elif target.type == "identifier" and target in file.leaves(text_of(target)):
            kind = self._class(file, text_of(target))
            is_class = kind in self.members
        if not is_class and target.type not in ("this", "super"):
            name = _class_name(target)
            kind = self._class(file, name) if name else None
        return None if kind is None else kind in self.family and is_class == bool(self.prefix)


def _types(root: Node) -> Iterator[Node]:
    """The classes and interfaces of a file, and the aliases of object types."""
    every = (node for node in every_node(root) if node.type in _TYPES)
    return (node for node in every if _body(node) is not None)


def _body(node: Node) -> Node | None:
    body = node.child_by_field_name("body") or node.child_by_field_name("value")
    return body if body is not None and body.type in _BODIES else None


def _bases(node: Node, member: str) -> list[str]:
    """The names of what a class or an interface is derived from, as far as it gives a member."""
    heads = [child for child in node.named_children if child.type in _HERITAGE]
    heads += [inner for head in heads for inner in head.named_children if inner.type in _HERITAGE]
    plain = [inner for head in heads for inner in head.named_children]
    return [name for base in plain if _gives(base, member) and (name := _type_name(base))]


def _gives(base: Node, member: str) -> bool:
    """Whether a base has all members of the type it names, or this one: not `Omit<T, "it">`."""
    while base.type == "generic_type":
        kind, arguments = parts_of(base)[:2]
        first, *others = parts_of(arguments)
        keys = {text_of(node) for other in others for node in every_node(other)}
        if text_of(kind) in ("Omit", "Pick") and (member in keys) != (text_of(kind) == "Pick"):
            return False
        base = first if text_of(kind) in _MAPPED else kind
    return True


def _is_static(member: Node) -> bool:
    """Whether a class itself has a member, or runs a block: no object of it."""
    return "static" in member.type or any(child.type == "static" for child in member.children)


def _name_of(member: Node) -> str:
    """The name of a member as `members` have it."""
    return _STATIC * _is_static(member) + text_of(member.child_by_field_name("name"))


def _destructured(word: Node) -> Node | None:
    """What `const { word } = value` takes a member of; None for anything else."""
    around = [above for above, _ in islice(parents(word), 3)]
    at = next((n for n, above in enumerate(around[:2]) if above.type == "object_pattern"), 2)
    is_key = word.type != "identifier" and at + 1 < len(around)
    return around[at + 1].child_by_field_name("value") if is_key else None


def _members(node: Node) -> list[str]:
    """The names of what a type has; those of a function with overloads once."""
    body = _body(node)
    inner = body.named_children if body is not None else []
    kept = [child for child in inner if not child.type.endswith("_signature")]
    signed = {_name_of(child) for child in inner if child not in kept}
    names = [*map(_name_of, kept)]
    plain = {
        _name_of(child)
        for child in kept
        if not any(sign.type in ("get", "set") for sign in child.children)
    }
    names += [name for child in kept for name in _fields_of(child)]
    accessors = [n for n in names if names.count(n) > 1 and n not in plain]
    return [*(n for n in names if n not in accessors), *set(accessors), *(signed - {*names})]


def _is_field(word: Node) -> bool:
    """Whether a name is that of a parameter with `public`, `private`, or `readonly`."""
    above = word.parent
    signs = [child.type for child in above.children] if above is not None else []
    is_it = above is not None and above.child_by_field_name("pattern") == word
    return is_it and not {"accessibility_modifier", "readonly", "override_modifier"}.isdisjoint(
        signs
    )


def _fields_of(constructor: Node) -> list[str]:
    """The members that parameters of a constructor make."""
    listing = constructor.child_by_field_name("parameters")
    patterns = (
        n.child_by_field_name("pattern") for n in (listing.named_children if listing else ())
    )
    return [text_of(node) for node in patterns if node is not None and _is_field(node)]


def _type_name(node: Node | None) -> str:
    """The name of a type or a class that code means as a whole; "" for anything else."""
    while node is not None and node.type == "generic_type":
        name, arguments = parts_of(node)[:2]
        node = parts_of(arguments)[0] if text_of(name) in _MAPPED else name
    is_name = node is not None and node.type in ("type_identifier", "identifier")
    return text_of(node) if is_name else ""


def _this_class(node: Node) -> tuple[str, bool]:
    """The class whose object `this` is, or which it is; "" where a function may have its own."""
    around = (pair for pair in parents(node) if pair[0].type in _OWN_THIS)
    above, member = next(around, (None, node))
    if above is None or above.type != "class_body" or above.parent is None:
        return "", False
    return text_of(above.parent.child_by_field_name("name")), _is_static(member)


def _class_name(target: Node) -> str:
    """The class of `new C()`, of a `const` that holds one, or by an annotation; "" for others."""
    if target.type == "parenthesized_expression" and target.named_child_count == 1:
        target = target.named_children[0]
    around = parents(target) if target.type == "identifier" else ()
    binding = next((n for above, _ in around for n in _bindings(above, text_of(target))), target)
    kind, value = map(binding.child_by_field_name, ("type", "value"))
    if kind is not None and kind.named_child_count == 1:
        return _type_name(kind.named_children[0])
    if value is not None and text_of(binding.parent).startswith("const"):
        target = value
    is_new = target.type == "new_expression"
    return _type_name(target.child_by_field_name("constructor")) if is_new else ""


def _bindings(scope: Node, name: str) -> Iterator[Node]:
    """What binds a name directly in a block or as a parameter."""
    listing = scope.child_by_field_name("parameters")
    for node in [*scope.named_children, *(listing.named_children if listing is not None else ())]:
        exported = node.type == "export_statement" and node.named_children
        inner = node.named_children[-1] if exported else node
        for child in inner.named_children if inner.type.endswith("_declaration") else [inner]:
            own = child.child_by_field_name("name") or child.child_by_field_name("pattern")
            is_plain = child.type == "identifier" and node.parent == listing
            if text_of(child if is_plain else own) == name:
                yield child


def uses_of(files: ScriptFiles, asked: NameRequest) -> NameUses:
    """The uses of a name of a module, under whatever name, or of a member `Owner.name`."""
    if "." in asked.name:
        return MemberUses(files, asked)
    return ScriptUses(files, asked.path, asked.last, aliases=True)
