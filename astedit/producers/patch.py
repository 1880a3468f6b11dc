"""A patch as a plan: what `git apply` would make of the tree, and nothing by halves.

The patch itself is stored, as an operation, and applied again when the plan is. Context is
compared exactly; a hunk that stands elsewhere by now is taken where it fits, if that is one
place, and the plan says so.
"""

import stat
import zlib
from base64 import b85decode
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from astedit.engine.request import request_of
from astedit.engine.run_context import Run
from astedit.engine.whole_files import FILE_MODE
from astedit.errors import PreconditionError, RequestError
from astedit.model.plan import Plan
from astedit.model.request import EditRequest, Operation, short
from astedit.pattern.required_text import spans
from astedit.producers.patch_text import FilePatch, Hunk, read_patch
from astedit.producers.tree_change import TreeChange
from astedit.text import first_names
from astedit.text.source import Change, alike_start, splice
from astedit.transaction.disk import directories_above
from astedit.workspace.root import Workspace
from resolve.visible import one_line

KIND = "patch"
_OPTIONS = (
    "allow_partial",
    "allow_protected",
    "max_files",
    "max_replacements",
    "max_file_size",
    "after",
)
_HINT = "Make the patch again for the files as they are, or stage the rest: --allow-partial"


def request_of_patch(text: bytes, *, label: str | None = None, **options: Any) -> EditRequest:
    """The request that makes what a patch says; `RequestError` for what is not a patch.

    `label` is its title. The options are those of `_OPTIONS`, as `EditRequest` has them. A file
    that is generated or other people's code is changed too: the patch names it.
    """
    if other := next((name for name in options if name not in _OPTIONS), None):
        raise RequestError(
            f"`{other}` does not go with a patch.", hint=f"These do: {', '.join(_OPTIONS)}."
        )
    read_patch(text)
    arguments = {"patch": text.decode("utf-8", "surrogateescape")}
    operation = Operation(KIND, arguments if label is None else arguments | {"label": label})
    request = request_of({**options, "ops": [], "no_ignore": ["generated", "vendored"]})
    request.operation = operation
    return request


def plan(request: EditRequest, workspace: Workspace, run: Run) -> Plan:
    """What the patch makes of this tree.

    Raises `PreconditionError` (`patch_does_not_fit`) with every hunk that does not fit and
    what stands there, unless the request allows a part.
    """
    assert request.operation is not None
    files = read_patch(request.operation.arguments["patch"].encode("utf-8", "surrogateescape"))
    _refuse_twice(files)
    moving = (file.old for file in files if file.new != file.old and not file.copied)
    leaving = frozenset(path for path in moving if path is not None)
    change = TreeChange(request, workspace, leaving)
    for file in files:
        run.deadline.check()
        with change.listing():
            _take(change, file)
    plan = change.plan(run, "patch", len(files), _HINT)
    if "label" not in request.operation.arguments and plan.files:
        plan.title = short(f"patch {first_names([file.path for file in plan.files], 1)}")
    return plan


def _refuse_twice(files: Sequence[FilePatch]) -> None:
    """A place is left once, and come to once: what is more contradicts itself."""
    for names in ([file.old for file in files if not file.copied], [file.new for file in files]):
        counts = Counter(name for name in names if name is not None)
        if twice := next((name for name, count in counts.items() if count > 1), None):
            raise RequestError(
                f"The patch changes {twice} twice.",
                code="bad_patch",
                hint="Give a patch that has each file once.",
            )
    stay = {file.new for file in files if file.new is not None}
    if both := stay.intersection(directories_above(stay)):
        raise RequestError(
            f"The patch makes {min(both)} a file and a directory.",
            code="bad_patch",
            hint="Give a patch that deletes the file first.",
        )


