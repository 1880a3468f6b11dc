"""What a rename means by a name: which names of which modules are the same definition.

A *target* is a module's name, a member of classes (the class, and every relative of it
that overrides the member), or a name of one function.
"""

import builtins
from collections.abc import Iterable, Iterator

from astedit.python.expression import Imported
from astedit.semantic.inference import values as val
from astedit.semantic.inference.infer import Inference, fixture_for
from astedit.semantic.inference.names import ClassInference, member_of
from astedit.semantic.inference.values import QualifiedName, Value

_PLAIN_BASES = frozenset(
    "object type object Exception ABC Generic Protocol NamedTuple TypedDict Enum".split()  # noqa: SIM905
)


def related(
    inference: ClassInference, owners: Iterable[QualifiedName], member: str
) -> set[QualifiedName]:
    """These classes, and all that define the member and have a class below them in common.

    A class is below itself; one that derives from two has the member of either.
    """
    definers = {place for place in inference.classes() if inference.binds(member_of(place, member))}
    lineages = [set(inference.lineage(place)[0]) for place in inference.classes()]
    family = set(owners)
    while True:
        more = {place for lineage in lineages if lineage & family for place in lineage & definers}
        if more <= family:
            return family
        family |= more


def outside(inference: ClassInference, family: Iterable[QualifiedName]) -> set[str]:
    """Base classes of a family that nothing in the workspace defines, the plain ones aside."""
    bases = {base for place in family for base in inference.outside_bases(place)}
    return {base for base in bases if base.rpartition(".")[2] not in _PLAIN_BASES}


def _is_protocol(inference: ClassInference, place: QualifiedName) -> bool:
    bases = inference.outside_bases(place)
    return any(base.rpartition(".")[2] == "Protocol" for base in bases)


def _members(inference: ClassInference, place: QualifiedName) -> set[str]:
    """The names of a class's members, inherited ones included."""
    return set[str]().union(*map(inference.members_of, inference.lineage(place)[0]))


YES, MAYBE, NO = "yes", "maybe", "no"
_CONSTRUCTORS = ("__init__", "__new__", "__init_subclass__")


class RenameTarget:
    """The last part of `name`, defined in the module at `path`."""

    def __init__(self, inference: Inference, path: str, name: str) -> None:
        self.inference = inference
        self.prefix, _, self.old = name.rpartition(".")
        facts = inference.facts[path]
        self.owner = QualifiedName(path, self.prefix) if self.prefix in facts.classes else None
        function = facts.functions.get(self.prefix)
        self.is_parameter = function is not None and self.old in function.parameters
        twin = inference.modules.twin(path)
        paths = [path, twin] if twin else [path]
        scopes = [QualifiedName(item, self.prefix) for item in paths]
        self.family = related(inference, scopes, self.old) if self.owner else set()
        self._classes = self.family  # the classes of which a protocol may ask it
        if function is not None and function.owner and self.is_parameter:
            scopes = self._overridden([QualifiedName(item, function.owner) for item in paths])
            self._classes = {QualifiedName(at, name.rpartition(".")[0]) for at, name in scopes}
        names = ((scope.path, f"{scope.name}.{self.old}".lstrip(".")) for scope in scopes)
        self.targets = {QualifiedName(*name) for name in names}
        methods = map(inference.function_facts, scopes) if self.is_parameter else ()
        self.is_keyword = any(m and self.old in m.parameters[m.unnamed :] for m in methods)
        defined = facts.functions.get(name)
        self._is_fixture = defined is not None and defined.fixture
        self._verdicts: dict[QualifiedName, str] = {}
        self._carried: dict[QualifiedName, bool] = {}

    def _overridden(self, owners: list[QualifiedName]) -> list[QualifiedName]:
        """The method of a parameter in the class and its relatives, which are called alike."""
        method = self.prefix.rpartition(".")[2]
        if method in _CONSTRUCTORS:
            return [QualifiedName(owner.path, self.prefix) for owner in owners]
        return [member_of(owner, method) for owner in related(self.inference, owners, method)]

    def narrow(self, owners: set[QualifiedName]) -> None:
        """Means the member of these classes alone from now on."""
        self.family &= owners
        self._verdicts.clear()

    def answers(self, place: QualifiedName) -> bool:
        """Whether one of a class that fits a protocol of the family, or that the family fits."""
        owner, is_alike = place.name.rpartition(".")[0], bool(self._classes)
        if self.is_parameter:
            owner, _, method = owner.rpartition(".")
            is_alike &= method == self.prefix.rpartition(".")[2]
        if not is_alike or owner not in self.inference.facts[place.path].classes:
            return False
        place = QualifiedName(place.path, owner)
        members = _members(self.inference, place)
        if _is_protocol(self.inference, place):
            return any(members <= _members(self.inference, relative) for relative in self._classes)
        protocols = [item for item in self._classes if _is_protocol(self.inference, item)]
        return any(_members(self.inference, protocol) <= members for protocol in protocols)

    def carries(self, path: str, name: str) -> bool:
        """Whether a module's name is the target: defined as it, or imported under its name."""
        place = QualifiedName(path, name)
        if place in self.targets or self.requests(path, name) == YES:
            return True
        owner, _, last = name.rpartition(".")
        if self.owner is not None:
            return last == self.old and QualifiedName(path, owner) in self.family
        if self.prefix or last != self.old:
            return False
        if place not in self._carried:
            self._carried[place] = False  # a cycle of imports carries nothing
            self._carried[place] = self._is_imported(place)
        return self._carried[place]

    def _is_imported(self, place: QualifiedName) -> bool:
        """Whether a name is bound by an import of the target."""
        facts = self.inference.need(place.path)
        bound = facts.bindings.get(place.name, ()) if facts is not None else ()
        imports = [item for item in bound if isinstance(item, Imported) and item.name == self.old]
        return any(self.brings(place.path, source) for source in imports)

    def requests(self, path: str, name: str) -> str:
        """Whether a name is a parameter for which pytest passes the target, a fixture."""
        if not self._is_fixture:
            return NO
        prefix, _, last = name.rpartition(".")
        test = QualifiedName(path, prefix)
        function = self.inference.function_facts(test)
        if last != self.old or function is None or last not in function.passed:
            return NO
        fixture = fixture_for(self.inference, test, last)
        own = self.targets | {member_of(owner, self.old) for owner in self.family}
        return MAYBE if fixture is None else YES if fixture in own else NO

    def exports(self, module: str) -> bool:
        """Whether a module's `old`, its own or star-imported, is the target."""
        if self.owner is not None or self.prefix or module.endswith("/"):
            return False
        if (facts := self.inference.need(module)) is None:
            return False
        if self.old in facts.bindings:
            return self.carries(module, self.old)
        key = QualifiedName(module, "*")
        if key not in self._carried:
            self._carried[key] = False
            self._carried[key] = any(self.brings(module, star) for star in facts.stars)
        return self._carried[key]

    def brings(self, path: str, source: Imported) -> bool:
        """Whether the module that an import in `path` names has the target as its `old`."""
        module = self.inference.modules.find(path, source.level, source.module)
        return module is not None and module != path and self.exports(module)

    def star_imports(self) -> Iterator[tuple[str, str, bool]]:
        """Those that bring the target: where, the module, and whether a judged use has it so."""
        used = {module for (module, name), is_it in self._carried.items() if is_it and name == "*"}
        for path, facts in self.inference.facts.items():
            for star in facts.stars:
                if self.brings(path, star):
                    module = self.inference.modules.find(path, star.level, star.module) or ""
                    yield path, module, path in used

    def exported(self, module: str) -> str:
        """What a module's `old` is. MAYBE if the module makes it only when it runs."""
        if self.exports(module):
            return YES
        facts = None if module.endswith("/") else self.inference.need(module)
        if facts is None or self.owner is not None or self.prefix or self.old in facts.bindings:
            return NO
        modules = self.inference.modules
        if modules.inside(module, self.old) is not None:
            return NO
        stars = [modules.find(module, star.level, star.module) for star in facts.stars]
        return NO if any(stars) else MAYBE


