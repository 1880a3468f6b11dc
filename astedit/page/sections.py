"""What a plan does not do, as HTML: what was blocked, skipped, displaced or dropped, and why."""

import base64
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import TypeVar

from astedit.model.edit import Edit, FilePlan, Skip
from astedit.model.plan import Blocked, Displaced, DroppedComment, Plan
from astedit.review.ledger.model import (
    OUTCOME_WORDS,
    OUTCOMES,
    AlikePlaces,
    LedgerName,
    PlaceLedger,
    alike_places,
)
from astedit.review.order import OrderedEdit, ReviewGroup
from astedit.text import by_reason, clipped, first_lines, number
from astedit.text.html import html, html_line

Item = TypeVar("Item")

SHOWN = 20  # items of one kind
_TEXT = 200  # characters of a piece of code


def left_out(plan: Plan) -> str:
    """A section about it; nothing if the plan does all that was asked for."""
    items = "".join(f"<li>{item}" for item in _items(plan))
    if not items:
        return ""
    return (
        '<section aria-labelledby="left-out"><h2 id="left-out">Not in this plan</h2>'
        f"<ul>{items}</ul></section>"
    )


def _items(plan: Plan) -> Iterator[str]:
    if plan.blocked:
        count = number(sum(item.matches for item in plan.blocked), "match", "matches")
        yield _listed(f"Blocked: {count} left out.", _blocked, plan.blocked)
    if plan.dropped_comments:
        count = number(len(plan.dropped_comments), "comment")
        title = f"Goes with what the rewrites leave out: {count}."
        yield _listed(title, _comment, plan.dropped_comments)
    if plan.displaced:
        count = number(len(plan.displaced), "match", "matches")
        yield _listed(f"Displaced by other rewrites: {count}.", _displaced, plan.displaced)
    if plan.skipped:
        reasons = by_reason(skip.reason for skip in plan.skipped)
        yield _listed(f"Skipped files: {html_line(reasons)}.", _skip, plan.skipped)
    if plan.parse_errors.total:
        yield f"{number(plan.parse_errors.total, 'file')} with syntax errors, edited around them."
    if plan.incomplete:
        yield "Incomplete: some files could not be looked at."
    yield from (f"Hint: {html(hint)}" for hint in plan.hints)


def _listed(title: str, shown: Callable[[Item], str], items: Sequence[Item]) -> str:
    """A title that opens to the first of its items."""
    rows = first_lines(list(map(shown, items[:SHOWN])), SHOWN, total=len(items))
    body = "".join(f"<li>{row}" for row in rows)
    return f"<details><summary>{title}</summary><ul>{body}</ul></details>"


def _blocked(item: Blocked) -> str:
    line = item.range.line if item.range is not None else 1
    parts = [f"{place(item.path, line)} {html_line(item.reason)}"]
    parts += [f"<code>{html_line(clipped(item.text, _TEXT))}</code>"] if item.text else []
    parts += [html(text) for text in (item.detail, item.hint) if text]
    return "; ".join(parts)


def _comment(item: DroppedComment) -> str:
    text = html_line(clipped(item.text, _TEXT))
    return f"{place(item.path, item.range.line)} <code>{text}</code>"


def _displaced(item: Displaced) -> str:
    return f"{place(item.path, item.range.line)} {html_line(item.reason)}"


def _skip(item: Skip) -> str:
    return f"<code>{html_line(item.path)}</code> {html(item.detail or item.reason)}"


def place(path: str, line: int) -> str:
    """`path:line` as code."""
    return f"<code>{html_line(path)}:{line}</code>"


def place_list(places: Iterable[tuple[str, int]], room: list[int], name: str) -> str:
    """A list of these paths and lines, as long as there is `room` for it.

    `room` is the bytes that are left for all lists, and gets less. What does not fit is
    counted, by this `name`.
    """
    items, listed = [], 0
    ordered = sorted(places)
    for path, own in groupby(ordered, key=lambda place: place[0]):
        lines = [line for _, line in own]
        item = f"<li><code>{html_line(path)}</code> {', '.join(map(str, lines))}"
        if len(item) > room[0]:
            break
        room[0] -= len(item)
        listed += len(lines)
        items.append(item)
    left = len(ordered) - listed
    items += [f"<li>and {number(left, f'more {name}')}"] if left else []
    return f"<ul>{''.join(items)}</ul>"


