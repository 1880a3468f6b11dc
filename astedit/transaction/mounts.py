"""Which directories of a transaction lie on another mount than the root.

What is mounted over a directory in the middle of an apply hides its files and siblings:
nobody may judge by what is seen there instead. Ids of mounts last until the next start of
the machine, so only whether there is one is noted.
"""

import os
from collections.abc import Iterable

from astedit.errors import PreconditionError
from astedit.transaction.disk import opened


def mounted(root: int, directories: Iterable[str]) -> frozenset[str]:
    """Those that lie on another mount; what is not there lies on none."""
    own = _mount_of(root)
    return frozenset(directory for directory in directories if _is_other(root, directory, own))


def changed(root: int, before: frozenset[str], directories: Iterable[str]) -> list[str]:
    """The directories over which something was mounted since, or from which it is gone."""
    return sorted(before ^ mounted(root, directories))


def _is_other(root: int, directory: str, own: tuple[str, int]) -> bool:
    if not directory:
        return False
    try:
        with opened(root, directory, directory) as parent:
            return _mount_of(parent) != own
    except PreconditionError:
        return False


def _mount_of(directory: int) -> tuple[str, int]:
    """What tells one mount from another: Linux has an id, elsewhere it is the device alone."""
    device = os.fstat(directory).st_dev
    try:
        with open(f"/proc/self/fdinfo/{directory}") as lines:
            return next((line for line in lines if line.startswith("mnt_id:")), ""), device
    except OSError:
        return "", device
