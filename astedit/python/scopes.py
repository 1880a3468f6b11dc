"""The scopes of a Python module: what binds which name, and what a name in one is bound as."""

import builtins
from typing import NamedTuple

from tree_sitter import Node

from astedit.python.expression import Imported
from astedit.python.syntax import (
    COMPREHENSIONS,
    SEQUENCES,
    STAR,
    SUBSCRIPTS,
    child_of,
    dotted,
    imports_of,
    parameters,
    parts_of,
    plain,
    starred,
    text_of,
    words,
)

BUILTIN = "<builtin>"
_NOTED = ("identifier", "string", "concatenated_string", "assignment")


class Binding(NamedTuple):
    """What binds a name: the node of the name, or of a definition, or of an import.

    `scope` is where it stands: another than the one it is bound in after `global`.
    """

    node: Node
    kind: str  # "class", "function", "import", "value" or "deleted"
    source: Imported | None
    scope: "NameScope"


class NameScope:
    """One scope: `prefix` stands before its names, `spoken` as `resolvesTo` writes them."""

    def __init__(self, kind: str, parent: "NameScope | None", prefix: str, spoken: str) -> None:
        self.kind, self.parent, self.prefix, self.spoken = kind, parent, prefix, spoken
        self.bindings: dict[str, list[Binding]] = {}
        self.elsewhere: dict[str, NameScope] = {}  # names that `global` and `nonlocal` declare

    def target(self, name: str) -> "NameScope":
        """The scope in which this one binds a name."""
        return self.elsewhere[name].target(name) if name in self.elsewhere else self

    def holder(self, name: str) -> "NameScope | None":
        """The scope whose binding of a name is seen from here; None if no scope binds it."""
        scope: NameScope | None = self
        while scope is not None:
            if name in scope.elsewhere:
                scope = scope.elsewhere[name]
            elif name in scope.bindings:
                return scope
            else:
                scope = scope.above()
        return None

    def above(self) -> "NameScope | None":
        """The nearest scope around it whose names are seen in it: those of a class are not."""
        parent = self.parent
        while parent is not None and parent.kind == "class" and self.kind != "annotation":
            parent = parent.parent
        return parent


