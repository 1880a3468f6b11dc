"""The page to decide on, as HTML: the groups, and the edits of one view."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Literal

from astedit.page.code_lines import side_by_side, unified
from astedit.page.sections import (
    caused,
    document,
    group_key,
    group_label,
    is_empty,
    ledger_section,
    left_out,
    reasons,
)
from astedit.review.causes import consequence
from astedit.review.decisions import ReviewProgress
from astedit.review.excerpt import ExcerptLine
from astedit.review.ledger.model import PlaceLedger
from astedit.review.order import OrderedEdit, ReviewGroup
from astedit.review.units import is_cascade
from astedit.text import number
from astedit.text.html import html, html_line
from astedit.web.open_plan import TYPED, OpenPlan, PageView, ShownPart, part_shown

Tab = Literal["edits", "ledger"]
_CURRENT, _OTHER = ' aria-current="page"', ' id="other-tab"'
_TABS: dict[Tab, tuple[str, str]] = {"edits": ("./", "Edits"), "ledger": ("ledger", "Ledger")}
_KEYS = (
    ("j, k", "next edit, edit before"),
    ("space", "accept this edit and go on"),
    ("x", "reject this edit and go on"),
    ("a, X", "accept, or reject, the whole group"),
    ("u, ctrl+r", "take the last decision back, or make it again"),
    ("c", "comment on this edit"),
    ("f", "fold this edit"),
    ("m", "more lines around this edit"),
    ("U", "undecided ones only"),
    ("s", "the sample of this group"),
    ("n, p", "next group, group before"),
    ("v", "side by side, or below each other"),
    ("/", "search"),
    ("t", "edits, or the ledger"),
    ("?", "these keys"),
)


def framed(plan: OpenPlan, csrf: str, tab: Tab, content: str) -> str:
    """The whole page; `csrf` is what changes must bring along."""
    head = (
        f'<meta name="csrf" content="{html_line(csrf)}">'
        f'<meta name="accepted" content="{plan.progress().accepted}">'
        f'<meta name="revision" content="{plan.review.revision}">'
        f'<meta name="fingerprint" content="{html_line(plan.plan.fingerprint)}">'
        '<link rel="icon" href="favicon.ico"><link rel="stylesheet" href="style.css">'
        '<script src="review.js" defer></script>'
    )
    skip = f'<a class="skip" href="#{tab}">Skip to the {tab}</a>'
    return document(plan.title, f"{skip}{_bar(plan, tab)}{_dialogs(plan)}{content}", head)


def _bar(plan: OpenPlan, tab: Tab) -> str:
    progress = plan.progress()
    proof = "" if plan.proof is None else f"; {html_line(plan.proof)}"
    return (
        f'<header class="bar"><details class="title"><summary><h1>{html_line(plan.title)}</h1>'
        f'</summary><p class="quiet">id <code>{html_line(plan.id)}</code>, fingerprint '
        f"<code>{html_line(plan.plan.fingerprint)}</code>{proof}{_part_note(plan)}</p></details>"
        f'<div class="row"><progress id="bar" max="{progress.edits}" value="{progress.decided}" '
        'aria-label="decided"></progress>'
        f'<span id="progress" role="status">{html(str(progress))}</span>'
        '<button type="button" id="open-apply" class="go">Apply<span class="wide"> accepted</span>…'
        '</button><button type="button" id="open-discard">Discard…</button>'
        '<button type="button" id="undo" aria-label="Undo the last decision">↶</button>'
        '<button type="button" id="open-help" aria-label="Keys">?</button>'
        f"{_tabs(tab)}</div>"
        '<p id="message" role="alert" hidden></p>'
        "<noscript><p class=warn>Deciding needs scripts; reading does not.</p></noscript></header>"
    )


def _part_note(plan: OpenPlan) -> str:
    """That this is not all of the plan."""
    if plan.part is None:
        return ""
    return f"; a part: {len(plan.part):,} of {number(len(plan.review.edits), 'edit')}"


def _tabs(tab: Tab) -> str:
    links = (
        f'<a href="{address}"{_CURRENT if name == tab else _OTHER}>{word}</a>'
        for name, (address, word) in _TABS.items()
    )
    return f'<nav class="tabs" aria-label="Tabs">{"".join(links)}</nav>'


def _dialogs(plan: OpenPlan) -> str:
    keys = "".join(f"<dt><kbd>{html(key)}</kbd><dd>{html(what)}" for key, what in _KEYS)
    rest = "" if plan.part is None else "<p>All else of the plan is staged again.</p>"
    whole = "" if plan.part is None else "<p>All of the plan goes, not this part alone.</p>"
    return (
        f"{_dialog('apply', 'Apply what is accepted', rest + _approval(plan))}"
        f"{_dialog('discard', 'Discard the plan', whole)}"
        f'<dialog id="help" aria-label="Keys"><h2>Keys</h2><dl>{keys}</dl>'
        '<form method="dialog"><button>Close</button></form></dialog>'
    )


def _dialog(name: str, title: str, more: str) -> str:
    return (
        f'<dialog id="{name}" aria-labelledby="{name}-title"><form data-end="{name}">'
        f'<h2 id="{name}-title">{title}</h2><p class="count"></p>{more}'
        f'<label>Reason<input name="reason" required maxlength="1000" autocomplete="off"></label>'
        f'<div class="row"><button class="go">{name.capitalize()}</button>'
        '<button type="button" data-close>Back</button></div></form></dialog>'
    )


def _approval(plan: OpenPlan) -> str:
    if plan.needs_approval is None:
        return ""
    return (
        f"<p>This is for a person to approve: {html(plan.needs_approval)} theirs to decide.</p>"
        f'<label>The first {TYPED} characters of the fingerprint<input name="typed" required '
        f'minlength="{TYPED}" maxlength="64" autocomplete="off" spellcheck="false"></label>'
    )


_MORE = '<button type="button" data-more aria-label="More lines around">⋯</button>'
MARKS = {"accept": "accepted", "reject": "rejected", "mixed": "partly decided", None: "undecided"}
_LABEL = 100  # characters in the list of groups
MOST_FILES = 300  # in the list of files; the search finds the others
_HEADINGS = {
    "outliers": ("Look here first", "each with its reason"),
    "small": ("Small groups", "read all of them"),
    "large": ("Large groups", "read the sample"),
}


def review_page(plan: OpenPlan, view: PageView, csrf: str) -> str:
    """The whole page; `csrf` is what changes must bring along."""
    part = part_shown(view, plan)
    columns = (
        f'<div class="columns"><nav aria-label="Groups of edits">{_groups(plan, part, view)}'
        f"{_files(plan, view)}</nav>"
        f'<main id="edits" tabindex="-1">{_tools(view)}{_part(plan, part, view)}'
        f"{left_out(plan.plan)}</main></div>"
    )
    return framed(plan, csrf, "edits", columns)


def _groups(plan: OpenPlan, part: ShownPart, view: PageView) -> str:
    summary = f"<summary>{number(len(plan.groups), 'group')} of edits</summary>"
    lists = []
    for kind, groups in groupby(plan.groups.values(), key=lambda group: group.kind):
        title, advice = _HEADINGS[kind]
        rows = "".join(_group_row(plan, group, part, view) for group in groups)
        lists.append(f'<h2>{title} <span class="quiet">{advice}</span></h2><ol>{rows}</ol>')
    return f'<details open class="groups">{summary}{"".join(lists)}</details>'


def _files(plan: OpenPlan, view: PageView) -> str:
    paths = list(plan.files)[:MOST_FILES]
    rows = "".join(_file_row(plan, path, view) for path in paths)
    more = len(plan.files) - len(paths)
    rest = f'<p class="quiet">{number(more, "more file")}: search for the name.</p>' if more else ""
    summary = f"<summary>{number(len(plan.files), 'file')}</summary>"
    state = " open" if view.file else ""
    return f'<details class="groups files"{state}>{summary}<ol>{rows}</ol>{rest}</details>'


def _file_row(plan: OpenPlan, path: str, view: PageView) -> str:
    current = ' aria-current="true"' if path == view.file else ""
    name = html_line(path)
    address = html(view.address(group="", file=path, page=1, q=""))
    return (
        f'<li><input type="checkbox" data-viewed="{name}" aria-label="viewed: {name}"'
        f"{' checked' if plan.viewed(path) else ''}>"
        f'<a href="{address}" data-file="{name}"{current}>{name} '
        f'<span class="quiet counts">{counts(plan.review.progress(plan.files[path]))}</span></a>'
    )


def _group_row(plan: OpenPlan, group: ReviewGroup, part: ShownPart, view: PageView) -> str:
    key = group_key(group)
    progress = plan.progress(key)
    current = ' aria-current="true"' if key == part.key else ""
    label = group_label(group, _LABEL)
    return (
        f'<li><a href="{html(view.address(group=key, file="", page=1, q=""))}" data-group="{key}"'
        f' data-mark="{progress.mark or ""}"{current}><span class="mark"></span>'
        f'<span class="vh state">{MARKS[progress.mark]}</span>'
        f'{label} <span class="quiet counts">{counts(progress)}</span></a>'
    )


def counts(progress: ReviewProgress) -> str:
    """How many edits of a group are decided."""
    return f"{progress.decided:,} of {progress.edits:,}"


def _tools(view: PageView) -> str:
    """The search, and the links that change how edits are shown."""
    kept = "".join(
        f'<input type="hidden" name="{name}" value="1">'
        for name, on in (("split", view.split), ("open", view.open))
        if on
    )
    shown = "All edits" if view.open else "Undecided only"
    form = "Below each other" if view.split else "Side by side"
    return (
        f'<form class="row" role="search" action="./">{kept}'
        f'<label>Search<input type="search" id="search" name="q" value="{html_line(view.q)}">'
        "</label><button>Find</button>"
        f'<a id="only-open" href="{html(view.address(open=not view.open, page=1))}">{shown}</a>'
        f'<a id="other-form" href="{html(view.address(split=not view.split))}">{form}</a></form>'
    )


def _part(plan: OpenPlan, part: ShownPart, view: PageView) -> str:
    articles = "".join(_articles(plan, part.edits, view))
    return f"{_heading(plan, part, view)}{articles or '<p>Nothing here is undecided.</p>'}" + (
        f'<p class="row">{" ".join(_page_links(part, view))}</p>' if part.pages > 1 else ""
    )


def _heading(plan: OpenPlan, part: ShownPart, view: PageView) -> str:
    if view.file and not view.q:
        return _file_heading(view.file, part)
    if not part.key:
        return f"<h2>{number(part.total, 'edit')} with {html_line(view.q)!r}</h2>"
    group = plan.groups[part.key]
    buttons = _all_buttons(len(group.edits), f"{len(group.edits):,}")
    return (
        f'<h2 data-key="{part.key}">{group_label(group)}</h2>'
        f'<p class="quiet">{_shown(group, part)}</p><div class="row">{buttons}</div>'
        f"{_follows(plan, part.key, plan.ids(part.key)) if buttons else ''}"
        f'<p id="sample" role="status">{html(plan.sampled(part.key))}</p>'
    )


def _file_heading(path: str, part: ShownPart) -> str:
    name = html_line(path)
    return (
        f'<h2 data-path="{name}"><code>{name}</code></h2>'
        f'<p class="quiet">{number(part.total, "edit")} from the top of the file.</p>'
        f'<div class="row">{_all_buttons(len(part.edits), "on this page")}</div>'
    )


def _all_buttons(count: int, which: str) -> str:
    """What decides about several edits at once; nothing for one alone."""
    words = {"accept": "Accept", "reject": "Reject", "": "Undecide"} if count > 1 else {}
    return "".join(
        f'<button type="button" data-all="{choice}">{word} all {which}</button>'
        for choice, word in words.items()
    )


def _shown(group: ReviewGroup, part: ShownPart) -> str:
    edits = number(len(group.edits), "edit")
    if part.pages == 1:
        return f"{edits}, all on this page."
    first = "a sample" if group.kind == "large" else "the first"
    rest = first if part.page == 1 else f"page {part.page} of {part.pages}"
    return f"{edits}; {len(part.edits)} of them here, {rest}."


def _articles(plan: OpenPlan, edits: Sequence[OrderedEdit], view: PageView) -> Iterator[str]:
    """The edits; before those that have something in common in a large group, what it is."""
    excerpts = plan.excerpts(edits)
    last = ""
    for each in edits:
        part = plan.parts.get(each.edit.id, "")
        if part and part != last and not (view.q or view.file):
            yield f'<p class="part">{html(part)}</p>'
        last = part
        yield _article(plan, each, excerpts[each.edit.id], view)


def _article(
    plan: OpenPlan, each: OrderedEdit, lines: Sequence[ExcerptLine], view: PageView
) -> str:
    edit_id = each.edit.id
    decision = plan.review.decision(edit_id)
    place = html_line(plan.titles.get(edit_id, f"{each.path}:{each.edit.shown_line}"))
    code = code_of(each, lines, view.split)
    comment = _comment(edit_id, place, plan.review.own(edit_id).comment)
    return (
        f'<article tabindex="-1" id="e{edit_id}" data-id="{edit_id}" aria-labelledby="p{edit_id}"'
        f' data-choice="{decision.choice or ""}"><div class="row">'
        f'<button type="button" data-fold aria-expanded="true" aria-label="Fold {place}">▾</button>'
        f'<h3 id="p{edit_id}"><code>{place}</code></h3>{_MORE if code else ""}'
        f"{_buttons(plan, edit_id)}</div>"
        f"{reasons(each)}{code}{caused(plan.causes.lines(each.edit))}"
        f"{_follows(plan, edit_id, [edit_id])}{comment}</article>"
    )


def _follows(plan: OpenPlan, key: str, ids: Sequence[str]) -> str:
    """What goes with the edits of a button, where anything can; scripts keep it up to date."""
    if not is_cascade(plan.plan):
        return ""
    return f'<p class="causes" data-follows="{key}">{html(consequence(plan.review, ids))}</p>'


def code_of(each: OrderedEdit, lines: Sequence[ExcerptLine], split: bool) -> str:
    """The lines of one edit; nothing for a file that only moves."""
    if is_empty(each.edit):
        return ""
    return (side_by_side if split else unified)(each.path, lines)


def _buttons(plan: OpenPlan, edit_id: str) -> str:
    if (tie := plan.review.tie(edit_id)) is not None:
        return f'<span class="quiet">follows {number(len(tie.edits), "edit")} of this file</span>'
    chosen = plan.review.decision(edit_id).choice
    together = plan.bound.get(edit_id, 0)
    note = f'<span class="quiet">with {number(together, "other")}</span>' if together else ""
    buttons = "".join(
        f'<button type="button" data-choose="{choice}" aria-pressed="{pressed}">{word}</button>'
        for choice, word in (("accept", "Accept"), ("reject", "Reject"))
        for pressed in ("true" if chosen == choice else "false",)
    )
    return f'{note}<span class="pair">{buttons}</span>'


def _comment(edit_id: str, place: str, text: str) -> str:
    return (
        f"<details{' open' if text else ''}><summary>Comment</summary>"
        f'<form data-comment="{edit_id}"><label class="vh" for="c{edit_id}">Comment on {place}'
        f'</label><textarea id="c{edit_id}" rows="2" maxlength="10000">\n{html(text)}</textarea>'
        "<button>Keep</button></form></details>"
    )


def _page_links(part: ShownPart, view: PageView) -> Iterator[str]:
    for step, word in ((-1, "Before"), (1, "Next")):
        page = part.page + step
        if 1 <= page <= part.pages:
            address = html(view.address(group=part.key, page=page))
            yield f'<a rel="{"next" if step > 0 else "prev"}" href="{address}">{word}</a>'
    yield f"<span>Page {part.page} of {part.pages}</span>"


def ledger_page(plan: OpenPlan, ledger: PlaceLedger, csrf: str) -> str:
    """The whole page; `csrf` is what changes must bring along."""
    again = '<p><a href="ledger?again=1">Count again</a>, in the files as they are now</p>'
    content = f'<main tabindex="-1">{ledger_section(ledger)}{again}{left_out(plan.plan)}</main>'
    return framed(plan, csrf, "ledger", content)
