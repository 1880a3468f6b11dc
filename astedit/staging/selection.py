"""Which part of a plan is applied; `review/selectors.py` says which text means what."""

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any, Self

from astedit.errors import PreconditionError, RequestError
from astedit.model.edit import Edit, FilePlan
from astedit.model.plan import Plan
from astedit.review.accepted_part import UNDECIDED, Undecided, accepted_part
from astedit.review.decisions import Review
from astedit.review.selectors import ALL, Selection, ids_of, part_of

WHOLE = frozenset({"move", "move_module"})  # operations that are nothing by halves
_KEYS = ("only", "exclude", "refresh", "reviewed", "undecided", "keepRest")


@dataclass(frozen=True, slots=True)
class Wish:
    """What a resolution asks for beside `apply`.

    `selection` says which edits; `refresh` asks for a new preview. `reviewed` asks for what
    was accepted of them, `undecided` says what becomes of the edits that nobody has decided about,
    and `keep_rest` asks that what is not applied be staged again.
    """

    selection: Selection = ALL
    refresh: bool = False
    reviewed: bool = False
    undecided: Undecided | None = None
    keep_rest: bool = False

    @classmethod
    def of(cls, extra: Mapping[str, Any] | None) -> Self:
        """Reads `extra` of a resolution.

        Raises `RequestError` for a key that means nothing here, for the wrong types, and for
        a wish that contradicts itself.
        """
        wishes = extra or {}
        refuse_unknown(wishes, _KEYS)
        wish = cls(
            Selection(_texts(wishes, "only"), _texts(wishes, "exclude") or ()),
            _flag(wishes, "refresh"),
            _flag(wishes, "reviewed"),
            _undecided(wishes),
            _flag(wishes, "keepRest"),
        )
        if wish.selection.only == ():
            raise RequestError(
                "`only` is empty: no edit is chosen.",
                code="empty_choice",
                hint="Leave it out to apply all of the plan.",
            )
        if wish.refresh and wishes.keys() - {"refresh"}:
            raise RequestError("`refresh` writes nothing: there is no part to choose.")
        if wish.undecided and not wish.reviewed:
            raise RequestError("`undecided` is about a review: ask for `reviewed`, too.")
        return wish

    def chosen(
        self, plan: Plan, review: Callable[[Plan], Review] | None = None
    ) -> tuple[Plan, list[dict[str, str]]]:
        """The part of the plan to write, and `{id, path}` of every other edit.

        `review` opens the review of the plan, where it is `reviewed`. Raises `RequestError` for
        a text that means no edit and for an empty choice, `PreconditionError` as
        `accepted_part` does, and for a part of a plan that is nothing by halves.
        """
        if self.selection == ALL and not self.reviewed:
            return plan, []
        edits = part_of(plan, self.selection)
        if self.reviewed:
            assert review is not None
            edits = accepted_part(review(plan), edits, self.undecided)
        _check_whole(plan, edits)
        return parted(plan, edits)

    def kept(self, plan: Plan, applied: Plan, review: Callable[[Plan], Review]) -> set[str]:
        """The edits that are staged again when this part is applied."""
        rest = ids_of(plan) - ids_of(applied)
        if self.keep_rest:
            return rest
        return rest.intersection(review(plan).chosen(None)) if self.undecided == "keep" else set()


def _check_whole(plan: Plan, edits: Set[str]) -> None:
    """Raises for a part of a move: code that leaves one file comes to another."""
    operation = plan.request.operation
    if operation is not None and operation.kind in WHOLE and ids_of(plan) - edits:
        raise PreconditionError(
            "A move is applied as a whole: a part of it would lose code.",
            code="whole_plan",
            hint="Apply all of it, or discard it and move less.",
        )


def parted(plan: Plan, edits: Set[str]) -> tuple[Plan, list[dict[str, str]]]:
    """The plan with these edits alone, and `{id, path}` of every other one."""
    files = [some for file in plan.files if (some := _part(file, edits)) is not None]
    rest = [
        {"id": edit.id, "path": file.path}
        for file in plan.files
        for edit in file.edits
        if edit.id not in edits
    ]
    part = replace(plan, files=files, shapes=[])
    part.files_touched, part.total_replacements = len(files), sum(f.replacements for f in files)
    return part, rest


def refuse_unknown(extra: Mapping[str, Any] | None, known: Sequence[str]) -> None:
    """Raises `RequestError` for a key of `extra` that nobody would look at."""
    unknown = [key for key in extra or {} if key not in known]
    if unknown:
        hint = f"Known: {', '.join(known)}." if known else "Leave `extra` away."
        raise RequestError(f"`extra` has no {unknown[0]!r}.", code="invalid", hint=hint)


def _part(file: FilePlan, wanted: Set[str]) -> FilePlan | None:
    """The file with the chosen edits only; its new hash is known when it is written."""
    edits: list[Edit] = [edit for edit in file.edits if edit.id in wanted]
    if len(edits) == len(file.edits):
        return file
    count = sum(edit.matches for edit in edits)
    return replace(file, edits=edits, replacements=count, after_hash=None) if edits else None


def _undecided(wishes: Mapping[str, Any]) -> Undecided | None:
    value = wishes.get("undecided")
    if value not in (None, *UNDECIDED):
        raise RequestError(f"`undecided` is none of {', '.join(UNDECIDED)}.")
    return value


def _texts(wishes: Mapping[str, Any], name: str) -> tuple[str, ...] | None:
    if name not in wishes:
        return None
    value = wishes[name]
    if isinstance(value, str) or not isinstance(value, list | tuple):
        raise RequestError(f"`{name}` is not a list of edit ids, globs and other selectors.")
    if not all(isinstance(item, str) and item for item in value):
        raise RequestError(f"`{name}` holds something else than texts.")
    return tuple(value)


def _flag(wishes: Mapping[str, Any], name: str) -> bool:
    value = wishes.get(name, False)
    if not isinstance(value, bool):
        raise RequestError(f"`{name}` is not true or false.")
    return value
