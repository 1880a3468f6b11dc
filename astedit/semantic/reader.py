"""One Python module to `Facts`, by libcst's scopes. Runs in a worker."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import libcst as cst
from libcst.metadata import (
    Assignment,
    BuiltinAssignment,
    ByteSpanPositionProvider,
    ClassScope,
    ComprehensionScope,
    FunctionScope,
    GlobalScope,
    ImportAssignment,
    MetadataWrapper,
    Scope,
    ScopeProvider,
)

from astedit.semantic.facts import Class, Expr, Facts, Function, Use

_FIELDED = re.compile(
    r"(^|\.)(dataclass|dataclass_transform|attrs|attr\.s|define|frozen|mutable|s|attributes|autodetect)$"
)
_FIELDED_BASES = ("NamedTuple", "TypedDict", "BaseModel")
_DESCRIPTORS = ("property", "cached_property", "getter", "setter", "deleter")
_LISTS = ("__slots__", "__match_args__")
_SOURCES = (cst.FunctionDef, cst.ClassDef)


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
    reader = _Reader(text, scopes, spans, old, new)
    wrapper.module.visit(reader)
    reader.bind()
    return reader.facts


class _Names:
    """What the scopes of a module are called, and what a name in one of them is bound as."""

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
        """The qualified names a name may be bound as; `builtins` ones as `<builtin>`."""
        if scope is None:
            return ()
        found = {self._bound(one) for one in scope[name]}
        return tuple(sorted(found))

    def _bound(self, one: Any) -> str:
        if isinstance(one, BuiltinAssignment):
            return "<builtin>"
        return self.prefix(one.scope) + str(one.name)


class _Reader(cst.CSTVisitor):
    def __init__(self, text: bytes, scopes: Any, spans: Any, old: str, new: str | None) -> None:
        super().__init__()
        self.facts = Facts()
        self._text = text
        self._spans = spans
        self._old, self._new = old, new
        self._names = _Names(scopes)
        self._values: dict[cst.CSTNode, Expr] = {}
        self._classes: list[str] = []
        self._functions: list[tuple[str, cst.FunctionDef]] = []
        self._prefix: list[str] = []
        self._lists: list[str] = []
        self._annotated = 0
        self._seen: set[int] = set()

    # -- structure -----------------------------------------------------------------------

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        name = "".join(self._prefix) + node.name.value
        bases = [self._expr(arg.value) for arg in node.bases if not arg.star]
        decorators = [_dotted(one.decorator) for one in node.decorators]
        fielded = any(_FIELDED.search(text) for text in decorators)
        fielded |= any(_dotted(arg.value).endswith(_FIELDED_BASES) for arg in node.bases)
        self.facts.classes.setdefault(name, Class()).bases += bases
        self.facts.classes[name].fielded |= fielded
        self._prefix.append(f"{node.name.value}.")
        self._classes.append(name)

    def leave_ClassDef(self, original_node: cst.ClassDef) -> None:
        self._prefix.pop()
        self._classes.pop()

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        name = "".join(self._prefix) + node.name.value
        owner = self._owner()
        returns = None if node.returns is None else self._annotation(node.returns.annotation)
        every = [*node.params.posonly_params, *node.params.params, *node.params.kwonly_params]
        parameters = [one.name.value for one in every]
        kind = _kind(node, owner)
        self.facts.functions[name] = Function(kind, owner, parameters, _is_fixture(node), returns)
        self._parameters(node, every, kind, owner)
        self._prefix.append(f"{node.name.value}.")
        self._functions.append((name, node))

    def leave_FunctionDef(self, original_node: cst.FunctionDef) -> None:
        self._prefix.pop()
        self._functions.pop()

    def _owner(self) -> str:
        """The class whose body this is directly; "" anywhere else."""
        prefix = "".join(self._prefix)
        return self._classes[-1] if self._classes and f"{self._classes[-1]}." == prefix else ""

    def _parameters(
        self, node: cst.FunctionDef, every: Sequence[cst.Param], kind: str, owner: str
    ) -> None:
        tested = node.name.value.startswith("test") or _is_fixture(node)
        for index, one in enumerate(every):
            value: Expr = ("fixture", one.name.value, owner) if tested else None
            if one.annotation is not None:
                value = ("i", self._annotation(one.annotation.annotation))
            elif index == 0 and owner and kind in ("method", "property"):
                value = ("i", ("n", owner))
            elif index == 0 and owner and kind == "class":
                value = ("n", owner)
            self._values[one] = value

    def visit_Return(self, node: cst.Return) -> None:
        if self._functions and node.value is not None:
            function = self.facts.functions[self._functions[-1][0]]
            if function.returns is None:
                function.results.append(self._expr(node.value))

    def visit_Yield(self, node: cst.Yield) -> None:
        if self._functions and isinstance(node.value, cst.BaseExpression):
            name, definition = self._functions[-1]
            function = self.facts.functions[name]
            value = self._expr(node.value)
            if function.returns is None or _is_fixture(definition):
                function.returns = None
                function.results.append(value if _is_fixture(definition) else ("of", (value,)))

    # -- values ----------------------------------------------------------------------------

    def visit_Assign(self, node: cst.Assign) -> None:
        value = self._expr(node.value)
        for target in node.targets:
            self._target(target.target, value, node.value)
        first = node.targets[0].target
        if isinstance(first, cst.Name):
            self._list(first.value, node.value)

    def visit_AugAssign(self, node: cst.AugAssign) -> None:
        if isinstance(node.target, cst.Name):
            self._list(node.target.value, node.value)

    def visit_AnnAssign(self, node: cst.AnnAssign) -> None:
        self._target(node.target, ("i", self._annotation(node.annotation.annotation)), None)
        if isinstance(node.target, cst.Name) and node.value is not None:
            self._list(node.target.value, node.value)

    def visit_NamedExpr(self, node: cst.NamedExpr) -> None:
        self._target(node.target, self._expr(node.value), None)

    def visit_For(self, node: cst.For) -> None:
        self._target(node.target, ("e", self._expr(node.iter)), None)

    def visit_CompFor(self, node: cst.CompFor) -> None:
        self._target(node.target, ("e", self._expr(node.iter)), None)

    def visit_WithItem(self, node: cst.WithItem) -> None:
        if node.asname is not None:
            self._target(node.asname.name, self._entered(node.item), None)

    def _entered(self, item: cst.BaseExpression) -> Expr:
        """What `with` binds; of `pytest.raises(E)` what was raised is known."""
        if isinstance(item, cst.Call) and item.args:
            last = _dotted(item.func).rpartition(".")[2]
            if last in ("raises", "assertRaises", "assertRaisesRegex"):
                return ("raised", self._expr(item.args[0].value))
        return ("w", self._expr(item))

    def visit_ExceptHandler(self, node: cst.ExceptHandler) -> None:
        if node.name is not None and node.type is not None:
            kinds = node.type
            every = [e.value for e in kinds.elements] if isinstance(kinds, cst.Tuple) else [kinds]
            self._target(node.name.name, ("u", tuple(("i", self._expr(e)) for e in every)), None)

    def _target(self, target: cst.BaseExpression, value: Expr, node: Any) -> None:
        """Notes what a target holds; one of `self` is a member of the class."""
        if isinstance(target, cst.Name):
            self._values[target] = value
        elif isinstance(target, cst.Attribute) and (owner := self._self(target.value)):
            self.facts.bindings.setdefault(f"{owner}.{target.attr.value}", []).append(value)
        elif isinstance(target, cst.Tuple | cst.List):
            items = node.elements if isinstance(node, cst.Tuple | cst.List) else ()
            alike = len(items) == len(target.elements)
            for index, one in enumerate(target.elements):
                part = self._expr(items[index].value) if alike else ("e", value)
                self._target(one.value, part, None)

    def _self(self, node: cst.BaseExpression) -> str:
        """The class whose instance (or which) this name is by convention; "" if it is none."""
        if not isinstance(node, cst.Name) or not self._functions:
            return ""
        name, _ = self._functions[-1]
        function = self.facts.functions[name]
        first = function.parameters[:1]
        return function.owner if function.kind != "static" and first == [node.value] else ""

    def _list(self, name: str, value: cst.BaseExpression) -> None:
        """Strings of `__all__`, and of a class's `__slots__`, are names."""
        owner = self._owner()
        if name == "__all__" and not self._prefix:
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

    # -- expressions -----------------------------------------------------------------------

    def _expr(self, node: cst.BaseExpression) -> Expr:
        if isinstance(node, cst.Name):
            return self._name(node)
        if isinstance(node, cst.Attribute):
            return ("a", self._expr(node.value), node.attr.value)
        if isinstance(node, cst.Call):
            return self._call(node)
        if isinstance(node, cst.Await):
            return self._expr(node.expression)
        if isinstance(node, cst.NamedExpr):
            return self._expr(node.value)
        if isinstance(node, cst.IfExp):
            return ("u", (self._expr(node.body), self._expr(node.orelse)))
        if isinstance(node, cst.BooleanOperation):
            return ("u", (self._expr(node.left), self._expr(node.right)))
        if isinstance(node, cst.Subscript):
            return ("e", self._expr(node.value))
        if isinstance(node, cst.Tuple | cst.List | cst.Set):
            return ("of", tuple(self._expr(one.value) for one in node.elements))
        if isinstance(node, cst.ListComp | cst.SetComp | cst.GeneratorExp):
            return ("of", (self._expr(node.elt),))
        return _literal(node)

    def _name(self, node: cst.Name) -> Expr:
        if node.value == "None":
            return ("u", ())
        names = self._names.bound(self._names.of(node), node.value)
        if names == ("<builtin>",):
            return ("k", f"type {node.value}")
        if not names:
            return ("star", node.value)
        return ("u", tuple(("n", name) for name in names if name != "<builtin>"))

    def _call(self, node: cst.Call) -> Expr:
        name = node.func.value if isinstance(node.func, cst.Name) else ""
        if name == "super" and self._classes:
            return ("s", self._classes[-1])
        if name == "type" and len(node.args) == 1:
            return ("type", self._expr(node.args[0].value))
        if name in ("list", "tuple", "set", "sorted", "iter", "reversed", "next") and node.args:
            inner = self._expr(node.args[0].value)
            return ("e", inner) if name == "next" else ("of", (("e", inner),))
        if _dotted(node.func).rpartition(".")[2] == "partial" and node.args:
            return self._expr(node.args[0].value)  # what calls it calls that
        if _dotted(node.func).rpartition(".")[2] == "cast" and len(node.args) == 2:
            return ("i", self._annotation(node.args[0].value))
        return ("c", self._expr(node.func))

    def _annotation(self, node: cst.BaseExpression) -> Expr:
        """What an annotation names; `("i", …)` of it is what has the annotation."""
        if isinstance(node, cst.SimpleString | cst.ConcatenatedString):
            return self._quoted(node)
        if isinstance(node, cst.BinaryOperation):
            return ("u", (self._annotation(node.left), self._annotation(node.right)))
        if not isinstance(node, cst.Subscript):
            return self._expr(node)
        kind = _dotted(node.value).rpartition(".")[2]
        inside = [one.slice.value for one in node.slice if isinstance(one.slice, cst.Index)]
        parts = tuple(self._annotation(one) for one in inside)
        if kind in ("Optional", "Union", "Annotated", "Final", "ClassVar", "Awaitable"):
            return ("u", parts[:1] if kind == "Annotated" else parts)
        if kind in ("Type", "type"):
            return ("type of", parts)
        known = self._expr(node.value)
        return ("holder", known, tuple(("i", part) for part in parts[-1:]))

    def _quoted(self, node: Any) -> Expr:
        value = node.evaluated_value
        if not isinstance(value, str) or not all(p.isidentifier() for p in value.split(".")):
            return None
        first, *rest = value.split(".")
        scope = self._names.of(node)
        names = self._names.bound(scope, first) if scope is not None else ()
        found: Expr = ("u", tuple(("n", name) for name in names if name != "<builtin>"))
        for part in rest:
            found = ("a", found, part)
        return found

    # -- uses ------------------------------------------------------------------------------

    def visit_Attribute(self, node: cst.Attribute) -> None:
        self._seen.add(id(node.attr))
        if node.attr.value == self._old:
            start, end = self._span(node.attr)
            self._use(Use("attribute", start, end, value=self._expr(node.value)))

    def visit_Arg(self, node: cst.Arg) -> None:
        if node.keyword is not None:
            self._seen.add(id(node.keyword))

    def visit_Call(self, node: cst.Call) -> None:
        for arg in node.args:
            if arg.keyword is not None and arg.keyword.value == self._old:
                start, end = self._span(arg.keyword)
                self._use(Use("keyword", start, end, value=self._expr(node.func)))

    def visit_Import(self, node: cst.Import) -> None:
        for alias in node.names:
            self._skip(alias.name)
            name = alias.asname.name if alias.asname else None
            if isinstance(name, cst.Name) and name.value == self._old:
                self._bare(name, self._names.of(alias))
            self._see(name)

    def visit_ImportFrom(self, node: cst.ImportFrom) -> None:
        if node.module is not None:
            self._skip(node.module)
        level, module = len(node.relative), _dotted(node.module) if node.module else ""
        if isinstance(node.names, cst.ImportStar):
            self.facts.stars.append(("m", level, module, None))
            return
        for alias in node.names:
            name = alias.asname.name if alias.asname else None
            self._see(name)
            scope = self._names.of(alias)
            if isinstance(alias.name, cst.Name) and alias.name.value == self._old:
                self._imported(alias.name, name, ("m", level, module, None), scope)
            elif isinstance(name, cst.Name) and name.value == self._old:
                self._bare(name, scope)
            self._skip(alias.name)

    def _imported(self, node: cst.Name, name: Any, module: Expr, scope: Scope | None) -> None:
        alias = name.value if isinstance(name, cst.Name) else ""
        start, end = self._span(node)
        prefix = self._names.prefix(scope) if scope is not None else ""
        names = (prefix + (alias or self._old),)
        shadows = self._shadows(scope)
        self._use(Use("import", start, end, prefix, names, shadows, module, alias))
        if alias == self._old:
            self._bare(name, scope)

    def visit_Param(self, node: cst.Param) -> None:
        if node.name.value == self._old:
            self._bare(node.name, self._names.of(node.name))
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
                self._bare(item.name, self._names.of(node))

    def visit_Name(self, node: cst.Name) -> None:
        if id(node) in self._seen:
            return
        if node.value == self._old:
            self._bare(node, self._names.of(node))
        elif node.value == self._new:
            scope = self._names.of(node)
            prefix = self._names.prefix(scope) if scope is not None else ""
            start, end = self._span(node)
            names = self._names.bound(scope, node.value)
            self.facts.news.append(Use("name", start, end, prefix, names))

    def _bare(self, node: Any, scope: Scope | None) -> None:
        """A use of the name itself, bound by the scope it stands in."""
        start, end = self._span(node)
        self._see(node)
        prefix = self._names.prefix(scope) if scope is not None else ""
        names = self._names.bound(scope, self._old)
        self._use(Use("name", start, end, prefix, names, self._shadows(scope)))

    def _shadows(self, scope: Scope | None) -> tuple[str, ...]:
        return self._names.bound(scope, self._new) if self._new else ()

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
        scope = self._names.of(node)
        prefix = self._names.prefix(scope) if scope is not None else ""
        names = self._names.bound(scope, self._old)
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

    # -- bindings --------------------------------------------------------------------------

    def bind(self) -> None:
        """Notes what every name of every scope is bound to."""
        for scope in self._names.all:
            if not isinstance(scope, GlobalScope | FunctionScope | ClassScope | ComprehensionScope):
                continue
            prefix = self._names.prefix(scope)
            for one in scope.assignments:
                if isinstance(one, Assignment) and one.scope is scope:
                    bound = self.facts.bindings.setdefault(prefix + one.name, [])
                    bound.append(self._bound(one, prefix))
        self._check()

    def _bound(self, one: Assignment, prefix: str) -> Expr:
        if isinstance(one, ImportAssignment):
            return _import(one)
        node: Any = one.node
        if isinstance(node, cst.ClassDef):
            return ("class", prefix + node.name.value)
        if isinstance(node, cst.FunctionDef):
            return ("func", prefix + node.name.value)
        return self._values.get(node)

    def _check(self) -> None:
        """The spans are what libcst computes; a wrong one would damage the file."""
        old = self._old.encode()
        for use in self.facts.uses:
            if use.how != "string" and self._text[use.start : use.end] != old:
                raise Unreadable(f"byte {use.start}")


