"""Namespaces of Linux for one process and its children: what they mount nobody else sees.

The process must have one thread. All functions raise OSError with the name of the call.
"""

import contextlib
import ctypes
import errno
import fcntl
import os
import resource
import socket
import struct
from collections.abc import Callable, Iterator

_NEWNS, _NEWUSER, _NEWPID, _NEWNET = 0x00020000, 0x10000000, 0x20000000, 0x40000000
_NOSUID, _NODEV, _NOEXEC, _REC, _PRIVATE = 2, 4, 8, 0x4000, 1 << 18
_DEATH_SIGNAL, _DROP_CAPABILITY, _SUBREAPER, _SYS_ADMIN = 1, 24, 36, 21
_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 1
_PROCESSES = 8192  # at once; a kernel from 5.14 up counts those of the namespace alone
_NO_NAMESPACE = {
    errno.ENOSPC: "there are as many as the system allows (sysctl user.max_user_namespaces)",
    errno.EPERM: "the system forbids it (sysctl kernel.unprivileged_userns_clone,"
    " kernel.apparmor_restrict_unprivileged_userns, or the container)",
    errno.EINVAL: "this kernel has none",
}
_LIBC = ctypes.CDLL(None, use_errno=True)


def enter(*, network: bool) -> None:
    """Gives this process users, mounts and, for its children, process ids of their own.

    Everybody keeps the uid and gid that they have; root keeps those of others, too. Without
    `network` there is nothing but the process's own loopback.
    """
    user, group, kinds = os.geteuid(), os.getegid(), _NEWUSER | _NEWNS | _NEWPID
    with _mapping_all() as mapped:
        try:
            _call("unshare", kinds if network else kinds | _NEWNET)
        except OSError as error:
            why = _NO_NAMESPACE.get(error.errno or 0, error.strerror)
            raise OSError(error.errno, why, "a user namespace") from error
        if not mapped():
            _write("/proc/self/setgroups", "deny")
            _write("/proc/self/gid_map", f"{group} {group} 1")
            _write("/proc/self/uid_map", f"{user} {user} 1")
    mount(None, "/", None, _REC | _PRIVATE)
    if not network:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:  # `lo` comes up
            (flags,) = struct.unpack_from(
                "16xH", fcntl.ioctl(control, _GET_FLAGS, struct.pack("16sH14x", b"lo", 0))
            )
            fcntl.ioctl(control, _SET_FLAGS, struct.pack("16sH14x", b"lo", flags | _UP))


def mount(source: str | None, target: str, kind: str | None, flags: int, data: str = "") -> None:
    """Mounts a file system in this namespace."""
    texts = [None if text is None else os.fsencode(text) for text in (source, target, kind)]
    _call("mount", *texts, ctypes.c_ulong(flags), data.encode() or None)


def mount_memory(target: str, size: int) -> None:
    """Mounts a file system that is kept in memory and ends with its namespace."""
    mount("tmpfs", target, "tmpfs", _NOSUID | _NODEV, f"size={size},mode=700")


def mount_processes() -> None:
    """Shows children their own process ids; where that is forbidden they see those outside."""
    with contextlib.suppress(OSError):
        _call("unshare", _NEWNS)  # its parent goes on seeing its own
        mount("proc", "/proc", "proc", _NOSUID | _NODEV | _NOEXEC)
        numbers = os.uname().release.replace("-", ".").split(".")[:2]
        # Before 6.14 there was one limit for all namespaces.
        if [int(part) for part in numbers if part.isdigit()] >= [6, 14]:
            _write("/proc/sys/kernel/pid_max", str(_PROCESSES))


def die_with_parent() -> None:
    """Lets the kernel kill this process when its parent ends."""
    _control(_DEATH_SIGNAL, 9)


def adopt_orphans() -> None:
    """Makes this process the parent of whatever its children leave behind."""
    _control(_SUBREAPER, 1)


def restrain() -> None:
    """Takes from the program that comes next what no command needs.

    It cannot take the mounts apart, forks only so often, and is the first to go when memory
    runs out.
    """
    with contextlib.suppress(OSError):
        _control(_DROP_CAPABILITY, _SYS_ADMIN)
    with contextlib.suppress(OSError, ValueError):
        _, most = resource.getrlimit(resource.RLIMIT_NPROC)
        few = _PROCESSES if most == resource.RLIM_INFINITY else min(most, _PROCESSES)
        resource.setrlimit(resource.RLIMIT_NPROC, (few, few))
    with contextlib.suppress(OSError):
        _write("/proc/self/oom_score_adj", "1000")


@contextlib.contextmanager
def _mapping_all() -> Iterator[Callable[[], bool]]:
    """Yields what maps every id to itself in the namespace that was made, as only root may.

    A process that is still outside has to do so; another user's may not.
    """
    if os.geteuid():
        yield lambda: False
        return
    ready, done = os.pipe(), os.pipe()
    inside = os.getpid()
    outside = os.fork()
    if outside == 0:
        os.close(ready[1])
        os.read(ready[0], 1)
        with contextlib.suppress(OSError):
            for kind in ("gid", "uid"):
                _write(f"/proc/{inside}/{kind}_map", _extents(kind))
            os.write(done[1], b"y")
        os._exit(0)
    os.close(done[1])
    try:
        yield lambda: os.write(ready[1], b"y") > 0 and os.read(done[0], 1) == b"y"
    finally:
        for file in (*ready, done[0]):
            os.close(file)
        os.waitpid(outside, 0)


def _extents(kind: str) -> str:
    """Every id of this process's own namespace, each as itself."""
    with open(f"/proc/self/{kind}_map") as file:
        rows = [line.split() for line in file]
    return "".join(f"{first} {first} {count}\n" for first, _, count in rows)


def _control(option: int, value: int) -> None:
    _call("prctl", option, ctypes.c_ulong(value), *[ctypes.c_ulong(0)] * 3)


def _call(name: str, *arguments: object) -> None:
    if getattr(_LIBC, name)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), name)


def _write(path: str, text: str) -> None:
    with open(path, "wb", 0) as file:  # at once: the kernel takes no part of it
        file.write(text.encode())
