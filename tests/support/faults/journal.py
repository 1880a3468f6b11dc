"""A journal in memory, for transactions without a state file."""

import json
import sys
from collections.abc import Mapping
from typing import Any

from tests.support.faults.disks import Killed


class MemoryJournal:
    """Keeps the intent as JSON text, as a state file would, and the images."""

    def __init__(self) -> None:
        self.intent: str | None = None
        self.images: dict[str, bytes] = {}

    def commit_intent(self, intent: Mapping[str, Any], images: Mapping[str, bytes]) -> None:
        self.intent = json.dumps(intent)
        self.images.update(images)

    def withdraw_intent(self) -> None:
        if not isinstance(sys.exception(), Killed):  # a dead process withdraws nothing
            self.intent = None

    def image(self, sha256: str) -> bytes | None:
        return self.images.get(sha256)

    def parsed(self) -> Any:
        """The open intent."""
        assert self.intent is not None
        return json.loads(self.intent)
