"""Which uses of a name mean one definition, and which may do so.

A *target* is a module's name, a member of classes (the class, and every relative of it
that overrides the member), or a name of one function. (spec: locate.md section 9)
"""

import builtins
from collections.abc import Iterator
from dataclasses import dataclass, field

from astedit.semantic.evidence import UNKNOWN, Evidence, Place, Thing
from astedit.semantic.facts import Use

_PLAIN_BASES = frozenset(
    "object type object Exception ABC Generic Protocol NamedTuple TypedDict Enum".split()  # noqa: SIM905
)
YES, MAYBE, NO = "yes", "maybe", "no"
ABSENT = "absent"  # has no such member: where it stands beside others, those are meant


@dataclass(slots=True)
class Found:
    """Uses by path: those that mean the target, and those that may, each with why."""

    certain: dict[str, list[Use]] = field(default_factory=dict)
    possible: list[tuple[str, Use, str]] = field(default_factory=list)


class References:
    """Judges uses of the last part of `name`, defined in the module at `path`."""

    def __init__(self, evidence: Evidence, path: str, name: str) -> None:
        self.evidence = evidence
        self.prefix, _, self.old = name.rpartition(".")
        twin = evidence.modules.twin(path)
        self._targets = {(path, name)} | ({(twin, name)} if twin else set())
        facts = evidence.facts[path]
        self.owner = (path, self.prefix) if self.prefix in facts.classes else None
        function = facts.functions.get(self.prefix)
        self._is_parameter = function is not None and self.old in function.parameters
        self._carried: dict[Place, bool] = {}
        self.family = self._family() if self.owner else set()

    def found(self) -> Found:
        """Every use in the modules that have been read, judged."""
        found = Found()
        for path in sorted(self.evidence.facts):
            for use in self.evidence.facts[path].uses:
                verdict, why = self._judged(path, use)
                if verdict == YES:
                    found.certain.setdefault(path, []).append(use)
                elif verdict == MAYBE:
                    found.possible.append((path, use, why))
        return found

    def carries(self, path: str, name: str) -> bool:
        """Whether a module's name is the target: defined as it, or imported under its name."""
        if (path, name) in self._targets:
            return True
        if self.owner is not None:
            return self._is_member(path, name)
        if self.prefix or name.rpartition(".")[2] != self.old:
            return False
        key = (path, name)
        if key not in self._carried:
            self._carried[key] = False  # a cycle of imports carries nothing
            self._carried[key] = any(self._imports(path, name))
        return self._carried[key]

    def exports(self, module: str) -> bool:
        """Whether a module's `old`, its own or star-imported, is the target."""
        if self.owner is not None or self.prefix or module.endswith("/"):
            return False
        facts = self.evidence.need(module)
        if facts is None:
            return False
        if self.old in facts.bindings:
            return self.carries(module, self.old)
        key = (module, "*")
        if key not in self._carried:
            self._carried[key] = False
            self._carried[key] = any(self.brings(module, star) for star in facts.stars)
        return self._carried[key]

    def _imports(self, path: str, name: str) -> Iterator[bool]:
        facts = self.evidence.need(path)
        for one in facts.bindings.get(name, ()) if facts is not None else ():
            if one is not None and one[0] == "m" and one[3] == self.old:
                yield self.brings(path, one)

    def brings(self, path: str, source: tuple[str, int, str, str | None]) -> bool:
        module = self.evidence.modules.find(path, source[1], source[2])
        return module is not None and module != path and self.exports(module)

    # -- judging ---------------------------------------------------------------------------

    def _judged(self, path: str, use: Use) -> tuple[str, str]:
        match use.how:
            case "name":
                return (YES if self._names(path, use) else NO), ""
            case "import":
                brought = self.brings(path, use.value)
                carried = not use.text and any(self.carries(path, n) for n in use.names)
                return (YES if brought or carried else NO), ""
            case "listed":
                if use.text:
                    return (YES if (path, use.text) in self.family else NO), ""
                return (YES if self.exports(path) else NO), ""
            case "attribute":
                return self._attribute(path, use), "the object's class is not evident"
            case "keyword":
                return self._keyword(path, use), "what is called is not evident"
            case "string":
                return (MAYBE if self._could_be_named() else NO), "a string"
        return NO, ""

    def _could_be_named(self) -> bool:
        """Whether code outside of the function could reach the target by its name."""
        return self.owner is not None or not self.prefix

    def _names(self, path: str, use: Use) -> bool:
        if use.names:
            return any(self.carries(path, name) for name in use.names)
        facts = self.evidence.need(path)
        stars = facts.stars if facts is not None else []
        return any(self.brings(path, star) for star in stars)

    def _attribute(self, path: str, use: Use) -> str:
        things = self.evidence.things(path, use.value) or {UNKNOWN}  # None so far: a subclass's
        verdicts = {self._receiver(t) for t in things} - {ABSENT}
        if YES in verdicts:
            return MAYBE if NO in verdicts else YES
        return MAYBE if MAYBE in verdicts and self.owner is not None else NO

    def _receiver(self, thing: Thing) -> str:
        match thing:
            case ("module", str(path)):
                return YES if self.exports(path) else NO
            case ("class" | "instance", str(path), str(name)) if self.owner is not None:
                return self._member((path, name))
            case ("function", str(path), str(name)) if self.evidence.is_decorated(path, name):
                return MAYBE
            case ("function" | "holder" | "raised" | "request", *_):
                return ABSENT
            case ("outside", str(dotted)) if _is_plain(dotted, self.old):
                return ABSENT
        return MAYBE if thing == UNKNOWN else NO

    def _member(self, place: Place) -> str:
        definer, certain = self.evidence.definer(place, self.old)
        if definer is not None:
            return YES if definer in self.family else NO
        below = any(place in self.evidence.lineage(one)[0] for one in self.family)
        return MAYBE if below or not certain else ABSENT

    def _keyword(self, path: str, use: Use) -> str:
        if not (self._is_parameter or self.family):
            return NO
        verdicts = {self._callee(t) for t in self.evidence.things(path, use.value)}
        if YES in verdicts:
            return YES
        return MAYBE if MAYBE in verdicts and self._is_parameter else NO

    def _callee(self, thing: Thing) -> str:
        match thing:
            case ("function", str(path), str(name)):
                return YES if self._is_parameter and self._is_function(path, name) else NO
            case ("class", str(path), str(name)):
                return self._constructor((path, name))
        return MAYBE if thing == UNKNOWN else NO

    def _is_function(self, path: str, name: str) -> bool:
        return (path, f"{name}.{self.old}") in self._targets

    def _constructor(self, place: Place) -> str:
        """A class that is called: its `__init__`, or the fields that stand for one."""
        definer, certain = self.evidence.definer(place, "__init__")
        if self._is_parameter:
            if definer is None:
                return NO if certain else MAYBE
            return YES if self._is_function(definer[0], f"{definer[1]}.__init__") else NO
        fielded = any(self._is_fielded(one) for one in self.evidence.lineage(place)[0])
        return YES if fielded and self._member(place) == YES else NO

    def _is_fielded(self, place: Place) -> bool:
        facts = self.evidence.need(place[0])
        known = facts.classes.get(place[1]) if facts is not None else None
        return known is not None and known.fielded

    # -- classes ---------------------------------------------------------------------------

    def outside(self) -> set[str]:
        """Base classes of the family that nothing here defines, the plain ones aside."""
        found = {base for one in self.family for base in self.evidence.outside_bases(one)}
        return {base for base in found if base.rpartition(".")[2] not in _PLAIN_BASES}

    def _is_member(self, path: str, name: str) -> bool:
        owner, _, last = name.rpartition(".")
        return last == self.old and (path, owner) in self.family

    def _family(self) -> set[Place]:
        """The classes whose member is the target: related ones that define it as well."""
        assert self.owner is not None
        definers = {
            (path, name)
            for path, facts in self.evidence.facts.items()
            for name in facts.classes
            if f"{name}.{self.old}" in facts.bindings
        }
        above = {one: set(self.evidence.lineage(one)[0]) & definers for one in definers}
        family = {self.owner} | {(path, self.prefix) for path, _ in self._targets}
        while True:
            more = {one for one in definers if above[one] & family}
            more |= {base for one in family & definers for base in above[one]}
            if more <= family:
                return family
            family |= more


def _is_plain(dotted: str, member: str) -> bool:
    """Whether this is an instance of a built-in type without such a member."""
    name = dotted.removeprefix("builtins.").removeprefix("type ").removesuffix("()")
    kind = getattr(builtins, name, None) if dotted.startswith("builtins.") else None
    return isinstance(kind, type) and not hasattr(kind, member)