ABSENT = "absent"  # has no such member: where it stands beside others, those are meant
LACKS = "lacks"  # as that, of a class in the workspace: alone it is a riddle


class Receivers(RenameTarget):
    """Judges values: those that an attribute is read from, and those that are called."""

    def receiver(self, value: Value) -> str:
        """Whether a value's member called `old` is the target."""
        if isinstance(value, val.ModuleValue):
            return self.exported(value.path)
        if self.owner is None:
            return NO
        match value:
            case val.ClassValue(definition) | val.InstanceValue(definition):
                return self.member(definition)
            case val.FunctionValue(definition) if self.inference.is_decorated(definition):
                made = {self.receiver(kind) for kind in self.inference.decorated(definition)}
                return made.pop() if len(made) == 1 else MAYBE
            case val.FunctionValue() | val.ContainerMethod() | val.ContainerValue():
                return ABSENT
            case val.HolderValue():
                return ABSENT
            case val.OutsideValue(dotted) if val.lacks(dotted, self.old):
                return ABSENT
        return MAYBE if isinstance(value, val.Unknown) else NO

    def member(self, place: QualifiedName) -> str:
        """Whether the member that a class has is the target."""
        if place not in self._verdicts:
            self._verdicts[place] = self._member(place)
        return self._verdicts[place]

    def _member(self, place: QualifiedName) -> str:
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
            case val.FunctionValue(definition):
                if not self.is_parameter:
                    return self._spread(definition)
                if self._is_function(definition):
                    return YES
                return MAYBE if self.answers(member_of(definition, self.old)) else NO
            case val.ClassValue(definition):
                return self._constructor(definition)
        return MAYBE if isinstance(value, val.Unknown) else NO

    def _is_function(self, place: QualifiedName) -> bool:
        return member_of(place, self.old) in self.targets

    def _constructor(self, place: QualifiedName) -> str:
        """A class that is called: its `__init__`, or the fields that stand for one."""
        if self.is_parameter:
            definer, certain = self.inference.definer(place, "__init__")
            if definer is None:
                return NO if certain else MAYBE
            return YES if self._is_function(member_of(definer, "__init__")) else NO
        if self.member(place) != YES or self._fielded(place):
            return self.member(place)
        definer, _ = self.inference.definer(place, "__init__")
        return LACKS if definer is None else self._spread(member_of(definer, "__init__"))

    def _spread(self, method: QualifiedName) -> str:
        """A keyword that no parameter of a method takes: `**` may bring it to the object."""
        facts = self.inference.function_facts(method)
        if facts is None or not facts.owner or self.old in facts.parameters:
            return NO
        owner = QualifiedName(method.path, facts.owner)
        return LACKS if self.member(owner) in (YES, MAYBE) else NO

    def _fielded(self, place: QualifiedName) -> bool:
        """Whether fields stand for the parameters of a class."""
        above = map(self.inference.class_facts, self.inference.lineage(place)[0])
        return any(facts is not None and facts.fielded for facts in above)

    def is_filled(self) -> bool:
        """Whether calls bring it: a parameter, or a field."""
        if self.owner is None:
            return self.is_keyword
        method = self.inference.function_facts(member_of(self.owner, self.old))
        return method is None and self._fielded(self.owner)
