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

from astedit.semantic.facts.module_facts import Expr

BUILTIN = "<builtin>"


class Scopes:
    """The scopes of one module; `all` of them, in no order that matters."""

    def __init__(self, scopes: Any) -> None:
        self._scopes = scopes
        self._prefixes: dict[int, str] = {}
        self.all: list[Scope] = []
        for scope in dict.fromkeys(found for found in scopes.values() if found is not None):
            self.prefix(scope)
            self.all.append(scope)

    def prefix(self, scope: Scope) -> str:
        """What stands before the names of a scope: "" or `OrderService.create.`."""
        known = self._prefixes.get(id(scope))
        if known is None:
            known = self._made(scope)
            self._prefixes[id(scope)] = known
        return known

    def _made(self, scope: Scope) -> str:
        if isinstance(scope, GlobalScope) or scope.parent is scope:
            return ""
        above = self.prefix(scope.parent)
        name = getattr(scope, "name", None)
        if isinstance(scope, ClassScope | FunctionScope) and name:
            return f"{above}{name}."
        return f"{above}<{len(self._prefixes)}>."

    def of(self, node: cst.CSTNode) -> Scope | None:
        found: Scope | None = self._scopes.get(node)
        return found

    def bound(self, scope: Scope | None, name: str) -> tuple[str, ...]:
        """The qualified names a name may be bound as; built-in ones as `BUILTIN`."""
        if scope is None:
            return ()
        found = {self._bound(one) for one in scope[name]}
        return tuple(sorted(found))

    def binders(self, scope: Scope, name: str) -> list[cst.CSTNode]:
        """The nodes that bind a name in this very scope, in no order."""
        own = (one for one in scope.assignments if one.name == name and one.scope is scope)
        return [one.node for one in own if isinstance(one, Assignment)]

    def _bound(self, one: Any) -> str:
        if isinstance(one, BuiltinAssignment):
            return BUILTIN
        return self.prefix(one.scope) + str(one.name)


def imported(one: ImportAssignment) -> Expr:
    """What an import binds to a name."""
    node: Any = one.node
    for alias in node.names if not isinstance(node.names, cst.ImportStar) else ():
        bound = alias.asname.name if alias.asname is not None else alias.name
        whole = dotted(bound)
        if one.name != whole and not whole.startswith(f"{one.name}."):
            continue
        if isinstance(node, cst.Import):
            return ("m", 0, dotted(alias.name) if alias.asname else one.name, None)
        module = dotted(node.module) if node.module else ""
        return ("m", len(node.relative), module, dotted(alias.name))
    return None


def dotted(node: Any) -> str:
    """`a.b.c` of a name or attribute, of what a call calls; "" for anything else."""
    if isinstance(node, cst.Name):
        return node.value
    if isinstance(node, cst.Attribute):
        head = dotted(node.value)
        return f"{head}.{node.attr.value}" if head else ""
    return dotted(node.func) if isinstance(node, cst.Call) else ""
