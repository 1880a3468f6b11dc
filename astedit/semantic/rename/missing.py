"""Why a name that `locate` does not find cannot be renamed, where something is known of it."""

import builtins
import re
import sys

from astedit.engine.known_edits import view_of
from astedit.errors import AstEditError, PreconditionError
from astedit.language import for_path
from astedit.text.source import NotDecodable
from astedit.workspace.root import Workspace

SPECIAL = re.compile(r"__\w+__")  # names that Python itself looks for
_LARGEST = 2_097_152  # bytes
_CODE = "not_found"


def special(name: str) -> PreconditionError:
    """The refusal of a name that Python itself looks for."""
    return PreconditionError(
        f"{name} is Python's own name: what calls it would not find it.", code="special_name"
    )


def explained(workspace: Workspace, identifier: str) -> PreconditionError | None:
    """The error that says what `identifier`, which no definition has, is instead; or None."""
    identifier = identifier.removeprefix("sym:")
    path, _, name = identifier.partition("::")
    last = re.split(r"[.:#]", identifier)[-1]
    if SPECIAL.fullmatch(last):
        return special(last)
    if name:
        return _imported(workspace, path, name)
    if for_path(path) is not None and _text(workspace, path) is not None:
        return _no_symbol(f"{path} is a file", "Name a symbol in it: `FILE::NAME`.")
    head, _, rest = identifier.partition(".")
    if identifier.removeprefix("builtins.") in vars(builtins):
        return _no_symbol(f"{last!r} is built into Python", "Only this workspace's own names are.")
    for place in (identifier.replace(".", "/"), f"src/{identifier.replace('.', '/')}"):
        if any(_text(workspace, place + end) is not None for end in (".py", "/__init__.py")):
            return _no_symbol(f"{identifier} is a module", "Name a symbol in it.")
    if rest and head in sys.stdlib_module_names:
        return _no_symbol(f"{head} is a module of Python's library", "It is not in the workspace.")
    return None


def _no_symbol(what: str, hint: str) -> PreconditionError:
    return PreconditionError(f"{what}, not a symbol that can be renamed.", code=_CODE, hint=hint)


def _imported(workspace: Workspace, path: str, name: str) -> PreconditionError | None:
    """The error for a name that its module only imports; None if it defines the name."""
    row = for_path(path)
    code = _text(workspace, path) if row is not None and row.name == "python" else None
    if code is None:
        return None
    from astedit.python.expression import Imported
    from astedit.python.reader import Unreadable, read

    try:
        bound = read(code, name, None).bindings.get(name, [])
    except Unreadable:
        return None
    source = next((value for value in bound if isinstance(value, Imported)), None)
    if source is None:
        return None
    dotted = "." * source.level + source.module + (f".{source.name}" if source.name else "")
    return PreconditionError(
        f"{path} only imports {name!r}: it is {dotted}, and a rename begins at the definition.",
        path=path,
        code=_CODE,
        hint="Name the definition, if it is in this workspace.",
    )


def _text(workspace: Workspace, path: str) -> bytes | None:
    try:
        raw, _ = workspace.read(path, _LARGEST)
        return view_of(raw, path).text.removeprefix(b"\xef\xbb\xbf")
    except (OSError, ValueError, AstEditError, NotDecodable):
        return None
