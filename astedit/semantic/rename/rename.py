"""`rename`: a definition and every evident reference to it, as one plan.

Python is followed through scopes, imports and classes over the whole workspace; any other
language within the definition's own file (`syntactic.py`).
"""

import hashlib
import keyword
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator

from astedit.engine.known_edits import plan_of_edits, stale
from astedit.engine.run_context import Run
from astedit.errors import PreconditionError, RequestError
from astedit.language import for_path
from astedit.model.plan import Plan
from astedit.model.request import EditRequest, Operation
from astedit.semantic.facts.uses import ImportUse, SpelledUse
from astedit.semantic.inference.infer import Inference
from astedit.semantic.library import Library
from astedit.semantic.rename.collisions import check
from astedit.semantic.rename.family import outside
from astedit.semantic.rename.missing import SPECIAL, special
from astedit.semantic.rename.possible import UsePlace, entry_points, listed
from astedit.semantic.rename.references import JudgedUses, References
from astedit.text.splice import Change, Lines
from astedit.workspace.root import Workspace

_ROUNDS = 20  # of reading the modules that the last round asked for


def request_of_rename(
    node: str, path: str, name: str, sha256: str, span: tuple[int, int], new: str, syntactic: bool
) -> EditRequest:
    """The request that renames a definition to `new`, complete enough to be run again.

    `node` is its id, `name` its name within the module (`OrderService.create`), `span` the
    bytes of it in a file whose content has that hash. Raises `RequestError` for a name
    that no definition can have.
    """
    check_name(name.rpartition(".")[2], new, path)
    arguments = {"id": node, "new": new, "path": path, "name": name, "hash": sha256}
    arguments["region"] = f"{span[0]}:{span[1]}"
    if syntactic:
        arguments["allow_syntactic"] = "yes"
    return EditRequest(ops=[], operation=Operation("rename", arguments))


def check_name(old: str, new: str, path: str) -> None:
    """Raises `RequestError` unless `new` can stand wherever the identifier `old` does."""
    row = for_path(path)
    python = row is not None and row.name == "python"
    plain = new.isidentifier() if python else re.fullmatch(r"[^\W\d]\w*", new) is not None
    if not plain:
        raise RequestError(f"Invalid name: {new!r} is not an identifier.", code="bad_name")
    if keyword.iskeyword(new) if python else _RESERVED.fullmatch(new):
        raise RequestError(f"Invalid name: {new!r} is a keyword.", code="bad_name")
    if python and unicodedata.normalize("NFKC", new) != new:
        read = unicodedata.normalize("NFKC", new)
        raise RequestError(f"Invalid name: Python reads {new!r} as {read!r}.", code="bad_name")
    if python and SPECIAL.fullmatch(new) and not SPECIAL.fullmatch(old):
        raise RequestError(
            f"Invalid name: {new!r} is for Python's own use: it would be called unasked.",
            code="special_name",
        )
    if python and new.startswith("__") and not old.startswith("__"):
        raise RequestError(
            f"Invalid name: in a class, Python reads {new!r} as a name of that class alone.",
            code="special_name",
            hint="One underscore says that a name is private.",
        )


# Reserved in nearly every language with braces. What a single language reserves does not parse.
_RESERVED = re.compile(
    "break|case|class|const|continue|default|do|else|enum|false|finally|for|if|import|in|new|null"
    "|package|private|protected|public|return|static|struct|super|switch|this|throw|true|try|var"
    "|void|while"
)


def plan(request: EditRequest, workspace: Workspace, run: Run) -> Plan:
    """The plan of a rename request; the same tree gives the same plan.

    Raises `StaleError` when the definition's file is not the one that was located, and
    `PreconditionError` when the new name is taken or the definition cannot be found.
    """
    assert request.operation is not None
    arguments = request.operation.arguments
    path, name, new = arguments["path"], arguments["name"], arguments["new"]
    old = name.rpartition(".")[2]
    check_name(old, new, path)
    _check_fresh(request, workspace, path, arguments["hash"])
    if old == new:
        raise RequestError(f"It is called {old!r} already.", code="same_name")
    row = for_path(path)
    if row is None or row.name != "python":
        from astedit.semantic.rename import syntactic

        return syntactic.plan(request, workspace, run)
    if SPECIAL.fullmatch(old):
        raise special(old)
    with Library(request, workspace, run, old, new) as library:
        references = _references(library, path, name, new)
        judged = references.judged()
        check(references, judged, new)
        return _planned(request, workspace, run, library, references, judged)


