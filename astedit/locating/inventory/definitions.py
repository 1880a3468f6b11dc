"""A tree to its definitions, by the query of its language, with what belongs to each."""

import functools
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tree_sitter import Node, QueryCursor

from astedit.language import Grammar, compiled
from astedit.language.facts import Naming


class Wrapping:
    """The wrappers and leading siblings in one tree, found from outside in.

    Nodes are not asked for their parents and siblings: each finds them from the root on.
    """

    def __init__(self, root: Node, grammar: Grammar, naming: Naming) -> None:
        self._wrapper: dict[int, Node] = {}
        self._leading: dict[int, Node] = {}
        for wrapper in grammar.nodes(root, naming.wrappers):
            children = wrapper.named_children
            alike = Counter(child.type for child in children)
            self._wrapper |= {node.id: wrapper for node in children if alike[node.type] == 1}
        for note in grammar.nodes(root, naming.leading):
            after = note.next_named_sibling
            if after is not None:
                self._leading[after.id] = note

    def span(self, node: Node) -> tuple[int, int]:
        """The region of a definition: of a wrapper, if that holds nothing else of its kind."""
        while (wrapper := self._wrapper.get(node.id)) is not None:
            node = wrapper
        first = node
        while (before := self._leading.get(first.id)) is not None:
            first = before
        return first.start_byte, node.end_byte


_SCOPES = ("class", "function", "scope")
_NESTED_TARGETS = frozenset(
    {"pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern", "as_pattern_target",
     "tuple", "list",
     "parenthesized_expression"}
)  # fmt: skip


@dataclass(slots=True, eq=False, repr=False)
class Definition:
    """One definition: its qualified name within the file, and its bytes.

    `span` holds decorators and attributes, `body` what is left with `body_only`; `line`
    is that of the definition itself. `local` names live in a function and are no short
    names. `bound` counts the places where a variable is bound: it is one definition. An
    `attribute` of `self` and a parameter are no place of their own to edit in.
    """

    names: tuple[str, ...]
    kind: str
    line: int
    span: tuple[int, int]
    body: tuple[int, int]
    local: bool = False
    attribute: bool = False
    bound: int = 1


@dataclass(slots=True, eq=False, repr=False)
class _OpenScope:
    end: int
    names: tuple[str, ...]
    kind: str
    node: Node
    outer_names: frozenset[bytes] = frozenset()
    enclosing_names: frozenset[bytes] = frozenset()


def definitions(
    root: Node, text: bytes, grammar: Grammar, naming: Naming
) -> tuple[tuple[str, ...], list[Definition]]:
    """The names of the file's package, and its definitions in source order."""
    reading = _Definitions(root, text, grammar, naming)
    cursor = QueryCursor(compiled(grammar, naming.query))
    for _, captures in sorted(cursor.matches(root), key=_position):
        reading.take(captures)
    return reading.prefix, list(reading.merged())


def _position(match: tuple[int, dict[str, list[Node]]]) -> tuple[int, int, bool]:
    """By what is defined, the outer one first; a function before the variable it is."""
    kind, node = _defined(match[1])
    return node.start_byte, -node.end_byte, kind not in _SCOPES


def _defined(captures: dict[str, list[Node]]) -> tuple[str, Node]:
    for kind in ("class", "function", "scope", "variable", "attribute", "global", "prefix"):
        if kind in captures:
            return kind, captures[kind][0]
    raise AssertionError(sorted(captures))