class Scopes:
    """The scopes of one module; `all` of them, the outer ones first."""

    def __init__(self, root: Node) -> None:
        self.root, self.module = root, NameScope("module", None, "", "")
        self.all = [self.module]
        self.reads: list[Node] = []  # the names that are not bound where they stand
        self.is_old = False  # whether it has statements of Python 2
        self._of: dict[int, NameScope] = {}
        self._inside: dict[int, NameScope] = {}  # of functions, classes, comprehensions
        self._visit(root, self.module)

    def of(self, node: Node) -> NameScope | None:
        """The scope that a name, a string, an assignment, an import stands in."""
        return self._of.get(node.id)

    def holder(self, word: Node) -> NameScope | None:
        """The scope that binds what a name stands for; None if none does."""
        scope = self.of(word)
        return scope.holder(text_of(word)) if scope is not None else None

    def others(self, name: Node, within: Node) -> list[Node]:
        """The other names in a node that mean what is bound to this one in its scope."""
        alike = (word for word in words(within) if text_of(word) == text_of(name))
        return [word for word in alike if word != name and self.holder(word) is self.of(name)]

    def inside(self, node: Node) -> NameScope | None:
        """The scope that a function, a class, a lambda or a comprehension opens."""
        return self._inside.get(node.id)

    def around(self, node: Node) -> NameScope:
        """The scope that code at a node runs in."""
        while (above := node.parent) is not None:
            inner = self._inside.get(above.id)
            is_body = above.child_by_field_name("body") == node
            if inner is not None and (is_body or above.type in COMPREHENSIONS):
                return inner
            node = above
        return self.module

    def bound(self, scope: NameScope | None, name: str) -> tuple[str, ...]:
        """The qualified names a name may be bound as; built-in ones as `BUILTIN`."""
        holder = scope.holder(name) if scope is not None else None
        if holder is not None:
            return (holder.prefix + name,)
        return (BUILTIN,) if scope is not None and hasattr(builtins, name) else ()

    def qualified(self, node: Node) -> frozenset[str]:
        """What a name or an attribute stands for, however it was imported: `requests.get`."""
        scope = self._of.get(head_of(node).id)
        return self.meaning(full_name(node), scope, node.id) if scope is not None else frozenset()

    def meaning(self, full: str, scope: NameScope, binder: int = 0) -> frozenset[str]:
        """The same of a dotted name in a scope; of several bindings that at the node `binder`."""
        prefix = full
        while prefix and (holder := scope.holder(prefix)) is None:
            prefix = prefix.rpartition(".")[0]
        if not prefix:
            head = full.partition(".")[0]
            return frozenset([f"builtins.{full}"]) if hasattr(builtins, head) else frozenset()
        assert holder is not None
        bindings, names = holder.bindings[prefix], set()
        bindings = [binding for binding in bindings if binding.node.id == binder] or bindings
        for _, kind, source, _ in bindings:
            if kind != "import" and full != prefix:
                continue  # a member of something of the module itself
            if kind != "import":
                names.add(holder.spoken + full)
            elif source is not None:
                dots = "." * source.level + source.module
                between = "." if source.name and source.module else ""
                names.add(dots + between + (source.name or "") + full[len(prefix) :])
        return frozenset(names)

    # -- the tree, once ----------------------------------------------------------------------

    def _inner(self, kind: str, parent: NameScope, name: str = "") -> NameScope:
        prefix = f"{parent.prefix}{name or f'<{len(self.all)}>'}."
        spoken = parent.spoken + (f"{name}." if name else "")
        if kind == "comprehension":
            spoken = f"{parent.spoken}<comprehension>."
        scope = NameScope(kind, parent, prefix, spoken)
        self.all.append(scope)
        return scope

    def _bind(
        self, scope: NameScope, name: str, node: Node, kind: str, source: Imported | None = None
    ) -> None:
        scope.target(name).bindings.setdefault(name, []).append(Binding(node, kind, source, scope))

    def _visit(self, node: Node, scope: NameScope) -> None:
        kind = node.type
        if kind in _NOTED:
            self._of[node.id] = scope
            if kind == "identifier":
                self.reads.append(node)
                return
        if (method := _METHODS.get(kind)) is not None:
            method(self, node, scope)
        elif kind in COMPREHENSIONS:
            inner = self._inside[node.id] = self._inner("comprehension", scope)
            first = True
            for part in parts_of(node):
                if part.type == "for_in_clause":
                    self._fields(part, scope if first else inner, "right")
                    self._fields_stored(part, inner)
                    first = False
                else:
                    self._visit(part, inner)
        else:
            for child in node.named_children:
                self._visit(child, scope)

    def _fields(self, node: Node, scope: NameScope, *names: str) -> None:
        for name in names:
            for child in node.children_by_field_name(name):
                self._visit(child, scope)

    def _function(self, node: Node, scope: NameScope) -> None:
        name = self._definition(node, scope)
        outer = self._generic(node, scope)
        inner = self._inside[node.id] = self._inner("function", outer, name)
        self._parameters(node, inner, outer)
        self._fields(node, outer, "return_type")
        self._fields(node, inner, "body")

    def _definition(self, node: Node, scope: NameScope) -> str:
        name = child_of(node, "name")
        self._of[name.id] = scope
        self._bind(scope, text_of(name), node, node.type.removesuffix("_definition"))
        return text_of(name)

    def _parameters(self, node: Node, inner: NameScope, outer: NameScope) -> None:
        for name, annotation, default, *_ in parameters(node.child_by_field_name("parameters")):
            self._of[name.id] = inner
            self._bind(inner, text_of(name), name, "value")
            for part in (annotation, default):
                if part is not None:
                    self._visit(part, outer)

    def _generic(self, node: Node, scope: NameScope) -> NameScope:
        """The scope around a definition with parameters of types, `class Box[T]`."""
        listing = node.child_by_field_name("type_parameters")
        if listing is None:
            return scope
        scope = self._inner("annotation", scope)
        for part in parts_of(listing):
            inner = plain(part)
            name, *rest = parts_of(inner) if inner.type == "constrained_type" else [inner]
            name = starred(plain(name))[0]
            name = parts_of(name)[0] if name.type == "splat_type" else name
            self._of[name.id] = scope
            self._bind(scope, text_of(name), name, "value")
            for bound in rest:
                self._visit(bound, scope)
        return scope

    def _lambda(self, node: Node, scope: NameScope) -> None:
        inner = self._inside[node.id] = self._inner("function", scope)
        self._parameters(node, inner, scope)
        self._fields(node, inner, "body")

    def _class(self, node: Node, scope: NameScope) -> None:
        name = self._definition(node, scope)
        outer = self._generic(node, scope)
        self._fields(node, outer, "superclasses")
        inner = self._inside[node.id] = self._inner("class", outer, name)
        self._fields(node, inner, "body")

    def _fields_stored(self, node: Node, scope: NameScope) -> None:
        for target in node.children_by_field_name("left"):
            self._store(target, scope)

    def _assignment(self, node: Node, scope: NameScope) -> None:
        self._fields_stored(node, scope)
        # `body` is that of a loop
        self._fields(node, scope, "type", "right", "body", "alternative")

    def _walrus(self, node: Node, scope: NameScope) -> None:
        name, outer = child_of(node, "name"), scope
        while outer.kind == "comprehension" and outer.parent is not None:
            outer = outer.parent
        self._store(name, outer)
        self._fields(node, scope, "value")

    def _as(self, node: Node, scope: NameScope) -> None:
        value, *targets = parts_of(node)
        self._visit(value, scope)
        for target in targets:
            self._store(target, scope)

    def _store(self, node: Node, scope: NameScope) -> None:
        """A target binds its names; what else stands in it is read."""
        node, _ = starred(node)
        if node.type == "identifier":
            self._of[node.id] = scope
            self._bind(scope, text_of(node), node, "value")
        elif node.type in SEQUENCES:
            for part in parts_of(node):
                self._store(part, scope)
        else:
            self._visit(node, scope)

    def _pattern(self, node: Node, scope: NameScope) -> None:
        """A plain name in a pattern binds it; a dotted one, and that of a class, is a value."""
        names, above = parts_of(node), node.parent
        is_class = above is not None and above.type == "class_pattern"
        if node.type == "dotted_name" and (len(names) != 1 or is_class):
            self._visit_all(names[:1], scope)
            return
        for name in names:
            if text_of(name) != "_":
                self._store(name, scope)

    def _visit_all(self, nodes: list[Node], scope: NameScope) -> None:
        for node in nodes:
            self._visit(node, scope)

    def _type_alias(self, node: Node, scope: NameScope) -> None:
        left = node.child_by_field_name("left")
        name = plain(left) if left is not None else node
        if name.type not in ("identifier", "generic_type"):  # `type(a).b = c`, misread
            self._visit_all(parts_of(node), scope)
            return
        inner = self._inner("annotation", scope)
        if name.type == "generic_type":
            name, listing = parts_of(name)[:2]
            for part in parts_of(listing):
                self._store(plain(part), inner)
        self._store(name, scope)
        self._fields(node, inner, "right")

    def _delete(self, node: Node, scope: NameScope) -> None:
        for part in parts_of(node):
            for target in map(plain, parts_of(part) if part.type in SEQUENCES else [part]):
                if target.type == "identifier":
                    self._bind(scope, text_of(target), target, "deleted")
        self._visit_all(parts_of(node), scope)

    def _member(self, node: Node, scope: NameScope) -> None:
        self._fields(node, scope, "object", "value")

    def _declared(self, node: Node, scope: NameScope) -> None:
        self._of[node.id] = scope
        other = self.module if node.type == "global_statement" else scope.above()
        for name in map(text_of, parts_of(node)):
            if other is not None and other is not scope:
                scope.elsewhere[name] = other

    def _import(self, node: Node, scope: NameScope) -> None:
        self._of[node.id] = scope
        for name, source in imports_of(node):
            if name != STAR:
                self._bind(scope, name, node, "import", source)
            if source.name is None and "." in name:
                head = name
                while "." in head:
                    head = head.rpartition(".")[0]
                    self._bind(scope, head, node, "import", Imported(0, head, None))

    def _print(self, node: Node, scope: NameScope) -> None:
        self.is_old = True
        self._visit_all(parts_of(node), scope)