def _check_fresh(request: EditRequest, workspace: Workspace, path: str, sha256: str) -> None:
    try:
        raw, _ = workspace.read(path, request.max_file_size)
    except OSError as error:
        raise stale(path) from error
    if hashlib.sha256(raw).hexdigest() != sha256:
        raise stale(path)


def _references(library: Library, path: str, name: str, new: str) -> References:
    """The references judged with all the evidence that the tree holds."""
    old = name.rpartition(".")[2]
    library.load(library.keep(_mentioning(old)))
    if path in library.trouble.skips or path not in library.facts:
        raise PreconditionError(f"{path} cannot be read as Python.", path=path, code="parse_error")
    if name not in library.facts[path].bindings:
        raise PreconditionError(
            f"{path} has no definition {name!r} that can be renamed.", path=path, code="not_found"
        )
    if name.rpartition(".")[0] in library.facts[path].classes:
        library.load(library.keep(_defining(new)))
    for _ in range(_ROUNDS):
        inference = Inference(library.modules, library.facts)
        references = References(inference, path, name)
        references.judged()
        unread = inference.missing - library.facts.keys()
        if not unread:
            break
        library.load(sorted(unread))
    return references


def _mentioning(name: str) -> Callable[[bytes], object]:
    """Whether a text holds the name as a word: only such a file can refer to it."""
    return re.compile(rb"(?<!\w)" + re.escape(name.encode()) + rb"(?!\w)").search


def _defining(name: str) -> Callable[[bytes], object]:
    """Whether a text may define a member of this name."""
    word = re.escape(name.encode())
    return re.compile(rb"\b(?:def|class)[ \t]+" + word + rb"\b|\b" + word + rb"[ \t]*[:=]").search


def _planned(
    request: EditRequest,
    workspace: Workspace,
    run: Run,
    library: Library,
    references: References,
    judged: JudgedUses,
) -> Plan:
    assert request.operation is not None
    arguments = request.operation.arguments
    new, is_member = arguments["new"], references.owner is not None
    edits: dict[str, list[Change]] = {}
    expected = {}
    for path, uses in judged.certain.items():
        text = library.text(path)
        assert text is not None
        expected[path] = text.sha256
        edits[path] = sorted({_change(references, path, use, new, text.mark) for use in uses})
    points: Iterable[UsePlace] = ()
    if is_member or not references.prefix:
        points = entry_points(workspace, arguments["path"], references.old, member=is_member)
    return plan_of_edits(
        request,
        workspace,
        edits,
        run,
        expected=expected,
        hints=list(_hints(library, references, judged, points)),
        skipped=list(library.trouble.skips.values()),
        files_searched=len(library.files),
    )


def _change(references: References, path: str, use: SpelledUse, new: str, mark: int) -> Change:
    """What becomes of one use: an import of something else gets the new name as its alias."""
    word = new.encode()
    if isinstance(use, ImportUse) and not references.brings(path, use.module):
        word = f"{references.old} as {new}".encode()
    return use.start + mark, use.end + mark, word


def _hints(
    library: Library, references: References, judged: JudgedUses, points: Iterable[UsePlace]
) -> Iterator[str]:
    """What was left alone although it may mean the same definition."""
    lines: dict[str, Lines] = {}
    places = list(points)
    for path, use, why in judged.possible:
        text = library.text(path)
        assert text is not None
        line, _ = lines.setdefault(path, Lines(text.code)).place(use.start)
        places.append(UsePlace(path, line, why))
    yield from listed(references.old, places)
    bases = sorted(outside(references.inference, references.family))
    if bases:
        yield f"{', '.join(bases)}: a base class outside the workspace may define it too"
