"""A document and the code inside it: all edits of one file are one edit set. (rules D1, D2)

Each part is searched and rewritten as a text of its own, and what comes of it is carried
to where it is in the file. What the document itself has rewritten goes first.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Protocol

from tree_sitter import Node

from astedit.embedded.hosts import parts_of
from astedit.embedded.part import Part, piece
from astedit.engine.files.matches import JsonNodes
from astedit.engine.files.outcome import (
    DEFER,
    BlockedData,
    DisplacedData,
    EditData,
    FileData,
    LostData,
    SpanData,
    span_data,
)
from astedit.engine.files.places import OpPlaces
from astedit.engine.languages import named_languages
from astedit.engine.program import Program
from astedit.language import Grammar, GrammarUnavailable, Row, load, named
from astedit.limits import is_shallow
from astedit.model.request import EditRequest
from astedit.text.source import Lines, NotDecodable, Source, splice

if TYPE_CHECKING:
    from astedit.rule.scope import Names

_RULE = ("rule", "constraints", "utils", "transform")
_BOM = b"\xef\xbb\xbf"


class TextEngine(Protocol):
    """What a document needs of the engine: one text at a time, its own or one inside it."""

    request: EditRequest
    want_hunks: bool
    injections: "Injections | None"
    language: Callable[[str], Row | None]

    def program(self, row: Row) -> Program: ...
    def whole(
        self, path: str, language: str, raw: bytes, data: FileData, *, inline: bool
    ) -> FileData | str: ...
    def parsed(self, path: str, source: Part, program: Program, data: FileData) -> object: ...


def hosted(
    engine: TextEngine, path: str, language: str, raw: bytes, data: FileData, *, inline: bool
) -> FileData | str:
    """Fills in what a request does to a document and to the code inside it.

    The document itself is only edited if it is of `language`.
    """
    if inline and not is_shallow(raw):
        return DEFER
    own = engine.language(path)
    if own is not None and own.name == language:
        engine.whole(path, language, raw, data, inline=False)
    if data.skip:
        return data
    try:
        Source(raw)
    except NotDecodable:
        return data
    lines = Lines(raw)
    own_edits = data.edits
    parts = _parts(engine, path, raw)
    for part in parts:
        inner = _of_part(engine, path, part)
        if inner.skip:
            data.skip, data.edits, data.matches = inner.skip, (), ()
            return data
        _carry(part, inner, data, lines, own_edits)
    for edit in list(_ending(parts, data.edits, lambda text: _parts(engine, path, text))):
        data.edits = tuple(other for other in data.edits if other is not edit)
        why = "the code would end there for the document that it is in"
        place, text = edit.match or edit.span, edit.text or edit.before
        blocked = BlockedData(place, edit.op, "breaks_syntax", (), edit.matches, text, why)
        data.blocked += (blocked,)
    if data.edits:
        data.finish(path, raw, data.edits, engine.want_hunks)
    data.near = (data.near or data.parsed) and not (data.edits or data.matches or data.blocked)
    return data


def _parts(engine: TextEngine, path: str, raw: bytes) -> list[Part]:
    languages = named_languages(engine.request)
    own = engine.language(path)
    parts = list(parts_of(path, raw, languages, own.suffixes if own is not None else ()))
    if engine.injections is not None and own is not None:
        parts += list(engine.injections.parts(own, raw, languages, parts))
    return parts


def _ending(
    parts: Sequence[Part], edits: Sequence[EditData], parts_of_text: Callable[[bytes], list[Part]]
) -> Iterator[EditData]:
    """The edits after which their part ends elsewhere, as `</script>` ends one even in a string."""
    own = [(part, [edit for edit in edits if _holds(part, edit)]) for part in parts]
    own = [(part, some) for part, some in own if some]
    if not own or _stand([part for part, _ in own], edits, parts_of_text):
        return
    for part, some in own:
        if not _stand([part], some, parts_of_text):
            yield from some


def _holds(part: Part, edit: EditData) -> bool:
    low, high = _span_of(part)
    return low <= edit.start and edit.end <= high


def _stand(
    parts: Sequence[Part], edits: Sequence[EditData], parts_of_text: Callable[[bytes], list[Part]]
) -> bool:
    """Are all parts that hold more than white space where they were, but for what edits move?"""
    text, moved = splice(parts[0].raw, sorted(edit.change for edit in edits)), []
    for part in parts:
        low, high = _span_of(part)
        low += sum(len(edit.new) - (edit.end - edit.start) for edit in edits if edit.start < low)
        high += sum(len(edit.new) - (edit.end - edit.start) for edit in edits if edit.end <= high)
        moved += [(low, high)] if text[low:high].strip() else []
    return set(map(_span_of, parts_of_text(text))).issuperset(moved)


def _span_of(part: Part) -> tuple[int, int]:
    return part.start(0), part.end(len(part.text))


def _of_part(engine: TextEngine, path: str, part: Part) -> FileData:
    data = FileData()
    try:
        program = engine.program(part.row)
    except GrammarUnavailable:  # which `prepare_run` has said
        return data
    if program.ops and program.active(part.text):
        engine.parsed(path, part, program, data)
    return data


def _carry(
    part: Part, inner: FileData, data: FileData, lines: Lines, taken: Sequence[EditData]
) -> None:
    """Adds what was found in a part, in places of the file; `taken` are the document's edits."""
    data.parsed |= inner.parsed
    data.unread |= inner.unread
    data.disproved |= inner.disproved
    for op, matches, names in inner.places:  # whose kinds have offsets of the part
        counts = names and tuple(count._replace(kinds=()) for count in names)
        data.places += (OpPlaces(op, matches, counts),)
    for edit in inner.edits:
        span = span_data(edit.start, edit.end, lines)
        match = edit.match and span_data(edit.match.start, edit.match.end, lines)
        whole, text = (match, edit.text) if match else (span, edit.before)
        over = [by.op for by in taken if whole.start < by.end and by.start < whole.end]
        if part.touches_masked(whole.start, whole.end):
            data.blocked += (
                BlockedData(whole, edit.op, "changes_structure", (), edit.matches, text),
            )
        elif over:
            data.displaced += (DisplacedData(whole, edit.op, over[0], "inside"),)
        else:
            comments = tuple(
                LostData(span_data(one.span.start, one.span.end, lines), one.text)
                for one in edit.dropped
            )
            data.edits += (
                edit._replace(line=span.line, column=span.column, match=match, dropped=comments),
            )
    data.blocked += tuple(_blocked(blocked, part, lines) for blocked in inner.blocked)
    data.displaced += tuple(
        displaced._replace(span=_span(displaced.span, part, lines)) for displaced in inner.displaced
    )
    shown = JsonNodes(part.raw, part.row.label)
    data.matches += tuple(_match(match, part, lines, shown) for match in inner.matches)
    data.spreading += tuple(_span(span, part, lines) for span in inner.spreading)
    data.missing += tuple(text for text in inner.missing if text not in data.missing)


