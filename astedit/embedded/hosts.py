"""Which files hold code of other languages, and that code: pages, Markdown, notebooks."""

import re
from collections.abc import Collection, Iterator
from io import BytesIO
from itertools import accumulate, pairwise

from astedit.embedded.part import ByteRun, Part, piece
from astedit.language import Row, named

_PAGES = ("html", "htm", "xhtml", "vue", "svelte")
_COMPONENTS = ("vue", "svelte")
_OF_PAGES = frozenset({"javascript", "typescript", "tsx", "css"})
_TEXTS = ("md", "markdown", "ipynb")
_ALL = (*_PAGES, *_TEXTS)


def suffixes(languages: Collection[str]) -> tuple[str, ...]:
    """The suffixes of files that may hold code in one of these languages (by name)."""
    if not languages:
        return ()
    return _ALL if _OF_PAGES & frozenset(languages) else _TEXTS


def parts_of(
    path: str, raw: bytes, languages: Collection[str], own: Collection[str] = ()
) -> Iterator[Part]:
    """The code in such a file that is in one of these languages, in order.

    `own` are the suffixes of the language that the file itself is in, whatever its name.
    """
    suffix = next((name for name in (path.rpartition(".")[2], *own) if name in _ALL), None)
    if suffix is None:
        return
    if suffix in _PAGES:
        parts = html_parts(raw, components=suffix in _COMPONENTS)
    elif suffix == "ipynb":
        from astedit.embedded.notebook import notebook_parts

        parts = notebook_parts(raw)
    else:
        parts = markdown_parts(raw)
    yield from (part for part in parts if part.row.name in languages)


_TAG = re.compile(rb"<!--|<(script|style)(?=[\s/>])", re.IGNORECASE)
_ATTRIBUTES = re.compile(rb"(?:[^'\">]|\"[^\"]*\"|'[^']*')*+>")
_ENDS = {
    b"script": re.compile(rb"</script(?=[\s/>])", re.IGNORECASE),
    b"style": re.compile(rb"</style(?=[\s/>])", re.IGNORECASE),
}
_ATTRIBUTE = re.compile(rb"([^\s\"'=<>/]+)(?:\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'=<>`]+)))?")
_TYPES = {b"": b"js", b"module": b"js", b"text/babel": b"jsx", b"text/jsx": b"jsx",
          b"text/javascript": b"js", b"application/javascript": b"js",
          b"text/typescript": b"ts", b"text/css": b"css"}  # fmt: skip
_CLASSIC = (b"", b"text/javascript", b"application/javascript")
_STYLES = {b"scss": b"css", b"postcss": b"css"}


def html_parts(raw: bytes, components: bool = True) -> Iterator[Part]:
    """Every script and style in a language that is known, in order.

    Of `components`, such as Vue's, each script is a module; a page has classic ones as well.
    """
    at = 0
    while (tag := _TAG.search(raw, at)) is not None:
        if tag[1] is None:
            at = raw.find(b"-->", tag.end()) + 3
            if at < 3:
                return
            continue
        attributes = _ATTRIBUTES.match(raw, tag.end())
        if attributes is None:  # the document ends inside the tag
            return
        name = tag[1].lower()
        end = _ENDS[name].search(raw, attributes.end())
        at = end.start() if end is not None else len(raw)
        values = _values(attributes[0])
        row = _language(name, values)
        if row is not None and raw[attributes.end() : at].strip():
            is_script = not components and _kind(values) in _CLASSIC
            yield piece(row, raw, attributes.end(), at, is_script)


def _values(attributes: bytes) -> dict[bytes, bytes]:
    """The attributes of a tag by their names."""
    return {
        match[1].lower(): match[2] or match[3] or match[4] or b""
        for match in _ATTRIBUTE.finditer(attributes)
    }


def _kind(values: dict[bytes, bytes]) -> bytes:
    return values.get(b"type", b"").strip().lower()


def _language(tag: bytes, attributes_by_name: dict[bytes, bytes]) -> Row | None:
    lang = attributes_by_name.get(b"lang", b"").lower()
    if tag == b"style":
        name = _STYLES.get(lang, lang or b"css")
    else:
        name = lang or _TYPES.get(_kind(attributes_by_name), b"")
    return named(name.decode("ascii", "replace")) if name else None


_OPEN = re.compile(rb"([ ]*)(`{3,}|~{3,})[ \t]*\{?\.?([^\s`{},]*)[^`\r\n]*\r?\n?")
_CLOSE = re.compile(rb"[ ]*(`{3,}|~{3,})[ \t]*\r?\n?")


def markdown_parts(raw: bytes) -> Iterator[Part]:
    """Every fence in a language that is known, in order; one in a block quote is none."""
    ends = [0, *accumulate(map(len, BytesIO(raw).readlines()))]
    lines = list(pairwise(ends))
    at = 0
    while at < len(lines):
        start, end = lines[at]
        at += 1
        if (fence := _OPEN.fullmatch(raw, start, end)) is None:
            continue
        body = at
        while at < len(lines) and not _closes(raw, lines[at], fence[2]):
            at += 1
        row = named(fence[3].decode("ascii", "replace"))
        if row is not None and at > body:
            yield _part(row, raw, lines[body:at], len(fence[1]))
        at += 1


def _closes(raw: bytes, line: tuple[int, int], fence: bytes) -> bool:
    match = _CLOSE.fullmatch(raw, *line)
    return match is not None and match[1][:1] == fence[:1] and len(match[1]) >= len(fence)


def _part(row: Row, raw: bytes, lines: list[tuple[int, int]], indent: int) -> Part:
    """The lines without the fence's indentation, which new lines get again."""
    runs: list[ByteRun] = []
    texts: list[bytes] = []
    length = 0
    for start, end in lines:
        line = raw[start:end]
        white = min(indent, len(line) - len(line.lstrip(b" ")))
        texts.append(line[white:])
        size = len(line) - white
        runs.append(ByteRun(length, size, start + white, size))
        length += size
    prefix = b"\n" + b" " * indent
    return Part(row, raw, runs, b"".join(texts), lambda new, at: new.replace(b"\n", prefix))
