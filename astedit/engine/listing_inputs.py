"""What a listing of the tree depends on beside the tree: git's directories and settings."""

import os
from collections.abc import Iterator

from astedit.discover.walk import work_tree
from astedit.git import answer
from astedit.limits import Deadline
from astedit.workspace.root import user_directory

Identity = tuple[int, ...] | None
_SYSTEM = "/etc/gitconfig"
_IGNORE = (".git", ".gitignore", ".ignore", ".rgignore")


def git_directories(root: str) -> tuple[str, ...]:
    """The directories that hold the index, the configuration and the excludes, if any do."""
    top = work_tree(root)
    if top is None:
        return ()
    own = _followed(os.path.join(top, ".git"), top)
    shared = _followed(os.path.join(own, "commondir"), own, b"")
    places = (own, shared, os.path.join(shared, "info"))
    return tuple(dict.fromkeys(place for place in places if os.path.isdir(place)))


def _followed(place: str, home: str, head: bytes = b"gitdir:") -> str:
    """The directory that a file names, as in a linked work tree; else the place itself."""
    if os.path.isdir(place):
        return place
    try:
        with open(place, "rb") as file:
            text = file.read(4_096)
    except OSError:
        return home
    return os.path.realpath(os.path.join(home, os.fsdecode(text.removeprefix(head).strip())))


def outside(root: str) -> dict[str, Identity]:
    """The files outside the root that say what is listed, each with what it is now."""
    return {place: identity(place) for place in dict.fromkeys(_places(root))}


def _places(root: str) -> Iterator[str]:
    """Settings of the user and the system, whether they are there or not, and of ancestors."""
    home = user_directory("XDG_CONFIG_HOME", ".config", os.environ)
    yield from (os.path.join(home, "git", name) for name in ("config", "ignore"))
    yield from (_SYSTEM, os.path.expanduser("~/.gitconfig"))
    here = os.path.dirname(root)
    while True:
        yield from (os.path.join(here, name) for name in _IGNORE)
        if here == os.path.dirname(here):
            break
        here = os.path.dirname(here)
    listed = answer(root, ["config", "-z", "--list", "--show-origin"], Deadline(5.0)) or b""
    fields = listed.split(b"\0")
    for origin, setting in zip(fields[::2], fields[1::2], strict=False):
        if origin.startswith(b"file:"):
            yield os.path.join(root, os.fsdecode(origin.removeprefix(b"file:")))
        if setting.startswith(b"core.excludesfile\n"):
            yield os.path.join(root, os.path.expanduser(os.fsdecode(setting.split(b"\n", 1)[1])))


def identity(place: str) -> Identity:
    """What is another when the file is; None where there is none."""
    try:
        return identity_of(os.stat(place))
    except OSError:
        return None


def identity_of(status: os.stat_result) -> tuple[int, ...]:
    """What is another when a file is: nobody can set a change time back."""
    return (
        status.st_dev,
        status.st_ino,
        status.st_mode,
        status.st_size,
        status.st_mtime_ns,
        status.st_ctime_ns,
    )
