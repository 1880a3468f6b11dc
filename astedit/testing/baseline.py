"""Findings that a project knows of and has not mended yet: the file, and what is new.

A finding is known by its rule, its file, the definition around it and its text without
its layout, so lines above it may come and go. Alike ones are counted: of three where the file
has two, the last one is new.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from hashlib import sha256
from operator import itemgetter
from typing import Any, NamedTuple

from astedit.errors import RequestError
from astedit.json_model import OBJECT, TEXT, Schema, object_of, read_document

SCHEMA = "astedit/baseline/1"
MAX_SIZE = 64 * 1024 * 1024
_TEXT = 120  # characters of a finding that are kept; a longer one ends with its hash
_LOOSE = re.compile(r"(?<!\w) | (?!\w)")  # a blank that tells no two words apart


class Key(NamedTuple):
    """What a finding is known by."""

    rule: str
    file: str
    definition: str
    text: str


_COUNT: Schema = {"type": "integer", "minimum": 1, "maximum": 1_000_000}
_ENTRY = object_of({**dict.fromkeys(Key._fields, TEXT), "count": _COUNT}, *Key._fields)
_DOCUMENT = object_of(
    {"schema": TEXT, "rules": OBJECT, "findings": {"type": "array", "items": _ENTRY}}, "findings"
)
KeyCounts = Counter[Key]
FoundJson = dict[str, Any]  # one object of ast-grep's JSON


def span_of(finding: Mapping[str, Any]) -> tuple[int, int]:
    """The bytes of a match, or of a capture."""
    offsets = finding["range"]["byteOffset"]
    return offsets["start"], offsets["end"]


class Compared(NamedTuple):
    """Findings beside a baseline, by file, each with its `baselineState`, and how many of each.

    `gone` are entries that nothing is found for any more, among those that were looked for.
    """

    files: list[tuple[str, list[FoundJson]]]
    keys: KeyCounts
    gone: KeyCounts


def compare(
    files: Iterable[tuple[str, Sequence[FoundJson]]],
    known: KeyCounts | None,
    definition_of: Callable[[str, int], str],
    looked_for: Callable[[Key], bool],
) -> Compared:
    """Marks findings as `new` or `unchanged`, which all are where there is no baseline yet.

    `definition_of` names what is defined around an offset of a file. Entries that were not
    `looked_for` are not gone.
    """
    result = Compared([], Counter(), Counter())
    for path, findings in files:
        marked = []
        starts = [finding["range"]["byteOffset"]["start"] for finding in findings]
        for start, finding in sorted(zip(starts, findings, strict=True), key=itemgetter(0)):
            around = definition_of(path, start)
            key = Key(finding["ruleId"], path, around, _normalised(finding["text"]))
            result.keys[key] += 1
            is_known = known is None or result.keys[key] <= known[key]
            marked.append(finding | {"baselineState": "unchanged" if is_known else "new"})
        result.files.append((path, marked))
    for key, count in (known or {}).items():
        if count > result.keys[key] and looked_for(key):
            result.gone[key] = count - result.keys[key]
    return result


def _normalised(text: str) -> str:
    line = _LOOSE.sub("", " ".join(text.split()))
    if len(line) <= _TEXT:
        return line
    return f"{line[:_TEXT]}… {sha256(line.encode('utf-8', 'replace')).hexdigest()[:16]}"


def read(content: bytes, path: str) -> KeyCounts:
    """The entries of a baseline. Raises `RequestError` (`bad_baseline`)."""
    known: KeyCounts = Counter()
    for entry in read_document(content, SCHEMA, _DOCUMENT, partial(_bad, path))["findings"]:
        count = entry.pop("count", 1)  # the rest is the key
        known[Key(**entry)] += count
    return known


def written(known: KeyCounts) -> bytes:
    """A baseline as a file: sorted, an entry a line, so that a diff shows what changed."""
    per_rule = Counter[str]()
    for key, count in known.items():
        per_rule[key.rule] += count
    rows = [
        json.dumps({**key._asdict(), "count": known[key]}, ensure_ascii=False)
        for key in sorted(+known)
    ]
    counts = json.dumps(dict(sorted(per_rule.items())), ensure_ascii=False)
    body = ",\n".join(f"    {row}" for row in rows)
    findings = f"[\n{body}\n  ]" if rows else "[]"
    text = f'{{\n  "schema": "{SCHEMA}",\n  "rules": {counts},\n  "findings": {findings}\n}}\n'
    return text.encode("utf-8", "backslashreplace")  # half a pair, as JSON escapes it


def _bad(path: str, why: str, near: str) -> RequestError:
    hint = f"{near} Take it back from version control, or remove it and pass --update-baseline."
    return RequestError(f"{path}: {why}.", path=path, hint=hint.strip(), code="bad_baseline")
