"""Whether a new name is free wherever the old name is used."""

from astedit.errors import PreconditionError
from astedit.semantic.facts.scopes import BUILTIN
from astedit.semantic.facts.uses import ImportUse, NameUse, SpelledUse
from astedit.semantic.inference.classes import member_of
from astedit.semantic.inference.values import QualifiedName
from astedit.semantic.rename.references import JudgedUses, References


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


def _relatives(references: References) -> set[QualifiedName]:
    """The classes that have the member, their ancestors, and those below that were read."""
    inference, family = references.inference, references.family
    relatives = {place for member in family for place in inference.lineage(member)[0]}
    if family:
        classes = inference.classes()
        relatives |= {place for place in classes if family & set(inference.lineage(place)[0])}
    return relatives


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
    is_member = references.owner is not None
    for use in facts.new_uses:
        inside = use.scope == prefix if is_member else use.scope.startswith(prefix)
        if inside and not any(_is_deeper(name, prefix, new) for name in use.names):
            raise _taken(new, path, "used there for something else")


def _is_deeper(name: str, prefix: str, new: str) -> bool:
    """Whether a name is bound in a scope within the scope of that prefix."""
    return name != BUILTIN and name.startswith(prefix) and len(name) > len(prefix + new)


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
