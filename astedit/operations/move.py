"""`move`: functions, classes and constants go to another module of the workspace."""

import os
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Annotated

from astedit.errors import RequestError
from astedit.language import for_path
from astedit.model.request import EditRequest, Operation
from astedit.operations import (
    ALSO,
    ALSO_ALL,
    SCRIPTS,
    Descriptor,
    Face,
    Lookup,
    flags_of,
    is_module,
    is_source,
)

_LANGUAGES = ("python", *SCRIPTS)


def _is_path(destination: str) -> bool:
    return for_path(destination) is not None or "/" in destination or os.path.isdir(destination)


@dataclass(frozen=True, slots=True)
class MoveParameters:
    """Move definitions, or a module, to another place.

    The code stays the same, byte for byte; imports follow. A method that does not use its object
    loses that parameter, and its calls follow. A file or a directory moves as a whole, and
    all its imports follow. Uses that are not evident are listed and not changed.

    Raises `NotLocated` unless each identifier names one symbol, and `PreconditionError`
    (`import_cycle`, `collision` and others) for what cannot follow.
    """

    identifiers: Annotated[
        Sequence[str],
        Face(
            "what `astedit locate` takes: functions, classes and constants at the top level of "
            "one module, or methods, which become functions; or the path of a module",
            "IDENT",
            tool="identifiers",
            path=is_source,
        ),
    ]
    destination: Annotated[
        str,
        Face(
            "a file, a directory, a module (`shop.prices`) or a class (`shop/cart.py::Cart`)",
            "DEST",
            "to",
            _is_path,
        ),
    ]
    _: KW_ONLY
    reexport: Annotated[
        bool, Face("Leave an import behind, for users elsewhere.", tool="reexport")
    ] = False
    local_imports: Annotated[
        bool,
        Face(
            "Import in the functions that need it where modules would import each other.",
            tool="local_imports",
        ),
    ] = False
    also: Annotated[Sequence[str], ALSO] = ()
    also_all: Annotated[bool, ALSO_ALL] = False


def _moved_module(values: MoveParameters, lookup: Lookup) -> EditRequest:
    from astedit.operations import move_module

    if values.reexport or values.local_imports:
        flag = "--reexport" if values.reexport else "--local-imports"
        raise RequestError(f"{flag} belongs to definitions: a module is moved as a whole.")
    (source,) = values.identifiers
    parameters = move_module.MoveModuleParameters(source, values.destination)
    request = move_module.locate(parameters, lookup)
    assert request.operation is not None
    request.operation.arguments |= flags_of(values)
    return request


def locate(values: MoveParameters, lookup: Lookup) -> EditRequest:
    """The request that moves definitions of one module.

    Raises `PreconditionError` for those that do not stand at the top of one Python module.
    """
    from astedit.semantic.module_code import refused

    if not values.identifiers:
        raise RequestError("`identifiers` is empty.", hint="Name what is to be moved.")
    first_name, *others = values.identifiers
    if not others and is_module(first_name, lookup.workspace):
        return _moved_module(values, lookup)
    definitions = [lookup.definition(identifier) for identifier in values.identifiers]
    first = definitions[0].arguments
    for definition in definitions:
        path, name = definition.node.path, definition.name
        if path != first["path"]:
            why = f"is not the module of {first['id']}: move one module's definitions at a time"
            raise refused(path, why, "several_modules")
        is_method = definition.node.symbol_kind == "method" and path.endswith(".py")
        if ("." in name and not is_method) or definition.node.language not in _LANGUAGES:
            why = "is no method, and does not stand at the top level of a module"
            raise refused(definition.arguments["id"], why, "not_movable")
    names = dict.fromkeys(definition.name for definition in definitions)
    if len({"." in name for name in names}) > 1:
        why = "is not a function yet: move methods and other definitions one after the other"
        raise refused(max(names, key=lambda name: "." in name), why, "several_kinds")
    arguments = {key: first[key] for key in ("id", "path", "hash")}
    arguments |= {"new": values.destination, "names": " ".join(names)}
    return EditRequest(ops=[], operation=Operation("move", arguments | flags_of(values)))


OPERATION = Descriptor(
    "move",
    MoveParameters,
    locate,
    "astedit.semantic.move.move",
    "move shop/cart.py::total shop/prices.py",
)
