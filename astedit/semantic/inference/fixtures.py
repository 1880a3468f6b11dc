"""Which fixture pytest passes for a parameter: that of its name, the nearest one first."""

from collections.abc import Iterator

from astedit.semantic.inference.classes import ClassInference, member_of
from astedit.semantic.inference.values import FunctionValue, QualifiedName


def fixture_for(inference: ClassInference, test: QualifiedName, name: str) -> QualifiedName | None:
    """The fixture that fills the parameter `name` of the function `test`; None if unknown.

    A fixture that asks for another of its own name means the next one outwards.
    """
    function = inference.function_facts(test)
    owner = function.owner if function is not None else ""
    for place in _candidates(inference, QualifiedName(test.path, owner), name):
        if place != test:
            facts = inference.function_facts(place)
            return place if facts is not None and facts.fixture else None
    return None


def _candidates(
    inference: ClassInference, owner: QualifiedName, name: str
) -> Iterator[QualifiedName]:
    """What is called `name` in the class, the module and the conftests around."""
    definer = inference.definer(owner, name)[0] if owner.name else None
    if definer is not None:
        yield member_of(definer, name)
    for path in (owner.path, *_conftests(inference, owner.path)):
        facts = inference.need(path)
        if facts is not None and name in facts.functions:
            yield QualifiedName(path, name)
        elif facts is not None and name in facts.bindings:
            values = inference.bound(path, name)  # imported
            yield from sorted(v.definition for v in values if isinstance(v, FunctionValue))


def _conftests(inference: ClassInference, path: str) -> Iterator[str]:
    folders = path.split("/")[:-1]
    for depth in range(len(folders), -1, -1):
        conftest = inference.modules.at("/".join(folders[:depth]), ["conftest"])
        if conftest is not None and conftest != path:
            yield conftest
