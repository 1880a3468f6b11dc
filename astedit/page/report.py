"""A plan as one static file to attach to a pull request: no script, nothing loaded.

Groups of edits stand in the order of a review, each with its count. Of what is alike a
sample is shown, and of a large plan as much as there is room for; all other edits are listed
by file and line, or at least counted. The same plan gives the same bytes.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from astedit.model.edit import FilePlan
from astedit.model.plan import Plan
from astedit.page.code_lines import unified
from astedit.page.sections import (
    TITLE,
    caused,
    group_key,
    group_label,
    is_empty,
    ledger_section,
    left_out,
    place,
    place_list,
    reasons,
    standing_alone,
    whole_titles,
)
from astedit.review.causes import Causes
from astedit.review.excerpt import excerpt
from astedit.review.ledger.model import PlaceLedger
from astedit.review.order import OrderedEdit, Owners, ReviewGroup, nobody, ordered
from astedit.text import number
from astedit.text.html import html, html_line
from astedit.version import __version__

Contents = Callable[[FilePlan], bytes | None]
"""The content of a file that the plan was made of; None if it has changed since."""

SHOWN = 20  # edits of one shape
_OUTLIERS = 300
_CODE = 560_000  # bytes of excerpts
_LISTS = 240_000  # bytes of lists of places
_KINDS = 200  # kinds of edit in the table at the top


def report(
    plan: Plan,
    contents: Contents,
    title: str,
    owners: Owners = nobody,
    proof: str | None = None,
    ledger: PlaceLedger | None = None,
) -> str:
    """The whole file; `title` is what the plan is known by, `owners` says whose a file is.

    `proof` is a sentence on what was run with it; what a `ledger` says stands at the end.
    """
    every = ordered(plan, owners)
    codes = _codes(plan, every, contents)
    room = [_LISTS]
    titles = whole_titles(plan.files)
    causes = Causes(plan)
    sections = "".join(_section(group, codes, titles, causes, room) for group in every)
    places = "" if ledger is None else ledger_section(ledger)
    tab = f'<p><a href="#ledger">{TITLE}</a></p>' if places else ""
    body = (
        '<a class="skip" href="#edits">Skip to the edits</a>'
        f"<header><h1>{html_line(title)}</h1>{_facts(plan, proof)}{tab}</header>"
        f'<nav aria-label="Kinds of edit">{_table(every)}</nav>'
        f'<main id="edits">{sections}{left_out(plan)}{places}</main>'
        f'<footer class="quiet">Made by astedit {html(__version__)}. To decide about these edits:'
        " <code>astedit review</code></footer>"
    )
    return standing_alone(title, body)


def _facts(plan: Plan, proof: str | None) -> str:
    counted = f"{number(plan.total_replacements, 'replacement')} in "
    counted += f"{number(plan.files_touched, 'file')}, {number(len(plan.shapes), 'shape')}"
    rows = [("Changes", counted)]
    rows += [("Plan", f"<code>{html_line(plan.action_id)}</code>")] if plan.action_id else []
    rows += [("Fingerprint", f"<code>{html_line(plan.fingerprint)}</code>")]
    rows += [("Proof", html_line(proof))] if proof is not None else []
    rows += [("Searched", number(plan.files_searched, "file"))]
    return "<dl>" + "".join(f"<dt>{name}<dd>{value}" for name, value in rows) + "</dl>"


def _table(every: Sequence[ReviewGroup]) -> str:
    rows = "".join(map(_table_row, every[:_KINDS]))
    more = f"<p>and {number(len(every) - _KINDS, 'more kind')}</p>" if every[_KINDS:] else ""
    heads = '<th class="amount">Edits<th class="amount">Files<th>Kind of edit'
    return (
        '<h2>Kinds of edit</h2><table class="kinds">'
        f"<thead><tr>{heads}</thead><tbody>{rows}</tbody></table>{more}"
    )


def _table_row(group: ReviewGroup) -> str:
    counts = "".join(f'<td class="amount">{count:,}' for count in _sizes(group))
    return f'<tr>{counts}<td><a href="#{group_key(group)}">{group_label(group)}</a>'


def _sizes(group: ReviewGroup) -> tuple[int, int]:
    """How many edits, in how many files."""
    return len(group.edits), len({each.path for each in group.edits})


def _codes(plan: Plan, every: Sequence[ReviewGroup], contents: Contents) -> dict[str, str]:
    """The excerpts that there is room for, by edit: one of each kind first, then a second."""
    files = {file.path: file for file in plan.files}
    read = lru_cache(maxsize=32)(lambda path: contents(files[path]))
    codes: dict[str, str] = {}
    room = _CODE
    for turn in range(_OUTLIERS):
        shown = (g.shown[: SHOWN if g.shape else _OUTLIERS] for g in every)
        for path, edit, *_ in (edits[turn] for edits in shown if turn < len(edits)):
            code = unified(path, excerpt(edit, read(path)))
            size = len(code.encode())
            if size <= room:
                codes[edit.id] = code
                room -= size
    return codes


def _section(
    group: ReviewGroup,
    codes: dict[str, str],
    titles: Mapping[str, str],
    causes: Causes,
    room: list[int],
) -> str:
    """One kind of edit: what is shown of it, and where the rest is."""
    shown = [each for each in group.shown if each.edit.id in codes]
    rest = [each for each in group.edits if each.edit.id not in codes]
    articles = "".join(_article(each, codes[each.edit.id], titles, causes) for each in shown)
    name = group_key(group)
    return (
        f'<section aria-labelledby="{name}"><h2 id="{name}">{group_label(group)}</h2>'
        f'<p class="quiet">{_counted(group, len(shown))}</p>{articles}{_rest(rest, room)}'
        "</section>"
    )


def _counted(group: ReviewGroup, shown: int) -> str:
    edits, files = _sizes(group)
    text = f"{number(edits, 'edit')} in {number(files, 'file')}"
    if shown == edits:
        return text
    how = "as a sample" if group.shape else "the oddest"
    return f"{text}; {shown:,} of them shown, {how}" if shown else f"{text}; listed only"


def _article(each: OrderedEdit, code: str, titles: Mapping[str, str], causes: Causes) -> str:
    title = titles.get(each.edit.id)
    heading = (
        f"<code>{html_line(title)}</code>" if title else place(each.path, each.edit.shown_line)
    )
    code = "" if is_empty(each.edit) else code
    code += caused(causes.lines(each.edit))
    return f"<article><h3>{heading}</h3>{reasons(each)}{code}</article>"


def _rest(edits: Sequence[OrderedEdit], room: list[int]) -> str:
    """Where the edits are that are not shown, as far as there is room."""
    if not edits:
        return ""
    listed = place_list(((each.path, each.edit.shown_line) for each in edits), room, "edit")
    count = number(len(edits), "edit")
    return f"<details><summary>{count} not shown</summary>{listed}</details>"
