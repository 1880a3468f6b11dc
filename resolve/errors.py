"""What can go wrong at the gate, each with what to do next."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType


class ToolError(Exception):
    """An expected failure, for the next action of whoever called.

    `str(error)` is the sentence to show; `code` is stable and meant for programs;
    `hint` says what to do next. Nothing was changed unless the message says so. `about` has
    `label`, `actionId` and `sourceToolName` of the action that was to be resolved, if any.
    """

    about: Mapping[str, str] = MappingProxyType({})

    def __init__(self, message: str, *, code: str = "error", hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = str(code)
        self.hint = hint


class StoreError(ToolError):
    """The state file cannot be used; nothing was registered, claimed or closed.

    Codes: `store_unwritable` (full, read-only, no permission), `store_newer`
    (written by a newer version), `store_locked`, `store_damaged`, `store_lost` (it knows
    nothing of an apply that was interrupted).
    """


class SessionBusy(ToolError):
    """Another process runs this session; it can still be read."""


class GateIgnored(ToolError):
    """The model ignored every forced turn; the action is still pending."""


class AbortError(Exception):
    """The call was aborted before its commit point; nothing has changed."""

    about: Mapping[str, str] = MappingProxyType({})

    def __init__(self, reason: str | None = None) -> None:
        super().__init__(reason or "aborted")
        self.reason = reason
