"""One Python module to `Facts`, by libcst's scopes. Runs in a worker."""

from collections.abc import Callable
from typing import Any

import libcst as cst
from libcst.metadata import (
    ByteSpanPositionProvider,
    ClassScope,
    MetadataWrapper,
    Scope,
    ScopeProvider,
)

from astedit.semantic.facts.module_facts import Expr, Facts, Use
from astedit.semantic.facts.scopes import dotted
from astedit.semantic.facts.spelled import Spelled

_LISTING = ("__all__.append", "__all__.extend", "__all__.remove")
_COPYING = ("replace", "evolve")  # of dataclasses, of attrs
_OWN_COPYING = ("_replace", "__replace__")  # methods of what they copy


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


class _Uses(Spelled):
    """Notes every use of `old`, and the names that are spelled like `new`."""

    _before: Scope | None = None  # a class, while what its first binding of `old` holds is read

    def visit_Assign(self, node: cst.Assign) -> None:
        super().visit_Assign(node)
        for one in node.targets if not self.in_function() else ():
            if isinstance(one.target, cst.Name) and one.target.value == self._old:
                place, _ = self._span(one.target)
                self._use(Use("again", place, place, value=self._span(node.value)))

    def visit_Attribute(self, node: cst.Attribute) -> None:
        self._seen.add(id(node.attr))
        if node.attr.value == self._old:
            start, end = self._span(node.attr)
            self._use(Use("attribute", start, end, value=self.expressions.of(node.value)))

    def visit_Arg(self, node: cst.Arg) -> None:
        if node.keyword is not None:
            self._seen.add(id(node.keyword))

    def visit_Call(self, node: cst.Call) -> None:
        called = dotted(node.func)
        if called in _LISTING and not self.prefix and node.args:
            self.strings(node.args[0].value, "")
        self.typed(node)
        for arg in node.args:
            if arg.keyword is not None and arg.keyword.value == self._old:
                start, end = self._span(arg.keyword)
                self._use(Use("keyword", start, end, value=self._filled(node)))
            if arg.star == "**" and isinstance(arg.value, cst.Dict):
                for start in self.keys(arg.value):
                    end = start + len(self._old.encode())
                    self._use(Use("keyword", start, end, value=self._filled(node)))

    def _filled(self, node: cst.Call) -> Expr:
        """What the keywords of a call name parameters of."""
        called = self.expressions.of(node.func)
        last = dotted(node.func).rpartition(".")[2]
        first = node.args[0] if node.args and not node.args[0].star else None
        plain = first is not None and first.keyword is None
        if last in _OWN_COPYING and isinstance(node.func, cst.Attribute):
            return ("type", self.expressions.of(node.func.value))
        if last == "partial" and first is not None and plain:
            return self.expressions.of(first.value)
        if last in _COPYING and first is not None and plain:
            return ("copied", called, self.expressions.of(first.value))
        return called

    def visit_MatchClass(self, node: cst.MatchClass) -> None:
        for one in node.kwds:
            self._seen.add(id(one.key))
            if one.key.value == self._old:
                start, end = self._span(one.key)
                value = ("i", self.expressions.of(node.cls))
                self._use(Use("attribute", start, end, value=value))

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

    def visit_Assign_value(self, node: cst.Assign) -> None:
        """In a class, `run = run` is bound to what the module calls `run`."""
        scope = self.scopes.of(node.targets[0].target)
        if isinstance(scope, ClassScope):
            binders = self.scopes.binders(scope, self._old)
            first = min(binders, key=self._start, default=None)
            self._before = scope if first in [one.target for one in node.targets] else None

    def leave_Assign_value(self, node: cst.Assign) -> None:
        self._before = None

    def _bare(self, node: Any, scope: Scope | None) -> None:
        """A use of the name itself, bound by the scope it stands in."""
        start, end = self._span(node)
        self._see(node)
        prefix = self.scopes.prefix(scope) if scope is not None else ""
        known = scope.parent if scope is not None and scope is self._before else scope
        names = self.scopes.bound(known, self._old)
        self._use(Use("name", start, end, prefix, names, self._shadows(scope)))

    def _skip(self, node: cst.BaseExpression) -> None:
        """The parts of a module's name are no uses."""
        while isinstance(node, cst.Attribute):
            self._seen |= {id(node.attr), id(node)}
            node = node.value
        self._see(node)

    def check(self) -> None:
        """The spans are what libcst computes; a wrong one would damage the file.

        What is only listed has none.
        """
        old = self._old.encode()
        for use in self.facts.uses:
            if use.end > use.start and self._text[use.start : use.end] != old:
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
