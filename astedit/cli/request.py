"""Flags, files and JSON become one `EditRequest`."""

import dataclasses
import os
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from astedit.cli.output import streams
from astedit.errors import RequestError
from astedit.json_model import strictly
from astedit.limits import MAX_PATTERN_SIZE
from astedit.model.request import APART, EditRequest
from astedit.text import number

if TYPE_CHECKING:
    from astedit.rule import Document
    from astedit.rule.failure import TurnedOff
    from astedit.rule.project import Project
    from astedit.workspace.config import Config
    from astedit.workspace.root import Workspace

MAX_OPS = 16 * 1024 * 1024  # bytes of a request read as JSON
_FIELDS = {field.name for field in dataclasses.fields(EditRequest)}
_FLAGS = _FIELDS - {"ops", "paths", "left_out", "regions", "kept", "format_with", "own_edits"}


class EngineCall(NamedTuple):
    """One call of the engine: the request, and what is not part of it."""

    request: EditRequest
    expect: dict[str, int]
    timeout: float | None = None
    jobs: int | None = None


class CallFlags(NamedTuple):
    """What the flags ask of a call: `fields` of the request, and what is not stored with it."""

    fields: dict[str, Any]
    expect: int | None = None
    expect_files: int | None = None
    timeout: float | None = None
    jobs: int | None = None


def call_flags(flags: Mapping[str, Any], names: Collection[str] | None = None) -> CallFlags:
    """What the flags of a command ask; of the request's fields only `names`, if there are any."""
    if flags.get("body_only") and flags.get("within") is None:
        raise RequestError("--body-only needs --within.")
    named = _FLAGS & flags.keys() & (_FLAGS if names is None else set(names))
    fields = {name: flags[name] for name in named if flags[name] is not None}
    known = {name: flags.get(name) for name in ("expect", "expect_files", "timeout", "jobs")}
    return CallFlags(fields, **known)


def from_flags(
    patterns: Sequence[str],
    rewrites: Sequence[str],
    flags: CallFlags,
    paths: list[str],
    each: Sequence[Mapping[str, Any]] = (),
) -> EngineCall:
    """The call that the flags describe; the n-th `-p` goes with the n-th `-r`.

    `each` says more of each pattern, by key of an op.
    """
    if len(patterns) != len(rewrites):
        raise RequestError(
            f"{number(len(patterns), 'pattern')} (-p) but {number(len(rewrites), 'rewrite')} (-r).",
            hint="Give every -p its own -r; -r '' deletes what matched.",
        )
    if not patterns:
        raise RequestError("No pattern.", hint="Give -p PATTERN -r REWRITE, or --ops FILE.")
    rows = zip(patterns, rewrites, each or [{}] * len(patterns), strict=True)
    ops = [{"pat": text_of(pat), "out": text_of(out), **more} for pat, out, more in rows]
    return _call({"ops": ops, "paths": paths}, flags, {})


def from_json(text: bytes, flags: CallFlags, paths: list[str] | None) -> EngineCall:
    """The call that a JSON document describes; what the flags ask wins, and so do PATHS."""
    from astedit.json_model import SchemaCheck, object_of

    document = _parsed(text)
    named = {name: document.pop(name) for name in APART.keys() & document.keys()}
    apart = SchemaCheck().value(named, object_of(APART))
    try:
        request = EditRequest.model_validate(document)
    except ValueError as error:  # pydantic's, which lists every mistake
        from astedit.model.json_mistakes import mistakes

        raise RequestError(
            f"The request is not valid: {mistakes(error, EditRequest, APART)}",
            hint="`astedit schema ops` prints what it may hold.",
        ) from error
    fields = {name: getattr(request, name) for name in _FIELDS}
    if paths is not None:
        fields["paths"] = paths
    return _call(fields, flags, apart)


def pattern_call(
    pattern: str, flags: CallFlags, paths: list[str], conditions: Mapping[str, Any]
) -> EngineCall:
    """The call of a search: one op without a rewrite; `conditions` are more of its keys."""
    return _call({"ops": [{"pat": text_of(pattern), **conditions}], "paths": paths}, flags, {})


def rules_call(
    rules: "Sequence[Document]",
    utilities: "Sequence[Document]",
    flags: CallFlags,
    paths: list[str],
    params: Mapping[str, str] | None = None,
    project: "Project | None" = None,
) -> EngineCall:
    """The call that runs rules, with their parameters, by what a project says of languages."""
    from astedit.rule.project import Project, request_fields

    utils = [dict(utility.content) for utility in utilities]
    fields = request_fields(project or Project(""))
    fields |= {"ops": [], "rules": rules, "utils": utils, "paths": paths, "params": params}
    return _call(fields, flags, {})


def pack(workspace: "Workspace", name: str) -> "tuple[list[Document], list[Document]]":
    """The rules and utilities of a pack: a shipped one, else one of the project."""
    from astedit.packs import shipped

    if shipped.files(name):
        from astedit.engine.cascade.graph import pack_rules

        return pack_rules(name), []
    from astedit.packs import project as packs

    return packs.pack_rules(workspace, name)


