"""A Plan as text for people: what would happen, what was left out, and why."""

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import click

from astedit.cli.output import streams
from astedit.language import for_path, named
from astedit.model.edit import Edit, FilePlan, LanguageUse, Shape, Skip
from astedit.model.request import EditRequest
from astedit.text import by_reason, first_lines, first_names, number, shortened
from astedit.text.source import alike_ends
from resolve.visible import hidden, mixed_scripts, one_line, visible

if TYPE_CHECKING:
    from astedit.engine.run.search import Hits
    from astedit.model.plan import Blocked, Displaced, DroppedComment, Plan

_PLAIN = bytes(range(32, 127)) + b"\t\n\r"
_WORD = re.compile(r"\w+|\s+|[^\w\s]")
_FLAG = re.compile(r"(?<![\w-])--?[a-z]")
_SIDES = {"+": "32", "-": "31", "@": "36"}  # as git has them
_MARKED = 50_000  # lines of a diff; in a longer one no words are marked
HINTS = 3  # that are printed unless --hints all
EVERY_HINT = "astedit.hints"  # under which a context keeps that all are
_PLACE = "not changed: "  # begins a hint that lists one place
LEFT = "left: "  # begins one that is shown whatever others there are
SHOWN = 10  # items of one kind that are listed before "and N more"
_TEXT = 80  # characters of a blocked match that are shown
_QUIET_SKIPS = frozenset({"generated", "vendored", "binary", "symlink"})  # counted, not named

UNCHANGED = "No file differs from the revision that --changed names."


def totals(plan: "Plan") -> str:
    """The first sentence about a plan."""
    searched = number(plan.files_searched, "file") + " searched"
    if not plan.total_replacements:
        return f"Nothing to change ({searched})."
    return f"{replacements(plan)} ({searched})."


def replacements(plan: "Plan") -> str:
    """`404 replacements in 161 files`."""
    files = number(plan.files_touched, "file")
    return f"{number(plan.total_replacements, 'replacement')} in {files}"


def overlapping(plan: "Plan") -> str:
    """Which other pending actions touch the same code."""
    from astedit.staging.overlaps import WORDS

    first, *others = plan.overlaps
    names = first_names([first.action_id, *(other.action_id for other in others)], 1)
    return f"Overlaps {names} ({WORDS[first.how]}): only one can be applied."


def summary(plan: "Plan") -> Iterator[str]:
    """Everything about a plan but its diff, a line at a time."""
    yield totals(plan)
    if plan.overlaps:
        yield overlapping(plan)
    yield from _per_op(plan)
    yield from (f"Followed {_name(file)}" for file in plan.files if file.link)
    yield from _dropped(plan.languages, plan.request)
    yield from _blocked(plan.blocked)
    yield from _comments(plan.dropped_comments)
    yield from _displaced(plan)
    yield from skipped(plan.skipped)
    yield from _parse_errors(plan)
    if plan.incomplete:
        yield "Incomplete: some files could not be looked at; staged only with --allow-partial."
    yield from _hints(plan.hints)


def stat(files: Sequence[FilePlan]) -> Iterator[str]:
    """A table of files and their replacements, as `git diff --stat` has it."""
    if not files:
        return
    names = [_name(file) for file in files]
    width = max(map(len, names))
    for name, file in zip(names, files, strict=True):
        yield f" {name:<{width}} | {file.replacements}"
    total = sum(file.replacements for file in files)
    yield f" {number(total, 'replacement')} in {number(len(files), 'file')}"


def restored(paths: Iterable[str]) -> Iterator[str]:
    """A table of files that an undo restores as a whole."""
    return (f" {one_line(path)} | restored" for path in paths)


def shapes(plan: "Plan", shapes: Sequence[tuple[int, Shape]]) -> Iterator[str]:
    """Groups of alike edits, each with its first one; then those that are like no other."""
    total = sum(shape.count for _, shape in shapes)
    outliers = [(index, shape) for index, shape in shapes if shape.count == 1]
    files = number(plan.files_touched, "file")
    yield f"{number(total, 'edit')} in {files} = {number(len(shapes), 'shape')}"
    for index, shape in shapes:
        if shape.count > 1:
            counted = f"({number(shape.files, 'file')})  shape:{index}"
            yield f"{shape.count:>7,}  {_line(shape.label)}  {counted}"
            yield f"         {_example(shape)}"
    if outliers:
        yield f"{number(len(outliers), 'outlier')}:"
    for index, shape in outliers:
        yield f"      1  {_example(shape)}  shape:{index}"


def _example(shape: Shape) -> str:
    one = shape.example
    return f"{one_line(one.path)}:{one.line}: {_line(one.before)} -> {_line(one.after)}"


def _line(text: str) -> str:
    """The text on one line; what is deleted or inserted has nothing on one side."""
    return one_line(" ".join(text.split())) or "(nothing)"


