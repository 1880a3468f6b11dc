"""`remove`: a definition that nothing evidently uses."""

from dataclasses import dataclass
from typing import Annotated

from astedit.model.request import EditRequest, Operation
from astedit.operations import Descriptor, Face, Lookup


@dataclass(frozen=True, slots=True)
class RemoveParameters:
    """Remove a Python definition that nothing uses.

    While evident uses are left nothing is staged, and they are listed; what may use it without
    evidence is listed and not changed. Its decorators, the comments above it, its overloads,
    its entry in `__all__`, and imports that nobody needs any more go with it.

    Raises `NotLocated` unless the identifier names one symbol, `PreconditionError` (`in_use`)
    while evident uses are left, with their places.
    """

    identifier: Annotated[
        str, Face("what `astedit locate` takes and must name one symbol", "IDENT", "identifiers")
    ]


def locate(values: RemoveParameters, lookup: Lookup) -> EditRequest:
    """The request that removes what the identifier names."""
    arguments = lookup.definition(values.identifier).arguments
    return EditRequest(ops=[], operation=Operation("remove", arguments))


OPERATION = Descriptor(
    "remove",
    RemoveParameters,
    locate,
    "astedit.semantic.remove",
    "remove shop/prices.py::old_price",
)
