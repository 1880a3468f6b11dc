"""Reads one Python module to `ModuleFacts`, by libcst's scopes. Runs in a worker."""

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

from astedit.semantic.facts.expression import (
    ChangedCopy,
    Expression,
    Imported,
    InstanceOf,
    TypeOf,
)
from astedit.semantic.facts.module_facts import ModuleFacts
from astedit.semantic.facts.scopes import dotted, module_named
from astedit.semantic.facts.spelled import SpelledUses
from astedit.semantic.facts.uses import (
    AttributeUse,
    ImportUse,
    KeywordUse,
    NameUse,
    ReboundUse,
    StringUse,
)
from astedit.workers.plain import plain

_LISTING = ("__all__.append", "__all__.extend", "__all__.remove")
_COPYING = ("replace", "evolve")  # of dataclasses, of attrs
_OWN_COPYING = ("_replace", "__replace__")  # methods of what they copy


class Unreadable(Exception):
    """A file that libcst cannot parse; says where."""


def read(text: bytes, old: str, new: str | None) -> ModuleFacts:
    """The facts of a module, with every use of `old` and of `new` (UTF-8, no mark in front).

    Raises `Unreadable`.
    """
    try:
        module = cst.parse_module(text.decode("utf-8"))
        wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
        scopes = wrapper.resolve(ScopeProvider)
        spans = wrapper.resolve(ByteSpanPositionProvider)
        reader = _UseReader(text, scopes, spans, old, new)
        wrapper.module.visit(reader)
    except cst.ParserSyntaxError as error:
        raise Unreadable(f"line {error.raw_line}") from error
    except SyntaxError as error:  # of a string: libcst evaluates them only when asked
        raise Unreadable(error.msg) from error
    except (RecursionError, UnicodeError) as error:
        raise Unreadable(type(error).__name__) from error
    reader.bind()
    reader.check()
    return reader.facts


class _UseReader(SpelledUses):
    """Notes every use of `old`, and the names that are spelled like `new`."""

    _before: Scope | None = None  # a class, while what its first binding of `old` holds is read

    def visit_Assign(self, node: cst.Assign) -> None:
        super().visit_Assign(node)
        for target in node.targets if not self.in_function() else ():
            if isinstance(target.target, cst.Name) and target.target.value == self._old:
                self._note(ReboundUse(self._start(target.target), *self._span(node.value)))

    def visit_Attribute(self, node: cst.Attribute) -> None:
        self._see(node.attr)
        if node.attr.value == self._old:
            self._note(AttributeUse(*self._span(node.attr), self.expressions.of(node.value)))

    def visit_MatchClass(self, node: cst.MatchClass) -> None:
        for element in node.kwds:
            self._see(element.key)
            if element.key.value == self._old:
                value = InstanceOf(self.expressions.of(node.cls))
                self._note(AttributeUse(*self._span(element.key), value))

    # -- calls -----------------------------------------------------------------------------

    def visit_Arg(self, node: cst.Arg) -> None:
        self._see(node.keyword)

    def visit_Call(self, node: cst.Call) -> None:
        if dotted(node.func) in _LISTING and not self.prefix and node.args:
            self.strings(node.args[0].value, "")
        self.typed(node)
        for arg in node.args:
            if arg.keyword is not None and arg.keyword.value == self._old:
                self._note(KeywordUse(*self._span(arg.keyword), self._filled(node)))
            if arg.star == "**" and isinstance(arg.value, cst.Dict):
                for start in self.keys(arg.value):
                    end = start + len(self._old.encode())
                    self._note(KeywordUse(start, end, self._filled(node)))

    def _filled(self, node: cst.Call) -> Expression | None:
        """What the keywords of a call name parameters of."""
        callee = self.expressions.of(node.func)
        last = dotted(node.func).rpartition(".")[2]
        first = node.args[0] if node.args and not node.args[0].star else None
        if last in _OWN_COPYING and isinstance(node.func, cst.Attribute):
            return TypeOf(self.expressions.of(node.func.value))
        if first is None or first.keyword is not None:
            return callee
        if last == "partial":
            return self.expressions.of(first.value)
        if last in _COPYING:
            return ChangedCopy(callee, self.expressions.of(first.value))
        return callee

    # -- imports ---------------------------------------------------------------------------

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
        module = Imported(len(node.relative), module_named(node), None)
        if isinstance(node.names, cst.ImportStar):
            self.facts.stars.append(module)
            return
        for alias in node.names:
            self._import(alias, module)
            self._skip(alias.name)

    def _import(self, alias: cst.ImportAlias, module: Imported) -> None:
        name = alias.asname.name if alias.asname else None
        self._see(name)
        scope = self.scopes.of(alias)
        if isinstance(alias.name, cst.Name) and alias.name.value == self._old:
            self._imported(alias.name, name, module, scope)
        elif isinstance(name, cst.Name) and name.value == self._old:
            self._bare(name, scope)

    def _imported(
        self, node: cst.Name, alias: cst.CSTNode | None, module: Imported, scope: Scope | None
    ) -> None:
        """A use of the name in an import, and another in its alias if that is the same."""
        bound = alias.value if isinstance(alias, cst.Name) else ""
        prefix = self.scopes.prefix(scope) if scope is not None else ""
        names = (prefix + (bound or self._old),)
        shadows = self._shadows(scope)
        self._note(ImportUse(*self._span(node), prefix, names, shadows, module, bound))
        if isinstance(alias, cst.Name) and bound == self._old:
            self._bare(alias, scope)

    def _skip(self, node: cst.BaseExpression) -> None:
        """The parts of a module's name are no uses."""
        while isinstance(node, cst.Attribute):
            self._see(node.attr)
            self._see(node)
            node = node.value
        self._see(node)

    # -- names -----------------------------------------------------------------------------

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
        scope = self.scopes.of(node)
        if node.value == self._old:
            self._bare(node, scope)
        elif node.value == self._new:
            prefix = self.scopes.prefix(scope) if scope is not None else ""
            names = self.scopes.bound(scope, node.value)
            self.facts.new_uses.append(NameUse(*self._span(node), prefix, names))

    def visit_Assign_value(self, node: cst.Assign) -> None:
        """In a class, `run = run` is bound to what the module calls `run`."""
        scope = self.scopes.of(node.targets[0].target)
        if isinstance(scope, ClassScope):
            binders = self.scopes.binders(scope, self._old)
            first = min(binders, key=self._start, default=None)
            self._before = scope if first in [each.target for each in node.targets] else None

    def leave_Assign_value(self, node: cst.Assign) -> None:
        self._before = None

    def _bare(self, node: cst.Name, scope: Scope | None) -> None:
        """A use of the name itself, bound by the scope it stands in."""
        self._see(node)
        binding = scope.parent if scope is not None and scope is self._before else scope
        self._note_name(*self._span(node), scope, self.scopes.bound(binding, self._old))

    def check(self) -> None:
        """Raises `Unreadable` unless every use that may be renamed spans the name.

        libcst computes the spans: a wrong one would damage the file.
        """
        old = self._old.encode()
        for use in self.facts.uses:
            if isinstance(use, ReboundUse | StringUse):
                continue
            if self._text[use.start : use.end] != old:
                raise Unreadable(f"byte {use.start}")


def worker(setup: tuple[str, str | None]) -> Callable[[bytes], Any]:
    """What a worker process runs: code to plain facts, or to why there are none."""
    old, new = setup

    def run(code: bytes) -> Any:
        try:
            return plain(read(code, old, new))
        except Unreadable as error:
            return str(error)

    return run
