"""A group of edits on a page: what it is called, and why an edit stands among the outliers."""

from collections.abc import Iterable

from astedit.model.edit import Edit, FilePlan
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


def whole_titles(files: Iterable[FilePlan]) -> dict[str, str]:
    """What is above an edit that stands for a file that comes, goes or moves, by its id."""
    return {
        file.edits[0].id: file.title for file in files if file.operation != "modify" and file.edits
    }


def is_empty(edit: Edit) -> bool:
    """Whether an edit stands for a move alone: there is no line to show."""
    return not (edit.before or edit.after)
