"""Which types of its scripts a workspace says that objects have.

That is what `this`, `new` and declarations tell: annotations of variables, fields, parameters and
results. Nothing is inferred of other code.
"""

from collections.abc import Callable
from typing import TypeAlias

from tree_sitter import Node

from astedit.language.brackets import beyond, nearest, parents
from astedit.python.syntax import every_node, parts_of, text_of
from astedit.semantic.imports.javascript_import import module_of, source_of
from astedit.semantic.script.files import ScriptFile, ScriptFiles

TYPES = ("class_declaration", "abstract_class_declaration", "class", "interface_declaration",
          "type_alias_declaration", "enum_declaration")  # fmt: skip
BODIES = ("class_body", "interface_body", "object_type", "enum_body")
_HERITAGE = ("class_heritage", "extends_clause", "implements_clause", "extends_type_clause")
Type: TypeAlias = tuple[str, str]
_OWN_THIS = ("function_declaration", "function_expression", "generator_function", "class_body",
             "generator_function_declaration", "object")  # fmt: skip
_BOUND = ("name", "pattern")  # fields of what binds a name
_DOTTED = ("member_expression", "nested_type_identifier", "nested_identifier")
_OUTSIDE = ""  # instead of the path of a type that no file of the workspace defines
OWN_NAMES = ("method_definition", "arrow_function", "function_expression", "function_declaration")
_AROUND = ("parenthesized_expression", "non_null_expression", "as_expression", "type_annotation")
_PARTS = ("member_expression", "call_expression")
_CALLED = "()"  # behind the name of what is called
SETTING = ("assignment_expression", "augmented_assignment_expression", "update_expression")
_CONTAINERS = ("Array", "Iterable", "Map", "Promise", "ReadonlyArray", "Set", "WeakMap")
_STEPS = 8  # from one name to the next, until the type of an object is told
_NOTHING = ("null", "undefined")
STATIC = "static "  # before the name of a member that the class itself has
# Types of members of another.
_MAPPED = ("Omit", "Pick", "Partial", "Required", "Readonly", "NonNullable")


