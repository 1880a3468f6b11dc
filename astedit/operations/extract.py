"""`extract`: a part of a Python function gets a name of its own."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from astedit.errors import PreconditionError, RequestError
from astedit.language import for_path
from astedit.model.plan import Plan
from astedit.model.request import EditRequest, Operation
from astedit.operations import Descriptor, Face, Lookup

if TYPE_CHECKING:
    from astedit.semantic.library import NameRequest

_KINDS = ("function", "variable", "constant")


@dataclass(frozen=True, slots=True)
class ExtractParameters:
    """Turn a piece of Python code into a function, a variable or a constant.

    A function takes what the code reads, and returns what is read after it. A variable comes
    before its statement, a constant to the top of the module. If names or the order of
    evaluation would change, nothing is staged.

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
    from astedit.semantic.extract.selection import parts_of_range
    from astedit.semantic.rename.rename import check_name

    if values.kind not in _KINDS:
        hint = f"There are: {', '.join(_KINDS)}."
        raise RequestError(f"There is no extract {values.kind!r}.", hint=hint, code="bad_kind")
    written, place = parts_of_range(values.place)
    path = lookup.workspace.check(written)
    if (row := for_path(path)) is None or row.name != "python":
        raise PreconditionError(f"{path} is not Python.", path=path, code="unsupported")
    check_name("name", values.name, path)
    arguments = {
        "id": f"{path}:{place}",
        "path": path,
        "hash": lookup.read(path)[1],
        "range": place,
        "kind": values.kind,
        "new": values.name,
    }
    return EditRequest(ops=[], operation=Operation("extract", arguments))


def plan(asked: "NameRequest") -> Plan:
    """The plan of an extraction; the same tree gives the same plan.

    Raises `RequestError` for a range that selects no code as a whole, and `PreconditionError`
    where the program would change.
    """
    from astedit.semantic.extract.function import named_function
    from astedit.semantic.extract.selection import SelectedCode, named_constant, named_value
    from astedit.semantic.library import Library
    from astedit.semantic.module_code import WorkspaceCode

    name = asked.arguments["new"]
    library = Library(asked, name)
    makers = dict(zip(_KINDS, (named_function, named_value, named_constant), strict=True))
    selected = SelectedCode.of(WorkspaceCode(library).needed(asked.path), asked.arguments["range"])
    changes = {asked.path: makers[asked.arguments["kind"]](selected, name)}
    return asked.plan(library.worked_out(changes, []))


OPERATION = Descriptor(
    "extract",
    ExtractParameters,
    locate,
    "astedit.operations.extract",
    "extract variable shop/cart.py:12:16-12:30 amount",
)
