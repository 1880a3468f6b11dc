"""Matches as ast-grep prints them: `path:line:text`, or its JSON."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from astedit.cli.output import streams

if TYPE_CHECKING:
    from astedit.engine.search import Hits


_MANY = 500  # matches from which on a quicker encoder is worth its import


class Names:
    """File names as ast-grep prints them: the PATH as typed, joined with what lies below it.

    `given` pairs each PATH as typed with where it lies below the root.
    """

    def __init__(self, given: Sequence[tuple[str, str]]) -> None:
        self._given = given

    def shown(self, path: str, links: Mapping[str, str]) -> str:
        """The name of a file that is relative to the root.

        `links` maps where a PATH that is a link really leads to its own place.
        """
        real = {name: place for place, name in links.items()}
        for typed, below in self._given:
            base = real.get(below, below)
            if path == base:
                return _bare(typed)
            if base == "." or path.startswith(base + "/"):
                rest = path if base == "." else path[len(base) + 1 :]
                return _bare(f"{typed}{'' if typed.endswith('/') else '/'}{rest}")
        return path


def lines(hits: "Hits", names: Names) -> Iterator[str]:
    """`path:line:text` for each source line that a match touches."""
    for path, found in hits.files:
        name = streams.name(names.shown(path, hits.links))
        for match in found:
            for number, text in match:
                yield f"{name}:{number}:{text.decode('utf-8', 'replace')}"


class Json:
    """ast-grep's `pretty` or `compact` array, or its `stream` of one object a line.

    Encoded file by file, as they come.
    """

    def __init__(self, given: Sequence[tuple[str, str]], form: str) -> None:
        self._names = Names(given)
        self._form = form
        self._count = 0

    def of(self, hits: "Hits", path: str, found: Sequence[Mapping[str, Any]]) -> bytes:
        """The matches of one file, without what goes around those of all."""
        name = self._names.shown(path, hits.links)
        self._count += len(found)
        encode = streams.much_as_json if self._count > _MANY else streams.as_json
        items = [{**one, "file": name} for one in found]
        if self._form == "stream":
            return b"".join(encode(item) + b"\n" for item in items)
        if self._form == "compact":
            return encode(items)[1:-1]
        return b",\n".join(encode(item, indent=2) for item in items)

    def whole(self, parts: Sequence[bytes]) -> bytes:
        """The parts in this order as one text."""
        if self._form == "stream":
            return b"".join(parts)
        if self._form == "compact":
            return b"[" + b",".join(parts) + b"]\n"
        return b"[\n" + b",\n".join(parts) + b"\n]\n" if parts else b"[]\n"


def _bare(name: str) -> str:
    while name.startswith("./"):
        name = name[2:].lstrip("/")
    return name
