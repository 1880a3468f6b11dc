"""What became of each repository so far, in a store beside those of the repositories."""

import hashlib
import json
import os
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from astedit.campaign.file import Campaign
from astedit.errors import PreconditionError, RequestError
from astedit.json_model import Model, fitting
from resolve import SqliteStore, ToolError
from resolve.locks import Hold, hold_file

LedgerState = Literal[
    "waiting", "unchanged", "failed", "outdated",
    "pending", "stale", "applying", "applied", "landed", "discarded", "superseded", "lost",
    "undone",
]  # fmt: skip

ProofState = Literal["proven", "broken"]
# What other commands' hints say, and what says the same to a campaign.
_IN_A_CAMPAIGN = {
    "astedit review ID --refresh": "astedit campaign FILE --refresh",
    "--expect-failing": "`expectFailing: true` below `prove`",
    "--junit or --fail-regex": "`junit` or `failRegex` below `prove`",
    "--branch NAME": "`branch` below `land`",
}


@dataclass(slots=True, eq=False, repr=False)
class LedgerRow(Model):
    """One repository of a campaign.

    `waiting`: not planned yet. `unchanged`: nothing to do there. `failed`: not planned, see
    `error`. `outdated`: planned for what the file does not say any more. Else the state of its
    action, and `stale` for a pending one that the gate has found to be so. `error` is the
    last attempt's, `{code, message, hint, path}`. `proof` is of its plan. What has landed is on
    `branches`; `commands` is the file that pushes them, `pushed` where we did that.
    """

    root: str
    request: str = ""
    state: LedgerState = "waiting"
    action_id: str | None = None
    fingerprint: str | None = None
    replacements: int = 0
    files: int = 0
    error: dict[str, Any] | None = None
    proof: ProofState | None = None
    branches: list[str] = field(default_factory=list)
    commands: str | None = None
    pushed: str | None = None


class Ledger(AbstractContextManager["Ledger"]):
    """The rows of one campaign; each is on disk when `put` returns. A context manager.

    With `alone` nobody else can work on the campaign meanwhile, however this process ends:
    `PreconditionError` if somebody does. Reading an absent one finds everything waiting.
    """

    def __init__(self, folder: str, campaign: Campaign, *, alone: bool = False) -> None:
        """`folder` is the state directory, above those of the workspaces."""
        self._campaign = campaign
        self.folder = os.path.join(folder, "campaigns", campaign.key)
        path = os.path.join(self.folder, "state.db")
        self._hold: Hold | None = None
        self._store = SqliteStore(path) if alone or os.path.exists(path) else None
        if self._store is not None and alone:
            try:
                self._store.set_meta("campaign", campaign.file)
                self._hold = self._alone(self._store)
            except BaseException:
                self._store.close()
                raise

    def _alone(self, store: SqliteStore) -> Hold:
        try:
            return hold_file(store.path.parent / "lock", self._campaign.name)
        except ToolError as error:
            raise PreconditionError(
                f"The campaign {self._campaign.file} is being worked on by another process.",
                code="busy",
                hint="Wait for its end; --status shows how far it is.",
            ) from error

    def __exit__(self, *_: object) -> None:
        if self._store is not None:
            self._store.close()
        if self._hold is not None:
            self._hold.close()

    def row(self, root: str) -> LedgerRow:
        """What is noted of a repository; of a damaged note nothing is believed.

        The repository's own store knows what was staged there.
        """
        text = self._store.meta(_key(root)) if self._store is not None else None
        return LedgerRow(root) if text is None else _read(text, root) or LedgerRow(root)

    def put(self, row: LedgerRow) -> None:
        """Notes it, for good."""
        assert self._store is not None
        self._store.set_meta(_key(row.root), json.dumps(asdict(row)))


def _read(text: str, root: str) -> LedgerRow | None:
    """The row that was noted; None for what is none of this repository."""
    hints = LedgerRow.__annotations__
    try:
        noted = json.loads(text).items()
        row = LedgerRow(**{name: fitting(value, hints[name], name) for name, value in noted})
    except (AttributeError, LookupError, TypeError, ValueError, RecursionError, RequestError):
        return None
    return row if row.root == root else None


def _key(root: str) -> str:
    """A name that is text even where the path is not."""
    return "repository " + hashlib.sha256(os.fsencode(root)).hexdigest()


def error_data(error: Exception) -> dict[str, Any]:
    """`{code, message, hint, path}` of one of our errors or the gate's, for a campaign."""
    hint: str | None = getattr(error, "hint", None)
    for words, ours in _IN_A_CAMPAIGN.items():
        hint = hint and hint.replace(words, ours)
    return {
        "code": getattr(error, "code", "internal"),
        "message": str(error),
        "hint": hint,
        "path": getattr(error, "path", None),
    }
