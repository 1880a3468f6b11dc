"""Reads one Python module to `ModuleFacts`: every use of a name. Runs in a worker."""

from collections.abc import Callable, Sequence
from typing import Any

from tree_sitter import Node

from astedit.language.brackets import nearest
from astedit.python import expression as ex
from astedit.python.expression import Expression, Imported
from astedit.python.facts import (
    AttributeUse,
    ImportUse,
    KeywordUse,
    ModuleFacts,
    NameUse,
    ReboundUse,
    StringUse,
    Use,
)
from astedit.python.scopes import NameScope, Scopes
from astedit.python.spelled import SpelledUses
from astedit.python.syntax import (
    STAR,
    PythonParameter,
    alias_of,
    arguments,
    child_of,
    dotted,
    first_error,
    imports_of,
    last_name,
    module_of,
    parsed,
    parts_of,
    plain,
    text_of,
)
from astedit.workers.plain import plain as plain_data

_LISTING = ("__all__.append", "__all__.extend", "__all__.remove")
_COPYING = ("replace", "evolve")  # of dataclasses, of attrs
_PASSED = ("kwargs", "kwds")  # names of parameters for keywords of another call
_OWN_COPYING = ("_replace", "__replace__")  # methods of what they copy


class Unreadable(Exception):
    """A file that is no Python that can be read; says where."""


def read(text: bytes, old: str, new: str | None) -> ModuleFacts:
    """The facts of a module, with every use of `old` and of `new` (UTF-8, no mark in front).

    Raises `Unreadable`.
    """
    root = parsed(text)
    if root.has_error:
        raise Unreadable(f"line {first_error(root).start_point.row + 1}")
    try:
        text.decode()
        scopes = Scopes(root)
        if scopes.is_old:
            raise Unreadable("a statement of Python 2")
        reader = _UseReader(text, scopes, old, new)
        reader.walk(root)
        reader.type_comments()
    except SyntaxError as error:
        raise Unreadable(error.msg) from error
    except (RecursionError, UnicodeError) as error:
        raise Unreadable(type(error).__name__) from error
    reader.bind()
    reader.check()
    return reader.facts