def filter_of(expression: str, ids: Sequence[str]) -> Callable[[str], object]:
    """Which ids of rules `--filter` keeps; none is an error: nothing tested is no success."""
    from astedit.rule.failure import some_of
    from astedit.rule.regex import compile_regex

    try:
        wanted: Callable[[str], object] = compile_regex(expression).search
    except ValueError as error:
        hint = "It is a regular expression, searched in the ids of rules."
        raise RequestError(f"--filter: {error}.", hint=hint) from error
    if not any(map(wanted, ids)):
        problem = f"--filter {expression!r} leaves no rule."
        raise RequestError(problem, hint=some_of(ids, expression), code="no_rules")
    return wanted


def settings(texts: Sequence[str]) -> dict[str, str]:
    """What `--set NAME=VALUE` says; `RequestError` for one that is no such text."""
    found: dict[str, str] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or not name:
            raise RequestError(f"--set {text!r} is not NAME=VALUE.", code="bad_parameter")
        if name in found:
            raise RequestError(f"--set names {name!r} twice.", code="bad_parameter")
        found[name] = value
    return found


def text_of(value: str) -> str:
    """The text itself, or with `@file` what that file holds, less its last newline.

    A text that starts with `@` and names no file is a text: `@Override` is a pattern.
    """
    if not value.startswith("@") or not os.path.isfile(value[1:]):
        return value
    content = _limited(value[1:], MAX_PATTERN_SIZE)
    try:
        return content.decode("utf-8").removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError as error:
        raise RequestError(f"{value[1:]} is not UTF-8.", path=value[1:]) from error


def document_of(source: str, limit: int = MAX_OPS) -> bytes:
    """What a FILE holds, or standard input for `-`; at most `limit` bytes."""
    return standard_input(limit) if source == "-" else _limited(source, limit)


def standard_input(limit: int) -> bytes:
    """All of standard input; `RequestError` if it is longer than `limit` bytes."""
    content = b"" if sys.stdin is None else sys.stdin.buffer.read(limit + 1)
    return _short(content, limit, "standard input")


def _limited(path: str, limit: int) -> bytes:
    try:
        with open(path, "rb") as file:
            return _short(file.read(limit + 1), limit, path)
    except OSError as error:
        hint = None
        if isinstance(error, IsADirectoryError):
            hint = "Name files; directories of rules belong into ruleDirs of sgconfig.yml."
        raise RequestError(f"{path}: {error.strerror}.", path=path, hint=hint) from error


def _short(content: bytes, limit: int, name: str) -> bytes:
    if len(content) > limit:
        raise RequestError(f"{name} is longer than {limit:,} bytes.", code="too_large")
    return content


def _call(fields: dict[str, Any], flags: CallFlags, apart: Mapping[str, Any]) -> EngineCall:
    from astedit.engine.request import request_of

    fields |= flags.fields
    expect: dict[str, int] = dict(apart.get("expect", {}))
    if apart.get("expect") == {}:
        raise RequestError("`expect` is empty.", hint='Such as {"replacements": 12, "files": 3}.')
    if flags.expect is not None:
        expect["replacements"] = flags.expect
    if flags.expect_files is not None:
        expect["files"] = flags.expect_files
    timeout = flags.timeout or apart.get("timeout")
    if timeout is not None and not timeout > 0:  # NaN passes click's range
        raise RequestError("--timeout is not a positive number.")
    return EngineCall(request_of(fields), expect, timeout, flags.jobs or apart.get("jobs"))


def _parsed(text: bytes) -> dict[str, Any]:
    try:
        document = strictly(text)
    except (ValueError, RecursionError) as error:
        raise RequestError(f"The request is not JSON: {error}") from error
    if not isinstance(document, dict):
        raise RequestError('The request is not an object such as {"ops": [...]}.')
    return document


@contextmanager
def telling(documents: "Sequence[Document]", text_of: Callable[[str], bytes]) -> Iterator[None]:
    """Adds the place in the file to errors about these documents, which run through it.

    `text_of` reads one of their files again.
    """
    try:
        yield
    except RequestError as error:
        from astedit.rule import RuleError
        from astedit.rule.document import locate

        if isinstance(error, RuleError):
            locate(error, documents, text_of)
        raise


def project(
    workspace: "Workspace",
    config: str | None,
    off: "TurnedOff | None" = None,
    *,
    packs: "Config | None" = None,
) -> "Project":
    """The rules of a project, its warnings printed; a wrong one that is `off` is left out.

    With `packs`, the configuration, those of its packs too.
    """
    from astedit.rule.project import load_project

    with telling((), of_project(workspace)):
        if packs is not None and packs.packs:  # they may be all there is
            from astedit.packs.project import project_with_packs

            loaded = project_with_packs(workspace, config, off=off, settings=packs)
        else:
            loaded = load_project(workspace, config, off=off)
            if packs is not None and loaded.packs:
                from astedit.packs.project import with_packs

                loaded = with_packs(workspace, loaded, (), off)
    streams.warn(loaded.warnings)
    return loaded


def of_project(workspace: "Workspace") -> Callable[[str], bytes]:
    """Reads the rule files of a project."""
    from astedit.rule.project import read_file

    return lambda path: read_file(workspace, path)
