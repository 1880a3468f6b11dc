"""The tool `refactor`: one for all operations, whose parameters it has under names of its own."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from astedit.errors import RequestError
from astedit.json_model import camel
from astedit.operations import Descriptor, Input, kinds, operation


@cache
def offered() -> dict[str, Descriptor]:
    """The operations of which an agent may give all that they need."""
    every = {kind: operation(kind) for kind in kinds()}
    return {kind: each for kind, each in every.items() if all(map(_can_be_given, each.inputs))}


def _can_be_given(parameter: Input) -> bool:
    return parameter.face.tool is not None or not parameter.is_required


def keywords(values: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call as keywords of the operation's function.

    Raises `RequestError` (`invalid_arguments`) for what the operation does not take, what it
    needs, and for several identifiers where it takes one.
    """
    kind = values["kind"]
    inputs = {each.face.tool: each for each in offered()[kind].inputs if each.face.tool}
    keywords = {}
    for name, value in values.items():
        if name == "kind":
            continue
        if name not in inputs:
            raise _wrong(name, f"is no argument of {kind}", f"It takes: {_listed(inputs)}.")
        if isinstance(value, list) and not inputs[name].is_list:
            if len(value) > 1:
                raise _wrong(name, f"has more than one item, and {kind} takes one", "Call again.")
            (value,) = value
        keywords[inputs[name].name] = value
    for name, parameter in inputs.items():
        if parameter.is_required and parameter.name not in keywords:
            raise _wrong(name, "is missing", f"{kind} takes: {_listed(inputs)}.")
    return keywords


def _listed(names: Mapping[str, Input]) -> str:
    return ", ".join(map(camel, names))


def _wrong(name: str, what: str, hint: str) -> RequestError:
    return RequestError(f"`{camel(name)}` {what}.", hint=hint, code="invalid_arguments")
