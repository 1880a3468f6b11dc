"""The token that clients over HTTP must have: a file that only its owner can read."""

import os
import secrets
import stat
from collections.abc import Mapping
from contextlib import suppress

from astedit.errors import PreconditionError, RequestError
from astedit.sandbox.locked_directory import private_directory

VARIABLE = "ASTEDIT_MCP_TOKEN"
FILE = "mcp-token"  # in the directory of the workspace's state
_LEAST = 16  # characters


def token(state_dir: str, environment: Mapping[str, str] = os.environ) -> tuple[str, str]:
    """The token, and where it is from: the variable, or a file that is made if need be.

    It is no argument of a command, since everybody on the machine can list those. Raises
    `RequestError` for one that is too short or not plain, `PreconditionError` (`bad_token`)
    for a file that others could have read or written.
    """
    if environment.get(VARIABLE):
        return _checked(environment[VARIABLE], VARIABLE), VARIABLE
    path = os.path.join(state_dir, FILE)
    return _checked(_of_file(path), path), path


def _checked(text: str, origin: str) -> str:
    if len(text) < _LEAST or not text.isascii() or not text.isprintable() or " " in text:
        raise RequestError(
            f"The token of {origin} is no line of {_LEAST} or more plain characters.",
            code="bad_token",
        )
    return text


def _of_file(path: str) -> str:
    private_directory(os.path.dirname(path))
    with suppress(FileNotFoundError):
        status = os.lstat(path)
        if stat.S_ISREG(status.st_mode) and not status.st_size:
            os.unlink(path)  # whoever made it was killed before it was written
    try:
        made = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    except FileExistsError:
        return _read(path)
    with os.fdopen(made, "w") as file:
        file.write(secrets.token_urlsafe(32))
    return _read(path)


def _read(path: str) -> str:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        raise _bad(path, f"cannot be read: {error.strerror}") from error
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.getuid():
            raise _bad(path, "is no file of yours")
        if status.st_mode & 0o077:
            raise _bad(path, "can be read by others")
        return os.read(descriptor, 1024).decode("ascii", "replace").strip()
    finally:
        os.close(descriptor)


def _bad(path: str, why: str) -> PreconditionError:
    return PreconditionError(
        f"The token file {path} {why}.", code="bad_token", hint="Remove it: a new one is made."
    )
