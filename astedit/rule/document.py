"""One YAML document of a rule file: its envelope, checked. (rules G1, G4)"""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from astedit.errors import AstEditError, RequestError
from astedit.language import Row, named
from astedit.language.table import language_hint
from astedit.rule.failure import RuleError, TurnedOff, one_of, wrong
from astedit.rule.match.utility import RESERVED
from astedit.rule.yaml import read_yaml

SEVERITIES = ("hint", "info", "warning", "error", "off")
KEYS = (
    *("id", "language", "rule", "constraints", "utils", "transform", "rewriters", "fix"),
    *("message", "note", "severity", "labels", "files", "ignores", "url", "metadata"),
    *("edits", "allowLoss", "strictFix", "imports"),  # ours
    *("params", "when", "then", "deleteEmpty", "preconditions"),
)
_CAUSING = frozenset({"params", "when", "then", "deleteEmpty", "preconditions"})
UTILITY_KEYS = ("id", "language", "arguments", "rule", "constraints", "utils", "transform")
OP_KEYS = (
    *("id", "language", "rule", "constraints", "utils", "transform", "rewriters", "message"),
    "labels",  # checked, and left aside
)
SEARCH_KEYS = (*OP_KEYS, "fix", "edits", "allowLoss", "strictFix", "imports")  # these too
_REQUIRED = ("id", "language", "rule")
_TEXTS = ("message", "note", "url")
_OBJECTS = ("rule", "constraints", "utils", "transform", "labels", "metadata")


@dataclass(frozen=True, slots=True)
class Document:
    """A rule as written; what is inside `rule` and its kin is checked when compiled.

    `languages` holds one row or more (none: any), `path` where it was read, `at` its number
    in that file; `content` has no null values. `arguments` are those of a parameterised
    utility.
    """

    id: str
    languages: tuple[Row, ...]
    severity: str
    content: Mapping[str, Any]
    path: str | None
    arguments: tuple[str, ...] = ()
    at: int = 0

    def of_severity(self, level: str | None) -> "Document":
        """The rule with another severity; None: with its own."""
        content = {**self.content, "severity": level}
        return self if level is None else replace(self, severity=level, content=content)


def read_rules(
    text: bytes, path: str | None = None, off: TurnedOff | None = None
) -> list[Document]:
    """The rules of a file, in order; raises `RuleError` or `YamlError`.

    Where one has no id the file's name is its id, with its place behind it if there are
    several documents. A wrong one that is `off` is left out.
    """
    off = off or TurnedOff()
    raws = _raws(text, path, off)
    written = [at for at, raw in raws if raw is not None]
    name = os.path.basename(path or "")
    stem = name.lstrip("-").rpartition(".")[0] or name.lstrip("-")
    stem = stem if stem.isprintable() else ""  # else it cannot be an id
    named: list[tuple[int, Any]] = []
    names = {at: f"{stem}-{n}" if len(written) > 1 else stem for n, at in enumerate(written)}
    for at, raw in raws:
        if isinstance(raw, dict) and off.unknown is not None:
            off.unknown += [
                f"{path}: unknown key {key!r} ignored" for key in raw if key not in KEYS
            ]
            raw = {key: value for key, value in raw.items() if key in KEYS}
        if isinstance(raw, dict) and stem and raw.get("id") is None:
            raw = {"id": names[at], **{key: value for key, value in raw.items() if key != "id"}}
        named.append((at, raw))
    return _checked(named, text, path, KEYS, off)


def _raws(text: bytes, path: str | None, off: TurnedOff) -> list[tuple[int, Any]]:
    """The documents of a file with their numbers; none of what is no YAML, if that is off."""
    try:
        return list(enumerate(read_yaml(text, path)))
    except RequestError as error:
        off.leave_out(error)
        return []


def _checked(
    raws: Iterable[tuple[int, Any]],
    text: bytes,
    path: str | None,
    valid: tuple[str, ...],
    off: TurnedOff,
) -> list[Document]:
    """The documents of a file; an error says in which line it is."""
    found = []
    for at, raw in raws:
        try:
            if raw is not None:
                found.append(replace(_document(raw, path, valid), at=at))
        except RuleError as error:
            add_line(error, text, at)
            off.leave_out(error)
    return found


def locate(
    error: RuleError, documents: Iterable[Document], text_of: Callable[[str], bytes]
) -> None:
    """Adds the file and the line to an error about one of these documents, by its id.

    `text_of` reads a file again; one that went meanwhile leaves the error without a line.
    """
    named = next((one for one in documents if one.id == error.rule), None)
    if named is not None:
        error.path = error.path or named.path
        error.at = named.at if error.at is None else error.at
    if error.path is None or error.at is None:
        return
    try:
        text = text_of(error.path)
    except (OSError, AstEditError):
        return
    add_line(error, text, error.at)


