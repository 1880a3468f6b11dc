"""`extract`: a part of a Python function gets a name of its own."""

import hashlib
from dataclasses import dataclass
from typing import Annotated

from astedit.errors import PreconditionError
from astedit.language import for_path
from astedit.limits import MAX_FILE_SIZE
from astedit.model.request import EditRequest, Operation
from astedit.operations import Descriptor, Face, Lookup


@dataclass(frozen=True, slots=True)
class ExtractParameters:
    """Make a function, a variable or a constant of a part of a Python module.

    A function takes what the code reads, and returns what is read after it. A variable comes
    before its statement, a constant to the top of the module. Where names or the order of
    evaluation would change nothing is staged, and the place is named.

    Raises `RequestError` (`bad_range`, `bad_name`) for what selects no code as a whole, and
    `PreconditionError` (`would_change`, `collision`) with the reason.
    """

    kind: Annotated[str, Face("function, variable or constant", "KIND", "what")]
    place: Annotated[
        str,
        Face(
            "counted from 1, the end column left out",
            "FILE:LINE[:COL]-LINE[:COL]",
            "identifiers",
            bool,
        ),
    ]
    name: Annotated[str, Face(metavar="NAME", tool="to")]


def locate(values: ExtractParameters, lookup: Lookup) -> EditRequest:
    """The request that extracts what is selected; raises `RequestError` for no place or name."""
    from astedit.semantic.extract.extract import check_kind
    from astedit.semantic.extract.selection import parts_of_range
    from astedit.semantic.rename.rename import check_name

    check_kind(values.kind)
    written, place = parts_of_range(values.place)
    path = lookup.workspace.check(written)
    row = for_path(path)
    if row is None or row.name != "python":
        raise PreconditionError(f"{path} is not Python.", path=path, code="unsupported")
    check_name("name", values.name, path)
    try:
        raw, _ = lookup.workspace.read(path, MAX_FILE_SIZE)
    except OSError as error:
        raise PreconditionError(
            f"{path} cannot be read ({error.strerror}).", path=path, code="not_found"
        ) from error
    arguments = {
        "id": f"{path}:{place}",
        "path": path,
        "hash": hashlib.sha256(raw).hexdigest(),
        "range": place,
        "kind": values.kind,
        "new": values.name,
    }
    return EditRequest(ops=[], operation=Operation("extract", arguments))


OPERATION = Descriptor(
    "extract",
    ExtractParameters,
    locate,
    "astedit.semantic.extract.extract",
    "extract variable shop/cart.py:12:16-12:30 amount",
)
