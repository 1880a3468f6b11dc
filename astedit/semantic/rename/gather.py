"""Reads what a definition needs to be followed: every module that may have a say."""

import hashlib
import re
from collections.abc import Callable

from astedit.engine.known_edits import stale
from astedit.errors import PreconditionError
from astedit.model.request import EditRequest
from astedit.semantic.inference.infer import Inference
from astedit.semantic.library import Library
from astedit.semantic.rename.possible import UsePlace
from astedit.semantic.rename.references import JudgedUses, References
from astedit.text.splice import Lines
from astedit.workspace.root import Workspace

_ROUNDS = 20  # of reading the modules that the last round asked for


def check_fresh(request: EditRequest, workspace: Workspace, path: str, sha256: str) -> None:
    """Raises `StaleError` unless the file has the bytes of that hash still."""
    try:
        raw, _ = workspace.read(path, request.max_file_size)
    except OSError as error:
        raise stale(path) from error
    if hashlib.sha256(raw).hexdigest() != sha256:
        raise stale(path)


def gather(
    library: Library, path: str, name: str, *, also_defining: str | None = None
) -> References:
    """The references to a definition, judged with all the evidence that the tree holds.

    `library` reads the last part of `name`. Of a member, files that define one called
    `also_defining` are read too. Raises `PreconditionError` for a file that cannot be read
    and a name that it does not bind.
    """
    old = name.rpartition(".")[2]
    library.load(library.keep(_mentioning(old)))
    if path in library.trouble.skips or path not in library.facts:
        raise PreconditionError(f"{path} cannot be read as Python.", path=path, code="parse_error")
    if name not in library.facts[path].bindings:
        raise PreconditionError(
            f"{path} has no definition {name!r} that can be followed.", path=path, code="not_found"
        )
    if also_defining and name.rpartition(".")[0] in library.facts[path].classes:
        library.load(library.keep(_defining(also_defining)))
    for _ in range(_ROUNDS):
        references = References(Inference(library.modules, library.facts), path, name)
        references.judged()
        unread = references.inference.missing - library.facts.keys()
        if not unread:
            break
        library.load(sorted(unread))
    return references


def possible_places(library: Library, judged: JudgedUses) -> list[UsePlace]:
    """Where the possible uses stand, in order."""
    lines: dict[str, Lines] = {}
    places = []
    for path, use, why in judged.possible:
        text = library.text(path)
        assert text is not None
        line, _ = lines.setdefault(path, Lines(text.code)).place(use.start)
        places.append(UsePlace(path, line, why))
    return places


def _mentioning(name: str) -> Callable[[bytes], object]:
    """Whether a text holds the name as a word: only such a file can refer to it."""
    return re.compile(rb"(?<!\w)" + re.escape(name.encode()) + rb"(?!\w)").search


def _defining(name: str) -> Callable[[bytes], object]:
    """Whether a text may define a member of this name."""
    word = re.escape(name.encode())
    return re.compile(rb"\b(?:def|class)[ \t]+" + word + rb"\b|\b" + word + rb"[ \t]*[:=]").search
