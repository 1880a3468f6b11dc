"""`signature`: other parameters of a function, and of every evident call."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Annotated

from astedit.errors import RequestError
from astedit.model.request import EditRequest, Operation
from astedit.operations import ALSO, ALSO_ALL, SCRIPTS, Descriptor, Face, Lookup, flags_of


@dataclass(frozen=True, slots=True)
class SignatureParameters:
    """Change a function's parameters.

    Methods that override it and every evident call change with it. If a call cannot follow,
    nothing is staged. Uses that are not calls are listed and not changed.

    Raises `NotLocated` unless the identifier names one function, `RequestError`
    (`bad_signature`), and `PreconditionError` (`cannot_follow`) with every place that cannot
    follow.
    """

    identifier: Annotated[
        str,
        Face(
            "what `astedit locate` takes and must name one function, method or `__init__`",
            "IDENT",
            "identifiers",
        ),
    ]
    _: KW_ONLY
    add: Annotated[Sequence[str], Face("A new parameter, as in code.", "PARAM", "add")] = ()
    remove: Annotated[Sequence[str], Face("A parameter to remove.", "NAME", "remove")] = ()
    rename: Annotated[Sequence[str], Face("A new name for a parameter.", "OLD=NEW", "rename")] = ()
    reorder: Annotated[str | None, Face("The new order: 'self,b,a'.", "NAMES", "reorder")] = None
    keyword_only: Annotated[
        Sequence[str], Face("Make it keyword-only.", "NAME", "keyword_only")
    ] = ()
    default_for_callers: Annotated[
        str | None, Face("What calls pass for a new parameter.", "EXPR", "default_for_callers")
    ] = None
    also: Annotated[Sequence[str], ALSO] = ()
    also_all: Annotated[bool, ALSO_ALL] = False
    even_so: Annotated[bool, Face("Even while uses are listed.", tool="even_so")] = False


def locate(values: SignatureParameters, lookup: Lookup) -> EditRequest:
    """The request that changes the parameters of what the identifier names.

    Raises `RequestError` (`bad_signature`) for what no signature can have.
    """
    from astedit.semantic.signature.new_signature import SignatureRequest, renames

    change = SignatureRequest(
        tuple(values.add),
        tuple(values.remove),
        renames(values.rename),
        tuple(name.strip() for name in values.reorder.split(",")) if values.reorder else (),
        tuple(values.keyword_only),
        values.default_for_callers,
    )
    if values.even_so and not values.remove:
        raise RequestError("--even-so belongs to --remove.", code="usage")
    definition = lookup.definition(values.identifier)
    if definition.node.language in SCRIPTS:
        from astedit.semantic.script.signature import check

        check(change)
    else:
        change.check("signature.py")
    arguments = definition.arguments | change.arguments | flags_of(values)
    return EditRequest(ops=[], operation=Operation("signature", arguments))


OPERATION = Descriptor(
    "signature",
    SignatureParameters,
    locate,
    "astedit.semantic.signature.signature",
    "signature shop/cart.py::Cart.add --add 'price: float = 0'",
)
