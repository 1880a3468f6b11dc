"""`rename`: a definition and every evident reference to it, as one plan.

Python is followed through scopes, imports and classes over the whole workspace; any other
language within the definition's own file (`syntactic.py`).
"""

import keyword
import re
import unicodedata
from collections.abc import Iterator

from astedit.engine.change_steps import WorkedOut
from astedit.errors import PreconditionError, RequestError
from astedit.language import for_path
from astedit.model.plan import Plan
from astedit.python.facts import ImportUse, ListedUse, NameUse, SpelledUse
from astedit.python.scopes import BUILTIN
from astedit.python.syntax import arguments, every_node, parsed, text_of
from astedit.semantic.inference.names import member_of
from astedit.semantic.inference.values import QualifiedName
from astedit.semantic.library import Library, NameRequest
from astedit.semantic.listed_uses import AlsoUses, UsePlace, listed
from astedit.semantic.module_code import refused
from astedit.semantic.rename.call_sites import CONSTRUCTOR, SiteReader, class_calls
from astedit.semantic.rename.definition_nodes import SPECIAL, definition_nodes, special
from astedit.semantic.rename.gather import JudgedUses, References, gather, keeping_decorators
from astedit.text.source import Change


def check(references: References, judged: JudgedUses, new: str) -> None:
    """Raises `PreconditionError` where `new` is bound already, would hide or be hidden."""
    for place in _relatives(references):
        facts = references.inference.facts.get(place.path)
        if facts is not None and member_of(place, new).name in facts.bindings:
            raise _taken(new, place.path, f"a member of {place.name}")
    for path, uses in judged.certain.items():
        names = [name for use in uses for name in _renamed_names(references, path, use)]
        for prefix in {name[: -len(references.old)] for name in names}:
            _check_scope(references, path, prefix, new)
        for use in uses:
            _check_hidden(references, path, use, new)
    for path, source, is_used in references.star_imports():
        _check_star(references, path, source, new, is_used=is_used)


def _relatives(references: References) -> set[QualifiedName]:
    """The classes that have the member, their ancestors, and those below that were read."""
    inference, family = references.inference, references.family
    relatives = {place for member in family for place in inference.lineage(member)[0]}
    read = inference.classes() if family else ()
    return relatives | {place for place in read if family & set(inference.lineage(place)[0])}


def _renamed_names(references: References, path: str, use: SpelledUse) -> list[str]:
    """The names a use is bound as that will be renamed; a star import's are the module's."""
    if not isinstance(use, NameUse | ImportUse):
        return []
    if not use.names:
        return [references.old]
    return [name for name in use.names if references.carries(path, name)]


def _check_scope(references: References, path: str, prefix: str, new: str) -> None:
    facts = references.inference.facts[path]
    if prefix + new in facts.bindings:
        raise _taken(new, path, "bound in the same scope")
    if not prefix and references.inference.modules.inside(path, new) is not None:
        raise _taken(new, path, "a module of the package")
    is_member = references.owner is not None
    for use in facts.new_uses:
        inside = use.scope == prefix if is_member else use.scope.startswith(prefix)
        deeper = (name for name in use.names if name != BUILTIN and name.startswith(prefix))
        if inside and not any(len(name) > len(prefix + new) for name in deeper):
            raise _taken(new, path, "used there for something else")


def _check_star(references: References, path: str, source: str, new: str, *, is_used: bool) -> None:
    """A star import must still bring the name, and nothing that the module has from elsewhere."""
    facts = references.inference.facts
    if any(isinstance(use, ListedUse) and not use.owner for use in facts[source].uses):
        return  # `__all__` says what it brings
    if not new.startswith("_"):
        if any({*use.names} <= {BUILTIN} for use in facts[path].new_uses):
            raise _taken(new, path, "used there for something else than the star import brings")
    elif is_used and not references.old.startswith("_"):
        why = f"has {references.old!r} from a star import, which brings no name with an underscore"
        hint = "Import it there by its name, or choose a name without an underscore."
        raise refused(path, why, "collision", hint)


def _check_hidden(references: References, path: str, use: SpelledUse, new: str) -> None:
    """A scope between the use and the definition must not bind the new name."""
    if not isinstance(use, NameUse | ImportUse):
        return
    for name in _renamed_names(references, path, use):
        outer = len(name) - len(references.old)
        for shadow in use.shadows:
            if shadow != BUILTIN and len(shadow) - len(new) > outer:
                raise _taken(new, path, "bound where it is used")


def _taken(new: str, path: str, why: str) -> PreconditionError:
    return PreconditionError(
        f"{new!r} is taken in {path}: {why}; nothing was staged.",
        path=path,
        code="collision",
        hint="Choose another name, or rename that one first.",
    )


