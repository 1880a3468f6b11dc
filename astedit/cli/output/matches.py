"""Matches as ast-grep prints them, and the names of their files: `path:line:text`."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from resolve.visible import one_line

if TYPE_CHECKING:
    from astedit.engine.run.search import Hits


class ShownPaths:
    """File names as ast-grep prints them: the PATH as typed, joined with what lies below it.

    `typed` pairs each PATH as typed with where it lies below the root.
    """

    def __init__(self, typed: Sequence[tuple[str, str]]) -> None:
        self._typed = typed

    def shown(self, path: str, links: Mapping[str, str]) -> str:
        """The name of a file that is relative to the root.

        `links` maps where a PATH that is a link really leads to its own place.
        """
        real = {name: place for place, name in links.items()}
        for typed, below in self._typed:
            base = real.get(below, below)
            if path == base:
                return _bare(typed)
            if base == "." or path.startswith(base + "/"):
                rest = path if base == "." else path[len(base) + 1 :]
                return _bare(f"{typed}{'' if typed.endswith('/') else '/'}{rest}")
        return path


def lines(hits: "Hits", names: ShownPaths) -> Iterator[str]:
    """`path:line:text` for each source line that a match touches."""
    for path, found in hits.files:
        name = one_line(names.shown(path, hits.links))
        for match in found:
            for number, text in match:
                yield f"{name}:{number}:{text.decode('utf-8', 'replace')}"


def _bare(name: str) -> str:
    while name.startswith("./"):
        name = name[2:].lstrip("/")
    return name
