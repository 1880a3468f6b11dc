"""YAML 1.2 text to plain values, within limits. (rule G6)

The reader's events are put together here, so that no tag constructs anything, an alias
cannot grow the text, and `off`, `no` and `on` are strings. The events are libyaml's, which
is what ast-grep reads with, 40 times as fast as a reader in Python. Where it knows only
YAML 1.1, or refuses the text, the thorough reader decides, and says what is wrong.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

from astedit.errors import RequestError

MAX_SIZE = 1_048_576  # bytes of one file
MAX_DEPTH = 100
MAX_ALIASES = 64
MAX_VALUES = 100_000  # values of one file, those behind aliases counted each time

_SURROGATE = re.compile("[\ud800-\udfff]")
_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEAN = {word: word[0] in "tT" for word in ["true", "True", "TRUE", "false", "False", "FALSE"]}
_INTEGER = re.compile(r"[-+]?[0-9]{1,18}")
_BASED = re.compile(r"0o[0-7]{1,18}|0x[0-9a-fA-F]{1,15}")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]{1,4})?")


# What YAML 1.1 reads otherwise: line breaks and directives. So are names of anchors.
_OLD = re.compile("[\x85\u2028\u2029\ufeff]|^%", re.MULTILINE)


_QUOTES = (
    "Indent with spaces. A text that holds ': ' or ' #', or starts with one of"
    " * & ! % @ ` { [ | > needs quotes."
)


class YamlError(RequestError):
    """Text that is not YAML 1.2, or goes beyond the limits."""

    code = "bad_yaml"


def read_yaml(text: bytes, path: str | None = None) -> list[Any]:
    """The documents of a file, as dicts, lists, strings, numbers, booleans and None."""
    if len(text) > MAX_SIZE:
        problem = f"The file is larger than {MAX_SIZE} bytes."
        raise YamlError(problem, path=path, hint="Make several files of it.")
    try:
        decoded = text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        problem = f"The file is not UTF-8: byte 0x{text[error.start]:02x} (line {line})."
        raise YamlError(problem, path=path, hint="Save it as UTF-8.") from error
    try:
        return list(_Builder(path).documents(_quick_events(decoded)))
    except _UnsureError:
        return _thorough(decoded, path)


class _UnsureError(Exception):
    """The quick reader refuses the text, or may take it for something else than it is."""


def _quick_events(text: str) -> Iterator[Any]:
    """The events of libyaml, up to the first of which it is not sure."""
    try:
        from yaml import YAMLError  # type: ignore[import-untyped]
        from yaml.cyaml import CParser  # type: ignore[import-untyped]
    except ImportError as error:  # PyYAML can be built without it
        raise _UnsureError from error
    if _OLD.search(text):
        raise _UnsureError
    parser = CParser(text)
    try:
        while (event := parser.get_event()) is not None:
            if getattr(event, "anchor", None) is not None:
                raise _UnsureError
            yield event
    except YAMLError as error:
        raise _UnsureError from error


def _thorough(text: str, path: str | None) -> list[Any]:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        return list(_Builder(path).documents(YAML(typ="safe", pure=True).parse(text)))
    except YAMLError as error:
        raise YamlError(f"Not YAML: {_first(error)}", path=path, hint=_QUOTES) from error


def _first(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or str(error).splitlines()[0]
    return f"{problem} (line {mark.line + 1})" if mark is not None else str(problem)


@dataclass(slots=True)
class _Open:
    """A collection whose end is not reached yet; `key` waits for its value."""

    value: Any
    anchor: str | None
    before: int
    key: str | None = None


class _Builder:
    def __init__(self, path: str | None) -> None:
        self._path = path

    def documents(self, events: Iterator[Any]) -> Iterator[Any]:
        for event in events:
            kind = type(event).__name__
            if kind == "DocumentStartEvent":
                self._open: list[_Open] = []
                self._anchors: dict[str, tuple[Any, int]] = {}
                self._aliases = self._values = 0
                self._document: Any = None
            elif kind == "DocumentEndEvent":
                yield self._document
            elif kind not in ("StreamStartEvent", "StreamEndEvent"):
                self._take(kind, event)

    def _take(self, kind: str, event: Any) -> None:
        if getattr(event, "tag", None) not in (None, "!"):
            self._fail(f"the tag {event.tag} is not allowed", event, _QUOTES)
        if kind in ("MappingStartEvent", "SequenceStartEvent"):
            if len(self._open) >= MAX_DEPTH:
                self._fail(f"nested deeper than {MAX_DEPTH} levels", event)
            empty: Any = {} if kind == "MappingStartEvent" else []
            self._open.append(_Open(empty, event.anchor, self._values))
        elif kind in ("MappingEndEvent", "SequenceEndEvent"):
            done = self._open.pop()
            self._put(done.value, done.anchor, self._values - done.before, event)
        elif kind == "AliasEvent":
            self._alias(event)
        else:
            self._put(_scalar(event, self._text(event)), event.anchor, 0, event)

    def _alias(self, event: Any) -> None:
        self._aliases += 1
        if self._aliases > MAX_ALIASES:
            self._fail(f"more than {MAX_ALIASES} aliases", event)
        if event.anchor not in self._anchors:
            self._fail(f"the alias *{event.anchor} has no value", event, _QUOTES)
        value, size = self._anchors[event.anchor]
        self._values += size
        self._put(value, None, size, event)

    def _put(self, value: Any, anchor: str | None, size: int, event: Any) -> None:
        self._values += 1
        if self._values > MAX_VALUES:
            self._fail(f"more than {MAX_VALUES} values", event)
        if anchor is not None:
            self._anchors[anchor] = value, size
        if not self._open:
            self._document = value
            return
        top = self._open[-1]
        if isinstance(top.value, list):
            top.value.append(value)
        elif top.key is not None:
            top.value[top.key] = value
            top.key = None
        else:
            top.key = self._key(value, top.value, event)

    def _key(self, value: Any, mapping: dict[str, Any], event: Any) -> str:
        if isinstance(value, dict | list):
            self._fail("a key must be a string", event, _QUOTES)
        key = self._text(event) if type(event).__name__ == "ScalarEvent" else str(value)
        if key in mapping:
            self._fail(f"the key {key!r} is given twice", event, "Keep one of them.")
        return str(key)

    def _text(self, event: Any) -> str:
        """The text of a scalar. JSON writes some characters as two escapes, a pair."""
        text = str(event.value)
        if _SURROGATE.search(text) is None:
            return text
        try:
            return text.encode("utf-16", "surrogatepass").decode("utf-16")
        except UnicodeDecodeError:
            self._fail("half of a character", event, "Write it as it is, or as \\U0001F600.")

    def _fail(self, problem: str, event: Any, hint: str = "Write it with less.") -> NoReturn:
        line = event.start_mark.line + 1
        message = f"Not accepted as YAML: {problem} (line {line})."
        raise YamlError(message, path=self._path, hint=hint)


def _scalar(event: Any, text: str) -> Any:
    """The value of a scalar by the core schema: only plain ones are not strings."""
    if event.style is not None and event.style != "":
        return text
    if text in _NULL:
        return None
    if text in _BOOLEAN:
        return _BOOLEAN[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    if _BASED.fullmatch(text):
        return int(text, 0)
    return float(text) if _FLOAT.fullmatch(text) else text
