"""What `lsattr` shows of a file: its attributes, letters in the manual, and its project.

Linux knows them on some file systems. Elsewhere, and where nobody may ask, a file has none.
"""

import errno
import struct
import sys

_LONG = struct.calcsize("l")
_READ, _WRITE = 2 << 30, 1 << 30  # _IOR and _IOW of linux/ioctl.h
_GET_FLAGS = _READ | _LONG << 16 | 0x6601
SET_FLAGS = _WRITE | _LONG << 16 | 0x6602
PROJECT = struct.Struct("=12xI12x")  # `fsx_projid` in `struct fsxattr`
GET_PROJECT = _READ | PROJECT.size << 16 | 0x581F
SET_PROJECT = _WRITE | PROJECT.size << 16 | 0x5820
_UNKNOWN = (errno.ENOTTY, errno.ENOTSUP, errno.EINVAL, errno.ENOSYS, errno.EPERM)

PINNED = 0x10 | 0x20  # nobody may replace such a file
# What the file system sets by itself: how the file is stored, not what anybody asked for.
_AUTOMATIC = 0x100 | 0x200 | 0x1000 | 0x40000 | 0x80000 | 0x200000 | 0x400000 | 0x10000000
_NAMES = {
    0x1: "s (secure deletion)",
    0x2: "u (undeletable)",
    0x4: "c (compressed)",
    0x8: "S (synchronous)",
    0x10: "i (immutable)",
    0x20: "a (append only)",
    0x40: "d (no dump)",
    0x80: "A (no access times)",
    0x400: "m (not compressed)",
    0x800: "E (encrypted)",
    0x4000: "j (journaled data)",
    0x8000: "t (no tail merging)",
    0x10000: "D (synchronous directory)",
    0x100000: "V (verity)",
    0x800000: "C (no copy on write)",
    0x2000000: "x (direct access)",
    0x20000000: "P (project of its directory)",
}


def flags_of(file: int) -> int:
    """The attributes that somebody gave an open file."""
    (flags,) = struct.unpack("=I", asked(file, _GET_FLAGS, _LONG)[:4])
    return int(flags) & ~_AUTOMATIC


def project_of(file: int) -> int:
    """The project whose quota an open file counts for; 0 is none."""
    (project,) = PROJECT.unpack(asked(file, GET_PROJECT, PROJECT.size))
    return int(project)


def combined(file: int, flags: int) -> int:
    """`flags`, and those that the file system has set for this file."""
    (now,) = struct.unpack("=I", asked(file, _GET_FLAGS, _LONG)[:4])
    return int(now) & _AUTOMATIC | flags


def asked(file: int, request: int, size: int) -> bytes:
    """The answer of a file system to an `ioctl`; zeros where it does not know the question."""
    if sys.platform != "linux":
        return bytes(size)
    import fcntl

    try:
        return fcntl.ioctl(file, request, bytes(size))
    except OSError as error:
        if error.errno in _UNKNOWN:
            return bytes(size)
        raise


def flag_names(flags: int) -> str:
    """`a (append only), C (no copy on write)`."""
    single = [1 << bit for bit in range(32) if flags >> bit & 1]
    return ", ".join(_NAMES.get(flag, hex(flag)) for flag in single)
