"""What every page of a review has: how far it is, the tabs, the keys, and how it is ended."""

from typing import Literal

from astedit.page.document import document
from astedit.text.count_phrases import number
from astedit.text.html import html, html_line
from astedit.web.open_plan import TYPED, OpenPlan

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
    body = f"{skip}{_bar(plan, tab)}{_dialogs(plan)}{content}"
    return document(plan.label, body, head)


def _bar(plan: OpenPlan, tab: Tab) -> str:
    progress = plan.progress()
    proof = "" if plan.proof is None else f"; {html_line(plan.proof)}"
    return (
        f'<header class="bar"><details class="title"><summary><h1>{html_line(plan.label)}</h1>'
        f'</summary><p class="quiet">id <code>{html_line(plan.id)}</code>, fingerprint '
        f"<code>{html_line(plan.plan.fingerprint)}</code>{proof}{_part(plan)}</p></details>"
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


def _part(plan: OpenPlan) -> str:
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