class ObjectTypes:
    """The types of all scripts, by the file and the name; with the `members` that each has.

    `nodes` are where each is declared, `bases` what it is derived from as far as that gives it
    the member `old`. What no file of the workspace defines has the path "", and what nobody can
    tell has no node.
    """

    def __init__(self, files: ScriptFiles, old: str) -> None:
        self._files = files
        self.members: dict[Type, set[str]] = {}
        self.nodes: dict[Type, list[tuple[ScriptFile, Node]]] = {}
        self._values: dict[Type, tuple[ScriptFile, Node]] = {}  # what else modules define
        self._meanings: dict[tuple[str, str, str], Type | None] = {}
        for file in files.holding(""):
            for node in every_node(file.root):
                if node.type in TYPES and _body(node) is not None:
                    here = type_of(file, node)
                    self.nodes.setdefault(here, []).append((file, node))
                    self.members.setdefault(here, set()).update(_members(node))
        self.bases = {
            here: [
                self._class(f, _type_name(leaf)) or (f.path, text_of(leaf))
                for f, node in every
                for leaf in _bases(node, old)
            ]
            for here, every in self.nodes.items()
        }

    def _class(self, file: ScriptFile, leaf: Node | None) -> Type | None:
        """The type that a name, or `space.Name`, means in a file; None if that is not evident."""
        is_dotted = leaf is not None and leaf.type in _DOTTED
        first = leaf.named_children[0] if leaf is not None and is_dotted else leaf
        if leaf is None or first is None or first not in file.leaves(text_of(first)):
            return None
        member = text_of(leaf.named_children[-1]) if is_dotted else ""
        key = (file.path, text_of(first), f".{member}")
        return self._once(key, lambda: self._own(file, text_of(first), member))

    def _exported(self, importer: ScriptFile, module: str, name: str) -> Type | None:
        """The type that a module exports by a name; None if that is not evident."""
        if self._files.is_outside(module):
            return _OUTSIDE, name
        path = self._files.resolved(importer.path, module)
        file = self._files.file(path) if path is not None else None
        key = (path or "", name, "exported")
        return self._once(key, lambda: self._passed(file, name) if file is not None else None)

    def _once(self, key: tuple[str, str, str], find: Callable[[], Type | None]) -> Type | None:
        if key not in self._meanings:
            self._meanings[key] = None  # where modules export each other's names
            self._meanings[key] = find()
        return self._meanings[key]

    def _own(self, file: ScriptFile, name: str, member: str) -> Type | None:
        for item, _ in file.imported:
            if item.bound == name:
                found = self._exported(file, item.module, member or item.name)
                return (_OUTSIDE, name) if found is not None and not found[0] else found
        return None if member else self._defined(file, name)

    def _defined(self, file: ScriptFile, name: str) -> Type | None:
        if (file.path, name) in self.members:
            return file.path, name
        defining = [leaf.parent for leaf in file.declarations(name) if leaf.parent is not None]
        if not defining:
            return _OUTSIDE, name
        if len(defining) != 1:
            return None
        found = self._class(file, _type_name(defining[0].child_by_field_name("value")))
        if found is None and defining[0].type in ("variable_declarator", "function_declaration"):
            found = file.path, name
            self._values[found] = file, defining[0]
        return found

    def _passed(self, file: ScriptFile, name: str) -> Type | None:
        found = self._defined(file, name)
        if found != (_OUTSIDE, name):
            return found
        found = None  # until a statement tells
        for node in file.root.named_children:
            if node.type == "export_statement":
                found = self._of_export(file, node, name) or found
                if found is not None and found[0] != _OUTSIDE:
                    break
        return found

    def _of_export(self, file: ScriptFile, node: Node, name: str) -> Type | None:
        """The type that a statement exports by a name; None if it exports none."""
        source, own = source_of(node), None
        clause = next((n for n in node.named_children if n.type == "export_clause"), None)
        for word in clause.named_children if clause is not None else ():
            inner = word.child_by_field_name("name")
            if name == text_of(word.child_by_field_name("alias") or inner):
                own = inner
        if source is not None:
            module, other = module_of(node), text_of(own) if clause is not None else name
            return self._exported(file, module, other) if other else None
        if name == "default" and any(child.type == "default" for child in node.children):
            declared = node.child_by_field_name("declaration")
            value = declared.child_by_field_name("name") if declared is not None else None
            own = value or node.child_by_field_name("value")
        return self._class(file, own)

    def of(
        self, file: ScriptFile, target: Node | None, steps: int = _STEPS
    ) -> tuple[Type | None, bool]:
        """The type of an object, None if that is not evident; and whether it is the class itself.

        `target` is the code of an object or of a type; `steps` is how many others may tell it.
        """
        names, called = [], ""
        while target is not None and target.type in (*_PARTS, *_AROUND):
            if target.type == "member_expression":
                names.append(text_of(target.child_by_field_name("property")) + called)
            if target.type in _PARTS:
                called = _CALLED * (target.type == "call_expression")
            target = target.named_children[-1 if target.type == "as_expression" else 0]
        kind, is_class = self._plain_kind(file, target, called, steps)
        for name in reversed(names):
            kind = self._declared(kind, STATIC * is_class + name, steps)
            is_class = False
        return kind, is_class

    def _plain_kind(
        self, file: ScriptFile, target: Node | None, called: str, steps: int
    ) -> tuple[Type | None, bool]:
        if target is None or not steps or (called and target.type != "identifier"):
            return None, False
        if target.type in ("this", "super"):
            owner, is_class = _this_class(target)
            return type_of(file, owner) if owner else None, is_class
        if target.type == "identifier":
            key, kind = "", self._class(file, target)
            if kind in self.members:
                return kind, True
            if kind in self._values:
                file, node = self._values[kind]
                told = _type_in(node, called)
            else:
                told, key = _told(file, target, called)
            kind, is_class = self.of(file, told, steps - 1)
            return (self._declared(kind, key, steps) if key else kind), is_class and not key
        is_new = target.type == "new_expression"
        kind = self._class(
            file, _type_name(target.child_by_field_name("constructor") if is_new else target)
        )
        # what is made of its arguments may have their members
        is_made = target.type == "generic_type" and kind is not None and not kind[0]
        is_made = is_made and text_of(target.named_children[0]) not in _CONTAINERS
        return None if kind in self._values or is_made else kind, False

    def _declared(self, kind: Type | None, name: str, steps: int) -> Type | None:
        """The type that a member of a type is declared to have; None if that is not evident."""
        plain = name.removesuffix(_CALLED)
        every = [kind, *self.above(kind)] if kind in self.nodes and steps else []
        here = next((here for here in every if plain in self.members.get(here, ())), None)
        if here is None:
            return None
        file, node = self.nodes[here][-1]
        told = _telling(node, name)
        value = self.of(file, told, steps - 1)[0]
        if value is None or told is None or told.type.endswith("_annotation"):
            return value
        key = (*here, f"{name}=")
        return self._once(key, lambda: value if self._keeps(here, name, value) else None)

    def _keeps(self, kind: Type, name: str, value: Type) -> bool:
        """Whether a field of a type always has the value it is made with, or one of its type."""
        if any(kind in self.above(t) and name in self.members[t] for t in self.nodes):
            return False
        for file in self._files.holding(name):
            for word in file.words(name):
                target = word.parent
                above = target.parent if target is not None else None
                if target is None or above is None or target.type != "member_expression":
                    continue
                is_set = above.type in SETTING and above.named_children[0] == target
                if is_set or above.type.endswith("_pattern"):
                    owner = self.of(file, target.child_by_field_name("object"))[0]
                    is_it = owner is None or kind in (owner, *self.above(owner))
                    new = self.of(file, above.child_by_field_name("right"))[0]
                    if new != value and (is_it or owner in self.above(kind)):
                        return False
        return True

    def is_open(self, kind: Type) -> bool:
        """Whether a type may have members of one above it that nobody can tell."""
        return any(base[0] and base not in self.nodes for base in self.above(kind))

    def above(self, kind: Type) -> list[Type]:
        """The types that a type is derived from, the nearest first."""
        every = [kind]
        for here in every:
            every += [base for base in self.bases.get(here, ()) if base not in every]
        return every[1:]

    def wanted(self, file: ScriptFile, literal: Node) -> Type | None:
        """The type that an object which is written out is for; None if that is not evident."""
        keys, above = [], literal
        for above, _ in parents(literal):
            if above.type == "pair":
                keys.append(text_of(above.child_by_field_name("key")))
            elif above.type not in ("object", "parenthesized_expression"):
                break
        if above.type == "return_statement":
            above = nearest(above, (*OWN_NAMES, "generator_function")) or above
        is_said = above.type in ("as_expression", "satisfies_expression")
        told = above.named_children[-1] if is_said else above.child_by_field_name("type")
        told = told or above.child_by_field_name("return_type")
        kind = self.of(file, told)[0]
        for key in reversed(keys):
            kind = self._declared(kind, key, _STEPS)
        return kind if kind in self.members else None


