"""One Python module to `Facts`, by libcst's scopes. Runs in a worker."""

import re
from collections.abc import Callable
from typing import Any

import libcst as cst
from libcst.metadata import ByteSpanPositionProvider, MetadataWrapper, Scope, ScopeProvider

from astedit.semantic.definitions import Definitions
from astedit.semantic.facts import Expr, Facts, Use
from astedit.semantic.scopes import Scopes, dotted

_LISTS = ("__slots__", "__match_args__")


class Unreadable(Exception):
    """A file that libcst cannot parse; says where."""


def read(text: bytes, old: str, new: str | None) -> Facts:
    """The facts of a module, with every use of `old` and of `new` (UTF-8, no mark in front).

    Raises `Unreadable`.
    """
    try:
        module = cst.parse_module(text.decode("utf-8"))
        wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
        scopes = wrapper.resolve(ScopeProvider)
        spans = wrapper.resolve(ByteSpanPositionProvider)
    except cst.ParserSyntaxError as error:
        raise Unreadable(f"line {error.raw_line}") from error
    except (RecursionError, UnicodeError) as error:
        raise Unreadable(type(error).__name__) from error
    reader = _Uses(text, scopes, spans, old, new)
    wrapper.module.visit(reader)
    reader.bind()
    reader.check()
    return reader.facts


