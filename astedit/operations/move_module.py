"""`move_module`: a Python file, or a package, goes to another place."""

from dataclasses import dataclass
from typing import Annotated

from astedit.language import for_path
from astedit.model.request import EditRequest, Operation
from astedit.operations import Descriptor, Face, Lookup


def _is_path(destination: str) -> bool:
    return for_path(destination) is not None or "/" in destination or "." not in destination


@dataclass(frozen=True, slots=True)
class MoveModuleParameters:
    """Move a Python module, or a package.

    All imports of it follow. Its own relative imports change where they would mean something
    else. Texts with its name are listed.

    Raises `PreconditionError` with a place for what cannot follow.
    """

    source: Annotated[str, Face("", "FILE|DIR", "identifiers", bool)]
    destination: Annotated[
        str, Face("a path, an existing directory, or a name with dots", "DEST", "to", _is_path)
    ]


def locate(values: MoveModuleParameters, lookup: Lookup) -> EditRequest:
    """The request that moves what lies at a path."""
    arguments = {"id": lookup.workspace.check(values.source), "new": values.destination}
    return EditRequest(ops=[], operation=Operation("move_module", arguments))


OPERATION = Descriptor(
    "move_module",
    MoveModuleParameters,
    locate,
    "astedit.semantic.move.move_module",
    "move-module shop/log.py shop/tools",
)
