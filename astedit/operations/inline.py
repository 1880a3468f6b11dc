"""`inline`: a variable, a constant or a function goes, and what it stands for takes its place."""

import re
from dataclasses import dataclass
from typing import Annotated

from astedit.errors import PreconditionError, RequestError
from astedit.model.request import EditRequest, Operation
from astedit.operations import Descriptor, Face, Lookup

_PLACE = re.compile(r"(.+\.pyi?):(\d+):(\d+)")


@dataclass(frozen=True, slots=True)
class InlineParameters:
    """Replace a Python name by what it stands for, and remove the name.

    The name is a variable or a constant with one value, or a function of one expression. If
    something would be evaluated in another order, more than once or not at all, or a name would
    mean something else, nothing is staged.

    Raises `NotLocated` unless the identifier names one symbol, and `PreconditionError`
    (`would_change`) with the reason.
    """

    target: Annotated[
        str,
        Face(
            "what `astedit locate` takes, or a place where the name stands, from 1",
            "IDENT|FILE:LINE:COL",
            "identifiers",
            lambda target: _PLACE.fullmatch(target) is not None,
        ),
    ]


def locate(values: InlineParameters, lookup: Lookup) -> EditRequest:
    """The request that inlines what is named, or stands at a place."""
    if (match := _PLACE.fullmatch(values.target)) is None:
        arguments = lookup.definition(values.target).arguments
    else:
        arguments = _at(lookup, match[1], int(match[2]), int(match[3]))
    if not arguments["path"].endswith((".py", ".pyi")):
        message = f"{arguments['path']} is not Python."
        raise PreconditionError(message, path=arguments["path"], code="unsupported")
    return EditRequest(ops=[], operation=Operation("inline", arguments))


def _at(lookup: Lookup, written: str, line: int, column: int) -> dict[str, str]:
    """The definition of the name that stands at a place."""
    from astedit.semantic.extract.selection import name_at
    from astedit.semantic.module_code import ModuleCode

    path = lookup.workspace.check(written)
    raw, sha256 = lookup.read(path)
    name = name_at(ModuleCode(path, raw.removeprefix(b"\xef\xbb\xbf")), line, column)
    if name is None:
        raise RequestError(
            f"{path}:{line}:{column} is not a name that {path} defines.",
            hint="Point at a variable, a constant or a function where it is defined or used.",
            code="bad_place",
        )
    return {"id": f"{path}::{name}", "path": path, "name": name, "hash": sha256}


OPERATION = Descriptor(
    "inline", InlineParameters, locate, "astedit.semantic.inline", "inline shop/cart.py::RATE"
)
