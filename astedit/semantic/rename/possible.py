"""Uses that a rename may have to change and does not, and decorators that may be one."""

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from tree_sitter import Node

from astedit.text.count_phrases import number
from astedit.workspace.root import Workspace

_PROJECT = ("pyproject.toml", "setup.cfg")
_LARGEST = 1_048_576  # bytes of a project file
_LEFT = "not changed: "


class UsePlace(NamedTuple):
    """Where a use stands, and why it may mean the definition."""

    path: str
    line: int
    why: str


def listed(name: str, places: Sequence[UsePlace]) -> list[str]:
    """The hints about every such use of `name`. The first hint says how many there are."""
    if not places:
        return []
    head = f"{counted(len(places))} of {name!r} not changed; look at each before you apply:"
    lines = (f"{path}:{line}: {name} may be this one ({why})" for path, line, why in places)
    return [head, *(_LEFT + hint for hint in lines)]


def count(hints: Iterable[str]) -> int:
    """How many uses the hints of a plan list."""
    return sum(hint.startswith(_LEFT) for hint in hints)


def counted(uses: int) -> str:
    """`1 possible use`, `7 possible uses`."""
    return number(uses, "possible use")


def entry_points(workspace: Workspace, path: str, name: str, *, member: bool) -> Iterator[UsePlace]:
    """The lines of project files above `path` that name it as an entry point, `pkg.mod:name`."""
    inner = rb"(?:\w+\.)+" if member else b""
    point = re.compile(rb"[\w.]+:" + inner + re.escape(name.encode()) + rb"(?!\w)")
    folder = path
    while folder:
        folder = posixpath.dirname(folder)
        for file in (posixpath.join(folder, project) for project in _PROJECT):
            try:
                code, _ = workspace.read(file, _LARGEST)
            except OSError:
                continue  # none there, or none of ours to read
            for row, line in enumerate(code.splitlines(), 1):
                if point.search(line):
                    yield UsePlace(file, row, "an entry point")


_PLAIN = frozenset(  # these keep nothing
    b"abstractmethod asynccontextmanager cache cached_property classmethod contextmanager "
    b"dataclass deprecated final lru_cache overload override property setter deleter getter "
    b"staticmethod total_ordering unique wraps".split()
)


def keeping_decorators(path: str, decorated: Node) -> Iterator[UsePlace]:
    """The places of decorators of a definition that may have it used elsewhere."""
    for child in decorated.named_children:
        name = (child.text or b"").strip(b"@").partition(b"(")[0].strip()
        if child.type == "decorator" and name.rpartition(b".")[2] not in _PLAIN:
            why = f"its decorator {name.decode('utf-8', 'replace')} may keep it"
            yield UsePlace(path, child.start_point.row + 1, why)
