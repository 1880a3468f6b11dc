"""Whether a new name is free wherever the old one is used. (spec: locate.md section 9)"""

from astedit.errors import PreconditionError
from astedit.semantic.facts.module_facts import Use
from astedit.semantic.facts.scopes import BUILTIN
from astedit.semantic.inference.values import Place
from astedit.semantic.rename.references import Found, References


def check(references: References, found: Found, new: str) -> None:
    """Raises `PreconditionError` where `new` is bound already, would hide or be hidden."""
    for place in _relatives(references):
        facts = references.evidence.facts.get(place[0])
        if facts is not None and f"{place[1]}.{new}" in facts.bindings:
            raise _taken(new, place[0], f"a member of {place[1]}")
    for path, uses in found.certain.items():
        prefixes = {
            name[: -len(references.old)] for use in uses for name in _own(references, path, use)
        }
        for prefix in prefixes:
            _check_scope(references, path, prefix, new)
        for use in uses:
            _check_hidden(references, path, use, new)


def _relatives(references: References) -> set[Place]:
    """The classes that have the member, their ancestors, and those below that were read."""
    lineage = references.evidence.lineage
    found = {place for one in references.family for place in lineage(one)[0]}
    for path, facts in list(references.evidence.facts.items()) if references.family else ():
        below = [(path, name) for name in facts.classes]
        found |= {one for one in below if references.family & set(lineage(one)[0])}
    return found


def _own(references: References, path: str, use: Use) -> list[str]:
    """The names a use is bound as that will be renamed; a star import's are the module's."""
    if use.how not in ("name", "import"):
        return []
    if not use.names:
        return [references.old]
    return [name for name in use.names if references.carries(path, name)]


def _check_scope(references: References, path: str, prefix: str, new: str) -> None:
    facts = references.evidence.facts[path]
    if prefix + new in facts.bindings:
        raise _taken(new, path, "bound in the same scope")
    member = references.owner is not None
    for use in facts.news:
        inside = use.scope == prefix if member else use.scope.startswith(prefix)
        if inside and not any(_is_deeper(name, prefix, new) for name in use.names):
            raise _taken(new, path, "used there for something else")


def _is_deeper(name: str, prefix: str, new: str) -> bool:
    """Whether a name is bound in a scope within the one of that prefix."""
    return name != BUILTIN and name.startswith(prefix) and len(name) > len(prefix + new)


def _check_hidden(references: References, path: str, use: Use, new: str) -> None:
    """A scope between the use and the definition must not bind the new name."""
    for name in _own(references, path, use):
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
