"""Matches and findings as ast-grep's JSON."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from astedit.cli.output import formats, streams
from astedit.cli.output.formats import About, parts
from astedit.cli.output.matches import ShownPaths

if TYPE_CHECKING:
    from astedit.engine.run.search import Hits

_MANY = 500  # matches from which on a quicker encoder is worth its import


class Format(formats.Format):
    """ast-grep's `pretty` or `compact` array, or its `stream` of one object a line.

    Each file's part is encoded as soon as it is known.
    """

    def __init__(self, names: ShownPaths, style: str) -> None:
        super().__init__(names, style)
        self._form = "pretty" if style == "json" else style
        self._count = 0

    def of(self, hits: "Hits", path: str, matches: Sequence[Mapping[str, Any]]) -> bytes:
        """The matches of one file, without what goes around those of all."""
        name = self.names.shown(path, hits.links)
        self._count += len(matches)
        encode = streams.much_as_json if self._count > _MANY else streams.as_json
        items = [{**match, "file": name} for match in matches]
        if self._form == "stream":
            return b"".join(encode(item) + b"\n" for item in items)
        if self._form == "compact":
            return encode(items)[1:-1]
        return b",\n".join(encode(item, indent=2) for item in items)

    def show(self, hits: "Hits", about: About) -> None:
        """Writes the parts of all files to stdout, as one text."""
        streams.data(self.whole(parts(hits)))

    def whole(self, parts: Sequence[bytes]) -> bytes:
        """The parts in this order as one text."""
        if self._form == "stream":
            return b"".join(parts)
        if self._form == "compact":
            return b"[" + b",".join(parts) + b"]\n"
        return b"[\n" + b",\n".join(parts) + b"\n]\n" if parts else b"[]\n"
