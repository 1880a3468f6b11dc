"""The names that a piece of code needs from the module around it."""

import ast
import symtable
from collections.abc import Iterator
from dataclasses import dataclass, field

from astedit.semantic.move.module_code import ModuleCode, tables_below

_PLAIN = ("Literal", "Annotated")
_TYPED = ("cast", "TypeVar", "NewType", "TypeAliasType")


@dataclass(slots=True)
class NeededNames:
    """`names` are read or bound as the module's; `quoted` are named in quoted annotations.

    `dotted` are the attributes that are read of them, as `os.path.join`; `rebound` are the
    names that a function binds for the whole module.
    """

    names: set[str] = field(default_factory=set)
    quoted: set[str] = field(default_factory=set)
    dotted: set[str] = field(default_factory=set)
    rebound: set[str] = field(default_factory=set)

    @property
    def all(self) -> set[str]:
        """Every name."""
        return self.names | self.quoted | self.rebound


def needed_names(code: ModuleCode) -> NeededNames:
    """What code of a module's top level needs that it does not define itself."""
    needed = NeededNames()
    own = {each.get_name() for each in code.table.get_symbols() if each.is_assigned()}
    for table in (code.table, *tables_below(code.table)):
        for symbol in table.get_symbols():
            if table is code.table or symbol.is_global():
                _add(needed, symbol, own)
    for node in ast.walk(code.tree):
        if isinstance(node, ast.Attribute) and (dotted := _dotted(node)):
            needed.dotted.add(dotted)
    for tree in _quoted(code.tree):
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and node.id not in own:
                needed.quoted.add(node.id)
            elif isinstance(node, ast.Attribute) and (dotted := _dotted(node)):
                needed.dotted.add(dotted)
    needed.quoted -= needed.names
    return needed


def _add(needed: NeededNames, symbol: symtable.Symbol, own: set[str]) -> None:
    name = symbol.get_name()
    if name in own:
        return
    if symbol.is_declared_global() and symbol.is_assigned():
        needed.rebound.add(name)
    elif symbol.is_referenced():
        needed.names.add(name)


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    head = _dotted(node.value) if isinstance(node, ast.Attribute) else ""
    return f"{head}.{node.attr}" if head and isinstance(node, ast.Attribute) else ""


def _quoted(tree: ast.AST) -> Iterator[ast.AST]:
    """The quoted types in annotations, and in what `typing` takes for types, as code."""
    for node in ast.walk(tree):
        match node:
            case ast.arg(annotation=ast.expr() as annotation):
                yield from _types(annotation)
            case ast.FunctionDef(returns=ast.expr() as annotation):
                yield from _types(annotation)
            case ast.AsyncFunctionDef(returns=ast.expr() as annotation):
                yield from _types(annotation)
            case ast.AnnAssign(annotation=annotation, value=value):
                yield from _types(annotation)
                if value is not None and _last(annotation) == "TypeAlias":
                    yield from _types(value)
            case ast.Call(func=func, args=args, keywords=keywords) if _last(func) in _TYPED:
                for part in (*args, *(each.value for each in keywords)):
                    yield from _types(part)
            case ast.Subscript():
                yield from _types(node)


def _types(node: ast.expr) -> Iterator[ast.AST]:
    """The strings in a type, read as code; those of `Literal` are values."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            yield ast.parse(node.value.strip(), mode="eval")
        except (SyntaxError, ValueError, RecursionError):
            return
    elif isinstance(node, ast.Subscript) and _last(node.value) in _PLAIN:
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if _last(node.value) == "Annotated":
            yield from _types(parts[0])
    else:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                yield from _types(child)


def _last(node: ast.expr) -> str:
    return _dotted(node).rpartition(".")[2]
