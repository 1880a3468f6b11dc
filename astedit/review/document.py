"""`review.json`: the decisions of a review as a document, and back.

A document is untrusted data. It is of one fingerprint; each entry is checked, and the first
thing wrong is said with its place. Who and when are what the document says.
"""

from collections.abc import Iterator, Set
from dataclasses import replace
from datetime import datetime
from typing import Any, get_args

from astedit.errors import PreconditionError, RequestError
from astedit.json_model import OBJECT, TEXT, TEXTS, Schema, object_of, read_document
from astedit.review.decisions import LONGEST_COMMENT, Attention, Decision, Review, ReviewChoice
from astedit.review.order import ordered
from resolve.visible import one_line

SCHEMA = "astedit/review/1"
MAX_SIZE = 32 * 1024 * 1024  # bytes; 30,000 edits without comments have 8 MB
_NAME = TEXT | {"maxLength": 200}
_ANY: Schema = {"type": "array", "items": OBJECT}
_ENTRY = object_of(
    {
        **dict.fromkeys(("id", "path", "reason"), TEXT),
        **dict.fromkeys(("who", "when"), _NAME),
        "line": {"type": "integer"},
        "decision": TEXT | {"enum": get_args(ReviewChoice)},
        "read": TEXT | {"enum": get_args(Attention)},
        "comment": TEXT | {"maxLength": LONGEST_COMMENT},
        "follows": TEXTS,
    },
    "id",
)
_DOCUMENT = object_of(
    {
        **dict.fromkeys(("schema", "fingerprint", "actionId"), TEXT),
        "revision": {"type": "integer"},
        "progress": OBJECT,
        "shapes": _ANY,
        "edits": {"type": "array", "items": _ENTRY},
    },
    *("schema", "fingerprint", "edits"),
)


def document_of(review: Review, part: Set[str] | None = None) -> dict[str, Any]:
    """The document of a review: every edit of the plan, or of a part, decided or not.

    An edit of imports has no decision but what it follows. `progress`, `shapes` and `reason`,
    why an edit is an outlier, are for readers; `revision` says up to which decision the
    document knows all.
    """
    shown = [edit_id for edit_id in review.edits if part is None or edit_id in part]
    chosen = set(shown)
    groups = ordered(review.plan, groups=review.shapes)
    why = {edit.edit.id: edit.why[0] for group in groups for edit in group.edits if edit.why}
    shapes = (
        (number, group, [each.edit.id for each in group.edits if each.edit.id in chosen])
        for number, group in enumerate(review.shapes, 1)
    )
    return {
        "schema": SCHEMA,
        "actionId": review.plan.action_id,
        "fingerprint": review.fingerprint,
        "revision": review.revision,
        "progress": _counts(review, shown),
        "shapes": [
            {"number": number, "label": group.shape.label, **_counts(review, edit_ids)}
            for number, group, edit_ids in shapes
            if edit_ids
        ],
        "edits": [_entry(review, edit_id) | {"reason": why.get(edit_id)} for edit_id in shown],
    }


def _counts(review: Review, edit_ids: list[str]) -> dict[str, int]:
    progress = review.progress(edit_ids)
    return {**progress._asdict(), "undecided": progress.undecided}


def _entry(review: Review, edit_id: str) -> dict[str, Any]:
    path, edit = review.edits[edit_id]
    own, tie = review.own(edit_id), review.tie(edit_id)
    entry: dict[str, Any] = {
        "id": edit_id,
        "path": path,
        "line": edit.shown_line,
        "decision": own.choice,
        "read": own.attention,
        "comment": own.comment or None,
        "who": own.who or None,
        "when": own.when or None,
    }
    return entry | {"follows": list(tie.edits)} if tie else entry


