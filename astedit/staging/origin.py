"""The root that a plan was made in, told apart from another one at the same path.

A root may be renamed, and a link, a mount or another directory with the same files put in
its place. What was staged is of the directory that was there: a path alone proves nothing.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from astedit.errors import PreconditionError, RequestError
from astedit.model.origin import PlanOrigin
from astedit.workspace.config import Config
from astedit.workspace.root import Workspace
from resolve.visible import one_line

_BOOT = "/proc/sys/kernel/random/boot_id"
_ANOTHER = "another one stands in its place"


def origin_of(workspace: Workspace, settings: Config) -> PlanOrigin:
    """Describes the open root and its configuration, as they are now."""
    status = os.fstat(workspace.fd)
    return PlanOrigin(
        status.st_ino, status.st_dev, _boot_id(), settings.policy, tuple(settings.human_paths)
    )


@contextmanager
def reopened(root: str, origin: PlanOrigin | None) -> Iterator[Workspace]:
    """Opens the root of something that was staged; see `refuse_another_root`."""
    with Workspace(root) as workspace:
        refuse_another_root(workspace, root, origin)
        yield workspace


def refuse_another_root(workspace: Workspace, root: str, origin: PlanOrigin | None) -> None:
    """Raises `PreconditionError` (`root_changed`) if the path leads to another directory now.

    What an earlier version staged has no origin: then only the real path is compared.
    """
    if workspace.root != root:
        raise _changed(root, f"it leads to {one_line(workspace.root)}")
    if origin is None:
        return
    status = os.fstat(workspace.fd)
    moved = origin.boot == _boot_id() and status.st_dev != origin.device
    if moved or status.st_ino != origin.inode:
        raise _changed(root, _ANOTHER)


def refuse_changed_root(workspace: Workspace) -> None:
    """Raises `root_changed` if the path of an open root does not lead to that root any more."""
    try:
        there = Workspace(workspace.root)
    except RequestError as error:
        raise _changed(workspace.root, "nothing can be opened there") from error
    with there:
        if there.root != workspace.root:
            raise _changed(workspace.root, f"it leads to {one_line(there.root)}")
        if not os.path.samestat(os.fstat(there.fd), os.fstat(workspace.fd)):
            raise _changed(workspace.root, _ANOTHER)


def _changed(root: str, why: str) -> PreconditionError:
    return PreconditionError(
        f"The root {one_line(root)} is not the directory that it was: {why}.",
        code="root_changed",
        hint="Put that directory back, or preview the change again in the one of now.",
    )


@cache
def _boot_id() -> str:
    """Returns what names this start of the machine; "" where the system does not tell."""
    try:
        with open(_BOOT) as file:
            return file.read().strip()
    except OSError:
        return ""
