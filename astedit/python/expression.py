"""Where the value of a Python expression comes from, as small trees of frozen nodes.

`inference` follows them through other modules when somebody asks. None stands for an
expression that nothing is known about. A *name* is qualified within its module, such as
`OrderService.create` or `outer.inner`. A module's own names have no prefix. Those of a
lambda or a comprehension have a prefix that no code can spell.
"""

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class BoundName:
    """What `name`, bound in this module, holds."""

    name: str


@dataclass(frozen=True, slots=True)
class UnboundName:
    """A name that no scope binds. A star import may bring it."""

    name: str


@dataclass(frozen=True, slots=True)
class DefinedClass:
    """A class of this module."""

    name: str


@dataclass(frozen=True, slots=True)
class DefinedFunction:
    """A function of this module."""

    name: str


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import brings: `name` of `module`, or the module itself if `name` is None.

    `level` counts the dots of a relative import.
    """

    level: int
    module: str
    name: str | None


@dataclass(frozen=True, slots=True)
class BuiltinValue:
    """An instance of the built-in type `name`. With `type ` in front, the type itself."""

    name: str


@dataclass(frozen=True, slots=True)
class MemberOf:
    """The attribute `name` of a value."""

    value: "Expression | None"
    name: str


@dataclass(frozen=True, slots=True)
class CallResult:
    """What a call gives."""

    callee: "Expression | None"


@dataclass(frozen=True, slots=True)
class InstanceOf:
    """What has this class or annotation."""

    annotation: "Expression | None"


@dataclass(frozen=True, slots=True)
class TypeOf:
    """The class of a value, as `type(value)`."""

    value: "Expression | None"


@dataclass(frozen=True, slots=True)
class SuperOf:
    """`super()` in the class of that name."""

    owner: str


@dataclass(frozen=True, slots=True)
class ElementOf:
    """What iterating over a container or subscripting it gives."""

    container: "Expression | None"


@dataclass(frozen=True, slots=True)
class ContainerOf:
    """A container of these elements."""

    elements: "tuple[Expression | None, ...]"


@dataclass(frozen=True, slots=True)
class OneOf:
    """Any of these. None of them: `None`, which has no members of its own."""

    choices: "tuple[Expression | None, ...]"


@dataclass(frozen=True, slots=True)
class EnteredBy:
    """What `with` binds of a context manager."""

    manager: "Expression | None"


@dataclass(frozen=True, slots=True)
class ClassAnnotation:
    """The annotation `type[...]`."""

    parts: "tuple[Expression | None, ...]"


@dataclass(frozen=True, slots=True)
class GenericAnnotation:
    """An annotation with parameters: `list[int]`, `Box[int]`."""

    origin: "Expression | None"
    parts: "tuple[Expression | None, ...]"


@dataclass(frozen=True, slots=True)
class ChangedCopy:
    """The class of `value` if `callee` makes changed copies, else `callee` itself."""

    callee: "Expression | None"
    value: "Expression | None"


@dataclass(frozen=True, slots=True)
class FixtureNamed:
    """What pytest passes to `test` (which may be a fixture) for the parameter `name`."""

    name: str
    test: str


@dataclass(frozen=True, slots=True)
class RequestOf:
    """The `request` of pytest in a fixture with these parameters."""

    params: "Expression | None"


@dataclass(frozen=True, slots=True)
class RaisedInfo:
    """What `pytest.raises(exception)` binds."""

    exception: "Expression | None"


@dataclass(frozen=True, slots=True)
class PassedBy:
    """What the innermost decorator that tells passes for the parameter at `index`."""

    decorators: "tuple[Expression | None, ...]"
    index: int


@dataclass(frozen=True, slots=True)
class OverriddenParameter:
    """What the method that `method` of `owner` overrides is passed at `index`."""

    owner: str
    method: str
    index: int


Expression: TypeAlias = (
    BoundName
    | UnboundName
    | DefinedClass
    | DefinedFunction
    | Imported
    | BuiltinValue
    | MemberOf
    | CallResult
    | InstanceOf
    | TypeOf
    | SuperOf
    | ElementOf
    | ContainerOf
    | OneOf
    | EnteredBy
    | ClassAnnotation
    | GenericAnnotation
    | ChangedCopy
    | FixtureNamed
    | RequestOf
    | RaisedInfo
    | PassedBy
    | OverriddenParameter
)
