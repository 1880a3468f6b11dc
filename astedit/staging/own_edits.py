"""What a person writes in the place of an edit: part of the request, and verified every time.

The person is shown the hunk of one edit as `git add -p` shows it. What comes back is taken as
one change that covers the edit, and a new plan with it comes in the place of the old one.
"""

import re
from collections.abc import Sequence, Set
from dataclasses import replace

from astedit.engine.known_edits import plan_of_edits, view_of
from astedit.engine.run_context import Run
from astedit.errors import RequestError
from astedit.model.edit import PERSON, Edit, EditedMatch, FilePlan
from astedit.model.plan import Plan
from astedit.model.request import EditRequest, OwnEdit
from astedit.staging.formatted_plan import counted, with_edits
from astedit.text.diff import changed_hunks
from astedit.text.source import Lines, NotDecodable, before_break, grown, line_start, smallest
from astedit.workspace.root import Workspace

_HELP = """\
# Lines that begin with + are written in the place of those that begin with -.
# Change, add or remove lines with +. To replace another line as well, put - before it.
# Lines that begin with # are left out. If nothing is left, nothing is changed.
"""
_SIDES = {"-": "-", "+": "+", " ": "-+", "\n": "-+", "\r": "-+"}
_FIRST_LINE = re.compile(rb"@@ -(\d+)")
_UNENDED = "\\ No newline at end of file"


def hunk(edit: Edit, file: FilePlan, content: bytes) -> str:
    """The text that a person is given to edit; raises `RequestError` where there is none."""
    if file.operation != "modify":
        raise refused("is of a file that comes, goes or moves", "Accept or reject it.")
    try:
        if view_of(content, file.path).text == content:
            return _HELP + changed_hunks(content, [(edit.start, edit.end, edit.new)]).decode()
    except (UnicodeDecodeError, NotDecodable):
        pass
    raise refused("is not UTF-8", "Edit the file itself, with e.")


def own_edit(text: str, edit: Edit, file: FilePlan, content: bytes) -> OwnEdit:
    """What the edited hunk of an edit says; raises `RequestError` for what cannot be taken."""
    given = _sides(hunk(edit, file, content))
    old, new = _sides(text)
    if not old.strip() and not new.strip():
        raise refused("is empty", "Nothing was changed.")
    if (old, new) == given:
        raise refused("is as it was", "Nothing was changed.")
    if old != given[0]:
        raise refused(
            "does not fit", "Its lines with - and with a blank must stay as they are in the file."
        )
    head = _FIRST_LINE.match(changed_hunks(content, [(edit.start, edit.end, edit.new)]))
    above = int(head[1]) - 1 if head else 0  # lines before those of the hunk
    first = sum(len(line) for line in content.splitlines(keepends=True)[: max(above, 0)])
    change = smallest(content, (first, first + len(old), new))
    start, end, after = grown(content, change, edit.start, edit.end)
    if after == content[start:end]:
        raise refused("leaves the code as it is", "Reject the edit with x instead.")
    others = [each for each in file.edits if each.id != edit.id]
    if any(each.start < end and start < each.end for each in others):
        raise refused("reaches into another edit", "Edit that one apart.")
    return OwnEdit(file.path, start, end, _text(content[start:end]), _text(after))


def _sides(text: str) -> tuple[bytes, bytes]:
    """What the lines of a hunk say was there, and what comes."""
    sides = {"-": "", "+": ""}
    last = ""
    for line in text.splitlines(keepends=True):
        if line.startswith(("#", "@@")):
            continue
        if line.startswith(_UNENDED):
            for side in last:
                sides[side] = sides[side].removesuffix("\n")
            continue
        if not (last := _SIDES.get(line[0], "")):
            raise refused(
                f"does not parse: {line.rstrip()[:40]!r} begins with none of +, - and a blank",
                "Put one of them before each line.",
            )
        for side in last:
            sides[side] += line if line[0] in "\r\n" else line[1:]
    return _bytes(sides["-"]), _bytes(sides["+"])


def refused(what: str, hint: str) -> RequestError:
    """The error for a hunk that cannot be taken."""
    return RequestError(
        f"The edited hunk {what}; the plan is as it was.", code="bad_hunk", hint=hint
    )


def _text(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def with_own_edits(plan: Plan, request: EditRequest, workspace: Workspace, run: Run) -> Plan:
    """The plan in which a person's bytes stand in the place of the edits that they cover.

    Raises `PreconditionError` where a file would not parse any more. What does not fit a file
    as it is now is left out, and said.
    """
    hints, files = list(plan.hints), []
    for file in plan.files:
        own = [each for each in request.own_edits if each.path == file.path]
        if own:
            content, _ = workspace.read(file.path, request.max_file_size)
            fits = [each for each in own if content[each.start : each.end] == _bytes(each.before)]
            left = "an edit of your own is left out, for the code there has changed."
            hints += [f"{each.path}: {left}" for each in own if each not in fits]
            file = _with(file, fits, content, request, workspace, run) if fits else file
        files.append(file)
    return counted(replace(plan, request=request, files=files, hints=hints))


def _with(
    file: FilePlan,
    own: Sequence[OwnEdit],
    content: bytes,
    request: EditRequest,
    workspace: Workspace,
    run: Run,
) -> FilePlan:
    spans = [(each.start, each.end) for each in own]
    covered = [
        edit for edit in file.edits if any(a <= edit.start and edit.end <= b for a, b in spans)
    ]
    edits = [edit for edit in file.edits if edit not in covered]
    edits += (_edit(each, covered, content) for each in own)
    edits.sort(key=lambda edit: (edit.start, edit.end))
    changes = {file.path: [(edit.start, edit.end, edit.new) for edit in edits]}
    seen = {file.path: file.before_hash or ""}
    verified = plan_of_edits(request, workspace, changes, run, expected=seen, contained=False)
    changed = with_edits(file, content, edits)
    changed.hunks = verified.files[0].hunks if verified.files else b""
    return changed


def _edit(own: OwnEdit, covered: Sequence[Edit], content: bytes) -> Edit:
    """The edit; people know it by the match in its place, or else by its lines."""
    inside = [edit for edit in covered if own.start <= edit.start and edit.end <= own.end]
    low, high = _lines_of(content, own.start, own.end)
    match = inside[0].match if len(inside) == 1 else None
    if match is not None and match.start <= own.start and own.end <= match.end:
        low, high = match.start, match.end
    lines = Lines(content)
    return Edit(
        own.id,
        inside[0].op if inside else None,
        inside[0].rule_id if inside else None,
        own.start,
        own.end,
        *lines.place(own.start),
        own.before,
        own.after,
        max(1, sum(each.matches for each in inside)),
        EditedMatch(low, high, *lines.place(low), _text(content[low:high])),
        _bytes(own.after),
        len(_text(content[low : own.start])),
        origin=PERSON,
    )


def _lines_of(content: bytes, start: int, end: int) -> tuple[int, int]:
    """The lines of a part, from their first letter."""
    first = line_start(content, start)
    blank = len(content[first:start]) - len(content[first:start].lstrip())
    return first + blank, before_break(content, end)


def shifted(older: Plan, applied: Set[str]) -> list[OwnEdit]:
    """The own edits that are left of a plan, where they are once the applied ones are made."""
    left = []
    for own in older.request.own_edits:
        above = [
            len(edit.new) - (edit.end - edit.start)
            for file in older.files
            for edit in file.edits
            if file.path == own.path and edit.id in applied and edit.end <= own.start
        ]
        if own.id not in applied:
            left.append(replace(own, start=own.start + sum(above), end=own.end + sum(above)))
    return left