class _UseReader(SpelledUses):
    """Notes every use of `old`, and the names that are spelled like `new`."""

    _before: NameScope | None = None  # a class, while what its first binding of `old` holds is read

    # -- names -----------------------------------------------------------------------------

    def visit_identifier(self, node: Node) -> None:
        name = text_of(node)
        if name == self._old:
            self._bare(node, self.scopes.of(node))
        elif name == self._new:
            scope = self.scopes.of(node)
            prefix = scope.prefix if scope is not None else ""
            names = self.scopes.bound(scope, name)
            self.facts.new_uses.append(NameUse(*node.byte_range, prefix, names))

    def parameter(self, parameter: PythonParameter) -> None:
        if text_of(parameter.name) == self._old:
            self._bare(parameter.name, self.scopes.of(parameter.name))
        super().parameter(parameter)

    def visit_global_statement(self, node: Node) -> None:
        for name in parts_of(node):
            if text_of(name) == self._old:
                self._bare(name, self.scopes.of(node))

    visit_nonlocal_statement = visit_global_statement

    def _bare(self, node: Node, scope: NameScope | None) -> None:
        """A use of the name itself, bound by the scope it stands in."""
        binding = scope.parent if scope is not None and scope is self._before else scope
        self._note_name(*node.byte_range, scope, self.scopes.bound(binding, self._old))

    def assigned_value(self, node: Node, targets: Sequence[Node], value: Node | None) -> None:
        """In a class, `run = run` is bound to what the module calls `run`."""
        kind, scope = node.child_by_field_name("type"), self.scopes.of(node)
        for target in targets if kind is None and not self.functions else ():
            if target.type == "identifier" and text_of(target) == self._old and value is not None:
                self._note(ReboundUse(target.start_byte, *plain(value).byte_range))
        if kind is None and scope is not None and scope.kind == "class":
            binders = scope.bindings.get(self._old, ())
            starts = [binder.node.start_byte for binder in binders if binder.kind != "deleted"]
            first = min(starts, default=None)
            self._before = scope if first in [target.start_byte for target in targets] else None
        super().assigned_value(node, targets, value)
        self._before = None

    # -- attributes and calls --------------------------------------------------------------

    def visit_attribute(self, node: Node) -> None:
        name, value = node.child_by_field_name("attribute"), node.child_by_field_name("object")
        if name is not None and text_of(name) == self._old:
            self._note(AttributeUse(*name.byte_range, self.expressions.of(value)))
        self.walk(value)

    def visit_dotted_name(self, node: Node) -> None:
        """A value in a pattern; those of imports are not visited."""
        first, *rest = parts_of(node)
        self._members(self.expressions.of(first), rest)
        self.walk(first)

    def _members(self, value: Expression | None, names: Sequence[Node]) -> None:
        """Notes where `old` stands among names behind the dots of a value, the last one first."""
        uses: list[Use] = []
        for name in names:
            if text_of(name) == self._old:
                uses.append(AttributeUse(*name.byte_range, value))
            value = ex.MemberOf(value, text_of(name))
        self.facts.uses += reversed(uses)

    def visit_class_pattern(self, node: Node) -> None:
        kind, *patterns = parts_of(node)
        for pattern in map(plain, patterns):
            key = parts_of(pattern)[0] if pattern.type == "keyword_pattern" else None
            if key is not None and text_of(key) == self._old:
                self._note(AttributeUse(*key.byte_range, ex.InstanceOf(self.expressions.of(kind))))
        self.walk_all(parts_of(node))

    def visit_keyword_pattern(self, node: Node) -> None:
        self.walk_all(parts_of(node)[1:])

    def visit_keyword_argument(self, node: Node) -> None:
        name, call = child_of(node, "name"), nearest(node, ("call", "class_definition"))
        if text_of(name) == self._old and call is not None:
            self._note(KeywordUse(*name.byte_range, self._filled(call)))
        # of `Thread(target=run, kwargs={"size": 1})`
        passed = plain(child_of(node, "value")) if text_of(name) in _PASSED else node
        for start in self.keys(passed) if passed.type == "dictionary" else ():
            self._note(KeywordUse(start, start + len(self._name), None))
        self.walk_fields(node, "value")

    def visit_call(self, node: Node) -> None:
        args = arguments(node)
        if dotted(node) in _LISTING and not self.prefix and args:
            self.strings(args[0].value, "")
        for value, _, star in args:
            if star == "**" and value.type == "dictionary":
                for start in self.keys(value):
                    self._note(KeywordUse(start, start + len(self._name), self._filled(node)))
        super().visit_call(node)

    def _filled(self, node: Node) -> Expression | None:
        """What the keywords of a call, or of the head of a class, name parameters of."""
        if node.type == "class_definition":
            return ex.MemberOf(ex.SuperOf(self.prefix[:-1]), "__init_subclass__")
        function = plain(child_of(node, "function"))
        callee = self.expressions.of(function)
        last, args = last_name(function), arguments(node)
        first = args[0] if args and not args[0].star else None
        if last in _OWN_COPYING and function.type == "attribute":
            return ex.TypeOf(self.expressions.of(function.child_by_field_name("object")))
        if first is None or first.keyword is not None:
            return callee
        if last in ("partial", "partialmethod"):
            return self.expressions.of(first.value)
        if last in _COPYING:
            return ex.ChangedCopy(callee, self.expressions.of(first.value))
        return callee

    # -- imports ---------------------------------------------------------------------------

    def visit_import_statement(self, node: Node) -> None:
        for item in node.children_by_field_name("name"):
            name, alias = alias_of(item)
            if alias is not None and text_of(alias) == self._old:
                self._bare(alias, self.scopes.of(node))
            self._modules(name)

    def visit_import_from_statement(self, node: Node) -> None:
        module, scope = Imported(*module_of(node), None), self.scopes.of(node)
        if any(name == STAR for name, _ in imports_of(node)):
            self.facts.stars.append(module)
        for item in node.children_by_field_name("name"):
            name, alias = alias_of(item)
            bound = text_of(alias)
            if text_of(name) == self._old:
                prefix = scope.prefix if scope is not None else ""
                names, shadows = (prefix + (bound or self._old),), self._shadows(scope)
                self._note(ImportUse(*name.byte_range, prefix, names, shadows, module, bound))
            if alias is not None and bound == self._old:
                self._bare(alias, scope)
        self._modules(node.child_by_field_name("module_name"))

    def _modules(self, name: Node | None) -> None:
        """Notes where `old` stands behind a dot in the name of a module."""
        parts = parts_of(name)
        if parts and parts[-1].type == "dotted_name":  # behind the dots of a relative import
            parts = parts_of(parts[-1])
        if parts:
            self._members(ex.UnboundName(text_of(parts[0])), parts[1:])

    visit_future_import_statement = visit_import_from_statement

    def check(self) -> None:
        """Raises `Unreadable` unless every use that may be renamed spans the name.

        A wrong span would damage the file.
        """
        for use in self.facts.uses:
            if isinstance(use, ReboundUse | StringUse):
                continue
            if self._text[use.start : use.end] != self._name:
                raise Unreadable(f"byte {use.start}")


def worker(setup: tuple[str, str | None]) -> Callable[[bytes], Any]:
    """What a worker process runs: code to plain facts, or to why there are none."""
    old, new = setup

    def run(code: bytes) -> Any:
        try:
            return plain_data(read(code, old, new))
        except Unreadable as error:
            return str(error)

    return run
