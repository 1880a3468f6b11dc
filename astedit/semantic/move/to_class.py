"""A function becomes a method of the class that one of its parameters is an instance of."""

from collections.abc import Iterator
from itertools import pairwise

from tree_sitter import Node

from astedit.errors import PreconditionError
from astedit.python.evaluation import fitting, has_effects, is_within, reads_state
from astedit.python.expression import BoundName
from astedit.python.expressions import ExpressionReader
from astedit.python.facts import AttributeUse, ImportUse, NameUse, SpelledUse
from astedit.python.syntax import (
    Argument,
    arguments,
    child_of,
    parameters,
    parts_of,
    text_of,
    words,
)
from astedit.semantic.file_imports import FileImports
from astedit.semantic.inference.names import member_of
from astedit.semantic.inference.values import DOUBT, InstanceValue, QualifiedName, only
from astedit.semantic.library import Library
from astedit.semantic.module_code import PRIVATE, ChangedModule, WorkspaceCode, refused
from astedit.semantic.move.moved_code import reindented
from astedit.semantic.remove import item_cuts, relisted, statement_cuts, statement_span
from astedit.semantic.rename.definition_nodes import definition_nodes
from astedit.semantic.rename.gather import gather
from astedit.semantic.rename.target import related
from astedit.text.indent import leading, unit_of
from astedit.text.source import Change, end_of_line, line_end, line_start

_HINT = "Let one of its parameters be annotated with the class."