def rule_document(raw: Any) -> Document:
    """A rule that was read already, checked; raises `RuleError`."""
    return _document(raw, None, KEYS)


def utility_document(raw: Any) -> Document:
    """A global utility that was read already, checked."""
    return _document(raw, None, UTILITY_KEYS)


def pack_of(content: Mapping[str, Any]) -> str:
    """The name of the pack that a rule came with; "" for one of the project's own."""
    metadata = content.get("metadata")
    ours = metadata.get("astedit") if isinstance(metadata, dict) else None
    name = ours.get("pack") if isinstance(ours, dict) else None
    return name if isinstance(name, str) else ""


def op_document(raw: Any, keys: tuple[str, ...] = OP_KEYS) -> Document:
    """The rule of an op: a rule object, or a document that says only what to look for.

    It has no language of its own, and no fix; a search has `SEARCH_KEYS`, and makes no
    edits.
    """
    if isinstance(raw, dict) and "rule" not in raw:
        raw = {"rule": raw}
    if not isinstance(raw, dict):
        raise wrong("an object is expected here", "rule", None, None, None)
    return _document({"id": "rule", **raw}, None, keys, ("rule",))


def prefixed(document: Document, directory: str) -> Document:
    """A rule of the project in `directory` ("" or "sub/"), with its globs below that directory."""
    content = dict(document.content)
    for key in ("files", "ignores"):
        if directory and isinstance(content.get(key), list):
            content[key] = [_below(directory, one) for one in content[key]]
    return replace(document, content=content)


def _below(directory: str, glob: Any) -> Any:
    if isinstance(glob, dict):
        return {**glob, "glob": _below(directory, glob.get("glob"))}
    if not isinstance(glob, str):
        return glob
    return escaped(directory) + glob.removeprefix("./").removeprefix("/")


def read_utilities(
    text: bytes, path: str | None = None, off: TurnedOff | None = None
) -> list[Document]:
    """The global utilities of a file, in order; a wrong one that is `off` is left out."""
    off = off or TurnedOff()
    return _checked(_raws(text, path, off), text, path, UTILITY_KEYS, off)


def _document(
    raw: Any, path: str | None, valid: tuple[str, ...], required: tuple[str, ...] = _REQUIRED
) -> Document:
    name = raw.get("id") if isinstance(raw, dict) else None
    rule = name if isinstance(name, str) else None

    def fail(
        problem: str, place: str, hint: str | None = None, key: str | None = None
    ) -> RuleError:
        return wrong(problem, place, rule, hint, path, key=key)

    if not isinstance(raw, dict):
        raise fail("a document must be an object", "document", one_of(valid))
    for key in raw:
        if key not in valid:
            raise fail(f"unknown key {key!r}", "document", one_of(valid, key), key)
    for key in required:
        if raw.get(key) is None:
            hint = f"Required: {', '.join(required)}."
            raise fail(f"the key {key!r} is missing", "document", hint, key)
    content = {key: value for key, value in raw.items() if value is not None}
    for keys, kind, what in ((("id", *_TEXTS), str, "a string"), (_OBJECTS, dict, "an object")):
        for key in keys:
            if not isinstance(content.get(key, kind()), kind):
                raise fail(f"{what} is expected here", key)
    if not _CAUSING.isdisjoint(content):
        from astedit.rule.cascade_keys import check_keys  # few rules cause others

        check_keys(content, fail)
    severity = content.get("severity", "hint")
    if severity not in SEVERITIES:
        raise fail(f"unknown severity {severity!r}", "severity", one_of(SEVERITIES, severity))
    arguments = content.get("arguments", [])
    if (problem := _bad_arguments(arguments)) is not None:
        raise fail(problem, "arguments")
    if "arguments" in valid and RESERVED & set(raw["id"]):
        raise fail("the id of a utility may hold none of ( ) , =", "id")
    languages = _languages(content["language"], fail) if "language" in content else ()
    return Document(raw["id"], languages, severity, content, path, tuple(arguments))


def _languages(raw: Any, fail: Any) -> tuple[Row, ...]:
    """The languages by name or alias, each once."""
    names = raw if isinstance(raw, list) and raw else [raw]
    found: dict[str, Row] = {}
    for name in names:
        row = named(name) if isinstance(name, str) else None
        if row is None:
            raise fail(f"unknown language {name!r}", "language", language_hint(name))
        found[row.name] = row
    return tuple(found.values())


def _bad_arguments(raw: Any) -> str | None:
    if not isinstance(raw, list) or not all(isinstance(name, str) for name in raw):
        return "a list of names is expected here"
    for name in raw:
        if not name or RESERVED & set(name):
            return f"{name!r} is not a name for an argument"
    return "an argument is declared twice" if len(set(raw)) < len(raw) else None


