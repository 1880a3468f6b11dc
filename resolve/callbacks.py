"""Calls plain callbacks with what their signature asks for."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def call(
    callback: Callable[..., Any], reason: str, extra: Mapping[str, Any] | None, signal: object
) -> Any:
    """Calls `callback(reason[, extra][, signal=signal])`.

    `extra` goes to a parameter of that name, or to a second positional one without a
    default; `signal` to a parameter of that name. A callback without parameters gets none.
    """
    parameters = inspect.signature(callback).parameters
    positional = [one for one in parameters.values() if one.kind in _POSITIONAL]
    plain = [one for one in positional if one.name not in ("extra", "signal")]
    named = {"extra": extra, "signal": signal}
    takes = {name: value for name, value in named.items() if name in parameters}
    anything = any(one.kind is inspect.Parameter.VAR_POSITIONAL for one in parameters.values())
    values: list[Any] = [reason] if plain or anything else []
    second_is_extra = len(plain) > 1 and plain[1].default is inspect.Parameter.empty
    if second_is_extra and "extra" not in takes:
        values.append(extra)
    return callback(*values, **takes)


def takes_signal(callback: Callable[..., Any]) -> bool:
    """True when the callback watches the abort signal itself."""
    return "signal" in inspect.signature(callback).parameters
