"""What the doctor says of a pattern (`Explanation`); only `explain` and hints need it."""

from dataclasses import dataclass, field
from typing import ClassVar

from astedit.json_model import Model
from astedit.model.edit import LanguageUse


@dataclass(slots=True, eq=False, repr=False)
class PatternWarning(Model):
    """Something about a pattern that is likely not what its author meant."""

    code: str
    message: str


@dataclass(slots=True, eq=False, repr=False)
class Suggestion(Model):
    """A spelling that compiles: options for the command line, and how it parses."""

    language: str
    message: str
    context: str | None = None
    selector: str | None = None
    pat: str | None = None


@dataclass(slots=True, eq=False, repr=False)
class Explanation(Model):
    """How a pattern is read, per language, and what to write instead."""

    _schema: ClassVar[str | None] = "astedit/explanation/1"

    pat: str
    languages: list[LanguageUse]
    tree: str
    warnings: list[PatternWarning] = field(default_factory=list)
    suggestions: list[Suggestion] = field(default_factory=list)
    captures: list[str] = field(default_factory=list)