def _take(change: TreeChange, file: FilePatch) -> None:
    """Takes one file into a change; raises `PreconditionError` if it does not fit as a whole."""
    _refuse_modes(file)
    old, new = file.old, file.new
    if old is None and new is None:
        raise RequestError("The patch has a file without a name.", code="bad_patch")
    before, mode = (b"", FILE_MODE) if old is None else change.read(old)
    changes = _file_changes(change, file, before)
    if changes is None:
        return
    if old is None:
        is_program = (file.new_mode or 0) & stat.S_IXUSR
        change.create(file.name, splice(b"", changes), 0o755 if is_program else mode)
    elif new is None:
        if splice(before, changes):
            raise PreconditionError(f"{old}: more than what is to go stands in it")
        change.delete(old, before, mode)
    elif new == old:
        change.edit(old, before, mode, changes, _new_mode(file, mode))
    elif file.copied:
        change.create(new, splice(before, changes), mode)
    else:
        change.move(old, new, before, changes, mode, _new_mode(file, mode))


def _file_changes(change: TreeChange, file: FilePatch, before: bytes) -> list[Change] | None:
    """What becomes of a file's content; None if a hunk does not fit, which is noted."""
    if file.binary is not None:
        header, lines = file.binary
        return [(0, len(before), content_of(header, lines, before))]
    result = fitted(file.old or file.name, before, file.hunks)
    change.notes += result.notes
    change.misfits += result.misfits
    return None if result.misfits else result.changes


def _refuse_modes(file: FilePatch) -> None:
    """Refuses links and submodules."""
    for mode in (file.old_mode, file.new_mode):
        if mode is not None and not stat.S_ISREG(mode):
            kind = "a link" if stat.S_ISLNK(mode) else "a submodule"
            raise PreconditionError(f"{file.name} is {kind}: only plain files are changed")


def _new_mode(file: FilePatch, mode: int) -> int | None:
    """The permissions that the patch gives a file; None if it leaves them."""
    if file.new_mode is None or file.new_mode == file.old_mode:
        return None
    permissions = stat.S_IMODE(file.new_mode)
    readers = (mode & 0o444) >> 2  # whoever may read the file may execute it, as git has it
    return mode | readers if permissions & stat.S_IXUSR else mode & ~0o111


_SHOWN = 5  # lines, or places, that a message shows


@dataclass(slots=True)
class Fitted:
    """The changes of a file's hunks, in order; what moved, and why hunks do not fit."""

    changes: list[Change] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    misfits: list[str] = field(default_factory=list)


def fitted(path: str, content: bytes, hunks: Sequence[Hunk]) -> Fitted:
    """Finds the place of every hunk in `content`, exactly: no line may differ.

    A hunk that does not stand where it says is taken where it fits, if that is one place.
    """
    result, end = Fitted(), 0
    lines = content.split(b"\n")
    for hunk in hunks:
        places = _places(hunk, content)
        named = _named(hunk, lines)
        at = named if named in places else places[0] if len(places) == 1 else None
        if at is None or at < end:
            result.misfits.append(f"{path}, {_why(hunk, content, places, at)}")
            continue
        if at != named and hunk.start is not None:
            moved = content.count(b"\n", 0, at) + 1 - hunk.start
            result.notes.append(f"{path}: hunk {hunk.number} moved by {moved:+,} lines")
        if hunk.recounted:
            result.notes.append(f"{path}: the counts of hunk {hunk.number} are wrong")
        result.changes += _changes(hunk, at)
        end = at + len(hunk.old)
    return result


def _named(hunk: Hunk, lines: Sequence[bytes]) -> int | None:
    """The byte at which the line that the hunk names begins; None if there is no such line."""
    if hunk.start is None or hunk.start > len(lines):
        return None
    return sum(len(line) + 1 for line in lines[: max(hunk.start - 1, 0)])


def _places(hunk: Hunk, content: bytes) -> list[int]:
    """Every place at which whole lines are the hunk's old ones."""
    old = hunk.old
    if not old:  # nothing says where it belongs, but in an empty file
        return [] if content else [0]
    places = []
    for at, end in spans(old, content):
        begins = at == 0 or content[at - 1 : at] == b"\n"
        ends = old.endswith(b"\n") or end == len(content)
        if begins and ends:
            places.append(at)
    return places


