"""`imports`: what a rule's fix needs to have imported, and needs no more. (rule F11)"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from astedit.errors import RequestError
from astedit.rule.names import Names
from astedit.rule.scope import Scope


@dataclass(frozen=True, slots=True)
class Imports:
    """Imports to add and to remove, each of one name, as in code: `from os import path as p`.

    What is to be removed stays where something else in the file still mentions it. `names`
    makes the edits.
    """

    add: tuple[str, ...]
    remove: tuple[str, ...]
    names: Names


def compile_imports(content: Mapping[str, Any], scope: Scope) -> Imports | None:
    """The `imports` of a document, checked; None if it has none."""
    raw = content.get("imports")
    if raw is None:
        return None
    raw = scope.keys(raw, "imports", ("add", "remove"))
    if scope.row.name != "python":
        scope.fail("imports are added and removed in Python only", "imports")
    names = scope.resolver("imports")
    lists = {}
    for key in ("add", "remove"):
        listed = raw.get(key, [])
        listed = listed if isinstance(listed, list) else [listed]
        lists[key] = tuple(scope.text(one, f"imports.{key}") for one in listed)
    try:
        names.import_edits(b"", lists["add"], lists["remove"])
    except RequestError as error:
        scope.fail(error.message, "imports", error.hint)
    return Imports(**lists, names=names)
