"""What a formatter changed inside the lines that edits touch, and the edits with that in them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import NamedTuple

from tree_sitter import Node

from astedit.language import for_path, load
from astedit.limits import INLINE_SECONDS, parsing_within
from astedit.model.edit import Edit, EditedMatch, FilePlan, edit_id
from astedit.staging.formatter_diff import formatter_changes
from astedit.text.splice import ByteRange, Change, Lines, compose, is_idle, splice

# What a formatter adds and moves: parentheses around an expression, or several, and comments.
_NO_STRUCTURE = ("parenthesized_expression", "tuple", "expression_list", "comment")


class FormattedFile(NamedTuple):
    """A file's edits with what the formatter does to their lines, and what it does elsewhere."""

    edits: list[Edit]
    taken: int
    left: int


def formatted_edits(file: FilePlan, before: bytes, formatted: bytes) -> FormattedFile:
    """The edits of a file of which a formatter makes `formatted`, when all of them are made.

    What it does to lines of which none is touched is left. So is what would mean something
    else without that: the code keeps its structure.
    """
    after = splice(before, file.changes)
    touched = _touched_lines(after, file.edits)
    changes = formatter_changes(after, formatted)
    inside = [change for change in changes if _meets(change, touched)]
    taken = _of_same_structure(file.path, after, inside)
    least = [_around_edits(after, change, file.edits) for change in taken]
    edits = list(_composed(file, before, least)) if taken else file.edits
    return FormattedFile(edits, len(taken), len(changes) - len(taken))


def with_edits(file: FilePlan, before: bytes, edits: list[Edit]) -> FilePlan:
    """The file with these edits, and what follows from them."""
    made = replace(file, edits=edits, replacements=sum(edit.matches for edit in edits))
    made.after_hash = sha256(splice(before, made.changes)).hexdigest()
    return made


def _touched_lines(after: bytes, edits: Sequence[Edit]) -> list[ByteRange]:
    """The lines that hold new text, or from which some was taken; neighbours are one range."""
    ranges: list[ByteRange] = []
    for edit, (start, end) in zip(edits, _made_ranges(edits), strict=True):
        whole = edit.new.endswith(b"\n") or (not edit.new and edit.before.endswith("\n"))
        first = after.rfind(b"\n", 0, start) + 1
        last = end if whole else (after.find(b"\n", end) + 1 or len(after))
        if ranges and first <= ranges[-1][1]:
            ranges[-1] = ranges[-1][0], max(last, ranges[-1][1])
        else:
            ranges.append((first, last))
    return ranges


def _made_ranges(edits: Sequence[Edit]) -> Iterator[ByteRange]:
    """Where the new text of each edit stands in the file that they make."""
    shift = 0
    for edit in edits:
        yield edit.start + shift, edit.start + shift + len(edit.new)
        shift += len(edit.new) - (edit.end - edit.start)


def _around_edits(after: bytes, change: Change, edits: Sequence[Edit]) -> Change:
    """No more of a change than what differs, and what is new in its lines by the edits."""
    start, end, _ = change
    low, high, new = _least(after, change)
    made = [each for each in _made_ranges(edits) if each[0] <= end and each[1] >= start]
    first = max(start, min([low, *(each[0] for each in made)]))
    last = min(end, max([high, *(each[1] for each in made)]))
    return first, last, after[first:low] + new + after[high:last]


def _meets(change: Change, touched: Sequence[ByteRange]) -> bool:
    """Whether a change replaces a touched line, or puts lines between such."""
    start, end, _ = change
    return any(start < last and first < end for first, last in touched)


def _of_same_structure(path: str, after: bytes, changes: list[Change]) -> list[Change]:
    """The changes that leave the structure of the code as it is, without those left out."""
    row = for_path(path)
    if row is None or not changes:
        return changes
    parser = load(row).parser()
    with parsing_within(INLINE_SECONDS):
        structure = _structure(parser.parse(after).root_node)
        if _structure(parser.parse(splice(after, changes)).root_node) == structure:
            return changes
        kept: list[Change] = []
        for change in changes:
            if _structure(parser.parse(splice(after, [*kept, change])).root_node) == structure:
                kept.append(change)
    return kept


def _structure(root: Node) -> list[tuple[int, str]]:
    """The kinds of all nodes with a name, and how deep they stand."""
    kinds: list[tuple[int, str]] = []
    waiting = [(0, root)]
    while waiting:
        depth, node = waiting.pop()
        ours = node.type not in _NO_STRUCTURE
        if ours:
            kinds.append((depth, node.type))
        waiting += [(depth + ours, child) for child in reversed(node.named_children)]
    return kinds


def _composed(file: FilePlan, before: bytes, changes: list[Change]) -> Iterator[Edit]:
    """The edits; those whose lines the formatter changed are one with what it changed."""
    whole = 1 if file.operation == "move" else 0  # the edit that stands for the file
    edits, lines = file.edits[whole:], Lines(before)
    yield from file.edits[:whole]
    for change, own, made in compose(before, file.changes[whole:], changes):
        if not made:
            yield from (edits[number] for number in own)
        elif not is_idle(change, before):
            yield _edit(file, before, _least(before, change), [edits[n] for n in own], lines)


def _least(before: bytes, change: Change) -> Change:
    """The change without what stays at both of its ends, in whole characters."""
    start, end, new = change
    old = before[start:end]
    most = min(len(old), len(new))
    head = next((n for n in range(most) if old[n] != new[n]), most)
    while head and _inside_character(old, head):
        head -= 1
    most -= head
    tail = next((n for n in range(most) if old[-1 - n] != new[-1 - n]), most)
    while tail and _inside_character(old, len(old) - tail):
        tail -= 1
    return start + head, end - tail, new[head : len(new) - tail]


def _inside_character(text: bytes, at: int) -> bool:
    return at < len(text) and text[at] & 0xC0 == 0x80


def _edit(
    file: FilePlan, before: bytes, change: Change, composed: list[Edit], lines: Lines
) -> Edit:
    start, end, new = change
    spans = [(match.start, match.end) for edit in composed if (match := edit.match)]
    low = min([start, *(span[0] for span in spans)])
    high = max([end, *(span[1] for span in spans)])
    first = composed[0]
    kind = None if file.operation == "modify" else file.operation
    old = before[start:end]
    return Edit(
        edit_id(file.path, first.op if kind is None else kind, start, end, old, new),
        first.op,
        first.rule_id,
        start,
        end,
        *lines.place(start),
        _text(old),
        _text(new),
        sum(edit.matches for edit in composed),
        EditedMatch(low, high, *lines.place(low), _text(before[low:high])) if spans else None,
        new,
        len(_text(before[low:start])),
    )


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace")