def _import(one: ImportAssignment) -> Expr:
    node: Any = one.node
    for alias in node.names if not isinstance(node.names, cst.ImportStar) else ():
        bound = alias.asname.name if alias.asname is not None else alias.name
        whole = _dotted(bound)
        if one.name != whole and not whole.startswith(f"{one.name}."):
            continue
        if isinstance(node, cst.Import):
            return ("m", 0, _dotted(alias.name) if alias.asname else one.name, None)
        module = _dotted(node.module) if node.module else ""
        return ("m", len(node.relative), module, _dotted(alias.name))
    return None


def _kind(node: cst.FunctionDef, owner: str) -> str:
    decorators = [_dotted(one.decorator).rpartition(".")[2] for one in node.decorators]
    if any(one in _DESCRIPTORS or one.endswith("property") for one in decorators):
        return "property"
    if "staticmethod" in decorators:
        return "static"
    if "classmethod" in decorators or node.name.value in ("__new__", "__init_subclass__"):
        return "class"
    return "method" if owner else "function"


def _is_fixture(node: cst.FunctionDef) -> bool:
    return any(_dotted(one.decorator).endswith("fixture") for one in node.decorators)


def _dotted(node: Any) -> str:
    """`a.b.c` of a name or attribute, of what a call calls; "" for anything else."""
    if isinstance(node, cst.Name):
        return node.value
    if isinstance(node, cst.Attribute):
        head = _dotted(node.value)
        return f"{head}.{node.attr.value}" if head else ""
    return _dotted(node.func) if isinstance(node, cst.Call) else ""


def _literal(node: cst.BaseExpression) -> Expr:
    kinds: Iterable[tuple[Any, str]] = (
        (cst.BaseString, "str"),
        (cst.BaseNumber, "int"),
        (cst.Dict, "dict"),
        (cst.DictComp, "dict"),
        (cst.Comparison, "bool"),
        (cst.Lambda, "function"),
    )
    return next((("k", name) for kind, name in kinds if isinstance(node, kind)), None)


def worker(setup: tuple[str, str | None]) -> Callable[[bytes], tuple[Any, ...] | str]:
    """What a worker process runs: code to plain facts, or why there are none."""
    old, new = setup

    def run(code: bytes) -> tuple[Any, ...] | str:
        try:
            return read(code, old, new).plain()
        except Unreadable as error:
            return str(error)

    return run
