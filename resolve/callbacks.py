"""Calls plain callbacks with what their signature asks for."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def call(
    callback: Callable[..., Any], reason: str, extra: Mapping[str, Any] | None, signal: object
) -> Any:
    """Calls `callback(reason[, extra][, signal])`.

    `extra` goes to a parameter of that name, or to a second positional one without a
    default; `signal` to a parameter of that name. A callback without parameters gets none.
    """
    try:
        given = inspect.signature(callback).bind_partial()
    except ValueError:  # some built-ins do not tell
        return callback(reason)
    parameters = given.signature.parameters
    named = {"extra": extra, "signal": signal}
    given.arguments.update({name: named[name] for name in named if name in parameters})
    plain = [one for one in parameters.values() if one.name not in named]
    positional = [one for one in plain if one.kind in _POSITIONAL]
    if positional:
        given.arguments[positional[0].name] = reason
    elif (rest := _rest(plain)) is not None:
        given.arguments[rest] = (reason,)
    second = positional[1:2]
    if second and second[0].default is inspect.Parameter.empty and "extra" not in parameters:
        given.arguments[second[0].name] = extra
    return callback(*given.args, **given.kwargs)


def takes_signal(callback: Callable[..., Any]) -> bool:
    """True when the callback watches the abort signal itself."""
    try:
        return "signal" in inspect.signature(callback).parameters
    except ValueError:
        return False


def _rest(parameters: list[inspect.Parameter]) -> str | None:
    """Returns the name of the parameter that takes any number of positional values."""
    kind = inspect.Parameter.VAR_POSITIONAL
    return next((one.name for one in parameters if one.kind is kind), None)