_METHODS = {
    "function_definition": Scopes._function,
    "lambda": Scopes._lambda,
    "class_definition": Scopes._class,
    "for_statement": Scopes._assignment,
    "assignment": Scopes._assignment,
    "augmented_assignment": Scopes._assignment,
    "named_expression": Scopes._walrus,
    "as_pattern": Scopes._as,
    "dotted_name": Scopes._pattern,
    "splat_pattern": Scopes._pattern,
    "keyword_pattern": lambda self, node, scope: self._visit_all(parts_of(node)[1:], scope),
    "type_alias_statement": Scopes._type_alias,
    "delete_statement": Scopes._delete,
    "attribute": Scopes._member,
    "keyword_argument": Scopes._member,
    "global_statement": Scopes._declared,
    "nonlocal_statement": Scopes._declared,
    "import_statement": Scopes._import,
    "import_from_statement": Scopes._import,
    "future_import_statement": Scopes._import,
    "print_statement": Scopes._print,
    "exec_statement": Scopes._print,
}


def head_of(node: Node) -> Node:
    """The first name of `name.attribute[key](…)`, if there is one."""
    while True:
        node = plain(node)
        fields = (node.child_by_field_name(name) for name in ("object", "function", "value"))
        inner = next((field for field in fields if field is not None), None)
        if node.type == "generic_type":
            inner = parts_of(node)[0]
        if node.type not in ("attribute", "call", "subscript", "generic_type") or inner is None:
            return node
        node = inner


def full_name(node: Node) -> str:
    """`a.b` of `a.b`, `a.b(…)` and `a.b[…]`; "" for anything else."""
    return dotted(node, (*SUBSCRIPTS, "call"))
