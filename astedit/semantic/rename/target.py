"""What a rename means by a name: which names of which modules are the one definition.

A *target* is a module's name, a member of classes (the class, and every relative of it
that overrides the member), or a name of one function. (spec: locate.md section 9)
"""

from collections.abc import Iterator

from astedit.semantic.inference import fixtures
from astedit.semantic.inference.infer import Evidence
from astedit.semantic.inference.values import Place
from astedit.semantic.rename.family import related

YES, MAYBE, NO = "yes", "maybe", "no"
_CONSTRUCTORS = ("__init__", "__new__", "__init_subclass__")


class Target:
    """The last part of `name`, defined in the module at `path`."""

    def __init__(self, evidence: Evidence, path: str, name: str) -> None:
        self.evidence = evidence
        self.prefix, _, self.old = name.rpartition(".")
        twin = evidence.modules.twin(path)
        places = [path, twin] if twin else [path]
        facts = evidence.facts[path]
        self.owner = (path, self.prefix) if self.prefix in facts.classes else None
        function = facts.functions.get(self.prefix)
        self.is_parameter = function is not None and self.old in function.parameters
        self._carried: dict[Place, bool] = {}
        owners = [(one, self.prefix) for one in places]
        self.family = related(evidence, owners, self.old) if self.owner else set()
        if function is not None and function.owner and self.is_parameter:
            owners = self._overridden([(one, function.owner) for one in places])
        self.targets = {(one, f"{prefix}.{self.old}".lstrip(".")) for one, prefix in owners}
        known = facts.functions.get(name)
        self._is_fixture = known is not None and known.fixture

    def _overridden(self, owners: list[Place]) -> list[Place]:
        """The method of a parameter in the class and its relatives, which are called alike."""
        method = self.prefix.rpartition(".")[2]
        if method in _CONSTRUCTORS:
            return [(path, self.prefix) for path, _ in owners]
        every = related(self.evidence, owners, method)
        return [(path, f"{owner}.{method}") for path, owner in sorted(every)]

    def carries(self, path: str, name: str) -> bool:
        """Whether a module's name is the target: defined as it, or imported under its name."""
        if (path, name) in self.targets or self.requests(path, name) == YES:
            return True
        if self.owner is not None:
            owner, _, last = name.rpartition(".")
            return last == self.old and (path, owner) in self.family
        if self.prefix or name.rpartition(".")[2] != self.old:
            return False
        key = (path, name)
        if key not in self._carried:
            self._carried[key] = False  # a cycle of imports carries nothing
            self._carried[key] = any(self._imports(path, name))
        return self._carried[key]

    def requests(self, path: str, name: str) -> str:
        """Whether a name is a parameter for which pytest passes the target, a fixture."""
        test, _, last = name.rpartition(".")
        facts = self.evidence.need(path) if self._is_fixture else None
        function = facts.functions.get(test) if facts is not None else None
        if last != self.old or function is None or last not in function.passed:
            return NO
        place = fixtures.named(self.evidence, path, test, last)
        return MAYBE if place is None else YES if place in self._fixtures() else NO

    def _fixtures(self) -> set[Place]:
        members = {(path, f"{owner}.{self.old}") for path, owner in self.family}
        return self.targets | members

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

    def exported(self, module: str) -> str:
        """What a module's `old` is; one that it neither binds nor imports is made at run time."""
        if self.exports(module):
            return YES
        facts = None if module.endswith("/") else self.evidence.need(module)
        if facts is None or self.owner is not None or self.prefix or self.old in facts.bindings:
            return NO
        if self.evidence.modules.inside(module, self.old) is not None:
            return NO
        known = [self.evidence.modules.find(module, star[1], star[2]) for star in facts.stars]
        return NO if any(known) else MAYBE
