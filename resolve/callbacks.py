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
        bound = inspect.signature(callback).bind_partial()
    except ValueError:  # some built-ins do not tell
        return callback(reason)
    parameters = bound.signature.parameters
    named = {"extra": extra, "signal": signal}
    bound.arguments.update({name: named[name] for name in named if name in parameters})
    plain = [entry for entry in parameters.values() if entry.name not in named]
    positional = [entry for entry in plain if entry.kind in _POSITIONAL]
    if positional:
        bound.arguments[positional[0].name] = reason
    elif (rest := _rest(plain)) is not None:
        bound.arguments[rest] = (reason,)
    second = positional[1:2]
    if second and second[0].default is inspect.Parameter.empty and "extra" not in parameters:
        bound.arguments[second[0].name] = extra
    return callback(*bound.args, **bound.kwargs)


def takes_signal(callback: Callable[..., Any]) -> bool:
    """True when the callback watches the abort signal itself."""
    try:
        return "signal" in inspect.signature(callback).parameters
    except ValueError:
        return False


def _rest(parameters: list[inspect.Parameter]) -> str | None:
    """Returns the name of the parameter that takes any number of positional values."""
    kind = inspect.Parameter.VAR_POSITIONAL
    return next((entry.name for entry in parameters if entry.kind is kind), None)