def print_diff(patch: bytes) -> None:
    """Writes a diff to stdout: the very bytes for a program, made visible for a person."""
    for name in _imitations(patch):
        streams.note(f"warning: {name} mixes letters of several scripts: do they look alike?")
    if streams.terminal(sys.stdout) or streams.coloured():
        print_visible(patch)
        return
    streams.data(patch)
    if count := _hidden(patch):
        streams.note(f"warning: {number(count, 'hidden character')} in this diff, as it is")


def _imitations(patch: bytes) -> list[str]:
    """The names in added lines that look like others, and are not."""
    if patch.isascii():
        return []
    lines = [x[1:] for x in patch.split(b"\n") if x[:1] == b"+" and not x.isascii()]
    return list(map(one_line, mixed_scripts(b"\n".join(lines).decode("utf-8", "replace"))))


def _hidden(patch: bytes) -> int:
    """Counts what `visible` would escape, line ends aside; 10x faster where all is plain."""
    rest = patch.translate(None, _PLAIN)  # characters beyond ASCII stay whole
    alone = patch.count(b"\r") - patch.count(b"\r\n")
    return alone + (hidden(rest.decode("utf-8", "replace")) if rest else 0)


def print_visible(patch: bytes) -> None:
    """Writes a diff in which nothing is hidden (no escapes, no bidirectional overrides)."""
    shown = visible(patch.decode("utf-8", "surrogateescape"))
    streams.data((coloured(shown) if streams.coloured() else shown).encode("utf-8"))


def coloured(diff: str) -> str:
    """The diff with ANSI colours; of lines that stand for one another the words that differ.

    In a very long one no words are marked.
    """
    lines = diff.split("\n")
    if len(lines) >= _MARKED:
        return "\n".join(map(_coloured_line, lines))
    shown: list[str] = []
    gone: list[str] = []
    for side, run in groupby(lines, key=_side):
        block = list(run)
        if side == "+" and len(gone) == len(block):
            pairs = [_marked(*pair) for pair in zip(gone, block, strict=True)]
            shown[-len(gone) :] = [old for old, _ in pairs]
            shown += [new for _, new in pairs]
        else:
            shown += map(_coloured_line, block)
        gone = block if side == "-" else []
    return "\n".join(shown)


def _side(line: str) -> str:
    """`-` or `+` for a line of code that goes or comes; "" for every other."""
    return "" if line.startswith(("--- ", "+++ ")) or line[:1] not in "-+" else line[:1]


def _coloured_line(line: str) -> str:
    if line.startswith(("--- ", "+++ ")):
        return streams.paint("1", line)
    code = _SIDES.get(line[:1])
    return streams.paint(code, line) if code else line


def _marked(old: str, new: str) -> tuple[str, str]:
    """Two lines with what differs in reverse, from the first word that does to the last."""
    first, last = _WORD.findall(old[1:]), _WORD.findall(new[1:])
    head, tail = alike_ends(first, last)
    return _parts(old[0], first, head, tail), _parts(new[0], last, head, tail)


def _parts(side: str, words: Sequence[str], head: int, tail: int) -> str:
    code = _SIDES[side]
    end = len(words) - tail
    before, middle, after = "".join(words[:head]), "".join(words[head:end]), "".join(words[end:])
    shown = streams.paint(code, side + before)
    shown += streams.paint(f"{code};7", middle) if middle else ""
    return shown + (streams.paint(code, after) if after else "")


def search_summary(hits: "Hits") -> Iterator[str]:
    """Everything about a search but its matches, a line at a time."""
    if not hits.files:
        yield f"Nothing found ({number(hits.files_searched, 'file')} searched)."
    if hits.limit_reached:
        yield "There is more: --limit was reached."
    yield from search_notes(hits)


def search_notes(hits: "Hits") -> Iterator[str]:
    """What was left out of a search, and its hints."""
    yield from _dropped(hits.languages, None)
    yield from skipped(hits.skipped)
    yield from _hints(hits.hints)


def exit_code(plan: "Plan", *, check: bool) -> int:
    """0 done; 1 `--check` would change something; 3 every match was blocked."""
    if not plan.total_replacements and plan.blocked:
        return 3
    return 1 if check and plan.total_replacements else 0


def skipped(skips: Sequence[Skip]) -> Iterator[str]:
    """One line of counts by reason, then the names that a person should know of."""
    if not skips:
        return
    yield f"Skipped: {by_reason(skip.reason for skip in skips)}"
    named = [skip for skip in skips if skip.reason not in _QUIET_SKIPS]
    yield from _listed(f"  {one_line(s.path)}: {s.detail or s.reason}" for s in named)


def _name(file: FilePlan) -> str:
    name = one_line(file.title)
    return f"{one_line(file.link)} -> {name}" if file.link else name


