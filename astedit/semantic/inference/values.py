"""What an expression may be, and the steps from one value to what it gives.

Nothing is guessed: a name that two things may be gives both. `UNKNOWN` stands for anything.
"""

import builtins
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias


class QualifiedName(NamedTuple):
    """A name that the module at `path` defines, qualified within that module."""

    path: str
    name: str


@dataclass(frozen=True, slots=True)
class Value:
    """What an expression may be."""


class Unknown(Value):
    """Anything."""


@dataclass(frozen=True, slots=True)
class _Defined(Value):
    definition: QualifiedName


class ClassValue(_Defined):
    """A class of the workspace."""


class InstanceValue(_Defined):
    """An instance of a class of the workspace."""


class FunctionValue(_Defined):
    """A function of the workspace."""


@dataclass(frozen=True, slots=True)
class ModuleValue(Value):
    """A module of the workspace, or a package of it as `directory/`."""

    path: str


@dataclass(frozen=True, slots=True)
class OutsideValue(Value):
    """What the workspace does not define, as a dotted name, with `()` for each call.

    A name of `builtins` is an instance of that type. With `type ` in front, it is the type.
    """

    dotted: str


@dataclass(frozen=True, slots=True)
class ContainerValue(Value):
    """A container of these. It may also be a callable that returns them."""

    elements: frozenset[Value]


@dataclass(frozen=True, slots=True)
class ContainerMethod(Value):
    """A method of a container, and what a call of it gives."""

    gives: frozenset[Value]


@dataclass(frozen=True, slots=True)
class NamedClass(Value):
    """An annotation that names a class itself: what has it is that class."""

    named: Value


@dataclass(frozen=True, slots=True)
class HolderValue(Value):
    """What pytest gives for more than itself: each of its members `names` is one of these."""

    names: tuple[str, ...]
    values: frozenset[Value]


Values: TypeAlias = frozenset[Value]

UNKNOWN = Unknown()
NOTHING: Values = frozenset()
DOUBT: Values = frozenset({UNKNOWN})
COPYING_FUNCTIONS = ("dataclasses.replace", "copy.replace", "attr.evolve", "attrs.evolve")
_PASSING = (  # built-in functions that give what they are passed
    *("abs", "aiter", "anext", "divmod", "eval", "getattr", "iter", "max", "min", "next", "pow"),
    *("round", "sum", "super", "__import__"),
)
_VAGUE = ("unittest.mock", "typing", "typing_extensions", "collections.abc", "builtins.type object")


def only(value: Value) -> Values:
    """That value alone."""
    return frozenset({value})


def instance_of(value: Value) -> Values:
    """What something is that has this for its class or annotation."""
    match value:
        case ClassValue(definition):
            return only(InstanceValue(definition))
        case OutsideValue(dotted):
            return DOUBT if is_vague(dotted) else only(OutsideValue(f"{dotted}()"))
        case NamedClass(named):
            return only(named)
        case ContainerValue():
            return only(value)
    return DOUBT


def is_doubtful(value: Value) -> bool:
    """Whether this may be anything, or hold it."""
    return value == UNKNOWN or (
        isinstance(value, ContainerValue) and any(map(is_doubtful, value.elements))
    )


def class_of(value: Value) -> Values:
    """What `type(…)` gives."""
    return only(ClassValue(value.definition)) if isinstance(value, InstanceValue) else DOUBT


def element_of(value: Value) -> Values:
    """What iterating or subscripting gives."""
    match value:
        case ContainerValue(elements):
            return elements
        case ClassValue():
            return only(value)
        case OutsideValue("builtins.str" | "builtins.type str()"):
            return only(value)
        case OutsideValue("builtins.int" | "builtins.type int()"):
            return NOTHING  # a key beside the values, perhaps; nothing is in it
    return DOUBT


# an element, all of them, or them in pairs
CONTAINER_METHODS: dict[str, Callable[[ContainerValue], Values]] = {
    **dict.fromkeys(("get", "pop", "popleft", "setdefault"), element_of),
    **dict.fromkeys(("values", "keys", "copy", "elements", "union", "intersection"), only),
    "items": lambda container: only(ContainerValue(only(container))),
}


def outside_result(value: OutsideValue) -> Values:
    """What a call of something outside the workspace gives: an instance, if it is a class."""
    name = value.dotted.removeprefix("builtins.type ")
    last = name.rpartition(".")[2]
    is_class = name != value.dotted or last[:1].isupper() or name == "enum.auto"
    certain = is_class and name not in _PASSING and not is_vague(value.dotted)
    return only(OutsideValue(f"{value.dotted}()")) if certain else DOUBT


def is_vague(dotted: str) -> bool:
    """Annotations such as `Any` or a type variable say nothing."""
    return dotted.startswith(_VAGUE) or dotted == "builtins.type type"


def lacks(dotted: str, member: str) -> bool:
    """Whether this is an instance of a built-in type without such a member."""
    name = dotted.removeprefix("builtins.").removeprefix("type ").removesuffix("()")
    kind = getattr(builtins, name, None) if dotted.startswith("builtins.") else None
    return isinstance(kind, type) and not hasattr(kind, member)
