"""`codemod`: a libcst codemod class of the user's."""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Annotated

from astedit.errors import RequestError
from astedit.model.request import EditRequest, Operation
from astedit.operations import Descriptor, Face, Lookup


@dataclass(frozen=True, slots=True)
class CodemodParameters:
    """Run a libcst codemod on Python files.

    The class runs in worker processes of its own. Only your own configuration (`[codemods]`) or
    --codemod says which class a name means; only the name is staged.

    Raises `PreconditionError` (`unknown_codemod`) for a name that means no class.
    """

    name: Annotated[str, Face("", "NAME", "identifiers")]
    paths: Annotated[Sequence[str], Face("", "[PATHS]", "paths", bool)] = (".",)
    _: KW_ONLY
    codemods: Annotated[
        Mapping[str, str], Face("Which class a codemod's name means, unless it is configured.")
    ] = field(default_factory=dict)
    allow_partial: Annotated[
        bool, Face("Leave out files on which it crashes.", tool="allow_partial")
    ] = False


def locate(values: CodemodParameters, lookup: Lookup) -> EditRequest:
    """The request that runs the codemod of this name on the Python files below the paths."""
    if not values.name.isprintable() or not values.name:
        raise RequestError("The codemod's name is empty or not printable.", code="bad_name")
    return EditRequest(
        ops=[],
        paths=[lookup.workspace.check(path) for path in values.paths],
        allow_partial=values.allow_partial,
        operation=Operation("codemod", {"id": values.name}),
    )


OPERATION = Descriptor(
    "codemod",
    CodemodParameters,
    locate,
    "astedit.semantic.codemod",
    "codemod modernize --codemod modernize=my_codemods:Modernize src",
)
