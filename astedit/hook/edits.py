"""What files would hold after a call of an agent's edit tool, and why a call does not fit.

A call is untrusted and may be wrong. It is taken as the client's own tool would take it: a
text to replace must stand there once, a file to create must not be there. Nothing is written.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from io import BytesIO
from itertools import count, islice
from typing import Any

from astedit.agents.kit.rows import ClientTool
from astedit.errors import RequestError
from astedit.hook.apply_patch import ReadFile, encoded, ended_as, misfit, patched
from astedit.text.diff import changed_lines
from astedit.text.source import splice
from resolve.visible import one_line

_LOOKED = 5_000  # lines among which the nearest is sought
_PLACES = 8  # that a message names
_LINE = 160  # characters of a quoted line
_TRIED = 3  # lines that are sought


@dataclass(slots=True)
class ChangedFiles:
    """What the files of a call hold before and after; None where there is none.

    `place` makes a path of a call, however it is written, the one below the root by which the
    others know it. `read` gives a file as the edits before this one leave it, `disk` as it lies.
    `replaced` is a file of which the call takes earlier edits away.
    """

    place: Callable[[str], str]
    read: ReadFile
    disk: ReadFile
    before: dict[str, bytes | None] = field(default_factory=dict)
    after: dict[str, bytes | None] = field(default_factory=dict)
    replaced: str = ""

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
        call = _Input(tool, values)
        does = call.text("command") if tool["does"] == "editor" else tool["does"]
        if does == "patch":
            patched(call.text("patch"), self.content, self.put)
            return
        path = call.text("path")
        name, content = one_line(path)[-_LINE:], self.content(path)
        if content is None and does in ("delete", "insert", "notebook"):
            raise misfit(f"File does not exist: {name}")
        if content is not None and does == "create":
            raise misfit(f"File already exists: {name}")
        there = content or b""
        match does:
            case "write" | "create":
                text = encoded(call.text("content"))
                content, loses = merged(self.disk(self.place(path)), content, text)
                self.replaced = name if loses else ""
            case "delete":
                content = None
            case "str_replace":
                for edit in call.parts():
                    content = _replaced(name, content, edit)
            case "insert":
                content = _inserted(there, call)
            case "notebook":
                content = _notebook(name, there, call)
            case _:
                raise RequestError(f"There is no way to preview {does!r}.")
        self.put(path, content)


def merged(base: bytes | None, mine: bytes | None, other: bytes) -> tuple[bytes, bool]:
    """What both made of `base`, the file on the disk, and whether something of `mine` is lost.

    A client makes a whole text from the file on the disk. Where both touch the same lines `other`
    wins, and everywhere if it is that file again: nobody writes it but to take the rest back.
    """
    base = base or b""
    theirs, ours = (changed_lines(base, text) for text in (other, base if mine is None else mine))
    kept = [
        (start, end, text)
        for start, end, text in ours
        if theirs and not any(start <= last and first <= end for first, last, _ in theirs)
    ]
    return splice(base, sorted([*kept, *theirs])), not {*ours} <= {*kept, *theirs}


@dataclass(frozen=True, slots=True)
class _Input:
    """The input of a tool, by our words."""

    tool: ClientTool
    values: Mapping[str, Any]

    def get(self, word: str, usual: Any = None) -> Any:
        """A field as it came; `usual` where it is missing or null."""
        value = self.values.get(self.tool.get(word, ""))
        return usual if value is None else value

    def text(self, word: str, usual: str | None = None) -> str:
        """A field that has to be a text."""
        value = self.get(word, usual)
        if not isinstance(value, str):
            name = self.tool.get(word, word)
            raise RequestError(f"`{name}` of the call is missing, or is not a text.")
        return value

    def parts(self) -> "list[_Input]":
        """The edits of a call that has several, or the one that it is."""
        parts = self.get("edits", [self.values])
        if not isinstance(parts, list) or not all(isinstance(part, dict) for part in parts):
            raise RequestError("`edits` of the call is not a list of edits.")
        return [_Input(self.tool, part) for part in parts]


def _replaced(name: str, content: bytes | None, edit: _Input) -> bytes:
    """A file with one text in the place of another, or of all that are equal."""
    old, new = edit.text("old", ""), edit.text("new", "")
    if old == new:
        raise misfit(f"No changes to make: {edit.tool['old']} and {edit.tool['new']} are the same.")
    if old == "":
        if content:
            raise misfit(f"Cannot create new file: {name} exists already.")
        return encoded(new)
    if content is None:
        raise misfit(f"File does not exist: {name}")
    gone, come = ended_as(content, encoded(old)), ended_as(content, encoded(new))
    total = content.count(gone)
    if total == 0:
        raise misfit(f"String to replace not found in {name}.{_nearest(content, old)}")
    if total > 1 and edit.get("all") is not True:
        places = islice(re.finditer(re.escape(gone), content), _PLACES)
        lines = [str(content.count(b"\n", 0, place.start()) + 1) for place in places]
        several = f", but {edit.tool['all']} is false" if "all" in edit.tool else ""
        raise misfit(
            f"Found {total:,} matches of the string to replace in {name} (lines "
            f"{', '.join([*lines, '…'][:total])}){several}. Give more of the text around it."
        )
    if not come.isascii():
        try:
            content.decode("utf-8")
        except UnicodeDecodeError as error:
            raise misfit(f"{name} is not UTF-8, and the new text is not ASCII.") from error
    return content.replace(gone, come)


def _nearest(content: bytes, old: str) -> str:
    """The line that is most like what was looked for, quoted; "" if none is."""
    sought = [(line.strip()[:_LINE], at) for at, line in enumerate(old.split("\n")) if line.strip()]
    lines = content.decode("utf-8", "replace").split("\n")[:_LOOKED]
    places = {line.strip()[:_LINE]: at for at, line in reversed(list(enumerate(lines)))}
    for line, number in sorted(sought, key=lambda row: -len(row[0]))[:_TRIED]:
        close = [line] if line in places else get_close_matches(line, places, 1, 0.6)
        if close:
            at = max(places[close[0]] - number, 0)
            shown = "\n".join(lines[at : at + 4]).rstrip().split("\n")
            quoted = "".join(f"\n| {one_line(text)[:_LINE]}" for text in shown)
            return f" The nearest place is line {at + 1}:{quoted}"
    return ""


def _inserted(content: bytes, call: _Input) -> bytes:
    lines = BytesIO(content).readlines()
    line = call.get("line", 0)
    if type(line) is not int or not 0 <= line <= len(lines):
        raise misfit(f"`insert_line` is not a line of the file: it has {len(lines):,}.")
    new = ended_as(content, encoded(call.text("new")))
    if line and not lines[line - 1].endswith(b"\n"):
        new = b"\n" + new
    elif not new.endswith(b"\n"):
        new += b"\n"
    return b"".join([*lines[:line], new, *lines[line:]])


def _notebook(name: str, content: bytes, call: _Input) -> bytes:
    """A notebook with one cell replaced, inserted or deleted, written as Jupyter writes it."""
    try:
        document = json.loads(content)
        cells: list[dict[str, Any]] = document["cells"]
        names = [cell.get("id") or f"cell-{at}" for at, cell in enumerate(cells[:])]
        has_names = int(document.get("nbformat_minor", 0)) >= 5
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise misfit(f"{name} is not a notebook.") from error
    mode, wanted = call.text("mode", "replace"), call.get("cell")
    at = next((at for at, cell in enumerate(names) if wanted in (cell, f"cell-{at}")), -1)
    if at < 0 and not (mode == "insert" and wanted is None):
        raise misfit(f"Cell with ID {one_line(str(wanted))[:_LINE]!r} not found in notebook.")
    if mode not in ("replace", "insert", "delete"):
        raise RequestError(f"`edit_mode` is replace, insert or delete, not {mode!r}.")
    if mode == "insert":
        at += 1
        cells.insert(at, {"cell_type": "code", "metadata": {}, "source": []})
        if has_names:
            cells[at]["id"] = next(name for n in count() if (name := f"new-{n}") not in names)
    cell = cells.pop(at) if mode == "delete" else cells[at]
    source = re.findall(r"[^\n]*\n|[^\n]+", call.text("new", ""))
    cell["source"] = source if isinstance(cell.get("source"), list) else "".join(source)
    cell["cell_type"] = kind = call.text("kind", cell.get("cell_type"))
    if kind not in ("code", "markdown", "raw"):
        raise RequestError(f"`cell_type` is code, markdown or raw, not {kind!r}.")
    # Code that was changed has no outputs any more, and text has none.
    if kind == "code":  # what a notebook has stays where it has it
        cell |= {"execution_count": None, "outputs": []}
    else:
        cell.pop("execution_count", None)
        cell.pop("outputs", None)
    indent = re.match(rb"\{\r?\n( +|\t)", content)
    width = indent[1].decode() if indent else " "
    text = json.dumps(document, ensure_ascii=content.isascii(), indent=width)
    return encoded(text) + (b"\n" if content.endswith(b"\n") else b"")
