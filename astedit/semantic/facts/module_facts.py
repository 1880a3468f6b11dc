"""What one Python module says about names."""

from dataclasses import dataclass, field

from astedit.semantic.facts.expression import Expression, Imported
from astedit.semantic.facts.uses import NameUse, Use


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
    fills with what fixtures of their names return.
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


@dataclass(slots=True)
class ModuleFacts:
    """One module. `bindings` say what each qualified name is bound to, in order.

    `uses` are the places where the old name is written, `new_uses` those of the new name.
    """

    bindings: dict[str, list[Expression | None]] = field(default_factory=dict)
    classes: dict[str, ClassFacts] = field(default_factory=dict)
    functions: dict[str, FunctionFacts] = field(default_factory=dict)
    stars: list[Imported] = field(default_factory=list)
    uses: list[Use] = field(default_factory=list)
    new_uses: list[NameUse] = field(default_factory=list)
