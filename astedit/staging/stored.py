"""What is stored of a plan, as the payload of a pending action, and how it is read back.

The payload is strict JSON: the fingerprint in the open, and one zlib text with the root,
the request and the edits; of the files nothing but what the edits replace. It holds no
code and no name to import. Reading needs no pydantic, which costs more than an apply.
"""

import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from astedit.engine import fingerprint as marks
from astedit.engine.fingerprint import fingerprint
from astedit.engine.languages import grammars_of
from astedit.errors import PreconditionError
from astedit.model.edit import (
    ChainStep,
    Edit,
    EditedMatch,
    FilePlan,
    LanguageUse,
    ListedPlace,
    Near,
    Skip,
)
from astedit.model.plan import (
    Blocked,
    CommandRun,
    Displaced,
    DroppedComment,
    ParseErrors,
    Plan,
    PlanBase,
    PlanOrigin,
)
from astedit.model.request import EditRequest
from astedit.workers.plain import plain, restored

if TYPE_CHECKING:
    from resolve import PendingAction
    from resolve.store import PendingActionStore


class TouchedFile(NamedTuple):
    """One file: the hash it must have (None: it must not exist), and the replaced bytes.

    `spans` None stands for the whole file.
    """

    before: str | None
    spans: tuple[tuple[int, int], ...] | None


TouchedFiles = dict[str, TouchedFile]


VERSION = 2
HANDLER = "ast_edit"  # who applies it
_AS_IT_IS = (
    *("root", "hints", "interpreter", "title", "total_replacements", "files_touched"),
    *("files_searched", "limit_reached", "incomplete"),
)
_LISTS: dict[str, type] = {
    "blocked": Blocked,
    "displaced": Displaced,
    "skipped": Skip,
    "languages": LanguageUse,
    "dropped_comments": DroppedComment,
    "near": Near,
    "listed": ListedPlace,
}


def packed(plan: Plan) -> dict[str, Any]:
    """What is stored of a plan."""
    causes: _Causes = {}
    body = {
        **{name: getattr(plan, name) for name in _AS_IT_IS},
        **{name: list(map(plain, getattr(plan, name))) for name in _LISTS},
        "request": asdict(plan.request),
        "files": [_file_row(file, causes) for file in plan.files],
        "because": [ids for _, ids in causes.values()],
        "parse_errors": plain(plan.parse_errors),
        "origin": plan.origin,
        "after": plan.after and plain(plan.after),
        "command": plan.command and plain(plan.command),
    }
    text = json.dumps(body, separators=(",", ":")).encode("ascii")
    head = {"v": VERSION, "format": marks.PLAN_FORMAT, "fingerprint": plan.fingerprint}
    spans = json.dumps(touched_of(plan), separators=(",", ":")).encode("ascii")
    return {**head, "plan": _armoured(text), "touched": _armoured(spans)}


def touched_of(plan: Plan) -> TouchedFiles:
    """What a plan would write."""
    return {path: _touched(file, path) for file in plan.files for path in file.paths}


def _touched(file: FilePlan, path: str) -> TouchedFile:
    """What is touched at one of a file's paths: where one comes or goes, all that is there."""
    if file.operation == "modify":
        return TouchedFile(file.before_hash, tuple((edit.start, edit.end) for edit in file.edits))
    return TouchedFile(file.before_hash if path == file.read_from else None, None)


def touched(payload: Any) -> TouchedFiles:
    """What a stored plan would write, its edits unread; nothing of a damaged one."""
    try:
        rows = json.loads(zlib.decompress(b64decode(payload["touched"])))
        return {
            path: TouchedFile(before, spans and tuple((start, end) for start, end in spans))
            for path, (before, spans) in rows.items()
        }
    except (KeyError, TypeError, ValueError, zlib.error):
        return {}  # whoever shows or applies it says what is wrong with it


def of_this_version(payload: Any) -> bool:
    """Whether a plan that is stored means here what it meant where it was staged.

    What is no payload at all does: `unpacked` says what is wrong with it.
    """
    if not isinstance(payload, dict) or "plan" not in payload:
        return True
    return (payload.get("v"), payload.get("format", 1)) == (VERSION, marks.PLAN_FORMAT)


