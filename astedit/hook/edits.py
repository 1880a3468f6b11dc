"""What files would hold after a call of an agent's edit tool, and why a call does not fit.

A call is untrusted and may be wrong. It is taken as the client's own tool would take it: a
text to replace must stand there once, a file to create must not be there. Nothing is written.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from io import BytesIO
from itertools import count
from typing import Any

from astedit.agents.kit.rows import ClientTool
from astedit.errors import PreconditionError, RequestError
from astedit.hook.apply_patch import patched
from astedit.text.diff import changed_lines
from astedit.text.splice import Change, splice
from resolve.visible import one_line

_LOOKED = 5_000  # lines among which the nearest is sought
_PLACES = 8  # that a message names
_LINE = 160  # characters of a quoted line
_TRIED = 3  # lines that are sought

ReadFile = Callable[[str], "bytes | None"]  # by a path below the root; None: no file


@dataclass(slots=True)
class ChangedFiles:
    """What the files of a call hold before and after; None where there is none.

    `place` makes a path of a call, however it is written, the one below the root by which the
    others know it. `read` gives a file as the edits before this one leave it, `disk` as it lies.
    """

    place: Callable[[str], str]
    read: ReadFile
    disk: ReadFile
    before: dict[str, bytes | None] = field(default_factory=dict)
    after: dict[str, bytes | None] = field(default_factory=dict)

    def content(self, path: str) -> bytes | None:
        """What a file holds by now."""
        path = self.place(path)
        if path not in self.after:
            self.before[path] = self.after[path] = self.read(path)
        return self.after[path]

    def put(self, path: str, content: bytes | None) -> None:
        """Gives a file its new content, or takes it away."""
        self.content(path)
        self.after[self.place(path)] = content

    @property
    def changed(self) -> dict[str, tuple[bytes | None, bytes | None]]:
        """What changes, by paths below the root: before and after."""
        both = {path: (self.before[path], after) for path, after in self.after.items()}
        return {path: (old, new) for path, (old, new) in both.items() if old != new}

    def take(self, tool: ClientTool, values: Mapping[str, Any]) -> None:
        """Takes in a call; raises `RequestError` or `PreconditionError` with what the model reads.

        What the call lacks, or has in another form than the tool, is such an error too.
        """
        call = _Call(tool, values)
        if tool.does == "patch":
            patched(call.text("patch"), self.content, self.put)
            return
        path = call.text("path")
        match call.verb:
            case "write":
                self.put(path, _bytes(call.text("content")))
            case "create":
                if self.content(path) is not None:
                    raise _refused(f"File already exists: {_name(path)}")
                self.put(path, _bytes(call.text("content")))
            case "merge":
                self.put(path, self._merged(path, _bytes(call.text("content"))))
            case "delete":
                if self.content(path) is None:
                    raise _refused(f"File does not exist: {_name(path)}")
                self.put(path, None)
            case "replace":
                for old, new, everywhere in call.replacements():
                    self.put(path, _replaced(path, self.content(path), old, new, everywhere))
            case "insert":
                self.put(path, _inserted(self._there(path), call))
            case "notebook":
                self.put(path, _notebook(path, self._there(path), call))
            case other:
                raise RequestError(f"There is no way to preview {other!r}.")

    def _there(self, path: str) -> bytes:
        content = self.content(path)
        if content is None:
            raise _refused(f"File does not exist: {_name(path)}")
        return content

    def _merged(self, path: str, content: bytes) -> bytes:
        """A whole new text that was made of the file on the disk: earlier edits stay in it."""
        mine, base = self.content(path), self.disk(self.place(path))
        if mine is None or base is None or mine == base:
            return content
        return merged(base, mine, content)


def merged(base: bytes, mine: bytes, other: bytes) -> bytes:
    """What both made of `base`; where they touch the same lines `other` wins."""
    theirs = changed_lines(base, other)
    ours = [change for change in changed_lines(base, mine) if not _touches(change, theirs)]
    return splice(base, sorted([*ours, *theirs]))


def _touches(change: Change, others: list[Change]) -> bool:
    return any(change[0] <= end and start <= change[1] for start, end, _ in others)


class _Call:
    """The input of a tool, by our words."""

    def __init__(self, tool: ClientTool, values: Mapping[str, Any]) -> None:
        self._tool, self._values = tool, values

    @property
    def verb(self) -> str:
        """What it does; one tool of Copilot does several things."""
        if self._tool.does != "editor":
            return self._tool.does
        known = {"create": "create", "str_replace": "replace", "insert": "insert"}
        return known.get(self.text("command"), "undo_edit")

    def get(self, word: str, usual: Any = None) -> Any:
        """A field as it came; `usual` where it is missing or null."""
        value = self._values.get(self._tool.fields.get(word, ""))
        return usual if value is None else value

    def text(self, word: str, usual: str | None = None) -> str:
        """A field that has to be a text."""
        value = self.get(word, usual)
        if not isinstance(value, str):
            name = self._tool.fields.get(word, word)
            raise RequestError(f"`{name}` of the call is missing, or is not a text.")
        return value

    def replacements(self) -> Iterator[tuple[str, str, bool]]:
        """Old text, new text, and whether it is meant everywhere."""
        parts = self.get("edits")
        if parts is None:
            yield self.text("old", ""), self.text("new", ""), self.get("all") is True
            return
        if not isinstance(parts, list) or not all(isinstance(part, dict) for part in parts):
            raise RequestError("`edits` of the call is not a list of edits.")
        for part in parts:
            inner = _Call(self._tool, part)
            yield inner.text("old", ""), inner.text("new", ""), inner.get("all") is True


def _replaced(path: str, content: bytes | None, old: str, new: str, everywhere: bool) -> bytes:
    """A file with one text in the place of another, or of all that are equal."""
    if old == new:
        raise _refused("No changes to make: old_string and new_string are exactly the same.")
    if content is None or (old == "" and not content):
        if old:
            raise _refused(f"File does not exist: {_name(path)}")
        return _bytes(new)
    if old == "":
        raise _refused(f"Cannot create new file: {_name(path)} exists already.")
    gone, come = _ended_as(content, _bytes(old)), _ended_as(content, _bytes(new))
    count = content.count(gone)
    if count == 0:
        raise _refused(f"String to replace not found in {_name(path)}.{_nearest(content, old)}")
    if count > 1 and not everywhere:
        lines = ", ".join(map(str, _lines_of(content, gone)))
        raise _refused(
            f"Found {count:,} matches of the string to replace in {_name(path)} (lines {lines}), "
            "but replace_all is false. Give more of the text around the one that is meant."
        )
    if not come.isascii() and not _is_utf8(content):
        raise _refused(f"{_name(path)} is not UTF-8, and the new text is not ASCII.")
    return content.replace(gone, come)


def _ended_as(content: bytes, text: bytes) -> bytes:
    """The text with the line ends of a file: a call has them as `\\n`."""
    crlf = content.count(b"\r\n")
    if crlf * 2 <= content.count(b"\n"):
        return text
    return text.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


def _lines_of(content: bytes, text: bytes) -> Iterator[int | str]:
    at = -1
    for _ in range(_PLACES):
        at = content.find(text, at + 1)
        if at < 0:
            return
        yield content.count(b"\n", 0, at) + 1
    if content.find(text, at + 1) >= 0:
        yield "…"


def _nearest(content: bytes, old: str) -> str:
    """The line that is most like what was looked for, quoted; "" if none is."""
    sought = [line.strip() for line in old.split("\n") if line.strip()]
    lines = content.decode("utf-8", "replace").split("\n")[:_LOOKED]
    by_text = {line.strip()[:_LINE]: at for at, line in reversed(list(enumerate(lines)))}
    at = None
    for number in sorted(range(len(sought)), key=lambda number: -len(sought[number]))[:_TRIED]:
        line = sought[number][:_LINE]
        close = [line] if line in by_text else get_close_matches(line, by_text, 1, 0.6)
        if close:
            at = max(by_text[close[0]] - number, 0)
            break
    if at is None:
        return ""
    shown = "\n".join(lines[at : at + 4]).rstrip().split("\n")
    quoted = "".join(f"\n| {one_line(line)[:_LINE]}" for line in shown)
    return f" The nearest place is line {at + 1}:{quoted}"


def _inserted(content: bytes, call: _Call) -> bytes:
    lines = BytesIO(content).readlines()
    line = call.get("line", 0)
    if type(line) is not int or not 0 <= line <= len(lines):
        raise _refused(f"`insert_line` is not a line of the file: it has {len(lines):,}.")
    new = _ended_as(content, _bytes(call.text("new")))
    if line and not lines[line - 1].endswith(b"\n"):
        new = b"\n" + new
    elif not new.endswith(b"\n"):
        new += b"\n"
    return b"".join([*lines[:line], new, *lines[line:]])


def _notebook(path: str, content: bytes, call: _Call) -> bytes:
    """A notebook with one cell replaced, inserted or deleted, written as Jupyter writes it."""
    try:
        document = json.loads(content)
        cells: list[dict[str, Any]] = document["cells"]
        names = [cell.get("id") for cell in cells[:]]
        minor = int(document.get("nbformat_minor", 0))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise _refused(f"{_name(path)} is not a notebook.") from error
    mode, wanted = call.text("mode", "replace"), call.get("cell")
    names = [name or f"cell-{at}" for at, name in enumerate(names)]
    at = next((at for at, name in enumerate(names) if wanted in (name, f"cell-{at}")), None)
    if at is None and not (mode == "insert" and wanted is None):
        raise _refused(f"Cell with ID {one_line(str(wanted))[:_LINE]!r} not found in notebook.")
    source = re.findall(r"[^\n]*\n|[^\n]+", call.text("new", ""))
    if mode == "insert":
        cell: dict[str, Any] = {
            "cell_type": call.text("kind", "code"),
            "metadata": {},
            "source": source,
        }
        if minor >= 5:
            cell["id"] = next(name for n in count() if (name := f"new-{n}") not in names)
        cells.insert(0 if at is None else at + 1, cell)
    elif mode == "delete":
        del cells[at or 0]
    elif mode == "replace":
        cell = cells[at or 0]
        cell["source"] = source if isinstance(cell.get("source"), list) else "".join(source)
        cell["cell_type"] = call.text("kind", cell.get("cell_type"))
    else:
        raise RequestError(f"`edit_mode` is replace, insert or delete, not {mode!r}.")
    if mode != "delete":  # code that was changed has no outputs any more, and text has none
        cell.pop("execution_count", None)
        cell.pop("outputs", None)
        if cell["cell_type"] == "code":
            cell |= {"execution_count": None, "outputs": []}
    indent = re.match(rb"\{\r?\n( +|\t)", content)
    width = indent[1].decode() if indent else " "
    text = json.dumps(document, ensure_ascii=content.isascii(), indent=width)
    return _bytes(text) + (b"\n" if content.endswith(b"\n") else b"")


def _bytes(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise RequestError("A text of the call holds half of a character.") from error


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _name(path: str) -> str:
    return one_line(path)[-_LINE:]


def _refused(message: str) -> PreconditionError:
    return PreconditionError(message, code="does_not_fit")
