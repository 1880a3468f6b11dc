"""What runs when a module is imported: imports, and statements that bind names."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ImportStep:
    """A statement that binds names when its module is imported, and what it imports for that.

    `modules` are imported before, in this order; `taken` are then read from `source`. A
    `guarded` import stands in a `try` that may expect it to fail.
    """

    line: int
    names: frozenset[str]
    modules: tuple[str, ...] = ()
    source: str | None = None
    taken: tuple[str, ...] = ()
    guarded: bool = False


def statements(body: list[ast.stmt], *, guarded: bool = False) -> Iterator[tuple[ast.stmt, bool]]:
    """The statements that run on import, those within others first; not code for types alone.

    Both branches of a condition count as run. With each: whether a `try` surrounds it.
    """
    for node in body:
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            yield from statements(node.orelse, guarded=guarded)
            continue
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            inside = guarded or isinstance(node, ast.Try | ast.TryStar)
            for name in ("body", "orelse", "finalbody"):
                yield from statements(getattr(node, name, []), guarded=inside)
            for inner in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
                yield from statements(inner.body, guarded=inside)
        yield node, guarded