class _Uses(Definitions):
    """Notes every use of `old`, and the names that are spelled like `new`."""

    def __init__(self, text: bytes, scopes: Any, spans: Any, old: str, new: str | None) -> None:
        super().__init__(Scopes(scopes))
        self._text = text
        self._spans = spans
        self._old, self._new = old, new
        self._annotated = 0
        self._seen: set[int] = set()

    def listed(self, name: str, value: cst.BaseExpression) -> None:
        """Strings of `__all__`, and of a class's `__slots__`, are names."""
        owner = self.owner()
        if name == "__all__" and not self.prefix:
            self._strings(value, "")
        elif name in _LISTS and owner:
            self._strings(value, owner)

    def _strings(self, value: cst.BaseExpression, owner: str) -> None:
        if isinstance(value, cst.BinaryOperation):
            self._strings(value.left, owner)
            self._strings(value.right, owner)
        elements = getattr(value, "elements", None)
        for node in [one.value for one in elements] if elements is not None else [value]:
            if isinstance(node, cst.SimpleString) and node.evaluated_value == self._old:
                start = self._start(node) + len(node.prefix) + len(node.quote)
                self._use(Use("listed", start, start + len(self._old.encode()), text=owner))
                self._seen.add(id(node))

    def visit_Attribute(self, node: cst.Attribute) -> None:
        self._seen.add(id(node.attr))
        if node.attr.value == self._old:
            start, end = self._span(node.attr)
            self._use(Use("attribute", start, end, value=self.expressions.of(node.value)))

    def visit_Arg(self, node: cst.Arg) -> None:
        if node.keyword is not None:
            self._seen.add(id(node.keyword))

    def visit_Call(self, node: cst.Call) -> None:
        for arg in node.args:
            if arg.keyword is not None and arg.keyword.value == self._old:
                start, end = self._span(arg.keyword)
                self._use(Use("keyword", start, end, value=self.expressions.of(node.func)))

    def visit_Import(self, node: cst.Import) -> None:
        for alias in node.names:
            self._skip(alias.name)
            name = alias.asname.name if alias.asname else None
            if isinstance(name, cst.Name) and name.value == self._old:
                self._bare(name, self.scopes.of(alias))
            self._see(name)

    def visit_ImportFrom(self, node: cst.ImportFrom) -> None:
        if node.module is not None:
            self._skip(node.module)
        level, module = len(node.relative), dotted(node.module) if node.module else ""
        if isinstance(node.names, cst.ImportStar):
            self.facts.stars.append(("m", level, module, None))
            return
        for alias in node.names:
            name = alias.asname.name if alias.asname else None
            self._see(name)
            scope = self.scopes.of(alias)
            if isinstance(alias.name, cst.Name) and alias.name.value == self._old:
                self._imported(alias.name, name, ("m", level, module, None), scope)
            elif isinstance(name, cst.Name) and name.value == self._old:
                self._bare(name, scope)
            self._skip(alias.name)

    def _imported(self, node: cst.Name, name: Any, module: Expr, scope: Scope | None) -> None:
        alias = name.value if isinstance(name, cst.Name) else ""
        start, end = self._span(node)
        prefix = self.scopes.prefix(scope) if scope is not None else ""
        names = (prefix + (alias or self._old),)
        shadows = self._shadows(scope)
        self._use(Use("import", start, end, prefix, names, shadows, module, alias))
        if alias == self._old:
            self._bare(name, scope)

    def visit_Param(self, node: cst.Param) -> None:
        if node.name.value == self._old:
            self._bare(node.name, self.scopes.of(node.name))
        self._see(node.name)

    def visit_Annotation(self, node: cst.Annotation) -> None:
        self._annotated += 1

    def leave_Annotation(self, original_node: cst.Annotation) -> None:
        self._annotated -= 1

    def visit_NameItem(self, node: cst.NameItem) -> None:
        self._see(node.name)

    def visit_Global(self, node: cst.Global) -> None:
        self._declared(node)

    def visit_Nonlocal(self, node: cst.Nonlocal) -> None:
        self._declared(node)

    def _declared(self, node: cst.Global | cst.Nonlocal) -> None:
        for item in node.names:
            if item.name.value == self._old:
                self._bare(item.name, self.scopes.of(node))

    def visit_Name(self, node: cst.Name) -> None:
        if id(node) in self._seen:
            return
        if node.value == self._old:
            self._bare(node, self.scopes.of(node))
        elif node.value == self._new:
            scope = self.scopes.of(node)
            prefix = self.scopes.prefix(scope) if scope is not None else ""
            start, end = self._span(node)
            names = self.scopes.bound(scope, node.value)
            self.facts.news.append(Use("name", start, end, prefix, names))

    def _bare(self, node: Any, scope: Scope | None) -> None:
        """A use of the name itself, bound by the scope it stands in."""
        start, end = self._span(node)
        self._see(node)
        prefix = self.scopes.prefix(scope) if scope is not None else ""
        names = self.scopes.bound(scope, self._old)
        self._use(Use("name", start, end, prefix, names, self._shadows(scope)))

    def _shadows(self, scope: Scope | None) -> tuple[str, ...]:
        return self.scopes.bound(scope, self._new) if self._new else ()

    def visit_SimpleString(self, node: cst.SimpleString) -> None:
        if self._old not in node.value or id(node) in self._seen:
            return
        if self._annotated and self._quotes(node):
            return
        value = node.evaluated_value
        text = value if isinstance(value, str) else ""
        if text == self._old or re.fullmatch(rf"[\w.:]+[.:]{re.escape(self._old)}", text):
            start, end = self._span(node)
            self._use(Use("string", start, end, text=text))

    def _quotes(self, node: cst.SimpleString) -> bool:
        """Takes the names in a quoted annotation for uses."""
        start, end = self._span(node)
        scope = self.scopes.of(node)
        prefix = self.scopes.prefix(scope) if scope is not None else ""
        names = self.scopes.bound(scope, self._old)
        pattern = rb"(?<![\w.])" + re.escape(self._old.encode()) + rb"(?!\w)"
        found = list(re.finditer(pattern, self._text[start:end]))
        for one in found:
            low, high = start + one.start(), start + one.end()
            self._use(Use("name", low, high, prefix, names, self._shadows(scope)))
        return bool(found)

    def _use(self, use: Use) -> None:
        self.facts.uses.append(use)

    def _skip(self, node: cst.BaseExpression) -> None:
        """The parts of a module's name are no uses."""
        while isinstance(node, cst.Attribute):
            self._seen |= {id(node.attr), id(node)}
            node = node.value
        self._see(node)

    def _see(self, node: Any) -> None:
        if node is not None:
            self._seen.add(id(node))

    def _start(self, node: cst.CSTNode) -> int:
        return int(self._spans[node].start)

    def _span(self, node: cst.CSTNode) -> tuple[int, int]:
        span = self._spans[node]
        return span.start, span.start + span.length

    def check(self) -> None:
        """The spans are what libcst computes; a wrong one would damage the file."""
        old = self._old.encode()
        for use in self.facts.uses:
            if use.how != "string" and self._text[use.start : use.end] != old:
                raise Unreadable(f"byte {use.start}")


def worker(setup: tuple[str, str | None]) -> Callable[[bytes], tuple[Any, ...] | str]:
    """What a worker process runs: code to plain facts, or why there are none."""
    old, new = setup

    def run(code: bytes) -> tuple[Any, ...] | str:
        try:
            return read(code, old, new).plain()
        except Unreadable as error:
            return str(error)

    return run
