"""`signature`: other parameters of a function, and every evident call with them."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from tree_sitter import Node

from astedit.errors import PreconditionError
from astedit.language import for_path
from astedit.model.plan import Plan
from astedit.python.evaluation import has_effects
from astedit.python.facts import FunctionFacts, KeywordUse, SpelledUse
from astedit.python.syntax import docstring_of, text_of
from astedit.semantic.inference.values import QualifiedName
from astedit.semantic.library import Library, NameRequest
from astedit.semantic.listed_uses import (
    AlsoUses,
    UsePlace,
    code_at,
    listed,
    refuse_listed,
    with_places,
)
from astedit.semantic.rename.call_sites import (
    CONSTRUCTOR,
    CallSites,
    SiteReader,
    Unfollowed,
    check_new,
    class_calls,
)
from astedit.semantic.rename.definition_nodes import SPECIAL, definition_nodes, special
from astedit.semantic.rename.gather import References, gather, keeping_decorators, possible_places
from astedit.semantic.rename.rename import check
from astedit.semantic.signature.calls import CallBinding, changed_definition
from astedit.semantic.signature.new_signature import (
    NewSignature,
    Parameters,
    SignatureRequest,
    WrittenParameter,
    new_signature,
    parameters_of,
)
from astedit.text import number
from astedit.text.source import Change


def plan(asked: NameRequest) -> Plan:
    """The plan of a changed signature; the same tree gives the same plan.

    Raises `StaleError` when the definition's file is not the one that was located,
    `RequestError` (`bad_signature`) for a signature that cannot be, and `PreconditionError`
    where something cannot follow (`cannot_follow`), with every place.
    """
    path, name, last = asked.path, asked.name, asked.last
    demand = SignatureRequest.of(asked.arguments)
    demand.check(path)
    if (row := for_path(path)) is None or row.name != "python":
        raise _refused(f"{path} is not Python: only signatures of Python are changed", path)
    if SPECIAL.fullmatch(last) and last != CONSTRUCTOR:
        raise special(last)
    with Library(asked, last) as library:
        references = gather(library, path, name)
        facts = references.inference.facts[path].functions.get(name)
        _check_kind(facts, path, name)
        assert facts is not None
        change = _SignatureChange(library, references, path, name, demand)
        change.also = AlsoUses(asked.arguments)
        change.read(facts)
        change.also.check(change.places)
        if demand.remove:
            refuse_listed(name, sorted(dict.fromkeys(change.places)), asked.arguments)
        changes = {path: outermost(own) for path, own in change.changes.items()}
        return asked.plan(library.worked_out(changes, change.hints(last)))


def _refused(why: str, path: str) -> PreconditionError:
    return PreconditionError(f"{why}; nothing was staged.", path=path, code="no_signature")


def _check_kind(facts: FunctionFacts | None, path: str, name: str) -> None:
    if facts is None:
        raise _refused(f"{name} in {path} is not a function", path)
    if facts.kind == "property":
        raise _refused(f"{name} is a property: nothing is passed to it", path)
    if facts.fixture:
        raise _refused(f"{name} is a fixture: pytest passes what its parameters name", path)


@dataclass(slots=True)
class _SignatureChange:
    """One change of a signature: what was read, and what becomes of each file.

    `certain` are the evident uses of parameters that go, each with the reason why it is in the
    way unless it is part of a definition or a call.
    """

    library: Library
    references: References
    path: str
    name: str
    demand: SignatureRequest
    changes: dict[str, set[Change]] = field(default_factory=dict)
    refusals: list[tuple[str, Node, str]] = field(default_factory=list)
    places: list[UsePlace] = field(default_factory=list)
    gone: dict[str, list[Node]] = field(default_factory=dict)
    dropped: list[str] = field(default_factory=list)
    certain: dict[str, list[tuple[SpelledUse, str]]] = field(default_factory=dict)
    also: AlsoUses = field(default_factory=lambda: AlsoUses({}))

    def read(self, facts: FunctionFacts) -> None:
        """Follows the change everywhere; raises if something cannot follow."""
        sites = SiteReader(self.library)
        old, receiver = self._old(sites.file(self.path), facts)
        new = new_signature(old, self.demand, receiver)
        if self.name.rpartition(".")[2] == CONSTRUCTOR:
            self._constructor(sites)
        self.references.choose(self.library, self.also)
        sites.functions(self.references, facts.kind)
        self.places += possible_places(self.library, self.references.judged())
        self.places += self.references.computed(self.library)
        renamed = dict(self.demand.rename)
        for parameter in (item for item in old.parameters if item.name in self.demand.touched):
            self._parameter(parameter, renamed.get(parameter.name))
        keywords: dict[str, set[int]] = {}
        for path, file in sites.files.items():
            keywords[path] = self._calls(path, file, old, new)
        for path, file in sites.files.items():
            self._definitions(path, file, old, new)
        self.refusals += sites.refusals
        self.places += sites.places
        for path, file_uses in self.certain.items():
            labels = {
                parameter.label.start_byte
                for definition in sites.file(path).definitions
                for parameter in parameters_of(definition).parameters
            }
            for use, why in file_uses:
                gone = self.gone.get(path, ())
                if any(node.start_byte <= use.start < node.end_byte for node in gone):
                    continue
                if use.start not in labels | keywords.get(path, set()):
                    self.refusals.append((path, sites.file(path).module.at(use), why))
        if self.refusals:
            every = [
                (path, sites.file(path).module.code, node, why) for path, node, why in self.refusals
            ]
            raise cannot_follow(self.path, every)

    def _constructor(self, sites: SiteReader) -> None:
        """Sorts the calls of the class; from now on its own `__init__` alone is meant."""
        owner = self.references.owner
        assert owner is not None
        twin = self.references.inference.modules.twin(owner.path)
        self.references.narrow({owner, QualifiedName(twin or owner.path, owner.name)})
        for place, inference in class_calls(self.library.asked, owner, sites).items():
            check_new(inference, place)

    def _parameter(self, parameter: WrittenParameter, new: str | None) -> None:
        """Reads the uses of a parameter; raises `PreconditionError` for a taken name."""
        asked, old = self.library.asked, parameter.name
        with Library(asked, old, new) as library:
            references = gather(library, asked.path, f"{asked.name}.{old}")
            references.choose(library, self.also)
            judged = references.judged()
            for place in possible_places(library, judged):
                self.places.append(place._replace(why=f"{old}: {place.why}"))
            for path, uses in judged.certain.items():
                if new is None:
                    whys = {True: "passed in a way that is not followed", False: "used"}
                    self.certain.setdefault(path, []).extend(
                        (use, f"{old!r} is {whys[isinstance(use, KeywordUse)]}") for use in uses
                    )
                else:
                    changes = {(use.start, use.end, new.encode()) for use in uses}
                    self.changes.setdefault(path, set()).update(changes)
            if new is not None:
                check(references, judged, new)

    def _old(self, file: CallSites, facts: FunctionFacts) -> tuple[Parameters, str | None]:
        """The parameters as they are, and which of them is `self` or `cls`."""
        nodes = [
            node.child_by_field_name("definition") or node
            for node in definition_nodes(file.module.root, self.name)
        ]
        functions = [node for node in nodes if node.type == "function_definition"]
        if not functions:
            raise _refused(f"{self.path} has no `def` of {self.name}", self.path)
        old = parameters_of(functions[-1])
        if not facts.owner or facts.kind == "static":
            return old, None
        if not old.parameters or old.parameters[0].kind not in ("plain", "positional-only"):
            raise _refused(f"{self.name} has no parameter for its object", self.path)
        return old, old.parameters[0].name

    def _calls(self, path: str, file: CallSites, old: Parameters, new: NewSignature) -> set[int]:
        """Notes what becomes of the calls in a file; where the keywords of them begin."""
        keywords: set[int] = set()
        callers = self.demand.for_callers
        value = callers.encode() if callers is not None else None
        for call in file.calls.values():
            try:
                result = CallBinding(call, old, new, value).changed(file.module.code)
            except Unfollowed as error:
                self.refusals.append((path, error.node, error.why))
                continue
            self._note(path, result.changes)
            keywords |= result.keywords
            row = call.arguments.start_point.row + 1
            if call.partial and result.shifts:
                self.places.append(UsePlace(path, row, "what calls the partial is not evident"))
            self.gone.setdefault(path, []).extend(result.dropped)
            for node in filter(has_effects, result.dropped):
                text = (node.text or b"").decode("utf-8", "replace")[:60]
                self.dropped.append(f"{path}:{row}: {text} is not evaluated any more")
        return keywords

    def _note(self, path: str, changes: Iterable[Change]) -> None:
        """Adds changes of a list; what was to change within an item that goes is dropped."""
        every = self.changes.setdefault(path, set())
        for low, high, new in changes:
            every -= {item for item in every if _is_within(item, low, high)}
            every.add((low, high, new))

    def _definitions(self, path: str, file: CallSites, old: Parameters, new: NewSignature) -> None:
        for definition in file.definitions:
            try:
                inner = self.changes.setdefault(path, set())
                self._note(path, changed_definition(definition, old, new, inner, file.module))
            except Unfollowed as error:
                self.refusals.append((path, error.node, error.why))
            above = definition.parent
            if above is not None and above.type == "decorated_definition":
                self.places += keeping_decorators(path, above)
            self.places += self._described(path, definition)
            self.places += [
                UsePlace(path, node.start_point.row + 1, "a type comment of the function")
                for above in (definition, definition.child_by_field_name("body"))
                for node in (above.named_children if above is not None else ())
                if node.type == "comment" and re.match(r"#\s*type:\s*\(", text_of(node))
            ]

    def _described(self, path: str, definition: Node) -> Iterator[UsePlace]:
        """Where the docstring names a parameter that goes or gets another name."""
        if (inner := docstring_of(definition.child_by_field_name("body"))) is None:
            return
        new_names, start = dict(self.demand.rename), inner.start_byte
        lines = (inner.text or b"").splitlines(keepends=True)
        for row, line in enumerate(lines, inner.start_point.row + 1):
            for name in self.demand.touched:
                if found := re.search(rb"(?<!\w)%s(?!\w)" % re.escape(name.encode()), line):
                    place = UsePlace(path, row, f"the docstring mentions {name}")
                    span = (start + found.start(), start + found.end())
                    if name in new_names and self.also.takes(place._replace(span=span)):
                        self.changes[path].add((*span, new_names[name].encode()))
                    else:
                        yield place
            start += len(line)

    def hints(self, name: str) -> Iterator[str]:
        """What was left alone, and what is not evaluated any more."""
        yield from listed(name, sorted(dict.fromkeys(self.places)), also=True)
        yield from self.dropped
        if name != CONSTRUCTOR:
            yield from self.references.outside_bases(f"call {name}")


def cannot_follow(path: str, refusals: Iterable[tuple[str, bytes, Node, str]]) -> PreconditionError:
    """The refusal with every place: its path, the code of the file, the node, and why."""
    every = sorted(refusals, key=lambda item: (item[0], item[2].start_byte))
    lines = dict.fromkeys(
        f"{code_at(user, code, node.start_byte, 60)} ({why})" for user, code, node, why in every
    )
    return with_places(
        f"{number(len(lines), 'place')} cannot follow the new signature",
        lines,
        path=path,
        code="cannot_follow",
        hint="Change these first.",
    )


def _is_within(change: Change, low: int, high: int) -> bool:
    """Whether bytes that go hold a change; what is put in at their ends stays."""
    start, end, _ = change
    return low < start < high if start == end else low <= start and end <= high


def outermost(changes: Iterable[Change]) -> list[Change]:
    """The changes, sorted, without those within another one, which has them already."""
    outer: list[Change] = []
    for low, high, new in sorted(changes, key=lambda c: (c[0], c[1] > c[0], -c[1])):
        if not (outer and low < outer[-1][1] >= high):
            outer.append((low, high, new))
    return outer
