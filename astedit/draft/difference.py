"""What a draft and its tree hold, path by path: who changed what since both agreed.

Neither is locked meanwhile. What is found out is written down with the draft, so that what an
apply brought into the tree is no difference any more, and no conflict.
"""

import contextlib
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256

from astedit.draft.draft import Agreed, Draft
from astedit.errors import PreconditionError, RequestError
from astedit.sandbox.overlay import Layers, opaque
from astedit.sandbox.supervisor import content_at, forget, put
from astedit.sandbox.tree_copy import PathState, copy_changes, is_alike, state_in, tree_state
from astedit.workspace.confined_open import closed_after

_LARGEST = 64 << 20  # bytes of one file that is compared by its hash
_TOP = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Difference:
    """What a draft changed: `changes` as a sandbox tells them, of directories their files.

    In `conflicts`, some of these paths, the tree has changed them meanwhile. `behind` are
    other paths, about which both agreed, and that only the tree has changed since.
    """

    changes: list[tuple[str, str]]
    conflicts: set[str]
    behind: list[str]


def difference(draft: Draft, applied: Iterable[tuple[str, str | None]] = ()) -> Difference:
    """What differs from the tree by now.

    Notes where the tree is by now what the draft holds, or what came out of the draft: `applied`
    are paths, and the hashes that applies gave them, the newest first.
    """
    hashes, states = dict(reversed(list(applied))), _states(draft)
    for path in hashes.keys() | tree_state(draft.files).keys():
        if state_in(draft.root, path) != states.get(path):
            is_applied = path in hashes and _hash(draft.root, path) == hashes[path]
            if is_applied or is_alike(draft.root, draft.files, path):
                _agree(draft, path)
    states = _states(draft)
    changes, conflicts, behind = [], set(), []
    for path, how in _changes(draft):
        now, base = state_in(draft.root, path), states.get(path)
        mark = draft.agreed[path].hash if path in draft.agreed else None
        if now == base:
            if now and not mark:  # to know later whether it was only touched
                mark = _hash(draft.root, path)
                if state_in(draft.root, path) == now:
                    draft.agreed[path] = Agreed(mark, now)
        elif _holds(draft.files, path, mark, base):
            behind.append(path)
            continue
        elif not _holds(draft.root, path, mark, base) and ".git" not in path.split("/"):
            conflicts.add(path)
        changes.append((path, how))
    with contextlib.suppress(OSError):  # it can be found out again, and a full disk be emptied
        draft.save()
    return Difference(changes, conflicts, behind)


def _holds(top: str, path: str, mark: str | None, base: PathState | None) -> bool:
    """Whether a file is still what both agreed about, but for times and what git does not keep."""
    now = state_in(top, path)
    is_plain = now and base and not (now.mode ^ base.mode) & stat.S_IXUSR
    return bool(is_plain and mark) and _hash(top, path) == mark


def pull(
    draft: Draft, keep: Iterable[str] = (), take: Iterable[str] = ()
) -> tuple[list[str], list[str], list[str]]:
    """Brings in what is newer in the tree; returns those paths, the conflicts, and what is left.

    Of the paths of a conflict the draft's own file counts from now on (`keep`), or the
    tree's comes in its place (`take`). Left is what is no file, is too large, or has no place.
    """
    now, settled, given_up = difference(draft), set(keep), set(take)
    for path in sorted(settled & given_up):
        raise RequestError(f"{path} cannot be both kept and taken.", hint="Say one of them.")
    for path in sorted((settled | given_up) - now.conflicts):
        raise RequestError(f"{path} is not a conflict.", hint=f"astedit draft pull {draft.name}")
    states, tree = _states(draft), tree_state(draft.root)
    others = (states.keys() | tree.keys()).difference(path for path, _ in now.changes)
    news = {path for path in others if states.get(path) != tree.get(path)}
    newer = {path for path in news if ".git" not in path.split("/")}.union(now.behind, given_up)
    is_layer = draft.way == "overlay"
    is_mounted = is_layer and draft.runs
    # While a program runs, by way of its own mounts. The kernel may go on showing that program
    # what it has looked up once.
    place = f"/proc/{draft.process}/root{draft.root}" if is_mounted else draft.files
    if is_mounted and not _is_mounted(place, draft.root):
        raise PreconditionError(
            f"A program is just beginning or ending in the draft {draft.name}.",
            code="draft_in_use",
            hint="Pull again.",
        )
    with closed_after(os.open(place, _TOP)) as top:
        is_alone = is_layer and not is_mounted
        left = {path for path in sorted(newer) if not _bring(draft, path, top, is_alone=is_alone)}
    for path in (newer - left) | settled:
        _agree(draft, path)
    draft.save()
    conflicts = now.conflicts - settled - (given_up - left)
    return sorted(newer - left), sorted(conflicts), sorted(left - conflicts)


def _is_mounted(place: str, root: str) -> bool:
    """Whether a process sees an overlay there; a number may be of another one by now."""
    try:
        return os.stat(place).st_dev != os.stat(root).st_dev
    except OSError:
        return False


def _bring(draft: Draft, path: str, top: int, *, is_alone: bool) -> bool:
    """Puts what the tree holds at a path into the draft; False where that cannot be.

    A layer that `is_alone` has nobody who mounted it: the tree shows what is not in it.
    """
    content, state = content_in(draft.root, path), state_in(draft.root, path)
    inside = f"/proc/self/fd/{top}" if os.path.isdir("/proc/self/fd") else draft.files
    own = state_in(inside, path)
    if state is None:
        with contextlib.suppress(IsADirectoryError, PermissionError):
            forget(top, path)
        return True
    if content is None:
        return stat.S_ISDIR(state.mode) and (own is None or stat.S_ISDIR(own.mode))
    if own is None and is_alone and not _is_hidden(inside, path):
        return True
    if is_alike(draft.root, inside, path):
        return True
    try:
        put(top, path, content, stat.S_IMODE(state.mode))
    except (FileExistsError, IsADirectoryError, NotADirectoryError, PermissionError):
        return False
    return True


def _is_hidden(layer: str, path: str) -> bool:
    """Whether a layer hides the directory around a path: by what is none, or by one of its own."""
    above = (os.path.join(layer, path[:at]) for at, letter in enumerate(path) if letter == "/")
    return any(os.path.lexists(one) and (not os.path.isdir(one) or opaque(one)) for one in above)


def _changes(draft: Draft) -> list[tuple[str, str]]:
    """What differs; of a directory that is gone those files that were in it."""
    if draft.way == "copy":
        return copy_changes(draft.root, draft.files, draft.states("copied"))
    with contextlib.closing(Layers(draft.root, draft.files)) as layers:
        return layers.changes()


def _agree(draft: Draft, path: str) -> None:
    draft.agreed[path] = Agreed(_hash(draft.root, path), state_in(draft.root, path))


def _states(draft: Draft) -> dict[str, PathState | None]:
    """The tree as it was when tree and draft agreed last, path by path."""
    return {**draft.states("tree"), **{path: row.state for path, row in draft.agreed.items()}}


def _hash(top: str, path: str) -> str | None:
    content = content_in(top, path)
    return None if content is None else sha256(content).hexdigest()


def content_in(top: str, path: str) -> bytes | None:
    """A file's content; None of what is not a file, is too large, or cannot be read."""
    with contextlib.suppress(OSError), closed_after(os.open(top, _TOP)) as file:
        return content_at(file, path, _LARGEST)
    return None
