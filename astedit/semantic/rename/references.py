"""Which uses of a name mean the definition that is renamed, and which may do so."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from astedit.python.expression import ChangedCopy
from astedit.python.facts import (
    AttributeUse,
    ImportUse,
    KeywordUse,
    ListedUse,
    NameUse,
    ReboundUse,
    SpelledUse,
    StringUse,
    Use,
)
from astedit.python.strings import DATA, FIELD, SPELLED
from astedit.semantic.inference.values import DOUBT, QualifiedName
from astedit.semantic.rename.target import ABSENT, LACKS, MAYBE, NO, YES, Receivers, answers

_DYNAMIC = "the module does not say where it has it from"
_REBOUND = "a name of its own, made from this one"


class PossibleUse(NamedTuple):
    """A use that may mean the target, and why that is not certain."""

    path: str
    use: Use
    why: str


@dataclass(slots=True)
class JudgedUses:
    """The uses that mean the target, by path, and those that may."""

    certain: dict[str, list[SpelledUse]] = field(default_factory=dict)
    possible: list[PossibleUse] = field(default_factory=list)


class References(Receivers):
    """Judges uses of the last part of `name`, defined in the module at `path`."""

    def judged(self) -> JudgedUses:
        """Every use in the modules that have been read."""
        judged = JudgedUses()
        for path in sorted(self.inference.facts):
            for use in self.inference.facts[path].uses:
                self._add(judged, path, use)
        for path, certain in judged.certain.items():
            rebound = self._rebound(path, certain)
            judged.possible += [PossibleUse(path, use, _REBOUND) for use in rebound]
        judged.possible.sort(key=lambda possible: (possible.path, possible.use.start))
        return judged

    def _add(self, judged: JudgedUses, path: str, use: Use) -> None:
        if isinstance(use, ReboundUse):
            return
        verdict, why = self._judge(path, use)
        if verdict == YES and not isinstance(use, StringUse):
            judged.certain.setdefault(path, []).append(use)
        elif verdict == MAYBE:
            judged.possible.append(PossibleUse(path, use, why))

    def _rebound(self, path: str, certain: list[SpelledUse]) -> Iterator[ReboundUse]:
        """Other names of the same spelling that are bound to what the target makes."""
        changed = {use.start for use in certain}
        for use in self.inference.facts[path].uses:
            if not isinstance(use, ReboundUse) or use.start in changed:
                continue
            if any(use.value_start <= start < use.value_end for start in changed):
                yield use

    # -- judging ---------------------------------------------------------------------------

    def _judge(self, path: str, use: SpelledUse | StringUse) -> tuple[str, str]:
        """Whether a use means the target; and why it may, if that is not certain."""
        match use:
            case NameUse():
                return self._name(path, use)
            case ImportUse():
                return self._import(path, use), _DYNAMIC
            case ListedUse():
                return self._in_list(path, use), ""
            case AttributeUse():
                return self._attribute(path, use)
            case KeywordUse():
                return self._keyword(path, use), "what is called is not evident"
            case StringUse():
                return (MAYBE if self._could_be_named(use) else NO), use.kind

    def _could_be_named(self, use: StringUse) -> bool:
        """Whether a string could reach the target, by what stands beside the name in it."""
        if self.owner is not None:
            return use.kind in (SPELLED, DATA) or use.sign in (".", "=")
        return not self.prefix and use.sign != "=" and use.kind != FIELD

    def _in_list(self, path: str, use: ListedUse) -> str:
        if use.owner:
            return YES if self.carries(path, f"{use.owner}.{self.old}") else NO
        return YES if self.exports(path) else NO

    def _import(self, path: str, use: ImportUse) -> str:
        carried = not use.alias and any(self.carries(path, name) for name in use.names)
        module = self.inference.modules.find(path, use.module.level, use.module.module)
        brought = NO if module is None or module == path else self.exported(module)
        return YES if carried else brought

    def _name(self, path: str, use: NameUse) -> tuple[str, str]:
        if self._is_carried(path, use):
            return YES, ""
        if any(self.requests(path, name) == MAYBE for name in use.names):
            return MAYBE, "which fixture pytest passes is not evident"
        if self.owner is not None and any(self._answers(path, name) for name in use.names):
            return MAYBE, "a protocol asks for it"
        return NO, ""

    def _is_carried(self, path: str, use: NameUse) -> bool:
        if use.names:
            return any(self.carries(path, name) for name in use.names)
        facts = self.inference.need(path)
        stars = facts.stars if facts is not None else []
        return any(self.brings(path, star) for star in stars)

    def _answers(self, path: str, name: str) -> bool:
        owner = QualifiedName(path, name.rpartition(".")[0])
        is_class = owner.name in self.inference.facts[path].classes
        return is_class and answers(self.inference, owner, self.family)

    def _attribute(self, path: str, use: AttributeUse) -> tuple[str, str]:
        values = self.inference.values(path, use.value) or DOUBT  # None so far: a subclass's
        verdicts = {self.receiver(value) for value in values}
        if self.owner is None:
            return (YES if YES in verdicts else MAYBE if MAYBE in verdicts else NO), _DYNAMIC
        why = "the object's class is not evident"
        if LACKS in verdicts and verdicts <= {LACKS, ABSENT}:
            return MAYBE, "its class has no such member"
        if YES in verdicts:
            return (MAYBE if NO in verdicts else YES), why
        return (MAYBE if MAYBE in verdicts else NO), why

    def _keyword(self, path: str, use: KeywordUse) -> str:
        if not (self.is_parameter or self.family):
            return NO
        verdicts = {self.callee(value) for value in self.inference.values(path, use.callee)}
        if YES in verdicts:
            return YES
        listed = self.is_parameter or isinstance(use.callee, ChangedCopy)
        return MAYBE if MAYBE in verdicts and listed else NO
