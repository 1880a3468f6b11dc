"""The evident uses of a function: definitions, calls, and uses that are no calls."""

from dataclasses import dataclass, field

from tree_sitter import Node

from astedit.errors import PreconditionError
from astedit.python.facts import AttributeUse, ImportUse, ListedUse, NameUse, SpelledUse
from astedit.python.reader import read
from astedit.python.syntax import every_node, parts_of, text_of
from astedit.semantic.file_imports import OutsideNeeds
from astedit.semantic.inference.names import ClassInference, member_of
from astedit.semantic.inference.values import ClassValue, InstanceValue, QualifiedName
from astedit.semantic.library import Library, NameRequest
from astedit.semantic.listed_uses import UsePlace
from astedit.semantic.module_code import ModuleCode, WorkspaceCode
from astedit.semantic.rename.definition_nodes import definition_nodes
from astedit.semantic.rename.gather import References, gather, keeping_decorators

CONSTRUCTOR = "__init__"
NO_CALL = "it is no call: who calls it is not evident"
_OWN_CLASS = ("cls", "type(self)", "self.__class__")
_ASKED = (b"isinstance", b"issubclass", b"cast", b"raises", b"assertRaises")
_PASSED = (  # where a class is a value that somebody may call
    *("argument_list", "keyword_argument", "assignment", "pair", "list", "tuple", "dictionary"),
    *("raise_statement", "decorator", "return_statement", "set", "default_parameter"),
)


@dataclass
class Unfollowed(Exception):
    """A use that cannot follow the change: where it stands, and why."""

    node: Node
    why: str


@dataclass(frozen=True, slots=True)
class FollowedCall:
    """A call of the function. `skip` counts the parameters that are bound before it.

    `partial` says that it is `partial(f, …)`, whose first argument is the function.
    """

    arguments: Node
    skip: int
    partial: bool = False

    @property
    def items(self) -> list[Node]:
        """Its arguments, but for the function that a partial call keeps."""
        if self.arguments.type != "argument_list":
            return [self.arguments]  # a generator without brackets of its own
        return parts_of(self.arguments)[self.partial :]


@dataclass(slots=True)
class CallSites:
    """What stands in one file."""

    module: ModuleCode
    definitions: list[Node] = field(default_factory=list)
    calls: dict[int, FollowedCall] = field(default_factory=dict)


class SiteReader:
    """Sorts uses, file by file. `refusals` cannot follow; `places` are listed, as no calls."""

    def __init__(self, library: Library) -> None:
        self._code = WorkspaceCode(library)
        self.files: dict[str, CallSites] = {}
        self.refusals: list[tuple[str, Node, str]] = []
        self.places: list[UsePlace] = []

    def file(self, path: str) -> CallSites:
        """What is known of a file so far."""
        if path not in self.files:
            self.files[path] = CallSites(self._code.needed(path))
        return self.files[path]

    def functions(self, references: References, kind: str) -> None:
        """Sorts the uses of a function or method of that kind."""
        for path, uses in references.judged().certain.items():
            for use in uses:
                try:
                    skip = _skip(references, path, use, self.file(path).module.at(use), kind)
                except Unfollowed as error:
                    self.refusals.append((path, error.node, error.why))
                    continue
                self._use(path, use, skip, of_class=False)

    def classes(self, references: References) -> None:
        """Sorts the uses of a class, whose calls are calls of its `__init__`."""
        for path, uses in references.judged().certain.items():
            for use in uses:
                self._use(path, use, 1, of_class=True)

    def _use(self, path: str, use: SpelledUse, skip: int, *, of_class: bool) -> None:
        if isinstance(use, ImportUse):
            if use.alias and use.alias != text_of(self.file(path).module.at(use)):
                self._aliased(path, use, skip, of_class)
        elif not isinstance(use, ListedUse):
            self._place(path, self.file(path).module.at(use), skip, of_class)

    def _aliased(self, path: str, use: ImportUse, skip: int, of_class: bool) -> None:
        """The uses of an alias that an import gives it, in the module that has the import."""
        file = self.file(path)
        for item in read(file.module.code, use.alias, None).uses:
            if isinstance(item, NameUse) and set(item.names) == set(use.names):
                node = file.module.at(item)
                above = node.parent
                if above is None or above.type not in ("aliased_import", "dotted_name"):
                    self._place(path, node, skip, of_class)
        for other in OutsideNeeds(self._code).taking(path, use.alias):
            why = f"{other} takes it from here under another name"
            self.refusals.append((path, file.module.at(use), why))

    def _place(self, path: str, node: Node, skip: int, of_class: bool) -> None:
        """Sorts one use by what stands around it."""
        file, above = self.file(path), node.parent
        assert above is not None
        if above.type == "function_definition" and above.child_by_field_name("name") == node:
            file.definitions.append(above)
            return
        if above.type == "class_definition" and above.parent is not None:
            self.places += keeping_decorators(path, above.parent)
        if above.type in ("class_definition", "global_statement", "nonlocal_statement"):
            return
        if above.type == "attribute" and above.child_by_field_name("attribute") == node:
            node, above = above, above.parent
        if above is None:
            return
        call = _call_of(node, above, skip)
        if call is not None:
            file.calls[call.arguments.start_byte] = call
        elif not of_class or _is_passed(node, above):
            self.places.append(UsePlace(path, node.start_point.row + 1, NO_CALL))

    def constructed(self, path: str, name: str, *, certain: bool) -> None:
        """The calls of `cls(…)`, `type(self)(…)` and the like in the body of a class."""
        file = self.file(path)
        for definition in definition_nodes(file.module.root, name):
            for call in every_node(definition):
                arguments = call.child_by_field_name("arguments")
                own = text_of(call.child_by_field_name("function")) in _OWN_CLASS
                if call.type != "call" or arguments is None or not own:
                    continue
                if certain:
                    file.calls[arguments.start_byte] = FollowedCall(arguments, 1)
                else:
                    why = "a class below has a constructor of its own"
                    self.places.append(UsePlace(path, call.start_point.row + 1, why))


