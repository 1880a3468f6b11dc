"""A group of edits on a page: what it is called, and why an edit stands among the outliers."""

from astedit.page.left_out import cut
from astedit.review.order import OrderedEdit, ReviewGroup
from astedit.text.html import html, html_line

OUTLIERS = "outliers"
_LABEL = 160  # characters


def group_key(group: ReviewGroup) -> str:
    """What a group is called in an address."""
    return OUTLIERS if group.number is None else f"shape-{group.number}"


def group_label(group: ReviewGroup, most: int = _LABEL) -> str:
    """`shape:3` and what is alike in it."""
    if group.shape is None:
        return group.label
    return f"shape:{group.number} <code>{html_line(cut(group.shape.label, most))}</code>"


def reasons(each: OrderedEdit) -> str:
    """Why an edit is shown before others; nothing for most."""
    why = "; ".join(map(html, each.why))
    return f'<p class="warn">{why} (shape:{each.shape})</p>' if why else ""
