"""Names that are written in strings: in lists of names, annotations, examples, and code."""

import re
from typing import Any

import libcst as cst
from libcst.metadata import Scope

from astedit.semantic.facts.decorators import tested_names
from astedit.semantic.facts.definitions import DefinitionReader
from astedit.semantic.facts.scopes import Scopes, dotted
from astedit.semantic.facts.strings import mentions
from astedit.semantic.facts.uses import ListedUse, NameUse, StringUse, Use

_TYPING = ("typing.", "typing_extensions.")
_GENERIC = (
    *_TYPING,
    *("builtins.dict", "builtins.frozenset", "builtins.list", "builtins.set", "builtins.tuple"),
    *("builtins.type", "collections."),
)
_LISTS = ("__slots__", "__match_args__")


class SpelledUses(DefinitionReader):
    """Notes the uses of `_old` in strings: those that are names, and those that may be."""

    def __init__(self, text: bytes, scopes: Any, spans: Any, old: str, new: str | None) -> None:
        super().__init__(Scopes(scopes))
        self._text = text
        self._spans = spans
        self._old, self._new = old, new
        self._annotated = 0
        self._seen: set[int] = set()
        self._plain: set[int] = set()  # strings in annotations that are no types
        self._prose: set[int] = set()  # docstrings

    # -- lists of names --------------------------------------------------------------------

    def listed(self, name: str, value: cst.BaseExpression) -> None:
        """Strings of `__all__`, and of a class's `__slots__`, are names."""
        owner = self.owner()
        if name == "__all__" and not self.prefix:
            self.strings(value, "")
        elif name in _LISTS and owner:
            self.strings(value, owner)

    def strings(self, value: cst.BaseExpression, owner: str) -> None:
        """Takes the strings of a list for names of the module, or of the class `owner`."""
        if isinstance(value, cst.BinaryOperation):
            self.strings(value.left, owner)
            self.strings(value.right, owner)
        for start in self.keys(value):
            self._note_listed(start, owner)

    def keys(self, value: cst.BaseExpression) -> list[int]:
        """Where the name begins in a string, or in those of a list, or as a dict's key."""
        elements = getattr(value, "elements", None)
        nodes = [value] if elements is None else [getattr(e, "key", e.value) for e in elements]
        starts = []
        for node in nodes:
            if isinstance(node, cst.SimpleString) and node.evaluated_value == self._old:
                self._see(node)
                starts.append(self._start(node) + len(node.prefix) + len(node.quote))
        return starts

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        super().visit_FunctionDef(node)
        test = "".join(self.prefix).removesuffix(".")
        for string in tested_names(node):
            for place in re.finditer(rf"(?<!\w){re.escape(self._old)}(?!\w)", string.value):
                before = string.value[: place.start()]
                self._note_listed(self._start(string) + len(before.encode()), test)
                self._see(string)

    def _note_listed(self, start: int, owner: str) -> None:
        self._note(ListedUse(start, start + len(self._old.encode()), owner))

    # -- annotations -----------------------------------------------------------------------

    def visit_Annotation(self, node: cst.Annotation) -> None:
        self._annotated += 1

    def leave_Annotation(self, original_node: cst.Annotation) -> None:
        self._annotated -= 1

    def visit_AnnAssign_value(self, node: cst.AnnAssign) -> None:
        """The value of a `TypeAlias` is a type."""
        self._annotated += dotted(node.annotation.annotation).endswith("TypeAlias")

    def leave_AnnAssign_value(self, node: cst.AnnAssign) -> None:
        self._annotated -= dotted(node.annotation.annotation).endswith("TypeAlias")

    def leave_Subscript(self, original_node: cst.Subscript) -> None:
        self._annotated -= self._takes_types(original_node)

    def _takes_types(self, node: cst.Subscript) -> bool:
        """Whether what stands in the brackets are types, as in `Dict[str, "Cart"]`."""
        return self._is_from(node.value, _GENERIC)

    def visit_Subscript(self, node: cst.Subscript) -> None:
        """The values in `Literal[...]`, and what `Annotated` adds to a type, are plain."""
        self._annotated += self._takes_types(node)
        kind = dotted(node.value).rpartition(".")[2]
        if kind in ("Literal", "Annotated"):
            for part in node.slice[kind == "Annotated" :]:
                self._plain.add(id(getattr(part.slice, "value", None)))

    def typed(self, node: cst.Call) -> None:
        """Takes the strings that `cast` and `TypeVar` of typing read as types for annotations."""
        last = dotted(node.func).rpartition(".")[2]
        if last not in ("cast", "TypeVar") or not self._is_typing(node.func):
            return
        for arg in node.args[:1] if last == "cast" else node.args[1:]:
            if isinstance(arg.value, cst.SimpleString) and self.quotes(arg.value):
                self._see(arg.value)

    def _is_typing(self, node: cst.BaseExpression) -> bool:
        return self._is_from(node, _TYPING)

    def _is_from(self, node: cst.BaseExpression, sources: tuple[str, ...]) -> bool:
        scope = self.scopes.of(node)
        names = scope.get_qualified_names_for(node) if scope is not None else ()
        return any(each.name.startswith(sources) for each in names)

    def quotes(self, node: cst.SimpleString) -> bool:
        """Takes the names in a quoted annotation for uses."""
        start, end = self._span(node)
        scope = self.scopes.of(node)
        pattern = rb"(?<![\w.])" + re.escape(self._old.encode()) + rb"(?!\w)"
        places = list(re.finditer(pattern, self._text[start:end]))
        for place in places:
            names = self.scopes.bound(scope, self._old)
            self._note_name(start + place.start(), start + place.end(), scope, names)
        return bool(places)

    # -- any other string ------------------------------------------------------------------

    def visit_SimpleString(self, node: cst.SimpleString) -> None:
        if self._old not in node.value or id(node) in self._seen:
            return
        if self._annotated and id(node) not in self._plain and self.quotes(node):
            return
        self._note_mentions(node, node.evaluated_value)

    def visit_FormattedStringText(self, node: cst.FormattedStringText) -> None:
        if self._old in node.value:
            self._note_mentions(node, node.value)

    def _note_mentions(
        self, node: cst.SimpleString | cst.FormattedStringText, value: str | bytes
    ) -> None:
        start, _ = self._span(node)
        prose = id(node) in self._prose
        plain = node.value.isascii()  # then characters are bytes
        for offset, sign, kind in mentions(self._old, node.value, value, prose=prose):
            place = start + (offset if plain else len(node.value[:offset].encode()))
            self._note(StringUse(place, sign, kind))

    def visit_Expr(self, node: cst.Expr) -> None:
        self._prose.add(id(node.value))

    # -- notes -----------------------------------------------------------------------------

    def _note_name(self, start: int, end: int, scope: Scope | None, names: tuple[str, ...]) -> None:
        """Notes a use of the name itself, in a scope, bound as one of these names."""
        prefix = self.scopes.prefix(scope) if scope is not None else ""
        self._note(NameUse(start, end, prefix, names, self._shadows(scope)))

    def _shadows(self, scope: Scope | None) -> tuple[str, ...]:
        return self.scopes.bound(scope, self._new) if self._new else ()

    def _note(self, use: Use) -> None:
        self.facts.uses.append(use)

    def _see(self, node: cst.CSTNode | None) -> None:
        """Remembers a node that is no use, or was noted already."""
        if node is not None:
            self._seen.add(id(node))

    def _start(self, node: cst.CSTNode) -> int:
        return int(self._spans[node].start)

    def _span(self, node: cst.CSTNode) -> tuple[int, int]:
        span = self._spans[node]
        return span.start, span.start + span.length
