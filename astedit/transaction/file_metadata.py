"""What a rewritten file keeps beside its bytes: mode, owner and extended attributes."""

import errno
import os
import stat

from astedit.transaction.disk import Disk

Attributes = dict[str, bytes]


def attributes_of(file: int) -> Attributes:
    """The extended attributes of an open file; none where the system has none."""
    if not hasattr(os, "listxattr"):
        return {}
    try:
        return {name: os.getxattr(file, name) for name in os.listxattr(file)}
    except OSError as error:
        if error.errno != errno.ENOTSUP:
            raise
        return {}


def keep_metadata(
    file: int, original: os.stat_result, mode: int, attributes: Attributes, disk: Disk
) -> None:
    """Gives a new file what the original has; after writing, which clears some of it.

    `mode` are the permissions it is to have. Raises `OSError` where they cannot be kept.
    """
    now = os.fstat(file)
    if (now.st_uid, now.st_gid) != (original.st_uid, original.st_gid):
        disk.chown(file, original.st_uid, original.st_gid)
    has = attributes_of(file)
    for name, value in attributes.items():
        if has.get(name) != value:
            disk.set_attribute(file, name, value)
    disk.chmod(file, mode)
    if stat.S_IMODE(os.fstat(file).st_mode) != mode:
        raise OSError(errno.EPERM, f"its mode {mode:o} cannot be kept")