TITLE = "What became of each place"
_LISTS = 120_000  # bytes of lists of places


def ledger_section(ledger: PlaceLedger) -> str:
    """A section with a table for each name; places of one kind and reason are one row."""
    room = [_LISTS]
    tables = "".join(_of_name(name, room) for name in ledger.names)
    nameless = "".join(
        f"<p><code>{html_line(pattern)}</code> spells no name: there is nothing to count.</p>"
        for pattern in ledger.nameless
    )
    return (
        f'<section id="ledger" aria-labelledby="ledger-title"><h2 id="ledger-title">{TITLE}</h2>'
        '<p class="quiet">Every place where the rarest name of a pattern stands as a word, in '
        f"{number(ledger.files, 'file')} that the plan could have looked at.</p>"
        f"{tables}{nameless}</section>"
    )


def _of_name(name: LedgerName, room: list[int]) -> str:
    files = number(len({place.path for place in name.places}), "file")
    places = number(len(name.places), "place")
    rows = "".join(_rows(name, room))
    return (
        f"<h3><code>{html_line(name.pattern)}</code>: <code>{html_line(name.name)}</code> stands"
        f' at {places} in {files}</h3><table class="kinds ledger"><thead><tr>'
        '<th class="amount">Places<th>Outcome<th>Why and where</thead>'
        f"<tbody>{rows}</tbody></table>"
    )


def _rows(name: LedgerName, room: list[int]) -> Iterator[str]:
    for outcome in OUTCOMES:
        kinds = alike_places(name, outcome)
        for kind in kinds[:SHOWN]:
            yield (
                f'<tr><td class="amount">{len(kind.places):,}<td>{OUTCOME_WORDS[outcome]}'
                f"<td>{_where(kind, room)}"
            )
        if kinds[SHOWN:]:
            places = sum(len(kind.places) for kind in kinds[SHOWN:])
            reasons = number(len(kinds) - SHOWN, "more reason")
            yield f'<tr><td class="amount">{places:,}<td>{OUTCOME_WORDS[outcome]}<td>{reasons}'


def _where(kind: AlikePlaces, room: list[int]) -> str:
    why = "".join(f"<p>{html(text)}</p>" for text in (kind.why, kind.spelling) if text)
    files = number(len({place.path for place in kind.places}), "file")
    places = place_list(((place.path, place.line) for place in kind.places), room, "place")
    return f"{why}<details><summary>in {files}</summary>{places}</details>"


OUTLIERS = "outliers"
_LABEL = 160  # characters


def group_key(group: ReviewGroup) -> str:
    """What a group is called in an address."""
    return OUTLIERS if group.number is None else f"shape-{group.number}"


def group_label(group: ReviewGroup, most: int = _LABEL) -> str:
    """`shape:3` and what is alike in it."""
    if group.shape is None:
        return group.label
    return f"shape:{group.number} <code>{html_line(clipped(group.shape.label, most))}</code>"


def reasons(each: OrderedEdit) -> str:
    """Why an edit is shown before others; nothing for most."""
    why = "; ".join(map(html, each.why))
    return f'<p class="warn">{why} (shape:{each.shape})</p>' if why else ""


def caused(lines: Iterable[str]) -> str:
    """What caused an edit, line by line; nothing for most."""
    texts = "<br>".join(map(html_line, lines))
    return f'<p class="causes">{texts}</p>' if texts else ""


def whole_titles(files: Iterable[FilePlan]) -> dict[str, str]:
    """What is above an edit that stands for a file that comes, goes or moves, by its id."""
    return {
        file.edits[0].id: file.title for file in files if file.operation != "modify" and file.edits
    }


def is_empty(edit: Edit) -> bool:
    """Whether an edit stands for a move alone: there is no line to show."""
    return not (edit.before or edit.after)


@cache
def style() -> str:
    """What all pages look like."""
    return Path(__file__).with_name("style.css").read_text("utf-8")


def standing_alone(title: str, body: str) -> str:
    """A page that is one file: the style is within, nothing is loaded and no script runs."""
    digest = base64.b64encode(sha256(style().encode()).digest()).decode()
    rules = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    policy = f'<meta http-equiv="Content-Security-Policy" content="{rules}">'
    return document(title, body, f"{policy}<style>{style()}</style>")


def document(title: str, body: str, head: str) -> str:
    """A page; `head` says where its style is."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"{head}<title>{html(title)}</title></head><body>{body}</body></html>\n"
    )