def unpacked(payload: Any) -> Plan:
    """The stored plan; `PreconditionError(code="damaged")` if it is not one of ours."""
    try:
        if payload["v"] != VERSION:
            raise ValueError(f"version {payload['v']}")
        body = json.loads(zlib.decompress(b64decode(payload["plan"])))
        return _plan(body, payload["fingerprint"])
    except (AttributeError, LookupError, TypeError, ValueError, zlib.error) as error:
        raise PreconditionError(
            f"The stored plan cannot be read: {error}.",
            code="damaged",
            hint="Discard it and preview the change again.",
        ) from error


def _armoured(text: bytes) -> str:
    return b64encode(zlib.compress(text, 1)).decode("ascii")


_Causes = dict[int, tuple[int, list[str]]]
"""Lists of causes with their numbers: thousands of edits may have the same, stored once."""


def _file_row(file: FilePlan, causes: _Causes) -> list[Any]:
    edits = [_edit_row(edit, causes) for edit in file.edits]
    head = [file.path, file.operation, file.before_hash, file.after_hash, file.mode]
    return [*head, file.replacements, edits, file.link, file.source, file.new_mode]


def _edit_row(edit: Edit, causes: _Causes) -> list[Any]:
    """`new` only where it is not simply `after` in UTF-8."""
    is_plain = edit.new == edit.after.encode("utf-8", "surrogateescape")
    number = None
    if edit.because:
        number, _ = causes.setdefault(id(edit.because), (len(causes), edit.because))
    place = [edit.start, edit.end, edit.line, edit.column]
    return [
        *(edit.id, edit.op, edit.rule_id, *place, edit.before, edit.after, edit.matches),
        edit.match and plain(edit.match),
        None if is_plain else edit.new.decode("latin-1"),
        *(edit.lead, number, list(map(plain, edit.chain)), edit.origin),
    ]


def _plan(body: dict[str, Any], fingerprint: str) -> Plan:
    lists: dict[str, Any] = {
        name: [restored(kind, row) for row in body[name]] for name, kind in _LISTS.items()
    }
    return Plan(
        **{name: body[name] for name in _AS_IT_IS},
        **lists,
        request=EditRequest.restored(body["request"]),
        files=[_file(row, body["because"]) for row in body["files"]],
        parse_errors=restored(ParseErrors, body["parse_errors"]),
        origin=PlanOrigin.restored(body["origin"]),
        after=body["after"] and restored(PlanBase, body["after"]),
        command=body["command"] and restored(CommandRun, body["command"]),
        fingerprint=fingerprint,
    )


def _file(row: list[Any], causes: Sequence[list[str]]) -> FilePlan:
    file = FilePlan(*row[:7])
    file.edits = [_edit(edit, causes) for edit in row[6]]
    file.link, file.source, file.new_mode = row[7:]
    return file


def _edit(row: list[Any], causes: Sequence[list[str]]) -> Edit:
    edit = Edit(*row[:10])
    match, new, edit.lead, number, chain, edit.origin = row[10:]
    edit.match = match and EditedMatch(*match)
    plain_new = edit.after.encode("utf-8", "surrogateescape")
    edit.new = plain_new if new is None else new.encode("latin-1")
    edit.because = [] if number is None else causes[number]
    edit.chain = [ChainStep(*step) for step in chain]
    return edit


class Recorded(Protocol):
    """A session, or a store by itself."""

    @property
    def records(self) -> "PendingActionStore":
        """What holds the actions of all sessions."""


def stored(session: Recorded, action: "PendingAction") -> Plan:
    """The plan of a staged or resolved action, exactly as it was staged.

    Raises `PreconditionError`: it has none, another version staged it, or its row was
    changed since.
    """
    payload = _payload(session, action)
    if not of_this_version(payload):
        raise _of_another_version(action)
    plan = unpacked(payload)
    check_genuine(plan)
    plan.action_id = action.id
    plan.applied = action.state == "applied"
    return plan