def _skip(references: References, path: str, use: SpelledUse, node: Node, kind: str) -> int:
    """How many parameters are bound before a call of this use; raises `Unfollowed`."""
    if kind in ("function", "static"):
        return 0
    if not isinstance(use, AttributeUse):
        return int(kind == "class")
    if kind == "class":
        return 1
    values = references.inference.values(path, use.value)
    kinds = {type(value) for value in values if isinstance(value, ClassValue | InstanceValue)}
    if (path, use.start) in references.chosen:
        return 1  # a person has looked at it
    if len(kinds) != 1:
        raise Unfollowed(node, "whether it is called on an instance is not evident")
    return int(kinds == {InstanceValue})


def _call_of(node: Node, above: Node, skip: int) -> FollowedCall | None:
    """The call that a name is called by, or that keeps it for later."""
    if above.type == "call" and above.child_by_field_name("function") == node:
        arguments = above.child_by_field_name("arguments")
        return FollowedCall(arguments, skip) if arguments is not None else None
    call = above.parent
    if above.type != "argument_list" or call is None or call.type != "call":
        return None
    first = next(iter(parts_of(above)), None)
    callee = (call.child_by_field_name("function") or call).text or b""
    if first == node and callee.rpartition(b".")[2] == b"partial":
        return FollowedCall(above, skip, partial=True)
    return None


def _is_passed(node: Node, above: Node) -> bool:
    """Whether a class goes where somebody may call it."""
    if above.type not in _PASSED:
        return False
    call = above.parent
    if above.type != "argument_list" or call is None:
        return above.type != "assignment" or above.child_by_field_name("right") == node
    callee = (call.child_by_field_name("function") or call).text or b""
    return call.type == "call" and callee.rpartition(b".")[2] not in _ASKED


def class_calls(
    asked: NameRequest, owner: QualifiedName, sites: SiteReader
) -> dict[QualifiedName, ClassInference]:
    """Sorts the calls of a class, and of those below that have no constructor of their own.

    Returns these classes, each with what it was followed by.
    """
    waiting, followed, others = [owner], dict[QualifiedName, ClassInference](), False
    while waiting:
        place = waiting.pop()
        if place in followed:
            continue
        simple = place.name.rpartition(".")[2]
        with Library(asked, simple) as library:
            of_class = gather(library, *place)
            inference = followed[place] = of_class.inference
            heirs = inference.below(place)
            definers = (place, owner, None)
            inherit = [h for h in heirs if inference.definer(h, CONSTRUCTOR)[0] in definers]
            others |= len(inherit) < len(heirs)
            waiting += inherit
            sites.classes(of_class)
    for place in sorted(followed):
        sites.constructed(*place, certain=not others)
    return followed


def check_new(inference: ClassInference, place: QualifiedName) -> None:
    """Raises `PreconditionError` where `__new__` would be called as well."""
    for ancestor in inference.lineage(place)[0]:
        if inference.binds(member_of(ancestor, "__new__")):
            raise PreconditionError(
                f"{ancestor.name} in {ancestor.path} has `__new__`, which gets the same "
                "arguments; nothing was staged.",
                path=ancestor.path,
                code="no_signature",
            )
