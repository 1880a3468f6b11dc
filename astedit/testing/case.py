"""Test files: what a rule must find, must leave alone, and make of it. (rules X1, X2)"""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, NamedTuple

from astedit.errors import OutsideRootError, RequestError
from astedit.rule.document import line_of
from astedit.rule.failure import one_of
from astedit.rule.project import TestDirectory, read_file, yaml_files
from astedit.rule.yaml import read_yaml
from astedit.workspace.root import Workspace

_FIX_KEYS = ("code", "fixed", "fixpoint", "titles", "keeps", "loose", "idempotent")


@dataclass(frozen=True, slots=True)
class FixCase:
    """What becomes of `code` when all its matches are rewritten; None is not compared.

    `fixpoint` is the text when nothing changes any more, `titles` what each titled fix
    makes of the first match, `keeps` texts that stay as often as they were. `loose`
    compares tokens, not white space. `idempotent`: a second run changes nothing.
    """

    code: str
    fixed: str | None = None
    fixpoint: str | None = None
    titles: Mapping[str, str] = field(default_factory=dict)
    keeps: tuple[str, ...] = ()
    loose: bool = False
    idempotent: bool = True


@dataclass(frozen=True, slots=True)
class DirectoryCase:
    """A directory of files, and what it is after the rule; both relative to the root."""

    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Test:
    """One document of a test file. ast-grep reads `id`, `valid` and `invalid` of it.

    Of a cascade `files` holds what each is before and after (None: it is deleted), and `params`
    the parameters of its rules.
    """

    __test__ = False  # pytest: not a class of tests
    id: str
    path: str
    snapshots: str
    valid: tuple[str, ...]
    invalid: tuple[str, ...]
    fixes: tuple[FixCase, ...]
    directories: tuple[DirectoryCase, ...]
    files: Mapping[str, tuple[str, str | None]] = field(default_factory=dict)
    params: Mapping[str, str] = field(default_factory=dict)
    at: int = 0  # of the documents of its file


def with_after(source: str, test: Test, made: Mapping[str, str | None]) -> str:
    """A test file in which the `files` of a test become this; all else stays as it is."""
    yaml: Any = import_module("yaml")  # the command that updates needs it, and no other

    document = list(yaml.compose_all(source, yaml.SafeLoader))[test.at]
    files = next(value for key, value in document.value if key.value == "files")
    parts, last = [], 0
    for name, texts in sorted(files.value, key=lambda pair: pair[1].start_mark.index):
        key, value = next(pair for pair in texts.value if pair[0].value == "after")
        if name.value in made and made[name.value] != test.files[name.value][1]:
            indent = None if texts.flow_style else key.start_mark.column + 2
            parts += [source[last : value.start_mark.index], _spelled(made[name.value], indent)]
            last = value.end_mark.index
            parts += ["\n"] if source[last - 1 : last] == "\n" else []
    return "".join([*parts, source[last:]])


def _spelled(text: str | None, indent: int | None) -> str:
    """A text as YAML has it: in a block where it has whole lines, else in quotes."""
    lines = (text or "").splitlines()
    plain = all(line.isprintable() and line.strip() == line.strip(" ") for line in lines)
    if text is None or indent is None or not plain or not text.endswith("\n") or not lines[0]:
        return json.dumps(text, ensure_ascii=False)
    head = f"|2{'+' if text.endswith(chr(10) * 2) else ''}"
    return "\n".join([head, *(" " * indent + line if line else "" for line in lines)])


def read_tests(workspace: Workspace, directory: TestDirectory) -> Iterator[Test]:
    """The tests of a directory, or a file, by path, without what its snapshots say."""
    is_file = os.path.isfile(os.path.join(workspace.root, directory.path))
    try:
        paths = [directory.path] if is_file else yaml_files(workspace, directory.path)
    except OSError as error:
        raise RequestError(
            f"The test directory {directory.path} cannot be read: {error.strerror}.",
            path=directory.path,
        ) from error
    for path in paths:
        if not path.startswith(directory.snapshots + "/"):
            text = read_file(workspace, path)
            for at, raw in enumerate(read_yaml(text, path)):
                if raw is not None:
                    yield _Reader(workspace, path, directory, text, at).test(raw)


