"""Writes files; the only module that does, below a workspace root or where a user named one.

`Disk` holds every system call that writes: tests record them, and make them fail. The
functions are what the modules above do with it: `temporary.py` writes new content beside a
file, `file_step.py` puts it in the file's place.
"""

import contextlib
import errno
import os
import stat
import struct
import sys
from collections.abc import Iterable, Iterator
from hashlib import sha256

from astedit.errors import AstEditError, PreconditionError, StaleError, TransactionError
from astedit.sandbox.locked_directory import private_directory
from astedit.workspace.confined_open import FILE, closed_after, open_directory

_LONG = struct.calcsize("l")
_READ, _WRITE = 2 << 30, 1 << 30  # _IOR and _IOW of linux/ioctl.h
_GET_FLAGS = _READ | _LONG << 16 | 0x6601
_SET_FLAGS = _WRITE | _LONG << 16 | 0x6602
_PROJECT = struct.Struct("=12xI12x")  # `fsx_projid` in `struct fsxattr`
_GET_PROJECT = _READ | _PROJECT.size << 16 | 0x581F
_SET_PROJECT = _WRITE | _PROJECT.size << 16 | 0x5820
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
    (flags,) = struct.unpack("=I", _answer(file, _GET_FLAGS, _LONG)[:4])
    return int(flags) & ~_AUTOMATIC


def project_of(file: int) -> int:
    """The project whose quota an open file counts for; 0 is none."""
    (project,) = _PROJECT.unpack(_answer(file, _GET_PROJECT, _PROJECT.size))
    return int(project)


def combined(file: int, flags: int) -> int:
    """`flags`, and those that the file system has set for this file."""
    (now,) = struct.unpack("=I", _answer(file, _GET_FLAGS, _LONG)[:4])
    return int(now) & _AUTOMATIC | flags


def _answer(file: int, request: int, size: int) -> bytes:
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


_FULL = {
    errno.ENOSPC: "",
    errno.EDQUOT: "; the disk quota is used up",
    errno.EFBIG: ", more than a file may have (ulimit -f)",
}
_OPEN = {
    errno.EMFILE: "this process has as many files open as it may (ulimit -n)",
    errno.ENFILE: "the system has as many files open as it can (fs.file-max)",
}
_FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)
_UNSUPPORTED = (errno.ENOTSUP, errno.ENOTTY, errno.EINVAL)
_STAYS = (errno.ENOTEMPTY, errno.ENOENT, errno.ENOTDIR, errno.EBUSY, *_FORBIDDEN)
_ELSEWHERE = (errno.ENOTDIR, errno.ELOOP, errno.EXDEV, errno.ENAMETOOLONG)
_CREATE = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_CHUNK = 1 << 20


class Disk:
    """The system calls that write, by descriptor; all raise OSError."""

    def create(self, directory: int | None, name: str, mode: int) -> int:
        return os.open(name, _CREATE, mode, dir_fd=directory)

    def write(self, file: int, data: memoryview) -> int:
        return os.write(file, data)

    def chown(self, file: int, user: int, group: int) -> None:
        os.fchown(file, user, group)

    def chmod(self, file: int, mode: int) -> None:
        os.fchmod(file, mode)

    def set_attribute(self, file: int, name: str, value: bytes) -> None:
        os.setxattr(file, name, value)

    def remove_attribute(self, file: int, name: str) -> None:
        os.removexattr(file, name)

    def set_flags(self, file: int, flags: int) -> None:
        """Gives an open file these attributes of `chattr`, and no others."""
        import fcntl  # not on Windows

        fcntl.ioctl(file, _SET_FLAGS, struct.pack("=II", combined(file, flags), 0))

    def set_project(self, file: int, project: int) -> None:
        """Makes an open file count for another project."""
        import fcntl  # not on Windows

        value = bytearray(_answer(file, _GET_PROJECT, _PROJECT.size))
        value[12:16] = struct.pack("=I", project)
        fcntl.ioctl(file, _SET_PROJECT, bytes(value))

    def sync(self, file: int) -> None:
        os.fsync(file)

    def rename(self, directory: int, old: str, new: str) -> None:
        os.rename(old, new, src_dir_fd=directory, dst_dir_fd=directory)

    def exchange(self, directory: int, name: str, other: str) -> None:
        """Swaps two names in one step; ENOSYS, EINVAL or ENOTSUP where there is no such step."""
        _renameat2(directory, name, other)

    def link(self, directory: int, old: str, new: str) -> None:
        os.link(old, new, src_dir_fd=directory, dst_dir_fd=directory, follow_symlinks=False)

    def unlink(self, directory: int, name: str) -> None:
        os.unlink(name, dir_fd=directory)

    def mkdir(self, directory: int, name: str) -> None:
        os.mkdir(name, dir_fd=directory)

    def rmdir(self, directory: int, name: str) -> None:
        os.rmdir(name, dir_fd=directory)


DISK = Disk()


def make_directory(root: int, path: str) -> None:
    """Makes one directory and makes it last; harmless where there is one."""
    above, name = split(path)
    with opened(root, above, path) as parent:
        try:
            DISK.mkdir(parent, name)
            DISK.sync(parent)
        except FileExistsError:
            return
        except OSError as error:
            raise failed(path, error, 0) from error


