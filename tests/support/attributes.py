"""What a file has besides bytes, given and asked with the tools and calls of the system."""

import os
import struct
import subprocess
from pathlib import Path

import pytest

from astedit.transaction.disk import DISK, flags_of

ACL, DEFAULT_ACL = "system.posix_acl_access", "system.posix_acl_default"
_EVERYBODY = 0xFFFFFFFF


def acl(user: int, permissions: int) -> bytes:
    """An ACL that also lets one user in, as the system stores it."""
    rows = [
        (0x01, 6, _EVERYBODY), (0x02, permissions, user), (0x04, 4, _EVERYBODY),
        (0x10, 7, _EVERYBODY), (0x20, 0, _EVERYBODY),
    ]  # fmt: skip
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *row) for row in rows)


def give_acl(path: Path, name: str, user: int = 1234, permissions: int = 6) -> None:
    """Sets an ACL, or skips where the file system has none."""
    try:
        os.setxattr(path, name, acl(user, permissions))
    except OSError as error:
        pytest.skip(f"no ACLs here: {error.strerror}")


def flags(path: Path) -> int:
    file = os.open(path, os.O_RDONLY)
    try:
        return flags_of(file)
    finally:
        os.close(file)


def give_flags(path: Path, wanted: int) -> None:
    """Sets the attributes of `chattr`, or skips where nobody may or can."""
    file = os.open(path, os.O_RDONLY)
    try:
        DISK.set_flags(file, wanted)
    except OSError as error:
        pytest.skip(f"no such attributes here: {error.strerror}")
    finally:
        os.close(file)


def mounted(place: Path, maker: str, *options: str, size: int = 16 << 20) -> Path:
    """A file system of its own, or skips where none can be made or mounted."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount")
    image, point = place / "image", place / "mounted"
    point.mkdir(parents=True)
    with open(image, "wb") as file:
        file.truncate(size)
    for command in ([maker, *options, str(image)], ["mount", "-o", "loop", str(image), str(point)]):
        try:
            done = subprocess.run(command, capture_output=True, text=True)
        except FileNotFoundError:
            pytest.skip(f"{command[0]} is not installed")
        if done.returncode:
            pytest.skip(f"{command[0]}: {done.stderr.strip()}")
    return point
