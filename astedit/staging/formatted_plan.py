"""A plan whose lines a formatter has seen: what it does to them is part of the plan.

The command is part of the request, and it runs again with every rerun: where it does
something else by then, the plan is stale. Only commands of the user's own put it there.
"""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import NamedTuple

from tree_sitter import Node

from astedit.engine.fingerprint import fingerprint_of
from astedit.engine.run_context import Run
from astedit.engine.whole_files import diff_of
from astedit.errors import PreconditionError, RequestError
from astedit.language import for_path
from astedit.language import load as load_language
from astedit.limits import INLINE_SECONDS, Deadline, parsing_within
from astedit.model.edit import Edit, EditedMatch, FilePlan, edit_id
from astedit.model.plan import Plan
from astedit.model.shapes import shapes_of
from astedit.programs import allowed
from astedit.sandbox.sandbox import FileState, Sandbox, choose
from astedit.staging.plan_contents import PlanContents, written_paths
from astedit.text import number
from astedit.text.diff import unlike
from astedit.text.source import (
    ByteRange,
    Change,
    Lines,
    alike_ends,
    compose,
    grown,
    is_idle,
    line_end,
    line_start,
    made_ranges,
    smallest,
    splice,
)
from astedit.workspace.root import Workspace

_WORD = re.compile(rb"""[\w\x80-\xff]+|[^\s"'`(),;\\]""")
_MOST = 2_000_000  # pairs of words to compare; more would take seconds


def formatter_changes(before: bytes, after: bytes) -> list[Change]:
    """Changes of whole lines that turn `before` into `after`, as small as they can be told."""
    old_words, old_ends = _words(before)
    new_words, new_ends = _words(after)
    changes, here, there = [], 0, 0
    for old, new in [*_same_places(old_words, new_words), (len(old_words), len(new_words))]:
        if old in old_ends and new in new_ends and old_ends[old] > here:
            change = here, old_ends[old], after[there : new_ends[new]]
            here, there = old_ends[old], new_ends[new]
            if not is_idle(change, before):
                changes.append(change)
    if here < len(before) or there < len(after):
        changes.append((here, len(before), after[there:]))
    return changes


def _words(text: bytes) -> tuple[list[bytes], dict[int, int]]:
    """The words, and after how many of them the last line ends that ends there.

    A line that only opens a parenthesis belongs to the words behind it.
    """
    words: list[bytes] = []
    ends: dict[int, int] = {}
    at = 0
    for line in text.splitlines(keepends=True):
        at += len(line)
        own = _WORD.findall(line)
        words += own
        if own or not line.lstrip().startswith(b"("):
            ends[len(words)] = at
    return words, ends


def _same_places(old: list[bytes], new: list[bytes]) -> Iterator[tuple[int, int]]:
    """After how many words of each text both have come to the same place, in order."""
    head, tail = alike_ends(old, new)
    gone, come = old[head : len(old) - tail], new[head : len(new) - tail]
    runs = [(0, len(gone), 0, len(come))]
    if len(gone) * len(come) <= _MOST:
        runs = unlike(gone, come)
    here = there = 0
    for i, j, k, m in [*runs, (len(gone) + tail, 0, len(come) + tail, 0)]:
        yield from zip(range(here, head + i + 1), range(there, head + k + 1), strict=True)
        here, there = head + j, head + m


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
    made = list(made_ranges(file.changes))
    touched = _touched_lines(after, file.edits, made)
    changes = formatter_changes(after, formatted)
    inside = [
        change
        for change in changes  # that replace a touched line, or put lines between such
        if any(change[0] < last and first < change[1] for first, last in touched)
    ]
    taken = _of_same_structure(file.path, after, inside)
    least = [_around_edits(after, change, made) for change in taken]
    edits = list(_composed(file, before, least)) if taken else file.edits
    return FormattedFile(edits, len(taken), len(changes) - len(taken))


def with_edits(file: FilePlan, before: bytes, edits: list[Edit]) -> FilePlan:
    """The file with these edits, and what follows from them."""
    made = replace(file, edits=edits, replacements=sum(edit.matches for edit in edits))
    made.after_hash = sha256(splice(before, made.changes)).hexdigest()
    return made


def _touched_lines(
    after: bytes, edits: Sequence[Edit], made: Sequence[ByteRange]
) -> list[ByteRange]:
    """The lines that hold new text, or from which some was taken; neighbours are one range."""
    ranges: list[ByteRange] = []
    for edit, (start, end) in zip(edits, made, strict=True):
        whole = edit.new.endswith(b"\n") or (not edit.new and edit.before.endswith("\n"))
        first = line_start(after, start)
        last = end if whole else line_end(after, end)
        if ranges and first <= ranges[-1][1]:
            ranges[-1] = ranges[-1][0], max(last, ranges[-1][1])
        else:
            ranges.append((first, last))
    return ranges