class _Definitions:
    """One pass over the matches of a file."""

    def __init__(self, root: Node, text: bytes, grammar: Grammar, naming: Naming) -> None:
        self._root = root
        self._text = text
        self._grammar = grammar
        self._naming = naming
        self._open: list[_OpenScope] = []
        self._listed: list[Definition] = []
        self._functions: set[int] = set()
        self.prefix: tuple[str, ...] = ()

    def take(self, captures: dict[str, list[Node]]) -> None:
        kind, node = _defined(captures)
        while self._open and self._open[-1].end <= node.start_byte:
            self._open.pop()
        if kind == "prefix":
            self.prefix = _segments(self._of(node))
        elif kind == "global":
            if self._open:
                names = {name.text or b"" for name in node.named_children}
                if node.type == "global_statement":
                    self._open[-1].outer_names |= names
                else:
                    self._open[-1].enclosing_names |= names
        elif kind in _SCOPES:
            self._scope(kind, node, captures)
        elif node.id not in self._functions:
            for target, member in self._targets(kind, captures):
                self._variable(target, node, member)

    def _of(self, node: Node) -> str:
        return self._text[node.start_byte : node.end_byte].decode("utf-8", "surrogateescape")

    def _scope(self, kind: str, node: Node, captures: dict[str, list[Node]]) -> None:
        if node.id in self._functions:  # a second pattern matches the same node
            return
        self._functions.add(node.id)
        names = self._names(captures, node)
        enclosing = self._open[-1] if self._open else None
        full = (enclosing.names if enclosing else ()) + names
        if kind != "scope" and names:
            method = kind == "function" and (len(names) > 1 or _is_class(enclosing))
            body = captures.get("body")
            span = self._wrapping.span(node)
            inner = (body[0].start_byte, body[0].end_byte) if body else span
            line = node.start_point[0] + 1
            self._listed.append(Definition(full, "method" if method else kind, line, span, inner))
        self._open.append(_OpenScope(node.end_byte, full, kind, node))

    def _names(self, captures: dict[str, list[Node]], node: Node) -> tuple[str, ...]:
        if "constructor" in captures or ("name" not in captures and "declarator" not in captures):
            return () if node.type == "companion_object" else (self._naming.constructor,)
        if "declarator" in captures:
            return self._constructed(_segments(self._of(_declared(captures["declarator"][0]))))
        names = _segments(self._of(_plain(captures["name"][0])))
        if "receiver" in captures:
            return (*self._receiver(captures["receiver"][0]), *names)
        return names

    def _constructed(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """A C++ constructor has the name of its class: it gets that of constructors."""
        around = self._open[-1].names if self._open else ()
        if names and (*around, *names)[-2:-1] == names[-1:]:
            return (*names[:-1], self._naming.constructor)
        return names

    def _receiver(self, node: Node) -> tuple[str, ...]:
        """The type in a Go receiver such as `(s *Server[T])`."""
        words = self._of(node).strip("()").split()
        name = words[-1].lstrip("*").partition("[")[0] if words else ""
        return (name,) if name else ()

    def _targets(self, kind: str, captures: dict[str, list[Node]]) -> Iterator[tuple[Node, bool]]:
        """The names that are bound, and of each whether it is an attribute of `self`."""
        if kind == "attribute":
            if self._is_self(captures["self"][0]):
                yield from ((name, True) for name in captures["name"])
        elif "targets" in captures:
            yield from self._flattened(captures["targets"])
        else:
            yield from ((name, False) for name in captures.get("name") or captures["member"])

    def _flattened(self, nodes: Iterable[Node]) -> Iterator[tuple[Node, bool]]:
        """The names in a target list, and the attributes of `self` in it."""
        stack = list(nodes)[::-1]
        while stack:
            node = stack.pop()
            if node.type == "identifier":
                yield node, False
            elif node.type in _NESTED_TARGETS:
                stack.extend(reversed(node.named_children))
            elif node.type == "attribute":
                owner, name = node.child_by_field_name("object"), node.named_children[-1]
                if owner is not None and owner.type == "identifier" and self._is_self(owner):
                    yield name, True

    def _is_self(self, node: Node) -> bool:
        """Whether this is the first parameter of the method around it."""
        if len(self._open) < 2 or not _is_class(self._open[-2]):
            return False
        parameters = self._open[-1].node.child_by_field_name("parameters")
        first = parameters.named_children[:1] if parameters is not None else []
        while first and first[0].type != "identifier":
            first = first[0].named_children[:1]
        return bool(first) and first[0].text == node.text

    def _variable(self, name: Node, node: Node, member: bool) -> None:
        text = self._of(name).lstrip("@$#")
        scope = self._open[-1] if self._open else None
        if scope is not None and name.text in scope.enclosing_names and len(self._open) > 1:
            scope = self._open[-2]
        if member or name.type in ("instance_variable", "class_variable"):
            owner = next((s for s in reversed(self._open) if s.kind == "class"), None)
            if owner is None:
                return
            names, kind, local = (*owner.names, text), "attribute", False
        elif scope is not None and scope.kind == "function" and name.text in scope.outer_names:
            names, kind, local = (text,), "variable", False
        else:
            names = (*(scope.names if scope else ()), text)
            local = scope is not None and scope.kind == "function"
            kind = "attribute" if _is_class(scope) else "variable"
        if kind == "variable" and not local and text.isupper():
            kind = "constant"
        span = self._wrapping.span(node)
        line = name.start_point[0] + 1
        nowhere = member or node.type == "parameters"
        self._listed.append(Definition(names, kind, line, span, span, local, nowhere))

    @functools.cached_property
    def _wrapping(self) -> Wrapping:
        return Wrapping(self._root, self._grammar, self._naming)

    def merged(self) -> Iterator[Definition]:
        """A variable that is bound in several places is one definition, at the first."""
        seen: dict[tuple[str, ...], Definition] = {}
        for definition in self._listed:
            if definition.kind not in ("variable", "attribute", "constant"):
                yield definition
            elif definition.names in seen:
                seen[definition.names].bound += 1
            else:
                seen[definition.names] = definition
                yield definition


def _is_class(scope: _OpenScope | None) -> bool:
    """Whether what is defined right here belongs to a type."""
    if scope is None:
        return False
    return scope.kind == "class" or scope.node.type in ("impl_item", "companion_object")


def _plain(node: Node) -> Node:
    """A name without its type arguments: `Vec` of `impl<T> Vec<T>`."""
    while node.type in ("generic_type", "template_type", "generic_name"):
        inner = node.child_by_field_name("type") or node.child_by_field_name("name")
        if inner is None:
            inner = node.named_children[0]
        node = inner
    return node


def _declared(node: Node) -> Node:
    """The name in a C++ declarator: below pointers, references and parameter lists."""
    while (inner := node.child_by_field_name("declarator")) is not None or (
        node.type == "reference_declarator" and node.named_children
    ):
        node = inner if inner is not None else node.named_children[-1]
    return node


def _segments(text: str) -> tuple[str, ...]:
    for separator in ("::", "\\", "#"):
        text = text.replace(separator, ".")
    return tuple(part.strip().strip("'\"") for part in text.split(".") if part.strip())
