"""Hands a command line to a process that is there already. Imports nothing of ours.

`_socket` and `marshal`, for `socket` and `json` cost 13 ms, as much as a bare interpreter.
The other process says that it hears (`a`, and how it is), gets the command line and the
streams, and answers with the exit code (`c` and a byte), or that it does not run this (`n`).
Whoever is not heard in time runs the command itself: nobody else holds its streams, since only
who answers gets them.
"""

import _socket
import binascii
import marshal
import os
import sys

TYPE_CHECKING = False  # what imports `typing` takes longer than all of this
if TYPE_CHECKING:
    from collections.abc import Sequence

PATIENCE = 0.15  # seconds for a process to say that it hears
HEARD = 128  # bytes with which a process says that it hears (`a`), and how it is
HEADER = 4  # bytes of a message's length, little end first
_PEER = getattr(_socket, "SO_PEERCRED", None)
_MOUNTS = "/proc/self/ns/mnt"
_FORMAT = 4  # of marshal, which every Python reads
_ASKING = frozenset(("--apply", "--interactive", "--yes"))
_HERE = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC  # readable or not
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_HOME = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_START = "import sys; sys.path[:] = {path!r}; from astedit.cli.warm import begin; begin({name!r})"


def directory() -> str:
    """Where the sockets of this user's residents are."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if os.path.isabs(runtime) and os.path.isdir(runtime):
        return os.path.join(runtime, "astedit")
    return f"/tmp/astedit-{os.geteuid()}"


def name() -> str:
    """The socket of a resident that imports what this process would import, and sees its files.

    In a draft, a sandbox or a container that shares the directory other files may be mounted.
    """
    parts = [sys.version, sys.executable, _HOME, *sys.path[1:], sys.getfilesystemencoding()]
    if os.path.islink(_MOUNTS):  # on Linux
        parts.append(os.readlink(_MOUNTS))
    return f"{binascii.crc32(repr(parts).encode('utf-8', 'replace')):08x}"


def may_hand_over(args: "Sequence[str]") -> bool:
    """Whether another process can do all that this command line may do here.

    None that asks, applies or pages is handed over, nor one of an interpreter with other flags.
    """
    if args[:1] in ([], ["resident"]) or asks(args):
        return False
    odd_flags = sys.flags.optimize or sys.flags.dev_mode or sys.warnoptions
    if odd_flags or None in (sys.stdin, sys.stdout, sys.stderr):
        return False
    shown = [os.isatty(file) for file in range(3)]
    pages = shown[1] and "--no-pager" not in args
    return not pages and not (shown[0] and (shown[1] or shown[2]))


def asks(args: "Sequence[str]") -> bool:
    """Whether a flag may be one that asks or applies, `-i` or `-y` among other letters, too."""
    short = (arg for arg in args if arg[:1] == "-" != arg[1:2])
    return not _ASKING.isdisjoint(args) or any("i" in arg or "y" in arg for arg in short)


def answered(args: "Sequence[str]", *, start_one: bool = False) -> int | None:
    """The exit code of a command line that a resident has run on our streams; None without one.

    With `start_one` one is started then, for the next time. Raises as `hand_over`.
    """
    if (door := connect(directory(), name())) is None and start_one:
        start()
    return None if door is None else hand_over(door, args)


def own_directory(place: str) -> int:
    """A descriptor of a directory of this user alone. Raises OSError for any other."""
    file = os.open(place, _DIRECTORY)
    status = os.fstat(file)
    if status.st_uid == os.geteuid() and not status.st_mode & 0o077:
        return file
    os.close(file)
    raise PermissionError(1, "not a directory of this user alone", place)


def connect(place: str, socket: str) -> "_socket.socket | None":
    """A connection to a socket in a directory of this user alone; None if nobody is there."""
    door = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        above = own_directory(place)
        try:
            door.settimeout(PATIENCE)
            door.connect(path_of(place, above, socket))
        finally:
            os.close(above)
        if is_own(door):
            return door
    except OSError:
        pass
    door.close()
    return None


def path_of(place: str, above: int, socket: str) -> str:
    """A path of a socket that is short enough for the system, however deep its directory is."""
    near = f"/proc/self/fd/{above}"
    return os.path.join(near if os.path.isdir(near) else place, socket)


def is_own(door: "_socket.socket", process: int | None = None) -> bool:
    """Whether the other end is a process of this user, and this one, if it is to be.

    Where nobody says it is believed: its directory is this user's.
    """
    if _PEER is None:
        return True
    peer = door.getsockopt(_socket.SOL_SOCKET, _PEER, 12)  # pid, uid, gid
    pid, user = (int.from_bytes(peer[at : at + 4], sys.byteorder) for at in (0, 4))
    return user == os.geteuid() and process in (None, pid)


def hand_over(door: "_socket.socket", args: "Sequence[str]") -> int | None:
    """The exit code of what the other process ran; None if it does not hear, or does not run it.

    It runs on our input, output and errors, and Ctrl-C goes on to it. Raises OSError if it was
    killed on the way: nobody knows what it did.
    """
    os.umask(umask := os.umask(0))
    streams = [(stream.encoding, stream.errors) for stream in (sys.stdin, sys.stdout, sys.stderr)]
    task = {"args": list(args), "environment": dict(os.environ), "umask": umask, "streams": streams}
    body = marshal.dumps(task, _FORMAT)
    message = len(body).to_bytes(HEADER, "little") + body
    here = os.open(".", _HERE)
    rights = b"".join(file.to_bytes(4, sys.byteorder) for file in (0, 1, 2, here))
    try:
        try:
            if door.recv(HEARD)[:1] != b"a":
                return None
            sent = door.sendmsg([message], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, rights)])
            if sent < len(message):  # sending nothing fails, too, where all is answered already
                door.sendall(message[sent:])
        except OSError:
            return None
        return _outcome(door)
    finally:
        os.close(here)
        door.close()


def _outcome(door: "_socket.socket") -> int | None:
    door.settimeout(None)
    interrupted = False
    while True:
        try:
            answer = door.recv(2)
            if answer == b"n":
                return None
            if answer[:1] != b"c" or len(answer) < 2:
                raise OSError("the resident ended before the command did")
            return answer[1]
        except KeyboardInterrupt:
            if interrupted:
                raise
            interrupted = True
            try:
                door.send(b"i")
            except OSError:  # it has answered, and is gone
                continue


def start() -> None:
    """Starts a resident in the background, which ends at once if there is one.

    None where it could not listen: somebody else may have made that directory.
    """
    place = directory()
    if os.path.lexists(place):
        try:
            os.close(own_directory(place))
        except OSError:
            return
    path = [_HOME, *(entry for entry in sys.path[1:] if os.path.isabs(entry))]
    words = [sys.executable, "-I", "-c", _START.format(path=path, name=name())]
    nothing = [(os.POSIX_SPAWN_OPEN, file, os.devnull, os.O_RDWR, 0) for file in range(3)]
    os.posix_spawn(sys.executable, words, os.environ, file_actions=nothing, setsid=True)
