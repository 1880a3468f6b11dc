"""`rename`: a definition and every evident reference to it."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Annotated

from astedit.errors import PreconditionError
from astedit.model.request import EditRequest, Operation
from astedit.operations import ALSO, ALSO_ALL, Descriptor, Face, Lookup, flags_of


@dataclass(frozen=True, slots=True)
class RenameParameters:
    """Rename a symbol and its references.

    Python is followed over the whole workspace, JavaScript and TypeScript through their
    modules. Uses that are not evident are listed and not changed.

    Raises `NotLocated` unless the identifier names one symbol, `RequestError` for a bad name,
    `PreconditionError` (`collision`) for a taken one.
    """

    identifier: Annotated[
        str, Face("what `astedit locate` takes and must name one symbol", "IDENT")
    ]
    new_name: Annotated[str, Face(metavar="NEW")]
    _: KW_ONLY
    allow_syntactic: Annotated[
        bool, Face("Rename a public name of a language that is followed within one file only.")
    ] = False
    also: Annotated[Sequence[str], ALSO] = ()
    also_all: Annotated[bool, ALSO_ALL] = False


def locate(values: RenameParameters, lookup: Lookup) -> EditRequest:
    """The request; its arguments say which definition: id, path, name, hash and region.

    Raises what `RenameParameters` says, but for the collision, which the plan finds.
    """
    from astedit.semantic.rename.rename import check_name

    definition = lookup.definition(values.identifier)
    if not definition.node.renamable:
        raise PreconditionError(f"{definition.node.id} cannot be renamed.", code="not_renamable")
    check_name(definition.name.rpartition(".")[2], values.new_name, definition.node.path)
    arguments = definition.arguments | {"new": values.new_name} | flags_of(values)
    return EditRequest(ops=[], operation=Operation("rename", arguments))


OPERATION = Descriptor(
    "rename",
    RenameParameters,
    locate,
    "astedit.semantic.rename.rename",
    "rename OrderService.create place",
)
