"""What one Python module says about names, and where the name in question is written."""

from dataclasses import dataclass, field
from typing import TypeAlias

from astedit.python.expression import Expression, Imported


@dataclass(slots=True)
class _Spelled:
    """Where the name is written: bytes `start` to `end`."""

    start: int
    end: int


@dataclass(slots=True)
class NameUse(_Spelled):
    """The name itself.

    `names` are the qualified names that it may be bound as, and `shadows` those that the
    new name would be bound as there. `scope` is the prefix of the names around it.
    """

    scope: str
    names: tuple[str, ...]
    shadows: tuple[str, ...] = ()


@dataclass(slots=True)
class ImportUse(_Spelled):
    """The name in `from module import name`, with the alias that it is bound as, or ""."""

    scope: str
    names: tuple[str, ...]
    shadows: tuple[str, ...]
    module: Imported
    alias: str


@dataclass(slots=True)
class AttributeUse(_Spelled):
    """The name as an attribute of a value."""

    value: Expression | None


@dataclass(slots=True)
class KeywordUse(_Spelled):
    """The name as the keyword of a call."""

    callee: Expression | None


@dataclass(slots=True)
class ListedUse(_Spelled):
    """The name in a string that lists names.

    `owner` is "" in `__all__`, the class in `__slots__`, and the test in `parametrize`.
    """

    owner: str


@dataclass(slots=True)
class ReboundUse:
    """A name of the same spelling, bound to what the bytes `value_start` to `value_end` make."""

    start: int
    value_start: int
    value_end: int


@dataclass(slots=True)
class StringUse:
    """The name in a string that may mean it.

    `sign` is `.` or `<` for a name behind one of these, `=` or `(` for a name before one of
    these, else "". `kind` says in what kind of string it stands, in words.
    """

    start: int
    sign: str
    kind: str


SpelledUse: TypeAlias = NameUse | ImportUse | AttributeUse | KeywordUse | ListedUse
"""Uses that a rename may change; the others are at most listed."""
Use: TypeAlias = SpelledUse | ReboundUse | StringUse


@dataclass(slots=True)
class ClassFacts:
    """A class; `fielded` says that annotations in its body are parameters of its constructor."""

    bases: list[Expression | None] = field(default_factory=list)
    fielded: bool = False


@dataclass(slots=True)
class FunctionFacts:
    """`kind` is function, method, static, class or property; `owner` the class around it.

    `fixture` says that pytest passes what it returns or yields to parameters of its name.
    `takes` are the annotated parameters of the callable that it takes first: a decorator's.
    `decorators` are its own, the innermost first. `passed` are the parameters that pytest
    fills with what fixtures of their names return. Calls name none of the first `unnamed` ones.
    """

    kind: str
    owner: str
    parameters: list[str]
    fixture: bool = False
    returns: Expression | None = None
    results: list[Expression | None] = field(default_factory=list)
    takes: list[Expression | None] = field(default_factory=list)
    decorators: tuple[Expression | None, ...] = ()
    passed: list[str] = field(default_factory=list)
    unnamed: int = 0


@dataclass(slots=True)
class MemberPut:
    """What code puts into a member of an object, other than a method that assigns to `self`."""

    owner: Expression | None
    value: Expression | None


@dataclass(slots=True)
class ModuleFacts:
    """One module. `bindings` say what each qualified name is bound to, in order.

    `puts` are, by the names of members, what code puts there from outside or adds to them.
    `uses` are the places where the old name is written, `new_uses` those of the new name.
    """

    bindings: dict[str, list[Expression | None]] = field(default_factory=dict)
    classes: dict[str, ClassFacts] = field(default_factory=dict)
    functions: dict[str, FunctionFacts] = field(default_factory=dict)
    puts: dict[str, list[MemberPut]] = field(default_factory=dict)
    stars: list[Imported] = field(default_factory=list)
    uses: list[Use] = field(default_factory=list)
    new_uses: list[NameUse] = field(default_factory=list)
