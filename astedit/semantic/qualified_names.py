"""What a name in Python code resolves to, however it was imported: for `resolvesTo`."""

from functools import lru_cache
from typing import Any

import libcst as cst
from libcst.metadata import (
    ByteSpanPositionProvider,
    MetadataWrapper,
    QualifiedNameSource,
    ScopeProvider,
)

_MARK = b"\xef\xbb\xbf"


def resolved(source: bytes, start: int, end: int) -> frozenset[str]:
    """The qualified names of the name or attribute that spans these bytes (UTF-8).

    Imported ones (`requests.get`), built-in ones (`builtins.print`), and those the module
    defines itself (`Client.get`). Empty for anything else, and for a file that libcst cannot
    read.
    """
    mark = len(_MARK) if source.startswith(_MARK) else 0
    return _read(source[mark:]).get((start - mark, end - mark), frozenset())


@lru_cache(maxsize=2)
def _read(code: bytes) -> dict[tuple[int, int], frozenset[str]]:
    try:
        wrapper = MetadataWrapper(cst.parse_module(code.decode("utf-8")), unsafe_skip_copy=True)
        scopes = wrapper.resolve(ScopeProvider)
        spans = wrapper.resolve(ByteSpanPositionProvider)
    except (cst.ParserSyntaxError, UnicodeError, RecursionError):
        return {}
    collector = _Collector(scopes, spans)
    wrapper.module.visit(collector)
    return collector.names


class _Collector(cst.CSTVisitor):
    """Notes what every name and attribute of a module stands for, by its span in bytes."""

    def __init__(self, scopes: Any, spans: Any) -> None:
        super().__init__()
        self.names: dict[tuple[int, int], frozenset[str]] = {}
        self._scopes, self._spans = scopes, spans

    def visit_Name(self, node: cst.Name) -> None:
        self._note(node)

    def visit_Attribute(self, node: cst.Attribute) -> None:
        self._note(node)

    def _note(self, node: cst.CSTNode) -> None:
        scope = self._scopes.get(node)
        if scope is None:
            return
        span = self._spans[node]
        names = frozenset(
            resolved.name.replace(".<locals>", "")
            for resolved in scope.get_qualified_names_for(node)
            if resolved.source is not QualifiedNameSource.LOCAL or isinstance(node, cst.Name)
        )
        if names:
            self.names[span.start, span.start + span.length] = names
