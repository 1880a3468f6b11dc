"""A method becomes a function of its module: it leaves its class, and its calls follow.

It keeps its object as the first parameter if it uses that, and has no such parameter if not.
"""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from tree_sitter import Node

from astedit.errors import PreconditionError
from astedit.language.brackets import nearest
from astedit.python.facts import AttributeUse, FunctionFacts, ImportUse, NameUse, SpelledUse
from astedit.python.scopes import NameScope, head_of
from astedit.python.syntax import arguments, child_of, parameters, parts_of, plain, text_of, words
from astedit.semantic.file_imports import FileImports, is_relative
from astedit.semantic.imports.python import Python, PythonImport
from astedit.semantic.inference.values import ClassValue, InstanceValue, QualifiedName
from astedit.semantic.library import Library
from astedit.semantic.listed_uses import AlsoUses, CannotFollow, UsePlace, listed, with_places
from astedit.semantic.module_code import (
    PRIVATE,
    ChangedModule,
    ModuleCode,
    ModuleNames,
    WorkspaceCode,
    refused,
    top_of,
)
from astedit.semantic.move.moved_code import outside_text
from astedit.semantic.remove import item_cuts, shares_line, statement_cuts, statement_span
from astedit.semantic.rename.definition_nodes import SPECIAL, definition_nodes, special
from astedit.semantic.rename.gather import gather, keeping_decorators, possible_places
from astedit.text.source import Change, end_of_line, line_start, splice

_Kind: TypeAlias = type[ClassValue] | type[InstanceValue]
_OF_CLASSES = ("staticmethod", "classmethod")
_ABSTRACT = "abstractmethod"
_BOUND = (_ABSTRACT, "overload", "override", "property")
_HINT = "Change these places first, or let the method be."