def _per_op(plan: "Plan") -> Iterator[str]:
    request = plan.request
    names: dict[int | str | None, str] = {at: op.label for at, op in enumerate(request.ops)}
    names |= {rule["id"]: rule["id"] for rule in request.rules}
    if len(names) < 2:
        return
    counts = Counter[int | str | None](plan.stats.matched)
    for edit in (edit for file in plan.files for edit in file.edits if not plan.stats.matched):
        counts[edit.op if edit.rule_id is None else edit.rule_id] += edit.matches
    for key in [*names, *(one for one in counts if one not in names)]:
        if counts[key] or isinstance(key, int):
            name = one_line(names.get(key, str(key)))
            yield f"  {number(counts[key], 'replacement')}: {name}"


def _hints(hints: Sequence[str]) -> Iterator[str]:
    """Those first that say what to write, then the others; what is listed by place comes last."""
    places = [hint for hint in hints if hint.startswith(_PLACE)]
    others = [f"hint: {hint}" for hint in hints if not hint.startswith((_PLACE, LEFT))]
    others.sort(key=lambda hint: _FLAG.search(hint) is None)
    context = click.get_current_context(silent=True)
    every = context is not None and context.meta.get(EVERY_HINT)
    yield from others if every else others[:HINTS]
    if len(others) > HINTS and not every:
        yield f"  and {number(len(others) - HINTS, 'more hint')}: --hints all"
    yield from _listed(f"hint: {hint}" for hint in places)
    yield from (f"hint: {hint}" for hint in hints if hint.startswith(LEFT))


def _is_meant(language: str, request: EditRequest | None) -> bool:
    """Whether somebody named a language, or a file of it: else nobody misses it."""
    if request is None:
        return True
    names = [request.lang, *(op.lang for op in request.ops)]
    rows = [for_path(path) for path in request.paths]
    return language in {row.name for row in rows if row is not None} or any(
        name is not None and (row := named(name)) is not None and row.name == language
        for name in names
    )


def _dropped(languages: Iterable[LanguageUse], request: EditRequest | None) -> Iterator[str]:
    for language in languages:
        if language.dropped and _is_meant(language.name, request):
            yield f"Left out {language.name}: {language.dropped}"


def _blocked(items: "Sequence[Blocked]") -> Iterator[str]:
    if not items:
        return
    yield f"Blocked: {number(sum(i.matches for i in items), 'match', 'matches')} left out"
    yield from _listed(_blocked_line(item) for item in items)
    yield from (f"hint: {hint}" for hint in dict.fromkeys(i.hint for i in items) if hint)


def _blocked_line(item: "Blocked") -> str:
    lost = ", ".join(one_line(lost.text) for lost in item.lost[:3])
    place = f":{item.range.line}:{item.range.column}" if item.range else ""
    what = f" of {lost}" if lost else f": {shortened(_line(item.text), _TEXT)}" if item.text else ""
    detail = f" ({_line(item.detail)})" if item.detail else ""
    return f"  {one_line(item.path)}{place}: {item.reason}{what}{detail}"


def _comments(items: "Sequence[DroppedComment]") -> Iterator[str]:
    if not items:
        return
    yield f"Dropped with what the rewrite leaves out: {number(len(items), 'comment')}"
    yield from _listed(
        f"  {one_line(item.path)}:{item.range.line}:{item.range.column}: "
        f"{shortened(_line(item.text), _TEXT)}"
        for item in items
    )


def _displaced(plan: "Plan") -> Iterator[str]:
    """Those that gave way to an edit of the very same code are only counted."""
    edited = {(file.path, *_extent(edit)) for file in plan.files for edit in file.edits}
    same = [d for d in plan.displaced if (d.path, d.range.start, d.range.end) in edited]
    if same:
        winners = ", ".join(dict.fromkeys(map(_winner, same)))
        yield f"Displaced: {number(len(same), 'match', 'matches')} of the same code as {winners}"
    rest = [d for d in plan.displaced if (d.path, d.range.start, d.range.end) not in edited]
    if rest:
        yield f"Displaced: {number(len(rest), 'match', 'matches')} inside other matches"
        yield from _listed(
            f"  {one_line(d.path)}:{d.range.line}:{d.range.column}: {d.reason} ({_winner(d)})"
            for d in rest
        )


def _extent(edit: Edit) -> tuple[int, int]:
    match = edit.match
    return (edit.start, edit.end) if match is None else (match.start, match.end)


def _winner(item: "Displaced") -> str:
    return item.by_rule or f"op {(item.by or 0) + 1}"


def _parse_errors(plan: "Plan") -> Iterator[str]:
    errors = plan.parse_errors
    if not errors.total:
        return
    yield f"Did not parse cleanly: {number(errors.total, 'file')}"
    lines = [f"  {one_line(e.path)}:{e.line}:{e.column}" for e in errors.shown]
    yield from first_lines(lines, SHOWN, indent="  ", total=errors.total)


def _listed(lines: Iterable[str]) -> Iterator[str]:
    yield from first_lines(list(lines), SHOWN, indent="  ")
