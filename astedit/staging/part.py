"""A part of a plan: what a resolution wishes for, the plan cut to it, and what is kept of it.

What is left out can be shown, landed or staged again.
"""

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, NamedTuple, Self

from astedit.engine.fingerprint import fingerprint_of
from astedit.errors import PreconditionError, RequestError
from astedit.json_model import FLAG, TEXT, Schema, SchemaCheck, object_of, snake
from astedit.model.edit import Edit, FilePlan
from astedit.model.plan import Plan
from astedit.review.decisions import Review
from astedit.review.selectors import (
    ALL,
    UNDECIDED,
    Selection,
    Undecided,
    accepted_part,
    ids_of,
    part_of,
)
from astedit.review.units import is_cascade
from astedit.staging.outcome import moved_meanwhile
from astedit.text import first_names, number
from astedit.text.diff import hunks
from astedit.text.source import splice
from astedit.workspace.root import Workspace, content_with_hash
from resolve import PendingAction
from resolve.handlers import Context
from resolve.state import SessionState
from resolve.visible import one_line

# operations that are nothing by halves
WHOLE = frozenset({"extract", "inline", "move", "move_module"})
_NAMED = 5  # edits that come out otherwise
_SELECTORS: Schema = {"type": "array", "items": TEXT | {"minLength": 1}}
_EXTRA: dict[str, Schema] = {
    "only": _SELECTORS,
    "exclude": _SELECTORS,
    "refresh": FLAG,
    "reviewed": FLAG,
    "undecided": TEXT | {"enum": UNDECIDED},
    "keepRest": FLAG,
}


Remade = Callable[[Plan, Set[str]], Plan]
"""Runs a cascade from the chosen edits of its plan, see `replacement.made_from`."""


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
        refuse_unknown(extra, tuple(_EXTRA))
        wishes = SchemaCheck().value(extra or {}, object_of(_EXTRA))
        if None in (extra or {}).values():  # which is no way to choose all of a plan
            raise RequestError("`extra` holds a null: leave the key out instead.")
        only, exclude = (wishes.pop(name, None) for name in ("only", "exclude"))
        selection = Selection(None if only is None else tuple(only), tuple(exclude or ()))
        wish = cls(selection, **{snake(name): value for name, value in wishes.items()})
        if only == []:
            raise RequestError(
                "`only` is empty: no edit is chosen.",
                code="empty_choice",
                hint="Leave it out to apply all of the plan.",
            )
        if wish.refresh and len(extra or {}) > 1:
            raise RequestError("`refresh` writes nothing: there is no part to choose.")
        if wish.undecided and not wish.reviewed:
            raise RequestError("`undecided` is about a review: ask for `reviewed`, too.")
        return wish

    def chosen(
        self,
        plan: Plan,
        review: Callable[[Plan], Review] | None = None,
        remade: Remade | None = None,
    ) -> tuple[Plan, list[dict[str, str]]]:
        """The part of the plan to write, and `{id, path}` of every other edit.

        `review` opens the review of the plan, where it is `reviewed`; `remade` runs a cascade
        from the chosen edits. Raises `RequestError` for
        a text that means no edit and for an empty choice, `PreconditionError` as
        `accepted_part` does, and for a part of a plan that is nothing by halves.
        """
        if self.selection == ALL and not self.reviewed:
            return plan, []
        closed = remade is None or not is_cascade(plan)
        edits = part_of(plan, self.selection, closed)
        if self.reviewed:
            assert review is not None
            edits = accepted_part(review(plan), edits, self.undecided, closed)
        _check_whole(plan, edits)
        part = _cut(plan, edits, remade)
        if self.reviewed and (places := unseen(plan, part)):
            raise PreconditionError(
                f"Without what is rejected {number(len(places), 'edit')} would come out otherwise "
                f"than reviewed: {first_names(places, _NAMED)}.",
                code="comes_out_otherwise",
                hint="Look at it with `show --exclude`, and apply it with `--exclude`; or reject "
                "these edits, too.",
            )
        made = ids_of(part)
        rest = [
            {"id": edit.id, "path": file.path}
            for file in plan.files
            for edit in file.edits
            if edit.id not in made
        ]
        return part, rest

    def kept(self, plan: Plan, applied: Plan, review: Callable[[Plan], Review]) -> set[str]:
        """The edits that are staged again when this part is applied."""
        rest = ids_of(plan) - ids_of(applied)
        if self.keep_rest:
            return rest
        return rest.intersection(review(plan).chosen(None)) if self.undecided == "keep" else set()


def _cut(plan: Plan, edits: Set[str], remade: Remade | None) -> Plan:
    """The plan of these edits alone; of a cascade as it comes out when it is run from them."""
    if remade is None or len(edits) == len(ids_of(plan)) or not is_cascade(plan):
        return parted(plan, edits)
    part = remade(plan, edits)
    told = replace(plan, files=part.files, shapes=[])
    told.files_touched, told.total_replacements = part.files_touched, part.total_replacements
    if unseen(plan, part):  # an approval of the whole says nothing about it
        told.fingerprint = part.fingerprint
    return told