def _of_another_version(action: "PendingAction") -> PreconditionError:
    again = f"astedit resolve apply {action.id} --refresh --reason TEXT"
    return PreconditionError(
        "Another version of astedit staged this plan, and this one may read it otherwise.",
        code="other_version",
        hint=f"Preview it again in its place, and look at the new plan: {again}"
        if action.state in ("pending", "applying")
        else f"It is {action.state}; astedit log --json says what it did.",
    )


def _payload(session: Recorded, action: "PendingAction") -> Any:
    payload = session.records.payload(action.id)
    if action.kind != HANDLER or payload is None:
        raise PreconditionError(
            f"{action.id} ({action.kind}) holds no plan.",
            code="no_plan",
            hint="Show it with --format json.",
        )
    return payload


def to_run_again(session: Recorded, action: "PendingAction") -> Plan:
    """The stored plan for its request alone, which means the same in every version."""
    payload = _payload(session, action)
    return stored(session, action) if of_this_version(payload) else unpacked(payload)


def check_genuine(plan: Plan) -> None:
    """Refuses a stored plan whose parts are not those that its fingerprint was taken of."""
    used = grammars_of(plan.request, plan.files)
    grammars = [use for use in plan.languages if use.name in used]
    if fingerprint(plan.request, plan.files, grammars) != plan.fingerprint:
        raise PreconditionError(
            "The stored plan is not the one that was staged: its row was changed.",
            code="tampered",
            hint="Discard it and preview the change again.",
        )


UNDO = "undo"  # who applies it
UNDO_VERSION = 2


@dataclass(frozen=True, slots=True)
class Restore:
    """One file: the hash expected now, the hash and the mode to restore; None is not a file.

    `metadata` is what else a file had that was deleted, as `FileMetadata.to_json` has it;
    `directories` were made for one that was created, and go with it if nothing else is there.
    """

    path: str
    expected: str | None
    restore: str | None
    mode: int
    metadata: Mapping[str, Any] | None = None
    directories: Sequence[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class UndoPayload:
    """What an action of kind `undo` stores; `origin` is where it was staged."""

    root: str
    undoes: str
    files: Sequence[Restore]
    origin: PlanOrigin | None = None

    @property
    def fingerprint(self) -> str:
        """SHA-256 over the list and the id undone."""
        body = {"v": UNDO_VERSION, "undoes": self.undoes, "files": list(map(plain, self.files))}
        text = json.dumps(body, sort_keys=True, separators=(",", ":"))
        return sha256(text.encode("ascii")).hexdigest()

    def packed(self) -> dict[str, Any]:
        """The payload; its files are one ASCII text, since names may be any bytes."""
        rows = json.dumps(list(map(plain, self.files)))
        head = {"v": UNDO_VERSION, "root": self.root, "undoes": self.undoes}
        return head | {"fingerprint": self.fingerprint, "files": rows, "origin": self.origin}

    @classmethod
    def unpacked(cls, payload: Any) -> "UndoPayload":
        """Reads it back; `PreconditionError` if it is not what was staged."""
        try:
            files = [restored(Restore, row) for row in json.loads(payload["files"])]
            origin = PlanOrigin.restored(payload.get("origin"))
            undoing = cls(payload["root"], payload["undoes"], files, origin)
            genuine = payload["v"] == UNDO_VERSION and payload["fingerprint"] == undoing.fingerprint
        except (KeyError, TypeError, ValueError) as error:
            raise _damaged() from error
        if not genuine:
            raise _damaged()
        return undoing


def touched_by_undo(payload: Any) -> TouchedFiles:
    """What a stored undo would write: whole files; nothing of a damaged one."""
    try:
        files = UndoPayload.unpacked(payload).files
    except PreconditionError:
        return {}  # whoever shows or applies it says what is wrong with it
    return {file.path: TouchedFile(file.expected, None) for file in files}


def _damaged() -> PreconditionError:
    return PreconditionError(
        "The stored undo is not the one that was staged: its row was changed.",
        code="tampered",
        hint="Discard it and stage the undo again.",
    )
