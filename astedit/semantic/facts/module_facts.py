"""What one Python module says about names, as plain data that crosses processes.

An *expression* is a nested tuple that says where a value comes from; `evidence.py` follows
it through other modules when somebody asks. None is anything that nothing is known about.

    ("n", name)          what `name`, bound in this module, holds
    ("a", value, name)   an attribute
    ("c", value)         the result of a call
    ("i", value)         an instance, by annotation
    ("m", level, module, name or None)   what an import brings
    ("e", value)         an element, of iterating or subscripting
    ("w", value)         what `with` binds
    ("of", values)       a container of these
    ("u", values)        one of these
    ("s", name)          `super()` in the class of that name
    ("k", name)          an instance of a built-in type, or with `type ` the type itself
    ("star", name)       a name that no scope binds: from a star import, perhaps
    ("type", value)      `type(value)`
    ("fixture", name, test)              what pytest passes to that test or fixture
    ("passed", decorators, index)        what the innermost decorator that tells passes
    ("inherited", owner, method, index)  what the method that this one overrides is passed
    ("request", values)  pytest's `request` in a fixture of these parameters
    ("raised", value)    what `pytest.raises(value)` binds
    ("copied", callee, value)            the class of `value` if the callee makes changed copies
    ("type of", values)  the annotation `type[...]`
    ("holder", value, parts)             an annotation with parameters
    ("class", name), ("func", name)      a definition of this module

A *name* is qualified within the module: `OrderService.create`, `outer.inner`. A module's
own names have no prefix, a lambda's or comprehension's get one that no code can spell.
"""

from dataclasses import dataclass, field, fields
from typing import Any

Expr = Any  # a nested tuple as above; mypy has no recursive tuples worth reading


@dataclass(slots=True)
class Class:
    """`fielded` says that annotations in its body become parameters of its constructor."""

    bases: list[Expr] = field(default_factory=list)
    fielded: bool = False


@dataclass(slots=True)
class Function:
    """`kind` is function, method, static, class or property; `owner` the class around it.

    `fixture` says that pytest passes what it returns or yields to parameters of its name.
    `takes` are the annotated parameters of the callable that it takes first: a decorator's.
    `decorators` are its own, the innermost first; `passed` the parameters that pytest fills
    with what fixtures of their names return.
    """

    kind: str
    owner: str
    parameters: list[str]
    fixture: bool = False
    returns: Expr = None
    results: list[Expr] = field(default_factory=list)
    takes: list[Expr] = field(default_factory=list)
    decorators: tuple[Expr, ...] = ()
    passed: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Use:
    """One place where the name in question is written, bytes `start` to `end`.

    `how` is `name` (with the qualified names it may be bound as, and those that the new
    name would be bound as there), `attribute` (of `value`), `keyword` (of a call of
    `value`), `import` (of `value`, `text` the alias or ""), `listed` (in `__all__`; of
    class `text` in `__slots__`), `again` (a name bound to what the bytes in `value` make), or
    `string` (`text` says in what kind of string, `names` the sign beside it, as `strings.py`).
    """

    how: str
    start: int
    end: int
    scope: str = ""
    names: tuple[str, ...] = ()
    shadows: tuple[str, ...] = ()
    value: Expr = None
    text: str = ""


@dataclass(slots=True)
class Facts:
    """One module. `bindings` say what each qualified name is bound to, in order."""

    bindings: dict[str, list[Expr]] = field(default_factory=dict)
    classes: dict[str, Class] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)
    stars: list[Expr] = field(default_factory=list)
    uses: list[Use] = field(default_factory=list)
    news: list[Use] = field(default_factory=list)

    def plain(self) -> tuple[Any, ...]:
        """As tuples, lists and dicts alone."""
        return (
            self.bindings,
            {name: _row(one) for name, one in self.classes.items()},
            {name: _row(one) for name, one in self.functions.items()},
            self.stars,
            [_row(use) for use in self.uses],
            [_row(use) for use in self.news],
        )

    @classmethod
    def restored(cls, plain: tuple[Any, ...]) -> "Facts":
        """The facts that `plain` took apart."""
        bindings, classes, functions, stars, uses, news = plain
        return cls(
            bindings,
            {name: Class(*row) for name, row in classes.items()},
            {name: Function(*row) for name, row in functions.items()},
            stars,
            [Use(*row) for row in uses],
            [Use(*row) for row in news],
        )


def _row(one: Any) -> tuple[Any, ...]:
    return tuple(getattr(one, item.name) for item in fields(one))
