"""Edits that are decided together: an edit of imports, and the matches that need it.

The parts of one match, and matches that overlap, are one edit already.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from astedit.errors import RequestError
from astedit.model.edit import Edit, FilePlan

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Tie:
    """An edit of imports and the edits that it is for; it has no decision of its own.

    What only adds comes with any of them, what takes something away with all of them alone.
    What does both binds them: all of them are made, or none.
    """

    imports: str
    edits: tuple[str, ...]
    comes: Literal["with any", "with all", "binding"]


def ties_of(file: FilePlan) -> list[Tie]:
    """The ties within a file.

    An edit of imports (of no match) is for the matches of its op or rule in the file, one of
    no op for all matches there.
    """
    if file.operation != "modify":
        return _of_a_whole_file(file)
    ties = []
    for imports in (edit for edit in file.edits if not edit.matches):
        served = tuple(edit.id for edit in file.edits if edit.matches and _serves(imports, edit))
        if served:
            ties.append(Tie(imports.id, served, _comes(imports)))
    return ties


def _of_a_whole_file(file: FilePlan) -> list[Tie]:
    """A file comes, goes or moves with all of its edits, or with none."""
    first, *rest = (edit.id for edit in file.edits)
    return [Tie(first, tuple(rest), "binding")] if rest else []


def settled(file: FilePlan, chosen: Iterable[str]) -> set[str]:
    """The chosen edits of a file, less the edits of imports among them, with those they need.

    Raises `RequestError` where a tie that binds would be torn.
    """
    edits = set(chosen)
    if file.operation != "modify":  # a file comes, goes or moves with all that is in it
        return {edit.id for edit in file.edits} if edits else edits
    for tie in ties_of(file):
        edits.discard(tie.imports)
        count = len(edits.intersection(tie.edits))
        if not count:
            continue
        if count == len(set(tie.edits)) or tie.comes == "with any":
            edits.add(tie.imports)
        elif tie.comes == "binding":
            raise RequestError(
                f"{tie.imports} in {file.path} adds and removes imports for edits that are not"
                " chosen.",
                code="split",
                hint=f"Choose all of them: --only {file.path}",
            )
    return edits


def _serves(imports: Edit, edit: Edit) -> bool:
    """Whether an edit of imports is for this edit; one of no op is for all of its file."""
    return _rule(imports) in ((None, None), _rule(edit))


def _rule(edit: Edit) -> tuple[int | None, str | None]:
    return edit.op, edit.rule_id


def _comes(imports: Edit) -> Literal["with any", "with all", "binding"]:
    if not imports.before:
        return "with any"
    added = set(_WORD.findall(imports.after)) - set(_WORD.findall(imports.before))
    return "binding" if added else "with all"
