"""Files that a user has us write: a new rule, the snapshot of a test.

They are no part of a plan: each is named by the user or by their project, and written at
once. Everything goes below a root by descriptor, never through a link.
"""

import os
import secrets
from collections.abc import Mapping
from hashlib import sha256

from astedit.errors import PreconditionError
from astedit.transaction.disk import DISK, Disk, directories_above, opened, remove, split, write_all
from astedit.transaction.temporary import check, prepare


def create(root: int, path: str, content: bytes, *, disk: Disk = DISK) -> None:
    """Writes a file that must not exist yet, with the directories that lead to it.

    `root` is the workspace's descriptor. Raises `PreconditionError`: `exists`, or
    `unwritable`; then there is no file.
    """
    directory, name = split(path)
    for place in directories_above([path]):
        above, folder = split(place)
        with opened(root, above, path) as parent:
            try:
                disk.mkdir(parent, folder)
            except FileExistsError:  # if it is no directory, opening it says so
                pass
            except OSError as error:
                raise _unwritable(path, error) from error
    with opened(root, directory, path) as parent:
        try:
            file = disk.create(parent, name, 0o666)
        except FileExistsError as error:
            raise PreconditionError(
                f"{path} exists already; it was not touched.",
                path=path,
                code="exists",
                hint="Choose another name, or edit it.",
            ) from error
        except OSError as error:
            raise _unwritable(path, error) from error
        try:
            write_all(file, content, disk)
            disk.sync(file)
        except BaseException as error:  # Ctrl-C too leaves nothing behind
            remove(parent, name, disk)
            if isinstance(error, OSError):
                raise _unwritable(path, error) from error
            raise
        finally:
            os.close(file)


def create_all(root: int, files: Mapping[str, str]) -> list[str]:
    """Writes all of these files, or none if one of them is there already; returns their paths."""
    paths = [path.removeprefix("./") for path in files]
    for path in paths:
        try:
            os.lstat(path, dir_fd=root)
        except OSError:
            continue
        raise PreconditionError(
            f"{path} exists already; nothing was written.",
            path=path,
            code="exists",
            hint="Choose another name, or edit it.",
        )
    for path, text in zip(paths, files.values(), strict=True):
        create(root, path, text.encode())
    return paths


def replace(root: int, path: str, old: bytes, new: bytes, *, disk: Disk = DISK) -> None:
    """Puts new content in the place of a file that still has its old one, in one step.

    Raises what `temporary.prepare` raises; the file is as it was then.
    """
    directory, name = split(path)
    temporary = f".astedit-{secrets.token_hex(8)}"
    expected = sha256(old).hexdigest()
    prepare(root, path, new, expected_sha256=expected, temporary=temporary, disk=disk)
    with opened(root, directory, path) as parent:
        try:
            disk.rename(parent, temporary, name)
        except BaseException as error:
            remove(parent, temporary, disk)
            if isinstance(error, OSError):
                raise _unwritable(path, error) from error
            raise


def put(root: int, path: str, old: bytes | None, new: bytes | None, *, disk: Disk = DISK) -> None:
    """Creates, replaces or removes a file; None stands for no file. Raises as those do."""
    if old is None:
        create(root, path, new or b"", disk=disk)
    elif new is not None:
        replace(root, path, old, new, disk=disk)
    else:
        check(root, path, expected_sha256=sha256(old).hexdigest())
        directory, name = split(path)
        with opened(root, directory, path) as parent:
            try:
                remove(parent, name, disk)
            except OSError as error:
                raise _unwritable(path, error) from error


def _unwritable(path: str, error: OSError) -> PreconditionError:
    return PreconditionError(
        f"{path} cannot be written: {error.strerror}. Nothing was changed.",
        path=path,
        code="unwritable",
    )
