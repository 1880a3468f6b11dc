"""Strict JSON: what a payload may hold, and how a store keeps it."""

from __future__ import annotations

import json
import math
import reprlib
import zlib
from collections.abc import Mapping
from typing import Any

from resolve.errors import ToolError

MAX_DEPTH = 100
MAX_BYTES = 64 * 1024 * 1024
PACK_ABOVE = 4096


def strict_json(value: object, name: str = "payload") -> str:
    """Returns canonical JSON text of plain data, or raises `ToolError(code="invalid")`.

    Only dict with str keys, list, tuple, str, int, finite float, bool and None; no lone
    surrogates; at most 100 levels and 64 MiB. Reading it back gives an equal value
    (tuples come back as lists), so what is stored is what was meant.
    """
    _check(value, name)
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    try:
        size = len(text.encode())
    except UnicodeEncodeError as error:
        raise _invalid(name, "a lone surrogate, which is not text") from error
    if size > MAX_BYTES:
        raise ToolError(
            f"The {name} is {size} bytes; at most {MAX_BYTES} can be stored.",
            code="too_large",
            hint="Split the work into several actions.",
        )
    return text


def _check(value: object, name: str) -> None:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [child for node in level for child in _children(node, name)]
        if not level:
            return
    raise _invalid(name, f"more than {MAX_DEPTH} levels")


def _children(node: object, name: str) -> list[Any]:
    if node is None or isinstance(node, str | int):
        return []
    if isinstance(node, float):
        if not math.isfinite(node):
            raise _invalid(name, f"{node}, which JSON does not have")
        return []
    if isinstance(node, Mapping):
        for key in node:
            if not isinstance(key, str):
                raise _invalid(name, f"the key {key!r}, which is not a string")
        return list(node.values())
    if isinstance(node, list | tuple):
        return list(node)
    raise _invalid(name, f"a {type(node).__name__}, which is not JSON")


def _invalid(name: str, what: str) -> ToolError:
    return ToolError(
        f"The {name} holds {what}.",
        code="invalid",
        hint="Use only objects with string keys, arrays, strings, finite numbers, booleans, null.",
    )


def plain(value: object) -> Any:
    """Returns JSON data that stands for any value, and never raises.

    For what a callback returned: its work is done, and a result that is no strict JSON
    must not keep it from being recorded.
    """
    try:
        return json.loads(json.dumps(value, default=str, skipkeys=True))
    except (TypeError, ValueError):
        return repr(value)
    except RecursionError:  # so deep that `repr` would fail too
        return reprlib.repr(value)


def lenient_json(value: object) -> str:
    """Returns JSON text of `plain(value)`; file names that are not UTF-8 survive in it."""
    return json.dumps(plain(value), separators=(",", ":"))


def pack(text: str) -> str | bytes:
    """Returns the text itself, or its zlib form when that is worth it (over 4 KiB)."""
    return text if len(text) <= PACK_ABOVE else zlib.compress(text.encode(), 1)


def unpack(stored: str | bytes) -> Any:
    """Returns the value of a stored text; ValueError for anything that `pack` has not made."""
    try:
        text = stored if isinstance(stored, str) else zlib.decompress(stored).decode()
        return json.loads(text)
    except (RecursionError, TypeError, zlib.error) as error:
        raise ValueError(str(error)) from error
