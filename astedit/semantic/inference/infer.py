"""What an expression evidently is: followed through assignments, calls and imports."""

from collections.abc import Iterable, Mapping

from astedit.semantic.facts.module_facts import Expr, Facts
from astedit.semantic.inference import fixtures
from astedit.semantic.inference.values import (
    COPYING,
    DOUBT,
    GIVING,
    NOTHING,
    PASSING,
    UNKNOWN,
    Place,
    Thing,
    class_of,
    element,
    given,
    instance,
    lacks,
    vague,
    wrapped,
)
from astedit.semantic.modules import Modules

_DEPTH = 60  # steps from one expression to another before it is given up


class Evidence:
    """Follows expressions through modules; what it would have to read is in `missing`."""

    def __init__(self, modules: Modules, facts: Mapping[str, Facts]) -> None:
        self.modules = modules
        self.facts = facts
        self.missing: set[str] = set()
        self._known: dict[tuple[str, Expr], frozenset[Thing]] = {}
        self._depth = 0
        self._heirs: dict[Place, list[Place]] | None = None

    def need(self, path: str) -> Facts | None:
        """A module's facts; None, and noted as missing, if it has not been read."""
        found = self.facts.get(path)
        if found is None:
            self.missing.add(path)
        return found

    def things(self, path: str, expr: Expr) -> frozenset[Thing]:
        """Everything that `expr`, written in the module at `path`, may evidently be."""
        if expr is None or self._depth > _DEPTH:
            return DOUBT
        key = (path, expr)
        if key in self._known:
            return self._known[key]
        self._known[key] = NOTHING  # what is defined by itself adds nothing
        self._depth += 1
        try:
            found = frozenset(self._things(path, expr))
        finally:
            self._depth -= 1
        self._known[key] = found
        return found

    def _things(self, path: str, expr: Expr) -> Iterable[Thing]:
        kind, *rest = expr
        match kind:
            case "n":
                return self.bound(path, rest[0])
            case "class":
                return {("class", path, rest[0])}
            case "func":
                return {("function", path, rest[0])} | self._decorated(path, rest[0])
            case "m":
                return self._imported(path, *rest)
            case "a":
                return self._each(self.things(path, rest[0]), lambda t: self._member(t, rest[1]))
            case "c":
                return self._each(self.things(path, rest[0]), self._called)
            case "i":
                return self._each(self.things(path, rest[0]), instance)
            case "e":
                return self._each(self.things(path, rest[0]), element)
            case "w":
                return self._each(self.things(path, rest[0]), self._entered)
            case "u" | "of" | "type of":
                inner = frozenset(t for one in rest[0] for t in self.things(path, one))
                return wrapped(kind, inner)
            case "holder":
                return self._holder(path, rest[0], rest[1])
            case "type":
                return self._each(self.things(path, rest[0]), class_of)
            case "s":
                return self._above(path, rest[0])
            case "star":
                return self._starred(path, rest[0])
            case "fixture":
                return self._fixture(path, rest[0], rest[1])
            case "passed":
                return self._passed(path, rest[0], rest[1])
            case "inherited":
                return self._inherited((path, rest[0]), rest[1], rest[2])
            case "request":
                return {("request", self.things(path, rest[0]))}
            case "raised":
                return {("raised", self.things(path, rest[0]))}
            case "copied":
                callee = self.things(path, rest[0])
                copied = any(t[0] == "outside" and t[1] in COPYING for t in callee)
                return self._each(self.things(path, rest[1]), class_of) if copied else callee
            case "k":
                return {("outside", f"builtins.{rest[0]}")}
        return DOUBT

    def _each(self, things: frozenset[Thing], step: object) -> set[Thing]:
        found: set[Thing] = set()
        for thing in things:
            found |= set(step(thing))  # type: ignore[operator]
        return found

    def bound(self, path: str, name: str) -> frozenset[Thing]:
        """What a name that is bound in a module may be."""
        facts = self.need(path)
        if facts is None or name not in facts.bindings:
            return DOUBT
        return frozenset(t for one in facts.bindings[name] for t in self.things(path, one))

    def _imported(self, path: str, level: int, module: str, name: str | None) -> Iterable[Thing]:
        found = self.modules.find(path, level, module)
        if found is None:
            whole = f"{module}.{name}" if name else module
            return {UNKNOWN if level else ("outside", whole)}
        if name is None:
            return {("module", found)}
        own = self.modules.inside(found, name) if found == path else None
        return {("module", own)} if own is not None else self.exported(found, name)

    def exported(self, module: str, name: str) -> frozenset[Thing]:
        """What `name` is in a module: bound there, star-imported, or a submodule."""
        facts = None if module.endswith("/") else self.need(module)
        if facts is not None and name in facts.bindings:
            return self.bound(module, name)
        inside = self.modules.inside(module, name)
        if inside is not None:
            return frozenset({("module", inside)})
        return self._starred(module, name) if facts is not None else DOUBT

    def _starred(self, path: str, name: str) -> frozenset[Thing]:
        facts = self.need(path)
        for star in facts.stars if facts is not None else ():
            found = self.modules.find(path, star[1], star[2])
            if found is not None and found != path and (star := self._only(found, name)):
                return star
        return DOUBT

    def _only(self, module: str, name: str) -> frozenset[Thing]:
        key = (module, ("exported", name))
        if key not in self._known:
            self._known[key] = NOTHING  # a cycle of star imports
            self._known[key] = self.exported(module, name)
        return frozenset(self._known[key] - DOUBT)

    # -- classes ---------------------------------------------------------------------------

    def lineage(self, place: Place) -> tuple[list[Place], bool]:
        """A class and its ancestors, nearest first; and whether all of them are known."""
        order: list[Place] = []
        whole = True
        todo = [place]
        while todo:
            one = todo.pop(0)
            if one in order:
                continue
            order.append(one)
            above = self._bases(one)
            whole &= UNKNOWN not in above
            todo += [(str(t[1]), str(t[2])) for t in sorted(above, key=str) if t[0] == "class"]
        return order, whole

    def _binds(self, path: str, owner: str, name: str) -> bool:
        return f"{owner}.{name}" in self.facts[path].bindings

    def below(self, place: Place) -> list[Place]:
        """The classes that derive from this one, of those that have been read."""
        if self._heirs is None:
            self._heirs = {}
            every = [
                (path, name) for path, facts in list(self.facts.items()) for name in facts.classes
            ]
            for one in every:
                for above in self.lineage(one)[0][1:]:
                    self._heirs.setdefault(above, []).append(one)
        return self._heirs.get(place, [])

    def outside_bases(self, place: Place) -> set[str]:
        """The ancestors of a class that the workspace does not define."""
        found = {t for one in self.lineage(place)[0] for t in self._bases(one)}
        outside = (str(thing[1]) for thing in found if thing[0] == "outside")
        return {name.removeprefix("builtins.type ") for name in outside}

    def _bases(self, place: Place) -> frozenset[Thing]:
        facts = self.need(place[0])
        known = facts.classes.get(place[1]) if facts is not None else None
        if known is None:
            return DOUBT
        return frozenset(t for base in known.bases for t in self.things(place[0], _plain(base)))

    def definer(self, place: Place, name: str) -> tuple[Place | None, bool]:
        """The class that gives `place` its member `name`; and whether the answer is certain."""
        order, whole = self.lineage(place)
        for one in order:
            facts = self.need(one[0])
            if facts is not None and f"{one[1]}.{name}" in facts.bindings:
                return one, True
        return None, whole

    def _above(self, path: str, name: str) -> Iterable[Thing]:
        found = self._bases((path, name))
        return self._each(found, instance) if found else {("outside", "builtins.object")}

    def _member(self, thing: Thing, name: str) -> Iterable[Thing]:
        match thing:
            case ("module", str(path)):
                return self.exported(path, name)
            case ("outside", str(dotted)):
                return () if lacks(dotted, name) else {("outside", f"{dotted}.{name}")}
            case ("holder", frozenset()) if name in GIVING:
                return {("gives", GIVING[name], thing)}
            case ("request", frozenset() as values) if name == "param":
                return values
            case ("raised", frozenset() as kinds) if name in ("value", "exception"):
                return self._each(kinds, instance)
            case ("class" | "instance" as kind, str(path), str(owner)):
                return self._member_of((path, owner), name, kind)
        return DOUBT

    def _member_of(self, place: Place, name: str, kind: str) -> Iterable[Thing]:
        definer, _ = self.definer(place, name)
        if name == "__class__" and definer is None:
            return {("class", *place)}
        found = self.bound(definer[0], f"{definer[1]}.{name}") if definer else NOTHING
        if not found:  # None here, or nothing: then what a class below says it is
            below = [one for one in self.below(place) if one != definer]
            for path, owner in below:
                found |= (
                    self.bound(path, f"{owner}.{name}")
                    if self._binds(path, owner, name)
                    else NOTHING
                )
        if not found and definer is None:
            return DOUBT
        if kind == "class":
            return found
        return self._each(found, self._read)

    def _read(self, thing: Thing) -> Iterable[Thing]:
        """A member read from an instance: a property is what it returns."""
        if thing[0] == "function" and self._kind(thing) == "property":
            return self._called(thing)
        return {thing}

    def _kind(self, thing: Thing) -> str:
        facts = self.facts.get(str(thing[1]))
        function = facts.functions.get(str(thing[2])) if facts is not None else None
        return function.kind if function is not None else ""

    # -- calls -----------------------------------------------------------------------------

    def _called(self, thing: Thing) -> Iterable[Thing]:
        match thing:
            case ("class", path, name):
                return {("instance", path, name)}
            case ("instance", str(path), str(name)):
                return self._each(
                    frozenset(self._member_of((path, name), "__call__", "")), self._called
                )
            case ("function", str(path), str(name)):
                return self._returned(path, name)
            case ("holder", frozenset() as inner):  # of a `Callable`: nothing else is called
                return inner
            case ("gives", str(what), tuple(holder)):
                return given(what, holder)
            case ("outside", str(dotted)):
                last = dotted.rpartition(".")[2].removeprefix("type ")
                known = dotted.startswith("builtins.type ") or last[:1].isupper()
                known &= dotted.removeprefix("builtins.type ") not in PASSING
                return {("outside", f"{dotted}()")} if known and not vague(dotted) else DOUBT
        return DOUBT

    def _returned(self, path: str, name: str) -> Iterable[Thing]:
        facts = self.need(path)
        function = facts.functions.get(name) if facts is not None else None
        if function is None:
            return DOUBT
        if function.returns is not None:
            return self._each(self.things(path, function.returns), instance)
        return {t for result in function.results for t in self.things(path, result)}

    def _fixture(self, path: str, name: str, test: str) -> Iterable[Thing]:
        """What pytest passes to a test: what the fixture of that name returns."""
        place = fixtures.named(self, path, test, name)
        return self._returned(*place) if place is not None else DOUBT

    def _inherited(self, place: Place, method: str, index: int) -> Iterable[Thing]:
        """What the nearest ancestor's method of this name says of its parameter."""
        for path, owner in self.lineage(place)[0][1:]:
            facts = self.need(path)
            function = facts.functions.get(f"{owner}.{method}") if facts is not None else None
            if function is not None and index < len(function.parameters):
                return self.bound(path, f"{owner}.{method}.{function.parameters[index]}")
        return DOUBT

    def _decorated(self, path: str, name: str) -> set[Thing]:
        """The instances that decorators make of a function; a member's are descriptors."""
        facts = self.need(path)
        function = facts.functions.get(name) if facts is not None else None
        if function is None or function.owner:
            return set()
        every = (t for one in function.decorators for t in self.things(path, ("c", one)))
        return {thing for thing in every if thing[0] == "instance"}

    def is_decorated(self, path: str, name: str) -> bool:
        """Whether a function may have become something else, with members of its own."""
        facts = self.need(path)
        function = facts.functions.get(name) if facts is not None else None
        plain = function is None or function.kind not in ("function", "method")
        return not plain and bool(function.decorators)  # type: ignore[union-attr]

    def _passed(self, path: str, decorators: Iterable[Expr], index: int) -> Iterable[Thing]:
        """By the annotation of the innermost decorator that says what it calls with."""
        for decorator in decorators:
            for thing in self.things(path, decorator):
                facts = self.need(str(thing[1])) if thing[0] == "function" else None
                function = facts.functions.get(str(thing[2])) if facts is not None else None
                if function is not None and function.takes[index : index + 1]:
                    return self.things(str(thing[1]), ("i", function.takes[index]))
        return DOUBT

    def _entered(self, thing: Thing) -> Iterable[Thing]:
        if thing[0] == "holder":  # a context manager made of a generator
            return element(thing)
        if thing[0] != "instance":
            return DOUBT
        place = str(thing[1]), str(thing[2])
        if self.definer(place, "__enter__")[0] is None:  # then a base class has one, by custom
            return {thing}
        entered = frozenset(self._member_of(place, "__enter__", "instance"))
        return self._each(entered, self._called)

    def _holder(self, path: str, known: Expr, parts: Iterable[Expr]) -> Iterable[Thing]:
        """`Box[int]` is the class `Box` of the workspace; any other holds its last part."""
        found = {thing for thing in self.things(path, known) if thing[0] == "class"}
        inner = frozenset(t for part in parts for t in self.things(path, part))
        return found or {("holder", inner)}


def _plain(base: Expr) -> Expr:
    """A base class without its parameters: `Generic[T]` is `Generic`."""
    return base[1] if base is not None and base[0] == "e" else base
