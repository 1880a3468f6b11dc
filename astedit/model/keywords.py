"""Keywords of a public function that stand in a table: checked, and told of by `help`."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import MISSING
from functools import wraps
from typing import Any, ParamSpec, TypeVar, get_type_hints

from astedit.model.request import OPTIONS, EditRequest

Parameters = ParamSpec("Parameters")
Answer = TypeVar("Answer")


def taking(kind: type) -> Callable[[Callable[Parameters, Answer]], Callable[Parameters, Answer]]:
    """Lets a function take what `kind`, a table of options of a request, names as keywords.

    Any other keyword is a `TypeError`. The signature shows each with its default, and the
    docstring says what it does.
    """

    def decorate(function: Callable[Parameters, Answer]) -> Callable[Parameters, Answer]:
        signature = inspect.signature(function)
        own = [each for each in signature.parameters.values() if each.kind is not each.VAR_KEYWORD]
        whole = signature.replace(parameters=[*own, *_parameters(kind)])
        known = whole.parameters.keys()

        @wraps(function)
        def checked(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Answer:
            for name in kwargs.keys() - known:
                raise TypeError(
                    f"{function.__name__}() got an unexpected keyword argument {name!r}"
                )
            return function(*args, **kwargs)

        vars(checked)["__signature__"] = whole
        if function.__doc__ is not None:  # there is none under -OO
            checked.__doc__ = f"{inspect.cleandoc(function.__doc__)}\n\n{_explained(kind)}"
        return checked

    return decorate


def _explained(kind: type) -> str:
    rows = (f"    {name}: {OPTIONS[name]}" for name in EditRequest.options(kind))
    return "\n".join(["Options:", *rows])


def _parameters(kind: type) -> Iterator[inspect.Parameter]:
    hints: dict[str, Any] = get_type_hints(kind)
    for name in EditRequest.options(kind):
        default = EditRequest.declared(name).default
        yield inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=() if default is MISSING else default,
            annotation=hints[name],
        )