def _span(span: SpanData, part: Part, lines: Lines) -> SpanData:
    return span_data(*_carried(span.start, span.end, part), lines)


def _carried(start: int, end: int, part: Part) -> tuple[int, int]:
    """Where bytes of a part are in the file."""
    low = part.start(start)
    return low, part.end(end) if end > start else low


def _blocked(blocked: BlockedData, part: Part, lines: Lines) -> BlockedData:
    lost = tuple(LostData(_span(text.span, part, lines), text.text) for text in blocked.lost)
    return blocked._replace(span=_span(blocked.span, part, lines), lost=lost)


def _match(match: Any, part: Part, lines: Lines, shown: JsonNodes) -> Any:
    """A match as text lines (number and text), or as ast-grep's object.

    With lines around it, it is one of the file already.
    """
    if match and isinstance(match, tuple) and isinstance(match[0], int):
        return match
    if isinstance(match, dict):
        carried = _object(match, part, lines, shown)
        if not part.is_plain:
            return carried
        # of the lines of the file around it the part may hold a piece only
        start, end = carried["range"]["byteOffset"].values()
        return carried | shown.place(start, lines.point(start), end, lines.point(end))
    starts = list(accumulate((len(line) + 1 for line in part.text.split(b"\n")), initial=0))
    return tuple((lines.row(part.start(starts[row - 1])) + 1, text) for row, text in match)


