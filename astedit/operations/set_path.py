"""`set_path`: another path for a route or a client."""

from dataclasses import dataclass
from typing import Annotated

from astedit.model.request import EditRequest
from astedit.operations import Descriptor, Face, Lookup


@dataclass(frozen=True, slots=True)
class SetPathParameters:
    """Change the path of a route or a client.

    One literal changes; prefixes from other literals have to stay. Clients and tests
    that ask for the old path are listed, not changed.

    Raises `NotLocated` unless the identifier names one node, `PreconditionError` (`prefix`,
    `parameters`, `collision`, `no_literal`) where that literal cannot say the new path.
    """

    identifier: Annotated[str, Face("", "IDENT")]
    new_path: Annotated[str, Face("the whole new path", "NEW")]


def locate(values: SetPathParameters, lookup: Lookup) -> EditRequest:
    """The request that changes the literal."""
    from astedit.locating.set_path import request_of_set_path

    return request_of_set_path(lookup.inventory, values.identifier, values.new_path)


OPERATION = Descriptor(
    "set_path",
    SetPathParameters,
    locate,
    "astedit.locating.set_path",
    "set-path 'GET /api/v1/customers' /api/v1/clients",
)