class FunctionToMethod:
    """Makes a function of the module at `path` a method of a class of the same module.

    `old` is the class it was a method of, with "" for its name if of none: a field of that may
    be the object, too.
    """

    def __init__(
        self, library: Library, path: str, name: str, owner: str, old: QualifiedName
    ) -> None:
        self._code, self._path, self._name, self._owner = WorkspaceCode(library), path, name, owner
        self._module = self._code.needed(path)
        library.load([old.path] if old.name else [])
        self._references = gather(library, path, name)
        nodes = definition_nodes(self._module.root, name)
        if len(nodes) != 1 or nodes[0].type != "function_definition":
            raise refused(path, f"has no plain function {name}", "not_movable")
        self._node = nodes[0]
        self._parameters = parameters(self._node.child_by_field_name("parameters"))
        self._field = ""
        self._wanted = QualifiedName(path, owner)
        self._place = self._receiver(old)
        last = old.name.rpartition(".")[2]
        self._old = last.lower() if last and last.lower() != last else "other"
        self._check_free()

    def _receiver(self, old: QualifiedName) -> int:
        """The number of the parameter that is an instance of the class, or has one in a field."""
        inference = self._references.inference
        bases = {base.rpartition(".")[2] for base in inference.outside_bases(self._wanted)}
        if bases & {"Protocol", "TypedDict"}:
            why = f"has {self._owner}, of which objects only have the form: they get no method"
            raise refused(self._path, why, "no_receiver")
        for number, item in enumerate(self._parameters):
            name = QualifiedName(self._path, f"{self._name}.{text_of(item.name)}")
            if not item.star and text_of(item.default) != "None" and self._holds_it(name):
                return number
        names = inference.members_of(old) if old.name else ()
        fields = [name for name in names if self._holds_it(member_of(old, name))]
        if len(fields) == 1 and self._parameters and self._is_read_by(fields[0]):
            self._field = fields[0]
            return 0
        why = f"has {self._name}, of which no parameter is evidently a {self._owner}"
        raise refused(self._path, why, "no_receiver", _HINT)

    def _holds_it(self, name: QualifiedName) -> bool:
        """Whether a name is evidently an instance of the class, and never None."""
        inference = self._references.inference
        is_it = inference.bound(*name) == only(InstanceValue(self._wanted))
        return is_it and not inference.may_be_none(name.path, BoundName(name.name))

    def _is_read_by(self, field: str) -> bool:
        """Whether the first parameter is used for nothing but this field."""
        uses = self._module.scopes.others(self._parameters[0].name, self._node)
        return all(
            node is not None and text_of(node.child_by_field_name("attribute")) == field
            for node in (use.parent for use in uses)
        )

    def _check_free(self) -> None:
        inference, owner = self._references.inference, self._wanted
        taken = related(inference, [owner], self._name) - {owner}
        if inference.binds(member_of(owner, self._name)) or taken:
            raise refused(self._path, f"has {self._name} in {self._owner} already", "collision")
        body, scopes = child_of(self._node, "body"), self._module.scopes
        members = inference.members_of(owner)
        for word in words(self._node):
            text, is_own = text_of(word), scopes.holder(word) is scopes.inside(self._node)
            is_there = not is_own and not is_within(word, body) and text in members
            if is_there or (PRIVATE.fullmatch(text) and not is_own):
                raise self._cannot(self._path, word, f"{text} means something else in the class")

    def changes(self) -> dict[str, list[Change]]:
        """What becomes of every module, by path; raises `PreconditionError`."""
        result: dict[str, list[Change]] = {}
        for path, uses in sorted(self._references.judged().certain.items()):
            file = FileImports(self._code.needed(path), self._code.modules)
            changes = [change for use in uses for change in self._use(path, use)]
            taken = {use.start for use in uses if isinstance(use, ImportUse)}
            for statement in file.statements:
                gone = {n for n, (_, at) in enumerate(statement.imports) if at.start_byte in taken}
                if gone:
                    file.take_out(statement, gone)
            result[path] = sorted([*changes, *file.changes])
            if any(one[1] > two[0] for one, two in pairwise(result[path])):
                raise self._cannot(path, self._node, "a call of it is an argument of another")
        own = sorted([*result.get(self._path, []), *self._definition()])
        result[self._path] = self._into_class(own)
        return result

    # -- the calls -------------------------------------------------------------------------------

    def _use(self, path: str, use: SpelledUse) -> Iterator[Change]:
        node = self._code.needed(path).at(use)
        if isinstance(use, ImportUse) and not use.alias:
            return
        if path == self._path and node == self._node.child_by_field_name("name"):
            return
        if isinstance(use, AttributeUse) and node.parent is not None:
            node = node.parent
        call = node.parent
        is_call = call is not None and call.child_by_field_name("function") == node
        if path == self._path and is_within(node, self._node):
            raise self._cannot(path, node, "it calls itself")
        if not isinstance(use, NameUse | AttributeUse) or not is_call or call is None:
            raise self._cannot(path, node, "it is passed on, or exported, and not called")
        passed = arguments(call)
        receiver = self._passed(path, call, passed)
        if not self._field:
            self._check_class(path, receiver.value)
        before = [item.value for item in passed[: passed.index(receiver)]]
        late = has_effects(receiver.value) and any(map(reads_state, before))
        if any(map(has_effects, before)) or late:
            raise self._cannot(path, node, "its object would be evaluated before other arguments")
        text = fitting(receiver.value.text or b"", receiver.value, node)
        text = b"(" + text + b")" if receiver.value.type in ("integer", "float") else text
        text += f".{self._field}".encode() if self._field else b""
        yield *node.byte_range, text + b"." + self._name.encode()
        item = parts_of(call.child_by_field_name("arguments"))[passed.index(receiver)]
        yield from item_cuts([item], self._code.needed(path).code)

    def _check_class(self, path: str, value: Node) -> None:
        """Raises where the object of a call is evidently of another class."""
        inference = self._references.inference
        expressions = ExpressionReader(self._code.needed(path).scopes, ())
        values = inference.values(path, expressions.of(value)) - DOUBT
        kinds = {item.definition for item in values if isinstance(item, InstanceValue)}
        are_its = all(self._wanted in inference.lineage(kind)[0] for kind in kinds)
        if len(kinds) < len(values) or not are_its or value.type == "none":
            raise self._cannot(path, value, f"its object is no {self._owner}")

    def _passed(self, path: str, call: Node, passed: list[Argument]) -> Argument:
        """The argument that is the object."""
        name = text_of(self._parameters[self._place].name)
        for number, item in enumerate(passed):
            if item.star:
                break
            if text_of(item.keyword) == name or (not item.keyword and number == self._place):
                return item
        raise self._cannot(path, call, "which argument is its object is not evident")

    def _cannot(self, path: str, node: Node, why: str) -> PreconditionError:
        return refused(path, f"{self._name} cannot follow: {why}", "cannot_follow", at=node)

    # -- the definition --------------------------------------------------------------------------

    def _definition(self) -> Iterator[Change]:
        """The parameter goes to the front as `self`, under which name the body reads it."""
        listing = child_of(self._node, "parameters")
        nodes = parts_of(listing)
        place = self._parameters[self._place].name
        node = next(item for item in nodes if item.start_byte <= place.start_byte < item.end_byte)
        rest = [number for number, item in enumerate(nodes) if item != node]
        if rest and nodes[rest[-1]].type == "keyword_separator":
            rest.pop()  # nothing stands behind it any more
        yield from relisted(listing, nodes, [b"self", *rest], self._module.code, lambda _: b"")
        new = {text_of(place): b"self"}
        if any(text_of(item.name) == "self" != text_of(place) for item in self._parameters):
            new["self"] = self._old.encode()
        scope = self._module.scopes.inside(self._node)
        for word in words(self._node):
            if node.start_byte <= word.start_byte < node.end_byte:
                continue
            if self._module.scopes.holder(word) is scope and text_of(word) in new:
                above = word.parent if self._field else None
                end = above.end_byte if above is not None else word.end_byte
                yield word.start_byte, end, new[text_of(word)]
            elif text_of(word).encode() in new.values() and text_of(word) not in new:
                raise self._cannot(self._path, word, f"{text_of(word)} means something else in it")

    def _into_class(self, changes: list[Change]) -> list[Change]:
        """The changes of the module: the function goes to the end of the class."""
        module = ChangedModule(self._module)
        module.make(changes)
        code, root = module.code.code, module.code.root
        (node,) = definition_nodes(root, self._name)
        owner = definition_nodes(root, self._owner)[-1]
        body = child_of(owner.child_by_field_name("definition") or owner, "body")
        if line_start(code, body.start_byte) <= owner.start_byte:
            raise self._cannot(self._path, owner, "its class has no lines of its own")
        span = statement_span(node, code)
        indent = leading(code, parts_of(body)[0].start_byte) or unit_of(code) or b"    "
        text = reindented(code, span, [node], (b"", indent)).rstrip()
        eol, at = end_of_line(code), line_end(code, body.end_byte - 1)
        missing = b"" if code[:at].endswith(b"\n") else eol
        module.make([(at, at, missing + eol + text + eol), *statement_cuts([node], code)])
        return module.changes
