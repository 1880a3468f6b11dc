"""What varies within a shape: the kinds of its captures, tests or source, who owns the file."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from astedit.model.shape_labels import SketchedEdit, capture_kind

Owners = Callable[[str], Sequence[str]]
RARE = 2  # edits with a kind of capture that no others have are worth a look
LARGE = 50  # edits of a shape in which that is rare
_TEST_DIRECTORIES = frozenset({"test", "tests", "__tests__", "spec", "specs"})
_TEST_NAME = re.compile(r"(test_.*|.*[_.-](test|spec)|conftest|tests?|.*[a-z0-9]Tests?)\.\w+")


class EditTraits(NamedTuple):
    """What may vary among alike edits."""

    captures: tuple[str, ...]
    test: bool
    owners: tuple[str, ...]


def traits_of(members: Sequence[SketchedEdit], owners: Owners) -> list[EditTraits]:
    """The traits of each edit of a shape."""
    kinds: dict[int, tuple[str, ...]] = {}
    places: dict[str, tuple[bool, tuple[str, ...]]] = {}
    rows = []
    for path, _, sketch in members:
        place = places.get(path) or places.setdefault(path, (is_test(path), tuple(owners(path))))
        captures = kinds.get(id(sketch))
        if captures is None:
            runs = [part for part in sketch.old if part.run is not None]
            pieces = (sketch.before[part.start : part.end] for part in runs)
            captures = kinds[id(sketch)] = tuple(map(capture_kind, pieces))
        rows.append(EditTraits(captures, *place))
    return rows


def labels(rows: Sequence[EditTraits]) -> list[str]:
    """What tells each edit from the others, in words; the same for those of one sub-group."""
    captures = zip(*(row.captures for row in rows), strict=True)
    varying = [at for at, kinds in enumerate(captures) if len(set(kinds)) > 1]
    tests = len({row.test for row in rows}) > 1
    owners = len({row.owners for row in rows}) > 1
    return [_label(row, varying, tests, owners) for row in rows]


def _label(row: EditTraits, varying: Sequence[int], tests: bool, owners: bool) -> str:
    parts = [", ".join(row.captures[at] for at in varying)] if varying else []
    parts += [("tests" if row.test else "source")] if tests else []
    parts += [" ".join(row.owners) or "no owner"] if owners else []
    return "; ".join(parts)


def rare_kinds(rows: Sequence[EditTraits]) -> list[str]:
    """For each edit of a shape the kind of a capture that hardly any other has, or ''."""
    if len(rows) < LARGE:
        return [""] * len(rows)
    counts = [Counter(kinds) for kinds in zip(*(row.captures for row in rows), strict=True)]
    return [_rare(row, counts) for row in rows]


def _rare(row: EditTraits, counts: Sequence[Counter[str]]) -> str:
    kinds = zip(row.captures, counts, strict=True)
    return next((kind for kind, count in kinds if count[kind] <= RARE), "")


def is_test(path: str) -> bool:
    """Whether a file is one of tests, by its name or a directory's."""
    *directories, name = path.split("/")
    return not _TEST_DIRECTORIES.isdisjoint(directories) or bool(_TEST_NAME.fullmatch(name))