DOCUMENT = "document"  # the place that is a whole document


def add_line(error: RuleError, text: bytes, at: int) -> None:
    """Adds the line of its place to an error about the document number `at` of a text."""
    line = line_of(text, at, error.place, error.key)
    if line is not None and error.line is None:
        error.line = line
        error.message = f"{error.message.removesuffix('.')} (line {line})"
        error.args = (error.message,)


def line_of(text: bytes, at: int, place: str, key: str | None = None) -> int | None:
    """The line, from 1, where a place is written, or the nearest key above it.

    `key` is one more key inside the place. None where the quick reader cannot tell.
    """
    from yaml import YAMLError, compose_all  # type: ignore[import-untyped]

    try:
        from yaml import CSafeLoader
    except ImportError:
        return None
    try:
        nodes = list(compose_all(text.decode("utf-8-sig"), Loader=CSafeLoader))
    except (YAMLError, UnicodeDecodeError):
        return None
    if at >= len(nodes) or nodes[at] is None:
        return None
    rest = "" if place == DOCUMENT else place
    if key is not None:
        rest = f"{rest}.{key}" if rest else key
    return int(_mark(nodes[at], rest).line) + 1


def _mark(node: Any, rest: str) -> Any:
    """Where the last part of a place is that is there."""
    mark = node.start_mark
    while rest:
        if (step := _step(node, rest)) is None:
            return mark
        mark, node, rest = step
    return mark


def _step(node: Any, rest: str) -> tuple[Any, Any, str] | None:
    """One part down: where it is, its value, and what is left of the place.

    Of two keys that fit, `a` and `a.b`, the longer one is meant.
    """
    fitting = [
        (len(name), mark, value)
        for name, mark, value in _parts(node)
        if rest.startswith(name) and rest[len(name) : len(name) + 1] in ("", ".", "[")
    ]
    if not fitting:
        return None
    length, mark, value = max(fitting, key=lambda part: part[0])
    return mark, value, rest[length:].removeprefix(".")


def _parts(node: Any) -> Iterable[tuple[str, Any, Any]]:
    if node.id == "mapping":
        return [(str(key.value), key.start_mark, value) for key, value in node.value]
    if node.id == "sequence":
        return [(f"[{at}]", part.start_mark, part) for at, part in enumerate(node.value)]
    return ()


_TOKEN = re.compile(
    r"(?P<above>(?<![^/])\*\*/)|(?P<below>(?<=/)\*\*$)|\*+|\?|\[[!^]?\]?[^\]]*\]|\\.|[{},]|.",
    re.DOTALL,
)


class FileGlobs:
    """Some globs, each with whether letters match in either case."""

    def __init__(self, globs: Iterable[tuple[str, bool]]) -> None:
        """Raises ValueError for one that is malformed."""
        from astedit.rule.regex import compile_regex

        each = [f"(?{'i' if fold else ''}s:{_expression(glob)})" for glob, fold in globs]
        self._any: Any = compile_regex(f"^(?:{'|'.join(each)})$")

    def hold(self, path: str) -> bool:
        """Whether one of them matches a path relative to the root."""
        return self._any.search(path.encode("utf-8", "replace")) is not None


def escaped(text: str) -> str:
    """A glob that matches just this text."""
    return re.sub(r"([*?\[\]{}\\])", r"\\\1", text)


def _expression(glob: str) -> str:
    parts = list(_regex_parts(glob.removeprefix("./").removeprefix("/")))
    if parts.count("(?:") != parts.count(")"):
        raise ValueError(f"{glob!r} is not a glob: a brace is open")
    return "".join(parts)


def _regex_parts(glob: str) -> Iterator[str]:
    depth = 0
    for token in _TOKEN.finditer(glob):
        text = token[0]
        if token.lastgroup == "above":
            yield "(?:.*/)?"
        elif text[0] == "*":
            yield ".*"
        elif text == "?":
            yield "."
        elif text in "{}," and (text == "{" or depth):
            depth += {"{": 1, "}": -1}.get(text, 0)
            yield {"{": "(?:", "}": ")"}.get(text, "|")
        elif text[0] == "[":
            yield _class(glob, text)
        elif text == "}":
            raise ValueError(f"{glob!r} is not a glob: no brace is open")
        else:
            yield re.escape(text[-1]) if text[-1].isascii() else text[-1]


def _class(glob: str, text: str) -> str:
    if len(text) < 3:
        raise ValueError(f"{glob!r} is not a glob: a bracket is open")
    negated = text[1] in "!^"
    safe = re.sub(r"([\\\[\]^])", r"\\\1", text[1 + negated : -1])
    return f"[{'^' if negated else ''}{safe}]"