def directories_above(paths: Iterable[str]) -> list[str]:
    """Every directory that one of these files lies in, outer ones first."""
    parts = [path.split("/")[:-1] for path in paths]
    return sorted({"/".join(names[:n]) for names in parts for n in range(1, len(names) + 1)})


def is_directory(root: int, directory: str) -> bool:
    """Whether there is such a directory; raises `PreconditionError` where another thing is."""
    try:
        with opened(root, directory, directory):
            return True
    except StaleError:
        return False


def remove_directory(root: int, path: str) -> None:
    """Removes a directory of ours that is empty and may be removed; any other stays."""
    above, name = split(path)
    with (
        contextlib.suppress(PreconditionError),  # the one above it is gone
        opened(root, above, path) as parent,
    ):
        try:
            DISK.rmdir(parent, name)
        except OSError as error:
            if error.errno not in _STAYS:
                raise


def exists(parent: int, name: str) -> bool:
    """Whether anything has this name, a link that leads nowhere included."""
    try:
        os.stat(name, dir_fd=parent, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def sync_directory(root: int, directory: str) -> None:
    """Makes the renames in a directory ("" for the root) last.

    Raises `TransactionError` (`durability_unknown`); an error here is never retried.
    """
    with opened(root, directory, directory) as parent:
        try:
            DISK.sync(parent)
        except OSError as error:
            raise TransactionError(
                f"The files in {directory or '.'} are written, but the disk does not confirm it:"
                f" {error.strerror}. A power failure could bring the old ones back.",
                path=directory,
                code="durability_unknown",
            ) from error


def private_file(directory: str, name: str) -> None:
    """Makes a file of ours outside every workspace, and its directory, for this user only.

    Harmless where it exists; a link there is refused. Raises OSError.
    """
    private_directory(directory)
    os.close(os.open(os.path.join(directory, name), os.O_RDWR | os.O_CREAT | FILE, 0o600))


def remove_private(directory: str, name: str) -> None:
    """Removes such a file; raises OSError."""
    os.unlink(os.path.join(directory, name))


def digest(parent: int, name: str) -> str | None:
    """The SHA-256 (hex) of a file, None if there is none; "" for what is no regular file."""
    try:
        file = os.open(name, FILE, dir_fd=parent)
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):
            return ""
        raise
    with closed_after(file):
        return digest_of(file) if stat.S_ISREG(os.fstat(file).st_mode) else ""


def digest_of(file: int) -> str:
    digest = sha256()
    while chunk := os.read(file, _CHUNK):
        digest.update(chunk)
    return digest.hexdigest()


def write_all(file: int, content: bytes) -> None:
    """Writes all of the content, however little the disk takes at once."""
    rest = memoryview(content)
    while rest:
        rest = rest[DISK.write(file, rest) :]


def remove(parent: int, name: str) -> None:
    """Removes a file of ours; harmless when it is gone."""
    with contextlib.suppress(FileNotFoundError):
        try:
            DISK.unlink(parent, name)
        except OSError:  # a read-only disk says EROFS of what is not there, too
            os.stat(name, dir_fd=parent, follow_symlinks=False)
            raise


@contextlib.contextmanager
def opened(root: int, directory: str, path: str) -> Iterator[int]:
    """A directory below the root; `PreconditionError` naming `path` where it is not."""
    try:
        parent = open_directory(root, directory)
    except FileNotFoundError as error:
        raise stale(path, "is gone") from error
    except OSError as error:
        if error.errno not in _ELSEWHERE:
            raise failed(path, error, 0) from error
        raise unfit(path, f"cannot be reached: {error.strerror}") from error
    with closed_after(parent):
        yield parent


def split(path: str) -> tuple[str, str]:
    """The directory ("" for the root) and the name."""
    directory, _, name = path.rpartition("/")
    return directory, name


def stale(path: str, how: str = "has changed") -> StaleError:
    """A file that is not as it was previewed."""
    return StaleError(
        f"{path} {how} since the preview; it was not written.",
        path=path,
        hint="Preview the change again.",
    )


def unfit(path: str, why: str, code: str = "unfit") -> PreconditionError:
    """A file that cannot be replaced, or not without losing something."""
    return PreconditionError(f"{path} {why}; it was not written.", path=path, code=code)


def failed(path: str, error: OSError, size: int) -> AstEditError:
    """What a failed call means: something ran out, a place is not ours, or the disk is broken."""
    number = error.errno or 0
    if number in _FULL:
        return TransactionError(
            f"No room for {path}: {size} bytes are needed{_FULL[number]}. It is as it was.",
            path=path,
            code="no_space",
        )
    if number in _OPEN:
        text = f"{path} cannot be opened: {_OPEN[number]}. It is as it was."
        return TransactionError(text, path=path, hint="Raise that limit, or close other files.")
    if number in _FORBIDDEN:
        return unfit(path, f"cannot be replaced: {error.strerror}", code="read_only")
    if number in _UNSUPPORTED:
        return unfit(path, f"cannot be replaced: {error.strerror}", code="unsupported")
    return TransactionError(
        f"{path} cannot be written: {error.strerror}. It is as it was.", path=path
    )


_EXCHANGE = 2  # RENAME_EXCHANGE of linux/fs.h


def _renameat2(directory: int, name: str, other: str) -> None:
    import ctypes  # 10 ms, for applies only

    call = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if call is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    names = os.fsencode(name), os.fsencode(other)
    if call(directory, names[0], directory, names[1], _EXCHANGE):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), other)
