"""Matches and findings as ast-grep's JSON."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from astedit.cli.output import streams
from astedit.cli.output.formats import About, Mode, parts
from astedit.cli.output.matches import ShownPaths

if TYPE_CHECKING:
    from astedit.cli.output.formats import FindingJson
    from astedit.engine.run.search import Hits

_MANY = 500  # matches from which on a quicker encoder is worth its import


class Json:
    """ast-grep's `pretty` or `compact` array, or its `stream` of one object a line.

    Encoded file by file, as they come.
    """

    def __init__(self, names: ShownPaths, form: str) -> None:
        self._names = names
        self._form = form
        self._count = 0

    def of(self, hits: "Hits", path: str, matches: Sequence[Mapping[str, Any]]) -> bytes:
        """The matches of one file, without what goes around those of all."""
        name = self._names.shown(path, hits.links)
        self._count += len(matches)
        encode = streams.much_as_json if self._count > _MANY else streams.as_json
        items = [{**match, "file": name} for match in matches]
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


class Format:
    """The findings as JSON, each file's encoded as soon as they are known."""

    mode: Mode = "scan"

    def __init__(self, names: ShownPaths, style: str) -> None:
        self._json = Json(names, "pretty" if style == "json" else style)

    def of(self, hits: "Hits", path: str, findings: "Sequence[FindingJson]") -> bytes:
        """The findings of one file, without what goes around those of all."""
        return self._json.of(hits, path, findings)

    def show(self, hits: "Hits", about: About) -> None:
        """Writes them to stdout."""
        streams.data(self._json.whole(parts(hits)))
