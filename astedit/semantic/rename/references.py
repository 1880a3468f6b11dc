"""Which uses of a name mean one definition, and which may do so. (spec: locate.md section 9)"""

import builtins
from collections.abc import Iterator
from dataclasses import dataclass, field

from astedit.semantic.facts.module_facts import Use
from astedit.semantic.facts.strings import DATA, FIELD, SPELLED
from astedit.semantic.inference.values import UNKNOWN, Place, Thing, lacks
from astedit.semantic.rename.family import answers, outside
from astedit.semantic.rename.target import MAYBE, NO, YES, Target

ABSENT = "absent"  # has no such member: where it stands beside others, those are meant
LACKS = "lacks"  # as that, of a class in the workspace: alone it is a riddle
_DYNAMIC = "the module does not say where it has it from"
_AGAIN = "a name of its own, made from this one"


@dataclass(slots=True)
class Found:
    """Uses by path: those that mean the target, and those that may, each with why."""

    certain: dict[str, list[Use]] = field(default_factory=dict)
    possible: list[tuple[str, Use, str]] = field(default_factory=list)


class References(Target):
    """Judges uses of the last part of `name`, defined in the module at `path`."""

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
        for path, uses in found.certain.items():
            found.possible += [(path, use, _AGAIN) for use in self._again(path, uses)]
        found.possible.sort(key=lambda one: (one[0], one[1].start))
        return found

    def _again(self, path: str, certain: list[Use]) -> Iterator[Use]:
        """Other names of the same spelling that are bound to what the target makes."""
        changed = {use.start for use in certain}
        for use in self.evidence.facts[path].uses:
            if use.how == "again" and use.start not in changed:
                low, high = use.value
                if any(low <= start < high for start in changed):
                    yield use

    # -- judging ---------------------------------------------------------------------------

    def _judged(self, path: str, use: Use) -> tuple[str, str]:
        match use.how:
            case "name":
                return self._named(path, use)
            case "import":
                return self._import(path, use), _DYNAMIC
            case "listed":
                if use.text:
                    return (YES if self.carries(path, f"{use.text}.{self.old}") else NO), ""
                return (YES if self.exports(path) else NO), ""
            case "attribute":
                return self._attribute(path, use)
            case "keyword":
                return self._keyword(path, use), "what is called is not evident"
            case "string":
                return (MAYBE if self._could_be_named(use) else NO), use.text
        return NO, ""

    def _could_be_named(self, use: Use) -> bool:
        """Whether a string could reach the target, by what stands beside the name in it."""
        if self.owner is not None:
            return use.text in (SPELLED, DATA) or use.names in ((".",), ("=",))
        return not self.prefix and use.names != ("=",) and use.text != FIELD

    def _import(self, path: str, use: Use) -> str:
        carried = not use.text and any(self.carries(path, name) for name in use.names)
        module = self.evidence.modules.find(path, use.value[1], use.value[2])
        brought = NO if module in (None, path) else self.exported(str(module))
        return YES if carried else brought

    def _named(self, path: str, use: Use) -> tuple[str, str]:
        if self._names(path, use):
            return YES, ""
        if any(self.requests(path, name) == MAYBE for name in use.names):
            return MAYBE, "which fixture pytest passes is not evident"
        if self.owner is not None and any(self._answers(path, name) for name in use.names):
            return MAYBE, "a protocol asks for it"
        return NO, ""

    def _answers(self, path: str, name: str) -> bool:
        owner = name.rpartition(".")[0]
        known = owner in self.evidence.facts[path].classes
        return known and answers(self.evidence, (path, owner), self.family)

    def _names(self, path: str, use: Use) -> bool:
        if use.names:
            return any(self.carries(path, name) for name in use.names)
        facts = self.evidence.need(path)
        stars = facts.stars if facts is not None else []
        return any(self.brings(path, star) for star in stars)

    def _attribute(self, path: str, use: Use) -> tuple[str, str]:
        things = self.evidence.things(path, use.value) or {UNKNOWN}  # None so far: a subclass's
        verdicts = {self._receiver(t) for t in things}
        if self.owner is None:
            return (YES if YES in verdicts else MAYBE if MAYBE in verdicts else NO), _DYNAMIC
        why = "the object's class is not evident"
        if LACKS in verdicts and verdicts <= {LACKS, ABSENT}:
            return MAYBE, "its class has no such member"
        if YES in verdicts:
            return (MAYBE if NO in verdicts else YES), why
        return (MAYBE if MAYBE in verdicts else NO), why

    def _receiver(self, thing: Thing) -> str:
        match thing:
            case ("module", str(path)):
                return self.exported(path)
            case _ if self.owner is None:
                return NO
            case ("class" | "instance", str(path), str(name)):
                return self._member((path, name))
            case ("function", str(path), str(name)) if self.evidence.is_decorated(path, name):
                return MAYBE
            case ("function" | "gives" | "holder" | "raised" | "request", *_):
                return ABSENT
            case ("outside", str(dotted)) if lacks(dotted, self.old):
                return ABSENT
        return MAYBE if thing == UNKNOWN else NO

    def _member(self, place: Place) -> str:
        definer, certain = self.evidence.definer(place, self.old)
        if definer is not None:
            return YES if definer in self.family else NO
        if not certain:
            return MAYBE
        heirs = [self.evidence.definer(one, self.old)[0] for one in self.evidence.below(place)]
        below = {one in self.family for one in heirs if one is not None}
        if not below:
            return ABSENT if self._has_from_outside(place) else LACKS
        return YES if below == {True} else MAYBE if True in below else NO

    def _has_from_outside(self, place: Place) -> bool:
        """Whether a base class that the workspace does not define may have the member."""
        if outside(self.evidence, [place]):
            return True
        bases = [base.rpartition(".")[2] for base in self.evidence.outside_bases(place)]
        return any(hasattr(getattr(builtins, base, None), self.old) for base in bases)

    def _keyword(self, path: str, use: Use) -> str:
        if not (self.is_parameter or self.family):
            return NO
        verdicts = {self._callee(t) for t in self.evidence.things(path, use.value)}
        if YES in verdicts:
            return YES
        listed = self.is_parameter or (use.value is not None and use.value[0] == "copied")
        return MAYBE if MAYBE in verdicts and listed else NO

    def _callee(self, thing: Thing) -> str:
        match thing:
            case ("function", str(path), str(name)):
                return YES if self.is_parameter and self._is_function(path, name) else NO
            case ("class", str(path), str(name)):
                return self._constructor((path, name))
        return MAYBE if thing == UNKNOWN else NO

    def _is_function(self, path: str, name: str) -> bool:
        return (path, f"{name}.{self.old}") in self.targets

    def _constructor(self, place: Place) -> str:
        """A class that is called: its `__init__`, or the fields that stand for one."""
        definer, certain = self.evidence.definer(place, "__init__")
        if self.is_parameter:
            if definer is None:
                return NO if certain else MAYBE
            return YES if self._is_function(definer[0], f"{definer[1]}.__init__") else NO
        fielded = any(self._is_fielded(one) for one in self.evidence.lineage(place)[0])
        return YES if fielded and self._member(place) == YES else NO

    def _is_fielded(self, place: Place) -> bool:
        facts = self.evidence.need(place[0])
        known = facts.classes.get(place[1]) if facts is not None else None
        return known is not None and known.fielded