class FreedMethod:
    """What makes the method `name` of a class of the module at `path` a function of it.

    A listed use that a person names with `also` is taken for a call on such an object. `places`
    are the uses that are listed and not changed. Raises `PreconditionError` where the method
    cannot leave its class.
    """

    def __init__(
        self, library: Library, code: WorkspaceCode, path: str, name: str, also: AlsoUses
    ) -> None:
        self._code, self._path, self._name = code, path, name
        self._word = name.rpartition(".")[2]
        if SPECIAL.fullmatch(self._word):
            raise special(self._word)
        self._references = gather(library, path, name)
        self._references.choose(library, also)
        self._owner = QualifiedName(path, name.rpartition(".")[0])
        facts = self._references.inference.function_facts(QualifiedName(path, name))
        self._method = Method(code.needed(path), name, facts)
        self._left: list[UsePlace] = []
        self.places = possible_places(library, self._references.judged())
        self.places += self._references.computed(library)

    def changes(self, *, stays: bool) -> dict[str, list[Change]]:
        """All changes, by path; raises with every evident use that cannot follow.

        If the method `stays` in its module, where its class can be named, `cls` gets its type.
        """
        twin = self._references.inference.modules.twin(self._path)
        if twin is not None:
            raise refused(self._path, f"is described by {twin}, which does not change", "stub")
        self._check_free(self._method.module)
        uses = sorted(self._references.judged().certain.items())
        changes = {path: self._in_file(path, every) for path, every in uses}
        if self._left:
            raise with_places(
                f"{self._name} cannot become a function",
                (f"{each.path}:{each.line}: {each.why}" for each in self._left),
                path=self._path,
                code="cannot_follow",
                hint=_HINT,
            )
        own = [*changes.get(self._path, []), *self._method.changes(stays)]
        return changes | {self._path: self._out(sorted(own))}

    def hints(self) -> Iterator[str]:
        """What a person must know."""
        keeping = keeping_decorators(self._path, self._method.node)
        yield from listed(self._word, [*keeping, *self._others(), *self.places], also=True)
        yield from self._references.outside_bases(f"call {self._word} as a method")

    # -- what stands in the way ----------------------------------------------------------------

    def _others(self) -> Iterator[UsePlace]:
        """The same method of classes above and below: which is meant was said by the object."""
        above = self._references.inference.lineage(self._owner)[0]
        for path, name in sorted(self._references.family - {self._owner}):
            for node in definition_nodes(self._code.needed(path).root, f"{name}.{self._word}"):
                marks = [text_of(part) for part in node.named_children if part.type == "decorator"]
                raises = "raise NotImplementedError" in text_of(node)
                if (path, name) in above and (raises or any(_ABSTRACT in mark for mark in marks)):
                    why = f"{name} asks for it: {self._owner.name} could not be made any more"
                    raise self._method.refused(self._method.node, why)
                why = f"{name} has it as well: calls on objects of both do not choose any more"
                yield UsePlace(path, node.start_point.row + 1, why)

    def _check_free(self, module: ModuleCode) -> None:
        """Raises where the name of the function means something else in a module."""
        reads = [word for word in module.scopes.reads if text_of(word) == self._word]
        hidden = [word for word in reads if module.scopes.holder(word) is None]
        if self._word in module.bound or hidden:
            row = hidden[0].start_point.row + 1 if hidden else module.line_of(self._word)
            why = f"{self._word} means something else there"
            raise refused(module.path, why, "collision", at=row)

    # -- the uses --------------------------------------------------------------------------------

    def _in_file(self, path: str, uses: Sequence[SpelledUse]) -> list[Change]:
        module, made = self._code.needed(path), dict[int, list[Change]]()
        for use in sorted(uses, key=lambda use: use.start):
            node = module.at(use)
            try:
                chosen = (path, use.start) in self._references.chosen
                if isinstance(use, AttributeUse) and not chosen and self._is_anothers(path, use):
                    continue
                if isinstance(use, AttributeUse):
                    made[use.start] = self._attribute(path, use, node, made)
                elif (
                    path == self._path
                    and isinstance(use, NameUse | ImportUse)
                    and self._name in use.names
                    and node != self._method.word
                ):
                    raise CannotFollow("the class itself uses it by its name")
            except CannotFollow as error:
                self._left.append(UsePlace(path, node.start_point.row + 1, str(error)))
        changes = [change for every in made.values() for change in every]
        if path != self._path and changes and not self._left:
            self._check_free(module)
            changes += self._import(module)
        return sorted(changes)

    def _is_anothers(self, path: str, use: AttributeUse) -> bool:
        """Whether a use means the method of a class above or below, which stays."""
        inference = self._references.inference
        values = inference.values(path, use.value)
        places = {v.definition for v in values if isinstance(v, ClassValue | InstanceValue)}
        return self._owner not in {inference.definer(place, self._word)[0] for place in places}

    def _import(self, module: ModuleCode) -> list[Change]:
        """The import of the function in a module that uses it."""
        code = self._code
        files = (FileImports(module, code.modules), FileImports(self._method.module, code.modules))
        names = ModuleNames(code.modules)
        written = names.written(module.path, self._path, relative=is_relative(*files))
        item = PythonImport.of(written, self._word, None)
        return Python().added([item], module.root, module.code)

    def _attribute(
        self, path: str, use: AttributeUse, node: Node, made: dict[int, list[Change]]
    ) -> list[Change]:
        """What becomes of one use; `made` is what becomes of those before it."""
        attribute = node.parent
        if attribute is None or attribute.type != "attribute":
            raise CannotFollow("it is not a plain use of a method")
        receiver = child_of(attribute, "object")
        scopes = self._code.needed(path).scopes
        scope = scopes.of(head_of(receiver))
        if scope is not None and scope.holder(self._word) not in (None, scopes.module):
            raise CannotFollow(f"{self._word} means something else there")
        above = attribute.parent
        is_call = above is not None and above.child_by_field_name("function") == attribute
        listing = above.child_by_field_name("arguments") if is_call and above is not None else None
        values = self._references.inference.values(path, use.value)
        kinds: set[_Kind] = {
            type(value) for value in values if isinstance(value, ClassValue | InstanceValue)
        }
        if (path, use.start) in self._references.chosen:
            kinds = {InstanceValue}
        if self._method.kind == "static" or not self._method.uses_object:
            return self._plain(path, attribute, receiver, listing, kinds)
        word = self._word.encode()
        is_bound = self._method.kind == "class" or kinds == {InstanceValue}
        if len(kinds) != 1:
            raise CannotFollow("whether it is called on an object or its class is not evident")
        if not is_bound:
            return [(*attribute.byte_range, word)]
        if listing is None:
            raise CannotFollow("it is passed on together with its object")
        passed = self._passed(receiver, kinds, made)
        assert above is not None
        inner = b", " if arguments(above) else b""
        if listing.type == "argument_list":
            start = listing.start_byte + 1
            return [(*attribute.byte_range, word), (start, start, passed + inner)]
        return [  # a generator alone needs brackets of its own beside another argument
            (*attribute.byte_range, word + b"(" + passed + b", "),
            (listing.end_byte, listing.end_byte, b")"),
        ]

    def _passed(self, receiver: Node, kinds: set[_Kind], made: dict[int, list[Change]]) -> bytes:
        """How the object, or the class, is passed as an argument; what changes in it goes along."""
        low, high = receiver.byte_range
        within = [made.pop(start) for start in [*made] if low <= start < high]
        inner = sorted((start - low, end - low, new) for row in within for start, end, new in row)
        text = splice(receiver.text or b"", inner)
        if _is_super(receiver):
            function = nearest(receiver, ("function_definition",))
            first = first_name(function) if function is not None else None
            if first is None:
                raise CannotFollow("super() has no object here")
            text = first.text or b""
        is_object = self._method.kind == "class" and kinds == {InstanceValue}
        return b"type(" + text + b")" if is_object else text

    def _plain(
        self, path: str, attribute: Node, receiver: Node, listing: Node | None, kinds: set[_Kind]
    ) -> list[Change]:
        """A use of a function that takes no object any more."""
        if not _is_idle(receiver):
            raise CannotFollow("its object is made where it is called")
        change = (*attribute.byte_range, self._word.encode())
        if self._method.kind != "method" or kinds == {InstanceValue}:
            return [change]
        args = arguments(listing.parent) if listing is not None and listing.parent else []
        if len(kinds) != 1 or not args or args[0].star or args[0].keyword:
            raise CannotFollow("which argument is its object is not evident")
        if not _is_idle(args[0].value):
            raise CannotFollow("its object is made where it is called")
        assert listing is not None
        return [change, *item_cuts(parts_of(listing)[:1], self._code.needed(path).code)]

    # -- the definition --------------------------------------------------------------------------

    def _out(self, changes: list[Change]) -> list[Change]:
        """The changes of the module in which the method is: it goes above its class."""
        module = ChangedModule(self._method.module)
        module.make(changes)
        code = module.code.code
        (node,) = definition_nodes(module.code.root, self._name)
        text = outside_text(node, code) + end_of_line(code) * 2
        at = statement_span(top_of(node), code)[0]
        module.make([(at, at, text), *statement_cuts([node], code)])
        return module.changes