def declared_in(node: Node) -> list[Node]:
    """The members that are written in a type, and whatever else."""
    body = _body(node)
    return body.named_children if body is not None else []


def type_of(file: ScriptFile, node: Node) -> Type:
    """What a declaration declares; one in a function or a namespace, or without a name, alone."""
    name = text_of(node.child_by_field_name("name"))
    _, above = beyond(node, lambda outer: outer.type in ("export_statement", "ambient_declaration"))
    is_seen = name and above is not None and above.type == "program"
    return file.path, name if is_seen else f"{name}@{node.start_byte}"


def _body(node: Node) -> Node | None:
    body = node.child_by_field_name("body") or node.child_by_field_name("value")
    if body is None or body.type not in BODIES:
        return None
    inner = (part for child in body.named_children for part in child.named_children)
    return None if any(part.type == "mapped_type_clause" for part in inner) else body


def _bases(node: Node, member: str) -> list[Node]:
    """What a class or an interface is derived from, as far as it gives a member."""
    heads = [child for child in node.named_children if child.type in _HERITAGE]
    inner = [part for head in heads for part in parts_of(head)]
    plain = [
        base for part in inner for base in (parts_of(part) if part.type in _HERITAGE else [part])
    ]
    return [base for base in plain if base.type != "type_arguments" and _gives(base, member)]


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


def is_static(member: Node) -> bool:
    """Whether a class itself has a member, or runs a block: no object of it."""
    above = member.parent
    is_option = above is not None and above.type == "enum_body"
    signs = any(child.type == "static" for child in member.children)
    return is_option or signs or "static" in member.type