def _object(value: Any, part: Part, lines: Lines, shown: JsonNodes) -> Any:
    if isinstance(value, list):
        return [_object(item, part, lines, shown) for item in value]
    if not isinstance(value, dict):
        return value
    if "byteOffset" in value:
        low, high = value["byteOffset"].values()
        start, end = _carried(low, high, part)
        return shown.range(start, lines.point(start), end, lines.point(end))
    if value.keys() == {"start", "end"}:
        start, end = _carried(value["start"], value["end"], part)
        return {"start": start, "end": end}
    return {key: _object(item, part, lines, shown) for key, item in value.items()}


class Injections:
    """The injections of a request, compiled; those whose host has no grammar do nothing."""

    def __init__(self, request: EditRequest, names: str = "") -> None:
        """Raises `RuleError` for a rule that is wrong; `names` is what `provided` takes."""
        from astedit.engine.imports import provided  # with the rule language, as few need

        resolver = provided(names)
        self._of: dict[str, list[_Injection]] = {}
        for at, raw in enumerate(request.injections):
            host = named(raw["hostLanguage"])
            assert host is not None, raw
            try:
                grammar = load(host)
            except GrammarUnavailable:
                continue
            self._of.setdefault(host.name, []).append(_Injection(at, raw, host, grammar, resolver))

    def parts(
        self, host: Row, raw: bytes, languages: Collection[str], taken: Collection[Part]
    ) -> Iterator[Part]:
        """The code in a UTF-8 file that is in one of these languages, in no part of `taken`."""
        ends = [(part.start(0), part.end(len(part.text))) for part in taken]
        for injection in self._of.get(host.name, ()):
            for row, start, end in injection.places(raw):
                if row.name in languages and not any(a < end and start < b for a, b in ends):
                    ends.append((start, end))
                    yield piece(row, raw, start, end)


class _Injection:
    def __init__(
        self, at: int, raw: Mapping[str, Any], host: Row, grammar: Grammar, resolver: "Names | None"
    ) -> None:
        from astedit.rule.document import op_document
        from astedit.rule.match.find import compile_document

        content = {key: raw[key] for key in _RULE if key in raw}
        document = op_document({"id": f"languageInjections[{at}]", **content})
        self._grammar = grammar
        self._finder = compile_document(document, host, None, resolver)
        injected = raw["injected"]
        self._default = named(injected) if isinstance(injected, str) else None
        names = [injected] if isinstance(injected, str) else injected
        self._rows = {row.name: row for name in names if (row := named(name)) is not None}

    def places(self, raw: bytes) -> Iterator[tuple[Row, int, int]]:
        if not self._finder.may_match(raw):
            return
        text = b"   " + raw[3:] if raw.startswith(_BOM) else raw
        for match in self._finder.find(self._grammar.parser().parse(text).root_node, text):
            content, row = match.single.get("CONTENT"), self._row(match.single.get("LANG"))
            if content is not None and row is not None and content.start_byte < content.end_byte:
                yield row, content.start_byte, content.end_byte

    def _row(self, captured: Node | None) -> Row | None:
        if captured is None:
            return self._default
        row = named((captured.text or b"").decode("utf-8", "replace"))
        return row if row is not None and row.name in self._rows else None
