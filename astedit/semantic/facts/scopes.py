"""What the scopes of a Python module are called, and what a name in one is bound as."""

from typing import Any

import libcst as cst
from libcst.metadata import (
    Assignment,
    BuiltinAssignment,
    ClassScope,
    FunctionScope,
    GlobalScope,
    ImportAssignment,
    Scope,
)

from astedit.semantic.facts.expression import Imported

BUILTIN = "<builtin>"


class Scopes:
    """The scopes of one module; `all` of them, in no order that matters."""

    def __init__(self, scopes: Any) -> None:
        self._scopes = scopes
        self._prefixes: dict[int, str] = {}
        self.all: list[Scope] = []
        for scope in dict.fromkeys(scope for scope in scopes.values() if scope is not None):
            self.prefix(scope)
            self.all.append(scope)

    def prefix(self, scope: Scope) -> str:
        """What stands before the names of a scope: "" or `OrderService.create.`."""
        known = self._prefixes.get(id(scope))
        if known is None:
            known = self._made_prefix(scope)
            self._prefixes[id(scope)] = known
        return known

    def _made_prefix(self, scope: Scope) -> str:
        if isinstance(scope, GlobalScope) or scope.parent is scope:
            return ""
        above = self.prefix(scope.parent)
        name = getattr(scope, "name", None)
        if isinstance(scope, ClassScope | FunctionScope) and name:
            return f"{above}{name}."
        return f"{above}<{len(self._prefixes)}>."

    def of(self, node: cst.CSTNode) -> Scope | None:
        """The scope that a node stands in."""
        scope: Scope | None = self._scopes.get(node)
        return scope

    def bound(self, scope: Scope | None, name: str) -> tuple[str, ...]:
        """The qualified names a name may be bound as; built-in ones as `BUILTIN`."""
        if scope is None:
            return ()
        return tuple(sorted({self._qualified(assignment) for assignment in scope[name]}))

    def binders(self, scope: Scope, name: str) -> list[cst.CSTNode]:
        """The nodes that bind a name in this very scope, in no order."""
        own = (each for each in scope.assignments if each.name == name and each.scope is scope)
        return [each.node for each in own if isinstance(each, Assignment)]

    def _qualified(self, assignment: Any) -> str:
        if isinstance(assignment, BuiltinAssignment):
            return BUILTIN
        return self.prefix(assignment.scope) + str(assignment.name)


def imported(assignment: ImportAssignment) -> Imported | None:
    """What an import binds to a name."""
    node: Any = assignment.node
    name = assignment.name
    for alias in node.names if not isinstance(node.names, cst.ImportStar) else ():
        whole = dotted(alias.asname.name if alias.asname is not None else alias.name)
        if name != whole and not whole.startswith(f"{name}."):
            continue
        if isinstance(node, cst.Import):
            return Imported(0, dotted(alias.name) if alias.asname else name, None)
        return Imported(len(node.relative), module_named(node), dotted(alias.name))
    return None


def module_named(node: cst.ImportFrom) -> str:
    """The module that a `from` import names, without its leading dots."""
    return dotted(node.module) if node.module is not None else ""


def dotted(node: Any) -> str:
    """`a.b.c` of a name or attribute, of what a call calls; "" for anything else."""
    if isinstance(node, cst.Name):
        return node.value
    if isinstance(node, cst.Attribute):
        head = dotted(node.value)
        return f"{head}.{node.attr.value}" if head else ""
    return dotted(node.func) if isinstance(node, cst.Call) else ""
