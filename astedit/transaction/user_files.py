"""Files that a user has us write: a new rule, the snapshot of a test.

They are no part of a plan: each is named by the user or by their project, and written at
once. Everything goes below a root by descriptor, never through a link.
"""

import fcntl
import os
import re
import secrets
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from time import time

from astedit.errors import AstEditError, PreconditionError
from astedit.transaction.disk import (
    DISK,
    directories_above,
    make_directory,
    opened,
    remove,
    split,
    write_all,
)
from astedit.transaction.temporary import check, prepare


def create(root: int, path: str, content: bytes) -> None:
    """Writes a file that must not exist yet, with the directories that lead to it.

    `root` is the workspace's descriptor. Raises `PreconditionError`, as `exists` or `unwritable`,
    or what `make_directory` raises; then there is no file.
    """
    directory, name = split(path)
    for place in directories_above([path]):
        make_directory(root, place)
    temporary = f".astedit-{secrets.token_hex(8)}"
    with opened(root, directory, path) as parent:
        _clear(parent)
        try:
            with open(DISK.create(parent, temporary, 0o666), "rb") as file:  # to be closed
                write_all(file.fileno(), content)
                DISK.sync(file.fileno())
            try:
                DISK.link(parent, temporary, name)
            except PermissionError:  # a file system without links; it has said that name is free
                DISK.rename(parent, temporary, name)
        except FileExistsError as error:
            raise _exists(path, "it was not touched") from error
        except OSError as error:
            raise _unwritable(path, error) from error
        finally:  # Ctrl-C too leaves nothing behind
            remove(parent, temporary)


def _clear(parent: int) -> None:
    """Removes what killed processes have left here: those that live need no ten minutes."""
    with suppress(OSError):
        for name in filter(re.compile(r"\.astedit-[0-9a-f]{16}").fullmatch, os.listdir(parent)):
            status = os.lstat(name, dir_fd=parent)
            if status.st_nlink > 1 or status.st_mtime < time() - 600:
                remove(parent, name)


def create_all(root: int, files: Mapping[str, str]) -> list[str]:
    """Writes all of these files, or none if one of them is there already; returns their paths.

    Some of them may be there as a killed process has written them.
    """
    contents = {path.removeprefix("./"): text.encode() for path, text in files.items()}
    there = [
        path for path in contents if os.access(path, os.F_OK, dir_fd=root, follow_symlinks=False)
    ]
    for path in there:
        with suppress(AstEditError):
            if len(there) < len(contents):
                replace(root, path, contents[path], contents[path])
                continue
        raise _exists(path, "nothing was written")
    for path in contents:
        if path not in there:
            create(root, path, contents[path])
    return list(contents)


def replace(root: int, path: str, old: bytes, new: bytes) -> None:
    """Puts new content in the place of a file that still has its old one, in one step.

    Raises what `temporary.prepare` raises; the file is as it was then.
    """
    directory, name = split(path)
    temporary, expected = f".astedit-{secrets.token_hex(8)}", sha256(old).hexdigest()
    with opened(root, directory, path) as parent:
        with suppress(OSError):  # some file systems have none
            fcntl.flock(parent, fcntl.LOCK_EX)  # of two at once one is refused, and none lost
        _clear(parent)  # a file that has two names is not replaced
        prepare(root, path, new, expected_sha256=expected, temporary=temporary)
        try:
            DISK.rename(parent, temporary, name)
        except OSError as error:
            raise _unwritable(path, error) from error
        finally:
            remove(parent, temporary)


def put(root: int, path: str, old: bytes | None, new: bytes | None) -> None:
    """Creates, replaces or removes a file; None stands for no file. Raises as those do."""
    if old is None:
        create(root, path, new or b"")
    elif new is not None:
        replace(root, path, old, new)
    else:
        check(root, path, expected_sha256=sha256(old).hexdigest())
        directory, name = split(path)
        with opened(root, directory, path) as parent:
            try:
                remove(parent, name)
            except OSError as error:
                raise _unwritable(path, error) from error


def _exists(path: str, rest: str) -> PreconditionError:
    hint = "Choose another name, or edit it."
    return PreconditionError(f"{path} exists already; {rest}.", path=path, code="exists", hint=hint)


def _unwritable(path: str, error: OSError) -> PreconditionError:
    return PreconditionError(
        f"{path} cannot be written: {error.strerror}. Nothing was changed.",
        path=path,
        code="unwritable",
    )
