"""The page to decide on, as HTML: the groups, and the edits of one view."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from astedit.page.code_lines import side_by_side, unified
from astedit.page.groups import group_key, group_label, is_empty, reasons
from astedit.page.left_out import left_out
from astedit.review.decisions import ReviewProgress
from astedit.review.excerpt import ExcerptLine
from astedit.review.order import OrderedEdit, ReviewGroup
from astedit.text.count_phrases import number
from astedit.text.html import html, html_line
from astedit.web.open_plan import OpenPlan
from astedit.web.page_frame import framed
from astedit.web.view import PageView, ShownPart, part_of

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
    part = part_of(view, plan)
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
    return (
        f"{_heading(plan, part, view)}{articles or '<p>Nothing here is undecided.</p>'}"
        f"{_pages(part, view)}"
    )


def _heading(plan: OpenPlan, part: ShownPart, view: PageView) -> str:
    if view.file and not view.q:
        return _file_heading(view.file, part)
    if not part.key:
        return f"<h2>{number(part.total, 'edit')} with {html_line(view.q)!r}</h2>"
    group = plan.groups[part.key]
    choices = (("accept", "Accept"), ("reject", "Reject"), ("", "Undecide"))
    buttons = "".join(
        f'<button type="button" data-all="{choice}">{word} all {len(group.edits):,}</button>'
        for choice, word in choices
        if len(group.edits) > 1
    )
    return (
        f'<h2 data-key="{part.key}">{group_label(group)}</h2>'
        f'<p class="quiet">{_shown(group, part)}</p><div class="row">{buttons}</div>'
        f'<p id="sample" role="status">{html(plan.sampled(part.key))}</p>'
    )


def _file_heading(path: str, part: ShownPart) -> str:
    name = html_line(path)
    buttons = "".join(
        f'<button type="button" data-all="{choice}">{word} all on this page</button>'
        for choice, word in (("accept", "Accept"), ("reject", "Reject"), ("", "Undecide"))
        if len(part.edits) > 1
    )
    return (
        f'<h2 data-path="{name}"><code>{name}</code></h2>'
        f'<p class="quiet">{number(part.total, "edit")} from the top of the file.</p>'
        f'<div class="row">{buttons}</div>'
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
    title = plan.titles.get(edit_id, f"{each.path}:{each.edit.shown_line}")
    place = html_line(title)
    code = code_of(each, lines, view.split)
    comment = _comment(edit_id, place, plan.review.own(edit_id).comment)
    return (
        f'<article tabindex="-1" id="e{edit_id}" data-id="{edit_id}" aria-labelledby="p{edit_id}"'
        f' data-choice="{decision.choice or ""}"><div class="row">'
        f'<button type="button" data-fold aria-expanded="true" aria-label="Fold {place}">▾</button>'
        f'<h3 id="p{edit_id}"><code>{place}</code></h3>{_MORE if code else ""}'
        f"{_buttons(plan, edit_id)}</div>"
        f"{reasons(each)}{code}{comment}</article>"
    )


def code_of(each: OrderedEdit, lines: Sequence[ExcerptLine], split: bool) -> str:
    """The lines of one edit; nothing for a file that only moves."""
    if is_empty(each.edit):
        return ""
    return (side_by_side if split else unified)(each.path, lines)


def _buttons(plan: OpenPlan, edit_id: str) -> str:
    tie = plan.review.tie(edit_id)
    if tie is not None:
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


def _pages(part: ShownPart, view: PageView) -> str:
    if part.pages == 1:
        return ""
    return f'<p class="row">{" ".join(_page_links(part, view))}</p>'


def _page_links(part: ShownPart, view: PageView) -> Iterator[str]:
    for step, word in ((-1, "Before"), (1, "Next")):
        page = part.page + step
        if 1 <= page <= part.pages:
            address = html(view.address(group=part.key, page=page))
            yield f'<a rel="{"next" if step > 0 else "prev"}" href="{address}">{word}</a>'
    yield f"<span>Page {part.page} of {part.pages}</span>"