def unseen(plan: Plan, part: Plan) -> list[str]:
    """Where a part has edits that the whole has not: what they cover came out otherwise."""
    shown = ids_of(plan)
    return [
        f"{one_line(file.path)}:{edit.shown_line}"
        for file in part.files
        for edit in file.edits
        if edit.id not in shown
    ]


def _check_whole(plan: Plan, edits: Set[str]) -> None:
    """Raises for a part of a move: code that leaves one file comes to another."""
    operation = plan.request.operation
    if operation is not None and operation.kind in WHOLE and ids_of(plan) - edits:
        raise PreconditionError(
            "This is applied as a whole: a part of it would lose code.",
            code="whole_plan",
            hint="Apply all of it, or discard it and move less.",
        )


def parted(plan: Plan, edits: Set[str]) -> Plan:
    """The plan with these edits alone."""
    files = [some for file in plan.files if (some := _part(file, edits)) is not None]
    part = replace(plan, files=files, shapes=[])
    part.files_touched, part.total_replacements = len(files), sum(f.replacements for f in files)
    return part


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


_KEY = "notApplied"  # of an action's details: the ids of the edits that were not made
_DONE = "done"  # of an intent
_PART_STATES = ("applied", "landed", "undone")


def left_out(rest: list[dict[str, str]]) -> dict[str, Any]:
    """What the details of an action say of the edits that were not made."""
    return {_KEY: [each["id"] for each in rest]} if rest else {}


def noted_part(
    label: str, part: Plan, rest: list[dict[str, str]], kept: Set[str], context: Context
) -> dict[str, Any]:
    """Records that this part is applied; returns what its intent says of that, for a recovery.

    `rest` are the other edits, as `{id, path}`; those of them that are `kept` are staged again.
    Of all of a plan there is nothing to say.
    """
    if not rest:
        return {}
    counts = {"replacements": part.total_replacements, "files": part.files_touched}
    details = dict(context.action.notes) | counts | left_out(rest)
    context.record_done(label, details)
    return {_DONE: {"label": label, "details": details, "kept": sorted(kept)}}


class RecoveredPart(NamedTuple):
    """Which edits an apply was of that recovery has finished, and which it was to keep."""

    applied: set[str]
    kept: set[str]


def record_recovered(plan: Plan, intent: Any, context: Context) -> RecoveredPart | None:
    """Records which part of the plan was applied; returns it, None for all of the plan."""
    done = intent.get(_DONE) if isinstance(intent, dict) else None
    if done is None:
        return None
    context.record_done(done["label"], done["details"])
    left, kept = done["details"][_KEY], done.get("kept", ())
    return RecoveredPart(ids_of(plan).difference(left), set(kept))


def shown_part(
    plan: Plan,
    action: PendingAction,
    session: SessionState,
    selection: Selection = ALL,
    remade: Remade | None = None,
) -> Plan:
    """What is shown of a stored plan: what was applied of it, if it was, and of that a part.

    `remade` runs a cascade from the chosen edits, as an apply would.
    Raises `RequestError` as `part_of` does.
    """
    left = action.notes.get(_KEY) if action.state in _PART_STATES else None
    closed = left is not None or remade is None or not is_cascade(plan)
    edits = part_of(plan, selection, closed).difference(left or ())
    part = _cut(plan, edits, None if closed else remade)
    if len(edits) == len(ids_of(plan)):
        return plan
    if not part.files:
        raise RequestError("No edit is left.", code="empty_choice", hint="It was not applied.")
    rows = session.records.audit(action_id=action.id, outcome="applied", limit=1)
    after = {file["path"]: file["after"] for row in rows for file in row.files}
    for file in part.files:
        file.after_hash = file.after_hash or after.get(file.path)
    return part


def cut(plan: Plan, kept: Set[str], workspace: Workspace, *, want_hunks: bool) -> Plan:
    """The plan of the same request for these edits alone, which its request then names.

    What every edit is, was verified in the whole; an edit that the plan does not have is left
    out. Raises `StaleError` for a file that changed meanwhile.
    """
    part = parted(plan, kept)
    part.request = replace(plan.request, kept=sorted(kept))
    for file in part.files:
        if file.after_hash is None and file.operation == "modify":
            _complete(file, workspace, want_hunks)
    part.fingerprint = fingerprint_of(part)
    return part


def _complete(file: FilePlan, workspace: Workspace, want_hunks: bool) -> None:
    """Fills in what the file becomes by a part of its edits."""
    before = content_with_hash(workspace, file.path, file.before_hash)
    if before is None:
        raise moved_meanwhile(file)
    file.after_hash = sha256(splice(before, file.changes)).hexdigest()
    file.hunks = hunks(file.path, before, file.changes) if want_hunks else b""