def _why(hunk: Hunk, content: bytes, places: Sequence[int], at: int | None) -> str:
    head = f"hunk {hunk.number}"
    if at is not None:
        return f"{head}: it overlaps the one before"
    if places:
        rows = [content.count(b"\n", 0, place) + 1 for place in places[:_SHOWN]]
        more = ", …" if len(places) > _SHOWN else ""
        return f"{head} fits at {len(places)} places (lines {', '.join(map(str, rows))}{more})"
    if not hunk.old:
        return f"{head} has no line that says where it belongs"
    return f"{head} does not fit; {_there(hunk, content)}"


def _there(hunk: Hunk, content: bytes) -> str:
    """What stands where the hunk says, from the first line that differs, quoted on its own line."""
    start = max(hunk.start or 1, 1)
    now = content.split(b"\n")[start - 1 :]
    old = hunk.old.split(b"\n")
    same = alike_start(now, old)
    if same >= len(now):
        return f"the file ends at line {start + same - 1}"
    expected = repr(old[same][:80].decode("utf-8", "replace")) if same < len(old) else "the end"
    line = one_line(now[same][:80].decode("utf-8", "replace"))
    return f"line {start + same} is not {expected}\n| {line}"


def _changes(hunk: Hunk, at: int) -> Iterator[Change]:
    """Each run of lines that go or come, as bytes of the file."""
    start, new, changed = at, list[bytes](), False
    for mark, text in [*hunk.lines, (" ", b"")]:
        if mark == " ":
            if changed:
                yield start, at, b"".join(new)
            at += len(text)
            start, new, changed = at, [], False
        elif mark == "-":
            at += len(text)
            changed = True
        else:
            new.append(text)
            changed = True


MOST = 256 * 1024 * 1024  # bytes of one content


def content_of(header: bytes, lines: Sequence[bytes], before: bytes) -> bytes:
    """The content that a `literal N` or `delta N` section stands for.

    `lines` are those below its header, `before` is what a delta starts from. Raises
    `RequestError` for anything that git would not write.
    """
    try:
        kind, count = header.split()
        unpacked = zlib.decompressobj().decompress(b"".join(map(_decoded, lines)), MOST)
        if len(unpacked) != int(count):
            raise ValueError("its length is another one")
        return _patched(before, unpacked) if kind == b"delta" else unpacked
    except (ValueError, IndexError, zlib.error) as error:
        raise RequestError(
            f"A binary part of the patch is damaged: {error}.", code="bad_patch"
        ) from error


def _decoded(line: bytes) -> bytes:
    """The bytes of a line: its first letter says how many of them count."""
    letter = line[0]
    count = letter - ord("A") + 1 if letter <= ord("Z") else letter - ord("a") + 27
    return b85decode(line[1:])[:count]


def _patched(before: bytes, delta: bytes) -> bytes:
    """The result of a delta: pieces of `before` and new bytes, as in git's pack format."""
    at, size = _number(delta, 0)
    if size != len(before):
        raise ValueError("it is for another content")
    at, size = _number(delta, at)
    parts = []
    while at < len(delta):
        code = delta[at]
        at += 1
        if code & 0x80:
            at, start = _field(delta, at, code & 0x0F, 4)
            at, length = _field(delta, at, code >> 4 & 0x07, 3)
            parts.append(before[start : start + (length or 0x10000)])
        else:
            parts.append(delta[at : at + code])
            at += code
    result = b"".join(parts)
    if len(result) != size:
        raise ValueError("its result has another length")
    return result


def _number(delta: bytes, at: int) -> tuple[int, int]:
    """A size, seven bits a byte, the lowest first; and where it ends."""
    value = shift = 0
    while True:
        byte = delta[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return at, value


def _field(delta: bytes, at: int, present: int, count: int) -> tuple[int, int]:
    """An offset or a length: of its bytes only those are there whose bit is set."""
    value = 0
    for index in range(count):
        if present >> index & 1:
            value |= delta[at] << (8 * index)
            at += 1
    return at, value
