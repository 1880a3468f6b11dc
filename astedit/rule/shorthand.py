"""Transforms written as a call: `replace($A, replace='re', by='x')`. (rule T1)"""

import re
from typing import Any

from astedit.rule.yaml import YamlError, read_yaml

MAX_SIZE = 4_096  # characters; reading takes quadratic time at worst

_CALL = re.compile(r"\s*([A-Za-z]+)\s*\(([^,]*),(.*)\)\s*", re.DOTALL)
_ARGUMENT = re.compile(
    r"""\s*([A-Za-z]+)\s*=\s*('[^']*'|"[^"]*"|\[[^\]]*\]|[^,]*?)\s*(?:,|$)""", re.DOTALL
)


def read_shorthand(text: str) -> dict[str, Any]:
    """The object form of a call; raises ValueError with what is wrong."""
    call = _CALL.fullmatch(text) if len(text) <= MAX_SIZE else None
    if call is None:
        raise ValueError(f"{text!r} is no call such as substring($A, startChar=1)")
    arguments: dict[str, Any] = {"source": call[2].strip()}
    rest, at = call[3], 0
    while rest[at:].strip():
        found = _ARGUMENT.match(rest, at)
        if found is None or not found[2]:
            raise ValueError(f"an argument such as name=value is expected at {rest[at:]!r}")
        if found[1] in arguments:
            raise ValueError(f"the argument {found[1]!r} is given twice")
        arguments[found[1]] = _value(found[2])
        at = found.end()
    return {call[1]: arguments}


def _value(text: str) -> Any:
    try:
        return next(iter(read_yaml(text.encode())), None)
    except YamlError as error:
        problem = error.message.replace(" (line 1)", "")  # of the value; the file's line follows
        raise ValueError(f"{text} is no value: {problem}") from error
