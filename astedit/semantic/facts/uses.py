"""The places of one module where the name in question is written."""

from dataclasses import dataclass
from typing import TypeAlias

from astedit.semantic.facts.expression import Expression, Imported


@dataclass(slots=True)
class NameUse:
    """The name itself, bytes `start` to `end`.

    `names` are the qualified names that it may be bound as, and `shadows` those that the
    new name would be bound as there. `scope` is the prefix of the names around it.
    """

    start: int
    end: int
    scope: str
    names: tuple[str, ...]
    shadows: tuple[str, ...] = ()


@dataclass(slots=True)
class ImportUse:
    """The name in `from module import name`, with the alias that it is bound as, or ""."""

    start: int
    end: int
    scope: str
    names: tuple[str, ...]
    shadows: tuple[str, ...]
    module: Imported
    alias: str


@dataclass(slots=True)
class AttributeUse:
    """The name as an attribute of a value."""

    start: int
    end: int
    value: Expression | None


@dataclass(slots=True)
class KeywordUse:
    """The name as the keyword of a call."""

    start: int
    end: int
    callee: Expression | None


@dataclass(slots=True)
class ListedUse:
    """The name in a string that lists names.

    `owner` is "" in `__all__`, the class in `__slots__`, and the test in `parametrize`.
    """

    start: int
    end: int
    owner: str


@dataclass(slots=True)
class ReboundUse:
    """A name of the same spelling, bound to what the bytes `value_start` to `value_end` make."""

    start: int
    value_start: int
    value_end: int


@dataclass(slots=True)
class StringUse:
    """The name in a string that may mean it: see `strings.Mention` for sign and kind."""

    start: int
    sign: str
    kind: str


SpelledUse: TypeAlias = NameUse | ImportUse | AttributeUse | KeywordUse | ListedUse
"""Uses that a rename may change; the others are at most listed."""
Use: TypeAlias = SpelledUse | ReboundUse | StringUse
