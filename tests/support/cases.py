"""A fixture: one text file that says what goes in and what must come out.

    The reason why the case exists, which is also the name of its test.
    rules:    F13, row 4
    pattern:  foo($A, $B)
    rewrite:  bar($B, $A)
    blocked:  loss 1
    -- a.js --
    foo(a /* keep */, b)
    -- a.js (after) --
    ...

Headers before the first `pattern:` belong to the request, those behind one to its op. A
header without a value takes the indented block below it. A file without an `(after)` part
must stay as it is. Expectations: `blocked:`, `displaced:` and `skipped:` count by reason,
`lost:` lists the texts that a loss would have cost, `dropped_comments:` the comments
that go with what a template leaves out, `detail:` what is wrong with each that would
change the structure, `replacements:` counts; a refused
case has `error:` and `hint:` (a part of the message or of the hint). `deviates:` says why
the matches are not ast-grep's.

In `preserve/` the lines of a part are layout only: every byte that is no printable ASCII
is written as in a Python literal, newlines as well (`x = 1\\r\\n`).
"""

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support import REPOSITORY

FIXTURES = REPOSITORY / "fixtures"
FOLDERS = ("noop", "rewrite", "refuse", "preserve")

_PART = re.compile(r"^-- (\S+)( \(after\))? --\n", re.MULTILINE)
_HEADER = re.compile(r"^([a-z_]+):[ \t]*(.*)$")
_ESCAPE = re.compile(r"\\(?:x([0-9a-f]{2})|(.))", re.DOTALL)
_NAMED = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "0": "\0", "\\": "\\"}
_SPELLED = {char: "\\" + name for name, char in _NAMED.items()}

OP_KEYS = frozenset(
    [
        "pattern",
        "rewrite",
        "lang",
        "selector",
        "context",
        "strictness",
        "allow_loss",
        "allow_error_pattern",
    ]
)
EXPECTED = frozenset(
    [
        "rules",
        "blocked",
        "displaced",
        "skipped",
        "lost",
        "dropped_comments",
        "detail",
        "replacements",
        "error",
        "hint",
        "dropped",
        "deviates",
    ]
)


@dataclass
class Case:
    """One parsed fixture; `before` and `after` are bytes by path."""

    path: Path
    reason: str
    ops: list[dict[str, Any]] = field(default_factory=list)
    options: dict[str, Any] = field(default_factory=dict)
    expected: dict[str, str] = field(default_factory=dict)
    before: dict[str, bytes] = field(default_factory=dict)
    after: dict[str, bytes] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return str(self.path.relative_to(FIXTURES).with_suffix(""))

    @property
    def folder(self) -> str:
        return self.name.partition("/")[0]

    @property
    def rules(self) -> list[str]:
        return [rule.strip() for rule in self.expected.get("rules", "").split(",")]

    def counts(self, key: str) -> dict[str, int]:
        """`loss 2, empty_block 1` as a dict."""
        text = self.expected.get(key, "")
        pairs = (part.split() for part in text.split(",") if part.strip())
        return {reason: int(count) for reason, count in pairs}


def all_cases() -> list[Case]:
    """Every fixture; those that must not change come first."""
    return [
        read_case(path) for folder in FOLDERS for path in sorted((FIXTURES / folder).rglob("*.txt"))
    ]


def read_case(path: Path, text: str | None = None) -> Case:
    """The fixture in a file, or in a text that is to go there."""
    case, headers = bare_case(path, text)
    for key, value in headers:
        _put(case, key, value)
    return case


def bare_case(path: Path, text: str | None = None) -> tuple[Case, list[tuple[str, str]]]:
    """A fixture whose headers are for somebody else to read, and these."""
    text = path.read_bytes().decode() if text is None else text
    marks = list(_PART.finditer(text))
    reason, _, rest = (text[: marks[0].start()] if marks else text).partition("\n")
    case = Case(path, reason)
    for mark, end in zip(marks, [mark.start() for mark in marks[1:]] + [len(text)], strict=True):
        body = text[mark.end() : end]
        data = unescape(body) if case.folder == "preserve" else body.encode()
        (case.after if mark[2] else case.before)[mark[1]] = data
    return case, list(_headers(rest))


def tree(name: str) -> dict[str, str]:
    """The files of `fixtures/trees/NAME.txt`, which tests look at or write into a project."""
    case, _ = bare_case(FIXTURES / "trees" / f"{name}.txt")
    return {path: text.decode() for path, text in case.before.items()}


def _headers(text: str) -> Iterator[tuple[str, str]]:
    lines = text.split("\n")
    while lines:
        line = lines.pop(0)
        if (found := _HEADER.match(line)) is None:
            assert not line.strip(), f"no header: {line!r}"
            continue
        block = []
        while not found[2] and lines and (lines[0][:1] in (" ", "\t") or not lines[0]):
            block.append(lines.pop(0))
        yield found[1], found[2].rstrip() or textwrap.dedent("\n".join(block)).strip("\n")


def _put(case: Case, key: str, value: str) -> None:
    typed: Any = {"true": True, "false": False}.get(value, value)
    if key == "pattern":
        case.ops.append({"pat": value})
    elif key == "rewrite":
        case.ops[-1]["out"] = value
    elif key in EXPECTED:
        case.expected[key] = value
    elif key in ("where", "where_kind"):  # NAME=TEXT
        name, _, text = value.partition("=")
        case.ops[-1].setdefault(key, {})[name] = text
    elif key in OP_KEYS and case.ops:
        case.ops[-1][key] = typed
    elif key in ("add_import", "remove_import"):
        case.options[key] = value.split("\n")
    elif key in ("glob", "no_ignore", "paths"):
        case.options[key] = value.split()
    else:
        case.options[key] = int(value) if value.isdigit() else typed


def accepted(case: Case, after: dict[str, bytes]) -> str:
    """A fixture with other `(after)` parts; everything else in it stays as written."""
    text = case.path.read_bytes().decode()
    marks = list(_PART.finditer(text))
    out = [text[: marks[0].start()] if marks else text]
    trailing = []  # the parts of files come after all of those before
    for mark, following in zip(marks, [*marks[1:], None], strict=True):
        if mark[2]:
            continue
        out.append(text[mark.start() : following.start() if following else len(text)])
        if (new := after.get(mark[1])) is not None:
            body = escape(new) if case.folder == "preserve" else new.decode()
            trailing.append(f"-- {mark[1]} (after) --\n{body}")
    files = {mark[1] for mark in marks if not mark[2]}
    trailing += [
        f"-- {name} (after) --\n{new.decode()}" for name, new in after.items() if name not in files
    ]
    return "".join(out + trailing)


def unescape(body: str) -> bytes:
    """The bytes that a part of a `preserve` case spells."""

    def byte(found: re.Match[str]) -> str:
        return chr(int(found[1], 16)) if found[1] else _NAMED[found[2]]

    return _ESCAPE.sub(byte, body.replace("\n", "")).encode("latin-1")


def escape(data: bytes) -> str:
    """The spelling of bytes: one line of text for every line, newlines spelled out."""

    def spell(char: str) -> str:
        if char in _SPELLED:
            return _SPELLED[char]
        return char if " " <= char <= "~" else f"\\x{ord(char):02x}"

    lines = data.decode("latin-1").split("\n")
    spelled = ["".join(map(spell, line)) for line in lines]
    whole = "".join(f"{line}\\n\n" for line in spelled[:-1])
    return whole + (f"{spelled[-1]}\n" if spelled[-1] else "")
