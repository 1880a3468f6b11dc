"""Where the value of a Python expression comes from, as small trees of frozen nodes.

`inference` follows them through other modules when somebody asks. None stands for an
expression that nothing is known about. A *name* is qualified within its module, such as
`OrderService.create` or `outer.inner`. A module's own names have no prefix. Those of a
lambda or a comprehension have a prefix that no code can spell.
"""

from dataclasses import dataclass


class Expression:
    """Where a value comes from: each kind is a class without further ones below it."""


@dataclass(frozen=True)
class _Named(Expression):
    name: str


@dataclass(frozen=True)
class Derived(Expression):
    """What one step leads to from a value."""

    value: Expression | None


@dataclass(frozen=True)
class _Several(Expression):
    parts: tuple[Expression | None, ...]


class BoundName(_Named):
    """What `name`, bound in this module, holds."""


class UnboundName(_Named):
    """A name that no scope binds. A star import may bring it."""


class DefinedClass(_Named):
    """A class of this module."""


class DefinedFunction(_Named):
    """A function of this module."""


@dataclass(frozen=True)
class Imported(Expression):
    """What an import brings: `name` of `module`, or the module itself if `name` is None.

    `level` counts the dots of a relative import.
    """

    level: int
    module: str
    name: str | None


class BuiltinValue(_Named):
    """An instance of the built-in type `name`. With `type ` in front, the type itself."""


@dataclass(frozen=True)
class MemberOf(Expression):
    """The attribute `name` of a value."""

    value: Expression | None
    name: str


class CallResult(Derived):
    """What a call gives."""


class InstanceOf(Derived):
    """What has this class or annotation."""


class TypeOf(Derived):
    """The class of a value, as `type(value)`."""


class SuperOf(_Named):
    """`super()` in the class of that name."""


@dataclass(frozen=True)
class TestedValue(Expression):
    """A value that is of the class `kind`, as a test says."""

    value: Expression | None
    kind: Expression | None


class ElementOf(Derived):
    """What iterating over a container or subscripting it gives."""


class ContainerOf(_Several):
    """A container of these elements."""


class AddedTo(_Several):
    """What code adds to a container, as a container of it."""


class OneOf(_Several):
    """Any of these. None of them: `None`, which has no members of its own."""


class EnteredBy(Derived):
    """What `with` binds of a context manager."""


class ClassAnnotation(_Several):
    """The annotation `type[...]`."""


@dataclass(frozen=True)
class GenericAnnotation(Expression):
    """An annotation with parameters: `list[int]`, `Box[int]`."""

    origin: Expression | None
    parts: tuple[Expression | None, ...]


@dataclass(frozen=True)
class ChangedCopy(Expression):
    """The class of `value` if `callee` makes changed copies, else `callee` itself."""

    callee: Expression | None
    value: Expression | None


@dataclass(frozen=True)
class FixtureNamed(Expression):
    """What pytest passes to `test` (which may be a fixture) for the parameter `name`."""

    name: str
    test: str


@dataclass(frozen=True)
class HolderOf(Expression):
    """What pytest gives for more than itself: each of its members `names` is the value."""

    names: tuple[str, ...]
    value: Expression | None


@dataclass(frozen=True)
class PassedBy(Expression):
    """What the innermost decorator that tells passes for the parameter at `index`."""

    decorators: tuple[Expression | None, ...]
    index: int


@dataclass(frozen=True)
class OverriddenParameter(Expression):
    """What the method that `method` of `owner` overrides is passed at `index`."""

    owner: str
    method: str
    index: int
