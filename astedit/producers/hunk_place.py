"""Where a hunk stands in a file: at the place it names, or at the only other one it fits."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from astedit.producers.patch_text import Hunk
from astedit.text.splice import Change

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
    places, at = [], content.find(old)
    while at >= 0:
        begins = at == 0 or content[at - 1 : at] == b"\n"
        ends = old.endswith(b"\n") or at + len(old) == len(content)
        if begins and ends:
            places.append(at)
        at = content.find(old, at + 1)
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
    """What stands where the hunk says, from the first line that differs."""
    start = max(hunk.start or 1, 1)
    now = content.split(b"\n")[start - 1 :]
    old = hunk.old.split(b"\n")
    same = 0
    while same < min(len(now), len(old)) and now[same] == old[same]:
        same += 1
    if same >= len(now):
        return f"the file ends at line {start + same - 1}"
    expected = _text(old[same]) if same < len(old) else "the end"
    return f"line {start + same} is {_text(now[same])}, not {expected}"


def _text(line: bytes) -> str:
    return repr(line[:80].decode("utf-8", "replace"))


def _changes(hunk: Hunk, at: int) -> Iterator[Change]:
    """Each run of lines that go or come, as bytes of the file."""
    start, new, changed = at, b"", False
    for mark, text in [*hunk.lines, (" ", b"")]:
        if mark == " ":
            if changed:
                yield start, at, new
            at += len(text)
            start, new, changed = at, b"", False
        elif mark == "-":
            at += len(text)
            changed = True
        else:
            new += text
            changed = True