class _Reader(NamedTuple):
    """Checks one document; ast-grep overlooks keys it does not know, and so do we."""

    workspace: Workspace
    path: str
    directory: TestDirectory
    text: bytes
    at: int

    def test(self, raw: Any) -> Test:
        raw = self._object(raw, "document")
        if raw.get("id") is None:
            hint = "A test names its rule: `id: no-print`, with `valid:` and `invalid:`."
            raise self._bad("document", "the key 'id' is missing", hint)
        return Test(
            self._text(raw.get("id"), "id"),
            self.path,
            self.directory.snapshots,
            self._texts(raw, "valid"),
            self._texts(raw, "invalid"),
            tuple(
                self._fix(one, f"fixes[{at}]") for at, one in enumerate(self._list(raw, "fixes"))
            ),
            tuple(
                self._pair(one, f"directories[{at}]")
                for at, one in enumerate(self._list(raw, "directories"))
            ),
            dict(self._files(self._object(raw.get("files") or {}, "files"))),
            {
                name: self._text(value, f"params.{name}")
                for name, value in self._object(raw.get("params") or {}, "params").items()
            },
            self.at,
        )

    def _files(self, raw: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, str | None]]]:
        """Each file of a cascade test: `{before, after}`; an `after` of null is a deletion."""
        for path, texts in raw.items():
            place = f"files.{path}"
            texts = self._object(texts, place)
            if "after" not in texts:
                raise self._bad(place, "the key 'after' is missing", "null: it is deleted.")
            after = self._optional(texts["after"], f"{place}.after")
            yield path, (self._text(texts.get("before"), f"{place}.before"), after)

    def _fix(self, raw: Any, place: str) -> FixCase:
        raw = self._object(raw, place)
        for key in raw:
            if key not in _FIX_KEYS:
                raise self._bad(place, f"unknown key {key!r}", one_of(_FIX_KEYS, key), key)
        titles = self._object(raw.get("titles") or {}, f"{place}.titles")
        return FixCase(
            self._text(raw.get("code"), f"{place}.code"),
            self._optional(raw.get("fixed"), f"{place}.fixed"),
            self._optional(raw.get("fixpoint"), f"{place}.fixpoint"),
            {title: self._text(one, f"{place}.titles") for title, one in titles.items()},
            self._texts(raw, "keeps"),
            self._flag(raw, "loose", False, place),
            self._flag(raw, "idempotent", True, place),
        )

    def _pair(self, raw: Any, place: str) -> DirectoryCase:
        raw = self._object(raw, place)
        here = self.path.rpartition("/")[0]
        places = [self._text(raw.get(key), f"{place}.{key}") for key in ("before", "after")]
        try:
            before, after = (
                self.workspace.resolve(f"{here}/{one}" if here else one) for one in places
            )
        except OutsideRootError as error:
            hint = "It is relative to the test file, and lies below the root."
            message = self._said(place, error.message.rstrip("."))
            raise OutsideRootError(message, hint=hint, path=self.path) from error
        return DirectoryCase(before, after)

    def _texts(self, raw: Mapping[str, Any], key: str) -> tuple[str, ...]:
        listed = enumerate(self._list(raw, key))
        return tuple(self._text(one, f"{key}[{at}]") for at, one in listed)

    def _list(self, raw: Mapping[str, Any], key: str) -> list[Any]:
        if (found := raw.get(key)) is not None and not isinstance(found, list):
            raise self._bad(key, "a list is expected here", "Begin each with a dash.")
        return found or []

    def _object(self, raw: Any, place: str) -> dict[str, Any]:
        if not isinstance(raw, dict):
            raise self._bad(place, "an object is expected here")
        return raw

    def _optional(self, raw: Any, place: str) -> str | None:
        return None if raw is None else self._text(raw, place)

    def _text(self, raw: Any, place: str) -> str:
        if not isinstance(raw, str) or "\0" in raw:
            raise self._bad(place, "a string is expected here", "Put it into quotes.")
        return raw

    def _flag(self, raw: Mapping[str, Any], key: str, default: bool, place: str) -> bool:
        found = raw.get(key, default)
        if not isinstance(found, bool):
            raise self._bad(f"{place}.{key}", "true or false is expected here")
        return found

    def _bad(
        self, place: str, problem: str, hint: str | None = None, key: str | None = None
    ) -> RequestError:
        message = self._said(place, problem, key)
        return RequestError(message, path=self.path, hint=hint, code="bad_test")

    def _said(self, place: str, problem: str, key: str | None = None) -> str:
        line = line_of(self.text, self.at, place, key)
        where = "" if line is None else f" (line {line})"
        return f"{self.path}, {place}: {problem}{where}."
