"""`remove`: a definition that nothing evidently uses."""

from dataclasses import KW_ONLY, dataclass
from typing import Annotated

from astedit.model.request import EditRequest, Operation
from astedit.operations import Descriptor, Face, Lookup, flags_of, is_module, is_source


@dataclass(frozen=True, slots=True)
class RemoveParameters:
    """Remove a definition that nothing uses, or a Python module.

    While evident uses are left, nothing is staged and they are listed. Uses that are not evident
    are listed and refused, too, unless you say to go on even so. Its decorators, the comments
    above it, its overloads, its entry in `__all__`, and unused imports go with it.

    Raises `NotLocated` unless the identifier names one symbol, `PreconditionError` (`in_use`)
    while evident uses are left, and (`listed_uses`) while others are, with their places.
    """

    identifier: Annotated[
        str,
        Face(
            "what `astedit locate` takes and must name one symbol; or the path of a Python module",
            "IDENT",
            "identifiers",
            is_source,
        ),
    ]
    _: KW_ONLY
    even_so: Annotated[bool, Face("Even while uses are listed.", tool="even_so")] = False


def locate(values: RemoveParameters, lookup: Lookup) -> EditRequest:
    """The request that removes what the identifier names."""
    if values.identifier.endswith(".py") and is_module(values.identifier, lookup.workspace):
        arguments = {"id": lookup.workspace.check(values.identifier)}
    else:
        arguments = lookup.definition(values.identifier).arguments
    return EditRequest(ops=[], operation=Operation("remove", arguments | flags_of(values)))


OPERATION = Descriptor(
    "remove",
    RemoveParameters,
    locate,
    "astedit.semantic.remove",
    "remove shop/prices.py::old_price",
)
