"""Whether a tree is as it was: the names, sizes and times of all files in it.

What git does to its own directory is no change of the tree.
"""

import os
from collections.abc import Collection, Mapping
from hashlib import blake2b
from struct import pack

TreeState = Mapping[str, bytes]  # of each directory below the root, a digest of its entries


def tree_state(root: str, left_out: Collection[str] = ()) -> TreeState:
    """Reads the state of a tree; `left_out` are directories below it that do not count."""
    state: dict[str, bytes] = {}
    waiting = [""]
    while waiting:
        directory = waiting.pop()
        digest = blake2b(digest_size=16)
        for name, line, inner in _entries(os.path.join(root, directory)):
            below = os.path.join(directory, name)
            if name == ".git" or below in left_out:
                continue
            digest.update(line)
            if inner:
                waiting.append(below)
        state[directory] = digest.digest()
    return state


def changed_directories(before: TreeState, after: TreeState) -> list[str]:
    """The directories whose entries are not as they were, the root as `.`."""
    both = before.keys() | after.keys()
    return sorted(path or "." for path in both if before.get(path) != after.get(path))


def _entries(directory: str) -> list[tuple[str, bytes, bool]]:
    """Each entry in order: its name, what stands for it, and whether to look into it."""
    found = []
    try:
        entries = sorted(os.scandir(directory), key=lambda entry: entry.name)
    except OSError:
        return []
    for entry in entries:
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError:
            continue
        inner = entry.is_dir(follow_symlinks=False)
        # The times of a directory change with its entries, which are looked at themselves.
        rest = (0, 0) if inner else (status.st_size, status.st_ctime_ns)
        numbers = pack("=QQqQ", status.st_ino, status.st_mode, rest[1], rest[0])
        found.append((entry.name, os.fsencode(entry.name) + b"\0" + numbers, inner))
    return found