def _is_super(node: Node) -> bool:
    return node.type == "call" and text_of(node.child_by_field_name("function")) == "super"


def _is_idle(node: Node) -> bool:
    """Whether to leave an object out leaves nothing undone: a name, its attributes, `super()`."""
    node = plain(node)
    if node.type == "attribute":
        return _is_idle(child_of(node, "object"))
    is_type = node.type == "call" and text_of(child_of(node, "function")) == "type"
    return node.type == "identifier" or is_type or _is_super(node)


class Method:
    """The definition: what stands where, and whether its body uses its object."""

    def __init__(self, module: ModuleCode, name: str, facts: FunctionFacts | None) -> None:
        self.module, self.name = module, name
        nodes = definition_nodes(module.root, name)
        inner = [node.child_by_field_name("definition") or node for node in nodes]
        if len(nodes) != 1 or inner[0].type != "function_definition" or facts is None:
            raise refused(module.path, f"has no {name} with one definition", "not_movable")
        self.node, self.function = nodes[0], inner[0]
        self.kind = facts.kind
        self.word = child_of(self.function, "name")
        every = parts_of(self.function.child_by_field_name("parameters") or self.function)
        self.first = every[0] if self.kind != "static" and every else None
        every = self.node.named_children
        self.decorators = [child for child in every if child.type == "decorator"]
        self._check()
        own = first_name(self.function)  # of what the method is called on
        others = module.scopes.others(own, self.function) if own is not None else []
        self.uses_object = self.first is not None and bool(others)

    def _check(self) -> None:
        """Raises for a method that means something else outside of its class."""
        names = {_decorating(node) for node in self.decorators}
        odd = sorted(name for name in names if name.endswith(_BOUND))
        if self.kind == "property" or odd:
            raise self.refused(self.node, f"{self.name} is {odd[0] if odd else 'a property'}")
        if self.kind != "static" and (self.first is None or "splat" in self.first.type):
            raise self.refused(self.function, f"{self.name} has no parameter for its object")
        if shares_line(self.node, self.module.code):
            raise self.refused(self.node, "it shares its line with other code")
        scopes, bodies = self.module.scopes, self._bodies()
        for word in words(self.node):
            text, scope = text_of(word), scopes.of(word)
            if scope is not None and (
                text == "__class__" or (text == "super" and not arguments(word.parent or word))
            ):
                raise self.refused(word, f"{text} means the class around it")
            if PRIVATE.fullmatch(text):
                raise self.refused(word, f"Python reads {text} as a name of the class alone")
            if scope is not None and word != self.word and scope.holder(text) in bodies:
                raise self.refused(word, f"{text} is a name of the class, not seen outside of it")

    def _bodies(self) -> list[NameScope]:
        """The scopes around the method, the module's aside."""
        scopes, scope = [], self.module.scopes.of(self.word)
        while scope is not None and scope is not self.module.scopes.module:
            if scope.kind == "function":
                raise self.refused(self.node, "its class is defined in a function")
            scopes.append(scope)
            scope = scope.parent
        return scopes

    def refused(self, node: Node, why: str) -> PreconditionError:
        """The error about a place of the method."""
        return refused(self.module.path, why, "not_movable", at=node)

    def changes(self, stays: bool) -> Iterator[Change]:
        """What changes in the definition itself: its first parameter, and decorators."""
        code = self.module.code
        for node in self.decorators:
            if _decorating(node) in _OF_CLASSES:
                yield line_start(code, node.start_byte), code.find(b"\n", node.end_byte) + 1, b""
        every = parameters(self.function.child_by_field_name("parameters"))
        typed = self.function.child_by_field_name("return_type") or any(p.annotation for p in every)
        is_class = self.kind == "class" and self.uses_object and every[0].name == self.first
        if self.first is not None and is_class and typed and stays:
            owner = self.name.rpartition(".")[0]
            yield self.first.end_byte, self.first.end_byte, f': "type[{owner}]"'.encode()
        if self.first is not None and not self.uses_object:
            listing = self.first.parent
            assert listing is not None
            behind = (n for n in listing.named_children if n.start_byte >= self.first.end_byte)
            following = next((n for n in behind if n.type != "positional_separator"), None)
            end = listing.end_byte - 1 if following is None else following.start_byte
            yield self.first.start_byte, end, b""


def first_name(function: Node) -> Node | None:
    """The name of the first parameter of a function; None if it has none."""
    every = parameters(function.child_by_field_name("parameters"))
    return every[0].name if every else None


def _decorating(decorator: Node) -> str:
    """The name of a decorator, without what it is called with."""
    return text_of(decorator).strip("@ \t").partition("(")[0].strip()
