"""The arguments of a call, checked against the very schema that the model was shown."""

from collections.abc import Mapping, Sequence
from typing import Any

from astedit.agents.tools.specs import spec
from astedit.errors import RequestError
from astedit.json_model import SchemaCheck, snake

_CHECK = SchemaCheck("invalid_arguments", "is no argument", "The argument object")
_EITHER = {
    "ast_edit": ("ops", "rules", "patch", "like"),
    "ast_grep": ("pat", "rule"),
}  # one of them at least


def arguments(name: str, values: object) -> dict[str, Any]:
    """The arguments of a call as keywords for the Python function of that tool.

    Checked against the very schema that the model was shown. Raises `RequestError` that
    names the argument and what it should be.
    """
    if not isinstance(values, Mapping):
        hint = "Give one object of JSON, well formed."
        raise RequestError(f"{_CHECK.whole} is not an object.", hint=hint, code=_CHECK.code)
    checked = _CHECK.value(values, spec(name).schema)
    either = _EITHER.get(name, ())
    if either and not checked.keys() & set(either):
        raise _wrong(either[0], "is missing", f"Give {_or(either)}.")
    if name == "ast_grep" and checked.keys() >= set(either):
        raise _wrong("rule", "stands in the place of `pat`", "Give one of them.")
    return {snake(key): value for key, value in checked.items()}


def _wrong(name: str, what: str, hint: str) -> RequestError:
    return RequestError(f"`{name}` {what}.", hint=hint, code=_CHECK.code)


def _or(names: Sequence[str]) -> str:
    """`a`, `b` or `c`."""
    *most, last = (f"`{name}`" for name in names)
    return f"{', '.join(most)} or {last}"
