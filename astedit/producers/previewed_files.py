"""A previewed plan once more, without asking again who made it: its files are compared."""

import os
from copy import copy
from hashlib import sha256

from astedit.engine.known_edits import stale
from astedit.model.plan import Plan
from astedit.text.count_phrases import number
from astedit.workspace.root import Workspace


def unchanged(previewed: Plan, workspace: Workspace) -> Plan:
    """The previewed plan once more; `StaleError` unless its files are as they were."""
    leaving = {file.read_from for file in previewed.files}
    for file in previewed.files:
        try:
            raw, _ = workspace.read(file.read_from, previewed.request.max_file_size)
            now = sha256(raw).hexdigest()
        except FileNotFoundError:
            now = None
        except OSError as error:
            raise stale(file.read_from) from error
        if now != file.before_hash:
            raise stale(file.read_from)
        if (
            file.operation == "move"
            and file.path not in leaving
            and _is_there(file.path, workspace)
        ):
            raise stale(file.path)
    same = copy(previewed)
    files = number(len(previewed.files), "file")
    same.hints = [*previewed.hints, f"Nothing was run again; {files} compared."]
    return same


def _is_there(path: str, workspace: Workspace) -> bool:
    return os.path.lexists(os.path.join(workspace.root, path))