def check_name(old: str, new: str, path: str) -> None:
    """Raises `RequestError` unless `new` can stand wherever the identifier `old` does."""
    row = for_path(path)
    python = row is not None and row.name == "python"
    other = new.replace("$", "_") if row is not None and row.name in _WITH_DOLLAR else new
    if not (new.isidentifier() if python else re.fullmatch(r"[^\W\d]\w*", other)):
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
_WITH_DOLLAR = ("javascript", "typescript", "tsx", "java")
_RESERVED = re.compile(
    "break|case|class|const|continue|default|do|else|enum|false|finally|for|if|import|in|new|null"
    "|package|private|protected|public|return|static|struct|super|switch|this|throw|true|try|var"
    "|void|while"
)


def new_name(asked: NameRequest) -> str:
    """The new name of a rename; raises for one that cannot be."""
    new = asked.arguments["new"]
    check_name(asked.last, new, asked.path)
    if asked.last == new:
        raise RequestError(f"It is called {new!r} already.", code="same_name")
    return new


def plan(asked: NameRequest) -> Plan:
    """The plan of a rename request; the same tree gives the same plan.

    Raises `StaleError` when the definition's file is not the one that was located, and
    `PreconditionError` when the new name is taken or the definition cannot be found.
    """
    new = new_name(asked)
    if (row := for_path(asked.path)) is None or row.name != "python":
        from astedit.semantic.rename import syntactic

        return syntactic.plan(asked)
    if SPECIAL.fullmatch(asked.last):
        raise special(asked.last)
    with Library(asked, asked.last, new) as library:
        references = gather(library, asked.path, asked.name, also_defining=new)
        judged = references.judged()
        check(references, judged, new)
        return asked.plan(_worked_out(library, references, judged, new), contained=True)


def _spreading(asked: NameRequest, references: References, new: str) -> Iterator[UsePlace]:
    """The calls in which `**` may bring a parameter or a field; none may pass the new name."""
    function, owner = asked.name.rpartition(".")[0], references.owner
    with Library(asked, function.rpartition(".")[2]) as library:
        sites = SiteReader(library)
        if references.is_parameter:
            of_function = gather(library, asked.path, function)
            kind = of_function.inference.facts[asked.path].functions[function].kind
            sites.functions(of_function, kind)
            owner = of_function.owner if library.name == CONSTRUCTOR else None
        if owner is not None:
            class_calls(asked, owner, sites)
        yield from sites.places if references.is_parameter else ()
        for path, file in sites.files.items():
            for item in (item for call in file.calls.values() for item in call.items):
                keyword, line = text_of(item.child_by_field_name("name")), item.start_point.row + 1
                if keyword == new:
                    raise _taken(new, path, "a keyword of a call")
                if item.type == "dictionary_splat" and item.named_children[0].type != "dictionary":
                    yield UsePlace(path, line, "what `**` brings is not known")
                if keyword and f"_{keyword}" == references.old:
                    yield UsePlace(path, line, "attrs fills it under a name without underscore")


def _by_name(library: Library, references: References) -> Iterator[UsePlace]:
    """What may read a local name as text: calls in its function, and what decorates that."""
    asked, function = library.asked, references.prefix
    text = library.text(asked.path)
    for node in definition_nodes(parsed(text.code), function) if text and function else ():
        yield from keeping_decorators(asked.path, node) if references.is_keyword else ()
        for call in every_node(node):
            name = text_of(call.child_by_field_name("function"))
            if name in ("eval", "exec", "locals") or (name == "vars" and not arguments(call)):
                yield UsePlace(asked.path, call.start_point.row + 1, f"{name} may read it")


def _worked_out(
    library: Library, references: References, judged: JudgedUses, new: str
) -> WorkedOut:
    asked = library.asked
    edits: dict[str, set[Change]] = {}
    for path, uses in judged.certain.items():
        edits[path] = {_change(references, path, use, new) for use in uses}
    every = references.places(library, asked.path, judged)
    every += _spreading(asked, references, new) if references.is_filled() else ()
    every += _by_name(library, references) if references.owner is None else ()
    places = AlsoUses(asked.arguments).write(every, edits, new)
    hints = [*listed(references.old, places, also=True), *references.outside_bases("define it too")]
    return library.worked_out(edits, hints)


def _change(references: References, path: str, use: SpelledUse, new: str) -> Change:
    """What becomes of one use: an import of something else gets the new name as its alias."""
    word = new.encode()
    if isinstance(use, ImportUse) and not references.brings(path, use.module):
        word = f"{references.old} as {new}".encode()
    return use.start, use.end, word