def _around_edits(after: bytes, change: Change, made: Sequence[ByteRange]) -> Change:
    """No more of a change than what differs, and what is new in its lines by the edits."""
    start, end, _ = change
    least = smallest(after, change)
    meeting = [each for each in made if each[0] <= end and each[1] >= start]
    first = min((each[0] for each in meeting), default=end)
    last = max((each[1] for each in meeting), default=start)
    return grown(after, least, max(start, first), min(end, last))


def _of_same_structure(path: str, after: bytes, changes: list[Change]) -> list[Change]:
    """The changes that leave the structure of the code as it is, without those left out."""
    row = for_path(path)
    if row is None or not changes:
        return changes
    parser = load_language(row).parser()
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
            yield _edit(file, before, smallest(before, change), [edits[n] for n in own], lines)


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


FILES = "{files}"
_AT_ONCE = 500  # files that one command gets
_SHOWN = 500  # characters of what it printed


def formatter_words(command: str) -> list[str]:
    """The words of a formatter's command; raises `RequestError` for what cannot be one."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise RequestError(f"--format-with: {error}.") from error
    if FILES not in words:
        raise RequestError(
            f"--format-with {command!r} has no word {FILES}.",
            hint=f"Say where the files come: 'ruff format {FILES}'.",
        )
    return words


def formatted(plan: Plan, workspace: Workspace, run: Run) -> Plan:
    """The plan with what the formatter of its request does to the lines that it touches.

    Raises `PreconditionError` where the formatter fails or nobody has allowed it here, and
    `SandboxError` where it cannot run.
    """
    words = formatter_words(plan.request.format_with)
    if not allowed(words, run.commands):
        raise PreconditionError(
            f"The plan was formatted by {plan.request.format_with}, which is not allowed here.",
            code="command_not_allowed",
            hint="Apply it on the command line.",
        )
    before = PlanContents(plan, workspace)
    states = before.with_edits({f.path: [e.id for e in f.edits] for f in plan.files})
    made = _formatted_contents(words, states, plan, workspace, run)
    taken = left = 0
    files: list[FilePlan] = []
    for file in plan.files:
        if file.path in made:
            old = before.content(file.path)
            changed = formatted_edits(file, old, made[file.path])
            taken, left = taken + changed.taken, left + changed.left
            if changed.taken:
                file = with_edits(file, old, changed.edits)
                file.hunks = diff_of(file, old) if run.want_hunks else b""
        files.append(file)
    told = f"The formatter changed {number(taken, 'place')} in lines that the plan touches"
    told += f"; {number(left, 'other place')} it would change are left." if left else "."
    return counted(replace(plan, files=files, hints=[*plan.hints, told]))


def counted(plan: Plan) -> Plan:
    """The plan with what follows from the edits of its files."""
    plan.files = [file for file in plan.files if file.edits]
    plan.files_touched = len(plan.files)
    plan.total_replacements = sum(file.replacements for file in plan.files)
    plan.shapes = shapes_of(plan.files, plan.request)
    plan.fingerprint = fingerprint_of(plan)
    return plan


def _formatted_contents(
    words: list[str], states: Mapping[str, FileState], plan: Plan, workspace: Workspace, run: Run
) -> dict[str, bytes]:
    """What the formatter makes of the files, in a sandbox: nothing of the tree is written."""
    sandbox = Sandbox(workspace.root, run.state_of(workspace))
    choose(sandbox, None, written_paths(plan))
    paths = [file.path for file in plan.files if file.operation != "delete"]
    made: dict[str, bytes] = {}
    for start in range(0, len(paths), _AT_ONCE):
        made |= _run(words, paths[start : start + _AT_ONCE], states, sandbox, run.deadline)
    return made


def _run(
    words: list[str],
    paths: list[str],
    states: Mapping[str, FileState],
    sandbox: Sandbox,
    deadline: Deadline,
) -> dict[str, bytes]:
    at = words.index(FILES)
    named = [f"./{path}" if path.startswith("-") else path for path in paths]
    done = sandbox.run(
        [*words[:at], *named, *words[at + 1 :]], states, collect=paths, deadline=deadline
    )
    if done.start_error or done.status != 0:
        how = done.start_error or done.ended or f"it ended with {done.status}"
        raise PreconditionError(
            f"The formatter {words[0]} failed: {how}.\n{done.output[-_SHOWN:].rstrip()}".rstrip(),
            code="formatter",
            hint=f"Run it by hand on the files of the plan: {shlex.join(words)}",
        )
    return {path: content for path, content in done.made.items() if content is not None}


def with_formatter(plan: Plan, command: str, workspace: Workspace, run: Run) -> Plan:
    """A plan with the formatter added to its request; the files are as they were previewed.

    One that was made with this formatter stays as it is. Raises what `formatted` raises.
    """
    if plan.request.format_with == command:
        return plan
    why = ""
    if plan.request.kept:
        why = "This plan is what an apply of a part left, which cannot be formatted any more."
    elif plan.request.format_with:
        why = f"This plan was formatted already, by {plan.request.format_with}."
    if why:
        hint = "Preview the edit again, and format that."
        raise PreconditionError(why, code="not_formattable", hint=hint)
    request = replace(plan.request, format_with=command)
    return formatted(replace(plan, request=request, action_id=None), workspace, run)
