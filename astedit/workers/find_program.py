"""Where the programs are that astedit starts: the one place that looks into PATH.

An empty or relative entry of PATH means the directory that one happens to be in, which is
often a repository, and so may an absolute one: nothing that a repository brings is started
unasked.
"""

import os


def find_program(name: str, root: str | None) -> str | None:
    """Returns the absolute path of a program that is not below `root`; None without one.

    `root` is None for a command that a person has typed: then only the relative and empty
    entries of PATH are left out.
    """
    for directory in search_path(root):
        place = os.path.join(directory, name)
        if os.path.isfile(place) and os.access(place, os.X_OK) and not _below(place, root):
            return place
    return None


def search_path(root: str | None) -> list[str]:
    """Returns the entries of PATH that are absolute, and none below `root`."""
    entries = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return [entry for entry in entries if os.path.isabs(entry) and not _below(entry, root)]


def _below(place: str, root: str | None) -> bool:
    if root is None:
        return False
    root, place = os.path.realpath(root), os.path.realpath(place)
    return place == root or place.startswith(root.rstrip("/") + "/")
