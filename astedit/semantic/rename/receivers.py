"""Whether what an attribute is read from, or what is called, has the target."""

import builtins

from astedit.semantic.inference.classes import member_of
from astedit.semantic.inference.values import (
    ClassValue,
    ContainerMethod,
    ContainerValue,
    FunctionValue,
    InstanceValue,
    ModuleValue,
    OutsideValue,
    QualifiedName,
    RaisedValue,
    RequestValue,
    Unknown,
    Value,
    lacks,
)
from astedit.semantic.rename.family import outside
from astedit.semantic.rename.target import MAYBE, NO, YES, RenameTarget

ABSENT = "absent"  # has no such member: where it stands beside others, those are meant
LACKS = "lacks"  # as that, of a class in the workspace: alone it is a riddle


class Receivers(RenameTarget):
    """Judges values: those that an attribute is read from, and those that are called."""

    def receiver(self, value: Value) -> str:
        """Whether a value's member called `old` is the target."""
        if isinstance(value, ModuleValue):
            return self.exported(value.path)
        if self.owner is None:
            return NO
        match value:
            case ClassValue(definition) | InstanceValue(definition):
                return self.member(definition)
            case FunctionValue(definition) if self.inference.is_decorated(definition):
                return MAYBE
            case FunctionValue() | ContainerMethod() | ContainerValue():
                return ABSENT
            case RaisedValue() | RequestValue():
                return ABSENT
            case OutsideValue(dotted) if lacks(dotted, self.old):
                return ABSENT
        return MAYBE if isinstance(value, Unknown) else NO

    def member(self, place: QualifiedName) -> str:
        """Whether the member that a class has is the target."""
        definer, certain = self.inference.definer(place, self.old)
        if definer is not None:
            return YES if definer in self.family else NO
        if not certain:
            return MAYBE
        heirs = self.inference.below(place)
        definers = [self.inference.definer(heir, self.old)[0] for heir in heirs]
        below = {definer in self.family for definer in definers if definer is not None}
        if not below:
            return ABSENT if self._has_from_outside(place) else LACKS
        return YES if below == {True} else MAYBE if True in below else NO

    def _has_from_outside(self, place: QualifiedName) -> bool:
        """Whether a base class that the workspace does not define may have the member."""
        if outside(self.inference, [place]):
            return True
        bases = [base.rpartition(".")[2] for base in self.inference.outside_bases(place)]
        return any(hasattr(getattr(builtins, base, None), self.old) for base in bases)

    def callee(self, value: Value) -> str:
        """Whether a keyword called `old`, of a call of this value, is the target."""
        match value:
            case FunctionValue(definition):
                return YES if self.is_parameter and self._is_function(definition) else NO
            case ClassValue(definition):
                return self._constructor(definition)
        return MAYBE if isinstance(value, Unknown) else NO

    def _is_function(self, place: QualifiedName) -> bool:
        return member_of(place, self.old) in self.targets

    def _constructor(self, place: QualifiedName) -> str:
        """A class that is called: its `__init__`, or the fields that stand for one."""
        if self.is_parameter:
            definer, certain = self.inference.definer(place, "__init__")
            if definer is None:
                return NO if certain else MAYBE
            return YES if self._is_function(member_of(definer, "__init__")) else NO
        fielded = any(self._is_fielded(each) for each in self.inference.lineage(place)[0])
        return YES if fielded and self.member(place) == YES else NO

    def _is_fielded(self, place: QualifiedName) -> bool:
        facts = self.inference.class_facts(place)
        return facts is not None and facts.fielded
