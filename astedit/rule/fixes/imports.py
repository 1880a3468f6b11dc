"""`imports`: what an edit needs to have imported, and needs no more. (rule F11)"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from astedit.errors import RequestError
from astedit.rule.names import ImportChanges, Names
from astedit.rule.scope import Scope

IMPORT_KEYS = ("add", "remove", "prune")


@dataclass(frozen=True, slots=True)
class Imports:
    """What is asked of imports, checked for a language. `names` makes the edits."""

    changes: ImportChanges
    names: Names


def compile_imports(content: Mapping[str, Any], scope: Scope) -> Imports | None:
    """The `imports` of a document, checked; None if it has none."""
    raw = content.get("imports")
    if raw is None:
        return None
    raw = scope.keys(raw, "imports", IMPORT_KEYS)
    names = scope.resolver("imports")
    try:
        changes = import_changes(raw)
        names.check_imports(scope.row.name, changes)
    except RequestError as error:
        scope.fail(error.message, "imports", error.hint)
    return Imports(changes, names)


def import_changes(raw: Mapping[str, Any]) -> ImportChanges:
    """What an object with `add`, `remove` and `prune` asks for; raises `RequestError`."""
    for key in raw:
        if key not in IMPORT_KEYS:
            hint = f"Known: {', '.join(IMPORT_KEYS)}."
            raise RequestError(f"Unknown key {key!r} in `imports`.", hint=hint)
    prune = raw.get("prune", False)
    if not isinstance(prune, bool):
        raise RequestError("`prune` of `imports` is not true or false.")
    return ImportChanges(_texts(raw, "add"), _texts(raw, "remove"), prune)


def joined(asked: Iterable[ImportChanges]) -> ImportChanges:
    """All of them as one."""
    every = list(asked)
    return ImportChanges(
        tuple(dict.fromkeys(text for one in every for text in one.add)),
        tuple(dict.fromkeys(text for one in every for text in one.remove)),
        any(one.prune for one in every),
    )


def _texts(raw: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value = raw.get(key, [])
    texts = value if isinstance(value, list | tuple) else [value]
    if not all(isinstance(text, str) for text in texts):
        raise RequestError(f"`{key}` of `imports` is an import, or a list of imports.")
    return tuple(texts)
