"""Which files that are gone lie elsewhere by now, by their contents."""

from collections import Counter
from collections.abc import Mapping

_ALIKE = 0.5  # of the larger content; git asks for as much
_TRIED = 10_000  # pairs that are compared line by line


def moved_files(gone: Mapping[str, bytes], come: Mapping[str, bytes]) -> dict[str, str]:
    """New places by old ones: of the same content, else of the most alike one.

    An empty file is no file that moved.
    """
    moves: dict[str, str] = {}
    free = dict(come)
    for source, content in sorted(gone.items()):
        same = [path for path in free if content and free[path] == content]
        if same:
            moves[source] = min(same, key=lambda path: (not _same_name(path, source), path))
            del free[moves[source]]
    left = [path for path in sorted(gone) if path not in moves]
    if len(left) * len(free) > _TRIED:
        return moves
    pairs = [(_likeness(gone[old], free[new]), old, new) for old in left for new in free]
    for likeness, old, new in sorted(pairs, key=lambda pair: (-pair[0], pair[1:])):
        if likeness >= _ALIKE and old not in moves and new in free:
            moves[old] = new
            del free[new]
    return moves


def _same_name(path: str, other: str) -> bool:
    return path.rpartition("/")[2] == other.rpartition("/")[2]


def _likeness(old: bytes, new: bytes) -> float:
    """Which part of the larger content is lines that both have."""
    if not old or not new:
        return 0.0
    both = Counter(old.splitlines()) & Counter(new.splitlines())
    return sum((len(line) + 1) * count for line, count in both.items()) / max(len(old), len(new))
