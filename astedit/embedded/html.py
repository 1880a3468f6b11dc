"""Scripts and styles of HTML, Vue and Svelte, found as a browser's tokenizer does.

Not with a grammar: the content of these two elements ends at the first `</script` or
`</style`, whatever the rest of the document looks like, and templates are not all HTML.
"""

import re
from collections.abc import Iterator

from astedit.embedded.part import Part, piece
from astedit.language import Row, named

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


def parts(raw: bytes, components: bool = True) -> Iterator[Part]:
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
