"""Python calls, definitions, imports and names, as far as frameworks have to read them."""

from collections.abc import Iterator, Sequence

from tree_sitter import Node

from astedit.locating.frameworks.syntax import Ancestors, ConstantTexts, is_long, nodes_of, text_of
from astedit.locating.frameworks.web_facts import NO_TEXT, ImportedName, PathText
from astedit.python.syntax import imports_of, parts_of


def argument(call: Node, index: int) -> Node | None:
    """The positional argument with this index."""
    arguments = call.child_by_field_name("arguments")
    if arguments is None:
        return None
    plain = [node for node in parts_of(arguments) if node.type != "keyword_argument"]
    return plain[index] if index < len(plain) else None


def keyword(call: Node, name: str) -> Node | None:
    """The value of a keyword argument."""
    arguments = call.child_by_field_name("arguments")
    for node in arguments.named_children if arguments is not None else ():
        if node.type == "keyword_argument" and text_of(node.child_by_field_name("name")) == name:
            return node.child_by_field_name("value")
    return None


def literal(node: Node | None) -> PathText:
    """What a plain string says, and where that text stands."""
    if node is None or node.type != "string" or is_long(node):
        return NO_TEXT
    start, content = node.children[0], node.children[1:-1]
    if "f" in text_of(start).lower() or any(part.type == "interpolation" for part in content):
        return NO_TEXT
    place = (start.end_byte, node.children[-1].start_byte)
    return PathText("".join(text_of(part) for part in content), place)


def methods_of(call: Node) -> tuple[str, ...]:
    """The HTTP methods in `methods=["GET", "POST"]`."""
    listed = keyword(call, "methods")
    if listed is None or listed.type not in ("list", "tuple", "set"):
        return ()
    names = (literal(node).text for node in listed.named_children)
    return tuple(sorted({name.upper() for name in names if name}))


def owner_of(function: Node | None) -> str:
    """`app` of the function `app.route`; "" of a plain name."""
    return text_of(function.child_by_field_name("object")) if function is not None else ""


def last_name(function: Node | None) -> str:
    """`route` of the function `app.route`."""
    if function is None:
        return ""
    return text_of(function.child_by_field_name("attribute") or function)


def called(node: Node) -> str:
    """The last name of what a call calls; "" if the node is no call."""
    return last_name(node.child_by_field_name("function")) if node.type == "call" else ""


def handler_of(node: Node | None) -> str:
    """`views.detail`, or `DetailView` of `DetailView.as_view()`."""
    if node is not None and node.type == "call":
        return text_of(node.child_by_field_name("function")).removesuffix(".as_view")
    return text_of(node) if node is not None and node.type in ("identifier", "attribute") else ""


def parameter_names(function: Node) -> tuple[str, ...]:
    """The names of a function's parameters."""
    parameters = function.child_by_field_name("parameters")
    names = []
    for node in parameters.named_children if parameters is not None else ():
        name = node if node.type == "identifier" else node.child_by_field_name("name")
        names.append(text_of(name if name is not None else next(iter(node.named_children), None)))
    return tuple(names)


_NO_STATEMENTS = frozenset(
    {"expression_statement", "function_definition", "comment", "string", "return_statement",
     "assert_statement", "decorator", "raise_statement"}
)  # fmt: skip


def imported(root: Node) -> list[ImportedName]:
    """Each import of a module, in source order. A star is its own local name."""
    names: list[ImportedName] = []
    stack = [root]
    while stack:
        node = stack.pop()
        if node.type in ("import_statement", "import_from_statement"):
            for local, source in imports_of(node):
                head = local.partition(".")[0]  # all that `import a.b` binds
                module = head if local == source.module and not source.name else source.module
                names.append(ImportedName(head, source.level, module, source.name or ""))
        elif node.type not in _NO_STATEMENTS:
            stack.extend(reversed(node.named_children))
    return names


_DEFINITIONS = ("function_definition", "class_definition")


class PythonScope(ConstantTexts):
    """The names of one module; `bindings` are kept for whoever asks what a name is set to."""

    text_kinds = ("string", "concatenated_string", "binary_operator")
    sum_kind = "binary_operator"

    def __init__(self, root: Node, imports: Sequence[ImportedName]) -> None:
        self._imports = {
            name.local: f"{name.module}.{name.name}" if name.name else name.module
            for name in imports
            if not name.dots
        }
        super().__init__()
        self._root = root
        self._around = Ancestors(nodes_of(root, "python", _DEFINITIONS))

    def bindings(self) -> Iterator[tuple[Node, str, Node]]:
        """Each assignment and `as` in source order: its node, the name, and the value.

        A constant can be read in texts from its binding on.
        """
        top = {node.id for statement in self._root.children for node in statement.children}
        for node in nodes_of(self._root, "python", ("assignment", "as_pattern")):
            name, value = _bound(node)
            if value is None or not name:
                continue
            if value.type in self.text_kinds and node.type == "assignment" and node.id in top:
                self.constants.setdefault(name, value)
            yield node, name, value

    def functions(self, node: Node) -> Iterator[int]:
        """The functions around a node, then the module, as keys."""
        around = self._around.of(node)
        yield from (outer.id for outer in around if outer.type == "function_definition")
        yield 0

    def enclosing(self, node: Node) -> str:
        """The names of the functions and classes around a node; `<module>` if there are none."""
        around = reversed(list(self._around.of(node)))
        names = [text_of(outer.child_by_field_name("name")) for outer in around]
        return ".".join(names) or "<module>"

    def full(self, node: Node | None) -> str:
        """The full name of a dotted expression, its head looked up among the imports."""
        head, dot, rest = text_of(node).partition(".")
        return self._imports.get(head, head) + dot + rest

    def string(self, node: Node, depth: int) -> str | None:
        if node.type == "string":
            return self._string(node, depth)
        if node.type == "concatenated_string":
            return "".join(self.text(part, depth + 1) for part in node.named_children)
        if node.type == "parenthesized_expression":
            return self.text(node.named_children[0], depth + 1)
        return None

    def _string(self, node: Node, depth: int) -> str:
        parts = []
        for part in node.children[1:-1]:
            if part.type == "interpolation":
                inner = part.child_by_field_name("expression")
                is_constant = inner is not None and text_of(inner) in self.constants
                parts.append(
                    self.text(inner, depth + 1) if is_constant else f"{{{text_of(inner)}}}"
                )
            else:
                parts.append(text_of(part))
        return "".join(parts)


def _bound(node: Node) -> tuple[str, Node | None]:
    """The name that an assignment or an `as` binds, and the value."""
    if node.type == "assignment":
        return text_of(node.child_by_field_name("left")), node.child_by_field_name("right")
    value = node.named_children[0] if node.named_children else None
    return text_of(node.child_by_field_name("alias")), value
