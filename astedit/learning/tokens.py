"""Where it is kept what was asked and answered, under a token in the state directory."""

import json
import os
import secrets
import time
from typing import Any

from astedit.errors import RequestError
from astedit.workspace.confined_open import closed_after
from resolve.visible import one_line

_DIRECTORY = "learn"
_TOKEN = 12  # characters
_OLD = 30 * 24 * 3600.0  # seconds after which nobody goes on any more


def keep(data: dict[str, Any], state: str) -> str:
    """Keeps data in the state directory, which there must be, under a new token."""
    from astedit.transaction import user_files

    token = secrets.token_hex(_TOKEN // 2)
    with closed_after(os.open(state, os.O_RDONLY | os.O_DIRECTORY)) as folder:
        user_files.create(folder, f"{_DIRECTORY}/{token}.json", json.dumps(data).encode())
        for entry in sorted(os.scandir(os.path.join(state, _DIRECTORY)), key=os.fspath):
            old = entry.name.removesuffix(".json")
            if _is_token(old) and time.time() - entry.stat().st_mtime > _OLD:
                user_files.put(folder, f"{_DIRECTORY}/{entry.name}", _content(old, state), None)
    return token


def kept(token: str, state: str, root: str) -> dict[str, Any]:
    """What was kept under a token for a root; `RequestError` (`unknown_token`) without it."""
    try:
        data = json.loads(_content(token, state)) if _is_token(token) else None
    except (OSError, ValueError):
        data = None
    if not isinstance(data, dict) or data.get("root") != root:
        raise RequestError(
            f"There is nothing to go on with under {one_line(token)!r}.",
            hint="Start again: astedit learn.",
            code="unknown_token",
        )
    return data


def _is_token(text: str) -> bool:
    return len(text) == _TOKEN and text.isalnum()


def _content(token: str, state: str) -> bytes:
    with open(os.path.join(state, _DIRECTORY, f"{token}.json"), "rb") as file:
        return file.read()