def name_of(member: Node) -> str:
    """The name of a member as `members` have it."""
    fields = map(member.child_by_field_name, ("name", "pattern", "property"))
    return STATIC * is_static(member) + text_of(next(filter(None, fields), member))


def _members(node: Node) -> set[str]:
    """The names of what a type has."""
    inner = declared_in(node)
    return {*map(name_of, inner), *(name_of(field) for n in inner for field in fields_of(n))}


_FIELD_SIGNS = frozenset({"accessibility_modifier", "readonly", "override_modifier"})


def is_field(word: Node) -> bool:
    """Whether a name is that of a parameter which makes a member, or of a member of an enum."""
    above = word.parent
    if above is None or above.child_by_field_name("pattern") != word:
        return above is not None and above.type in ("enum_body", "enum_assignment")
    return any(child.type in _FIELD_SIGNS for child in above.children)


def fields_of(constructor: Node) -> list[Node]:
    """The parameters of a constructor that make members."""
    listing = constructor.child_by_field_name("parameters")
    every = listing.named_children if listing is not None else ()
    return [n for n in every if (own := n.child_by_field_name("pattern")) and is_field(own)]


def _type_name(node: Node | None) -> Node | None:
    """The name of a type or a class that code means as a whole; None for anything else."""
    while node is not None and node.type in ("generic_type", "union_type"):
        kept = [inner for inner in parts_of(node) if text_of(inner) not in _NOTHING]
        is_mapped = node.type == "generic_type" and text_of(kept[0]) in _MAPPED
        kept = parts_of(kept[1])[:1] if is_mapped else kept[: 1 + (node.type == "union_type")]
        node = kept[0] if len(kept) == 1 else None
    is_name = node is not None and node.type in ("type_identifier", "identifier", *_DOTTED)
    return node if is_name else None


def _this_class(node: Node) -> tuple[Node | None, bool]:
    """The class whose object `this` is, or which it is; None where a function may have its own."""
    around = (pair for pair in parents(node) if pair[0].type in _OWN_THIS)
    around = ((n, m) for n, m in around if n.type != "object" or m.type == "method_definition")
    above, member = next(around, (None, node))
    if above is None or above.type != "class_body" or above.parent is None:
        return None, False
    return above.parent, is_static(member)


def _told(file: ScriptFile, target: Node, called: str) -> tuple[Node | None, str]:
    """What tells the type of a variable, and which member of that the variable is, if it is one."""
    pattern, *others = file.binders(target) or [target]
    binding, key = pattern.parent, ""
    if binding is not None and binding.type == "pair_pattern":
        key, pattern, binding = text_of(binding.child_by_field_name("key")), binding, binding.parent
    if binding is not None and binding.type == "object_pattern":
        key, pattern, binding = (key or text_of(target)) + called, binding, binding.parent
    if others or binding is None or pattern not in map(binding.child_by_field_name, _BOUND):
        return None, ""
    return _type_in(binding, "" if key else called), key


def _type_in(node: Node, called: str) -> Node | None:
    """What tells the type of what a declaration makes, or of what that gives if it is called.

    That is an annotation, or the value of a `const` or a field; None for anything else.
    """
    kind, value = map(node.child_by_field_name, ("type", "value"))
    if "function" in node.type or "method" in node.type:
        is_called = not any(child.type == "get" for child in node.children)
        return node.child_by_field_name("return_type") if is_called == bool(called) else None
    if "field" not in node.type and not text_of(node.parent).startswith("const"):
        value = None
    if called:
        inner = kind.named_children[0] if kind is not None and kind.named_children else value
        return inner.child_by_field_name("return_type") if inner is not None else None
    return kind or value


def _telling(node: Node, name: str) -> Node | None:
    """What tells the type of a member that a type declares once, called if `()` is behind it."""
    plain, called = name.removesuffix(_CALLED), _CALLED * name.endswith(_CALLED)
    members = declared_in(node)
    every = [*members, *(field for member in members for field in fields_of(member))]
    found = [_type_in(declared, called) for declared in every if name_of(declared) == plain]
    return found[0] if len(found) == 1 else None