def import_document(text: bytes, review: Review) -> list[str]:
    """Takes over the decisions of a document; returns the edits that changed.

    Edits that it does not name stay as they are. Raises `RequestError` for what is no such
    document, or contradicts itself, and `PreconditionError` for one of another plan, and for
    an edit that was decided otherwise since the document was made. Nothing is kept then.
    """
    if len(text) > MAX_SIZE:
        raise _bad(f"it is over {MAX_SIZE // 1024 // 1024} MiB long")
    document = read_document(text, SCHEMA, _DOCUMENT, _bad)
    if document["fingerprint"] != review.fingerprint:
        raise PreconditionError(
            f"The review is of another plan: its fingerprint begins with "
            f"{one_line(str(document['fingerprint']))[:12]!r}, this one's with "
            f"{review.fingerprint[:12]!r}.",
            code="other_plan",
            hint="Review this plan, or refresh the review that you have.",
        )
    review.refresh()
    decisions: dict[str, Decision] = {}
    for place, entry in _entries(document, review):
        decisions[entry["id"]] = _decision(entry, place)
    _refuse_torn(decisions, review)
    _refuse_changed(document, decisions, review)
    changed = {
        key: each for key, each in decisions.items() if each.content != review.own(key).content
    }
    for key, each in changed.items():
        own = review.signed(each)  # who and when are what the document says, if it does
        changed[key] = replace(own, who=each.who or own.who, when=each.when or own.when)
    review.keep(changed, signed=True)
    return list(changed)


def _entries(document: dict[str, Any], review: Review) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each entry with its place, checked as far as it stands for one edit of the plan."""
    seen: dict[str, str] = {}
    for index, entry in enumerate(document["edits"]):
        place, edit_id = f"edits[{index}]", entry["id"]
        if edit_id not in review.edits:
            raise _bad(f"{place}: the plan has no edit {edit_id!r}", code="unknown_edit")
        if edit_id in seen:
            raise _bad(f"{place}: {edit_id} is also {seen[edit_id]}", code="contradiction")
        seen[edit_id] = place
        path, edit = review.edits[edit_id]
        for key, value in (("path", path), ("line", edit.shown_line)):
            if entry.get(key, value) != value:
                raise _bad(f"{place}.{key}: {edit_id} is in {path}:{edit.shown_line}")
        yield place, entry


def _decision(entry: dict[str, Any], place: str) -> Decision:
    texts = {key: entry.get(key, "") for key in ("comment", "who", "when")}
    for key, text in texts.items():
        if any("\ud800" <= char <= "\udfff" for char in text):
            raise _bad(f"{place}.{key} is not a text: it holds half a character")
    try:
        datetime.fromisoformat(texts["when"] or "2026-01-01")
    except ValueError as error:
        raise _bad(f"{place}.when: {texts['when']!r} is not a time") from error
    return Decision(choice=entry.get("decision"), attention=entry.get("read"), **texts)


def _refuse_torn(decisions: dict[str, Decision], review: Review) -> None:
    """Raises `RequestError` where edits that belong together are decided apart."""
    for tie in review.ties:
        choices = {decisions.get(key, review.own(key)).choice for key in tie.edits}
        if tie.comes == "binding" and len(choices) > 1:
            raise _bad(
                f"{', '.join(tie.edits[:3])} are decided together, for {tie.imports} adds and"
                " removes imports for all of them",
                code="contradiction",
            )
        if tie.imports in decisions and decisions[tie.imports].choice is not None:
            raise _bad(
                f"{tie.imports} is an edit of imports, which follows {tie.edits[0]}: it has no"
                " decision of its own",
                code="contradiction",
            )


def _refuse_changed(
    document: dict[str, Any], decisions: dict[str, Decision], review: Review
) -> None:
    """Raises `PreconditionError` where the document would undo what it does not know of."""
    known = document.get("revision", 0) if document.get("actionId") == review.plan.action_id else 0
    for edit_id in review.changed_since(known):
        if edit_id in decisions and decisions[edit_id].content != review.own(edit_id).content:
            path, edit = review.edits[edit_id]
            raise PreconditionError(
                f"{edit_id} ({one_line(path)}:{edit.shown_line}) was decided otherwise by "
                f"{one_line(review.own(edit_id).who)}, and the review does not know of it.",
                code="changed_meanwhile",
                hint="Export the review again, and decide in that.",
            )


def _bad(why: str, near: str = "", code: str = "bad_review") -> RequestError:
    return RequestError(
        f"This is not a review of this plan: {one_line(why)}.",
        code=code,
        hint=f"{near} Give what `astedit review --export FILE` wrote.".strip(),
    )
