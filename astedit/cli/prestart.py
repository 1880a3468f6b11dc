"""git's listing for a command line that will need it, before all imports.

The imports keep one core busy, the listing of the working directory the other.
"""

import contextlib
import os
from collections.abc import Sequence
from itertools import pairwise

from astedit import git
from astedit.programs import cores

_TAKE_A_FILE = frozenset(("-r", "--rule", "-c", "--config", "--ops", "--state-dir"))


def start(arguments: Sequence[str]) -> None:
    """Starts it if a whole large work tree, right here, is likely meant.

    Paths among the arguments (what begins with `-`, the file that an option takes and the
    tree itself aside) say that less is. Without a second core, or where git cannot be
    started, nothing happens.
    """
    named = (
        name
        for before, name in pairwise(("", *arguments))
        if before not in _TAKE_A_FILE and not name.startswith("-") and name != "."
    )
    if cores() < 2 or any(map(os.path.lexists, named)):
        return
    with contextlib.suppress(OSError):
        if os.stat(".git/index").st_size > git.LARGE_INDEX:
            git.begin()
