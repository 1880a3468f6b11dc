"""Writes the files of a plan: all new contents first, then each into its place.

For now one file after another: a kill between two of them leaves some new and some old.
"""

import os
from collections.abc import Sequence
from contextlib import ExitStack
from hashlib import sha256

from astedit import storage
from astedit.edit import splice
from astedit.errors import AstEditError, StaleError, TransactionError
from astedit.model import FilePlan
from astedit.workspace import Workspace

NAMED = 20  # files that a message names


def write(files: Sequence[FilePlan], workspace: Workspace, limit: int) -> None:
    """Writes every file's edits; `limit` is the size up to which files are read.

    Until the first file is in place nothing has changed, and a failure or Ctrl-C leaves
    nothing behind; after that a `TransactionError` says which files are new. What it
    returns from survives a power cut. `after_hash` is set where a file had none.
    """
    siblings: list[storage.Sibling] = []
    with ExitStack() as leftovers:
        for file in files:
            sibling = _prepared(file, workspace, limit)
            leftovers.callback(sibling.discard)
            siblings.append(sibling)
        _swap(siblings)
        leftovers.pop_all()
    for directory in sorted({os.path.dirname(file.path) for file in files}):
        storage.sync_directory(workspace.fd, directory)


def _prepared(file: FilePlan, workspace: Workspace, limit: int) -> storage.Sibling:
    try:
        content, _ = workspace.read(file.path, limit)
    except OSError as error:
        raise _changed(file) from error
    after = splice(content, [(edit.start, edit.end, edit.new) for edit in file.edits])
    found = sha256(after).hexdigest()
    if file.before_hash is None or file.after_hash not in (None, found):
        raise _changed(file)
    file.after_hash = found
    return storage.prepare(workspace.fd, file.path, after, expected_sha256=file.before_hash)


def _changed(file: FilePlan) -> StaleError:
    return StaleError(
        f"{_shown(file.path)} changed while it was looked at; nothing was written.",
        path=file.path,
        hint="Resolve again.",
    )


def _swap(siblings: Sequence[storage.Sibling]) -> None:
    for done, sibling in enumerate(siblings):
        try:
            sibling.swap()
        except AstEditError as error:
            raise _unfinished(siblings, done, error) from error


def _unfinished(
    siblings: Sequence[storage.Sibling], done: int, error: AstEditError
) -> AstEditError:
    """The error itself if no file was written, else what is on disk now."""
    if not done:
        return error
    names = ", ".join(_shown(sibling.path) for sibling in siblings[:done][:NAMED])
    more = f" and {done - NAMED} more" if done > NAMED else ""
    return TransactionError(
        f"{error.message} {done} of {len(siblings)} files are written ({names}{more}), "
        "the others are as before.",
        path=error.path,
        hint="Look at `git diff`, then preview the change again.",
    )


def _shown(path: str) -> str:
    return path if path.isprintable() else ascii(path)
