"""What a rename means by a name: which names of which modules are the same definition.

A *target* is a module's name, a member of classes (the class, and every relative of it
that overrides the member), or a name of one function.
"""

from astedit.semantic.facts.expression import Imported
from astedit.semantic.inference.classes import member_of
from astedit.semantic.inference.fixtures import fixture_for
from astedit.semantic.inference.infer import Inference
from astedit.semantic.inference.values import QualifiedName
from astedit.semantic.rename.family import related

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
        scopes = [QualifiedName(each, self.prefix) for each in paths]
        self.family = related(inference, scopes, self.old) if self.owner else set()
        if function is not None and function.owner and self.is_parameter:
            scopes = self._overridden([QualifiedName(each, function.owner) for each in paths])
        self.targets = {self._within(scope) for scope in scopes}
        defined = facts.functions.get(name)
        self._is_fixture = defined is not None and defined.fixture
        self._carried: dict[QualifiedName, bool] = {}

    def _within(self, scope: QualifiedName) -> QualifiedName:
        return QualifiedName(scope.path, f"{scope.name}.{self.old}".lstrip("."))

    def _overridden(self, owners: list[QualifiedName]) -> list[QualifiedName]:
        """The method of a parameter in the class and its relatives, which are called alike."""
        method = self.prefix.rpartition(".")[2]
        if method in _CONSTRUCTORS:
            return [QualifiedName(owner.path, self.prefix) for owner in owners]
        return [member_of(owner, method) for owner in related(self.inference, owners, method)]

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
        imports = [each for each in bound if isinstance(each, Imported) and each.name == self.old]
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
        return MAYBE if fixture is None else YES if fixture in self._fixtures() else NO

    def _fixtures(self) -> set[QualifiedName]:
        return self.targets | {member_of(owner, self.old) for owner in self.family}

    def exports(self, module: str) -> bool:
        """Whether a module's `old`, its own or star-imported, is the target."""
        if self.owner is not None or self.prefix or module.endswith("/"):
            return False
        facts = self.inference.need(module)
        if facts is None:
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
