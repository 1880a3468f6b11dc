"""What is wrong with the JSON of a model, in plain words."""

import dataclasses
import json
import re
from collections.abc import Iterable
from typing import Any, get_args, get_type_hints

from astedit.json_model import KINDS, camel
from astedit.text import meant

_WORDS = {name: words for name, (_, words) in KINDS.items()}
_WORDS |= {"list": "a list", "dictionary": "an object"}


def mistakes(error: ValueError, model: type, beside: Iterable[str] = ()) -> str:
    """What pydantic refuses of a model's JSON, in plain words: `overlap` must be …; the first.

    `beside` are keys that may stand beside those of the model.
    """
    listed: list[dict[str, Any]] = getattr(error, "errors", list)()
    if not listed:
        return str(error)
    first, *others = listed
    *outer, last = first["loc"] or ("",)
    key = re.sub(r"^ops\.(\d+)", r"ops[\1]", ".".join(map(str, (*outer, last))))
    value, words = first.get("input"), str(first["msg"]).partition(": ")[0]
    words = re.sub(r"a valid (\w+)", lambda kind: _WORDS.get(kind[1], kind[0]), words)
    if first["type"] == "unexpected_keyword_argument":
        kind = _inner(model, outer)
        told = f"there is no key {key!r}"
        known = map(camel, (f.name for f in dataclasses.fields(kind))) if kind else ()
        near = meant([*known, *(() if outer else beside)], last)
    elif first["type"] in ("missing", "missing_argument"):
        told, near = f"the key {key!r} is missing", ""
    else:
        told = f"{key!r} {words.replace('Input should be', 'must be')}, not {json.dumps(value)}"
        near = meant(re.findall(r"'([^']+)'", words), value)
    more = f" ({len(others)} more)" if others else ""
    return f"{told}{more}.{' ' * bool(near)}{near.strip()}"


def _inner(model: type, outer: list[Any]) -> Any:
    """The model in which a key stands; None where it cannot be told."""
    kind: Any = model
    for name in (name for name in outer if not isinstance(name, int)):
        hints = {camel(key): hint for key, hint in get_type_hints(kind).items()}
        inner = [hints.get(str(name)), *get_args(hints.get(str(name)))]
        kind = next((each for each in inner if dataclasses.is_dataclass(each)), None)
        if kind is None:
            return None
    return kind
