"""What of a plan a page shows, as its address says: which group, which part of it, and how."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple, Self
from urllib.parse import urlencode

from astedit.review.order import OrderedEdit
from astedit.web.open_plan import OpenPlan, matches

EACH = 60  # edits of a page: the first of a shape and a sample of 59


@dataclass(frozen=True, slots=True)
class PageView:
    """A page of a group, of a file, or of all edits in which a text is found.

    `split` puts before and after side by side; `open` leaves out what is decided.
    """

    group: str = ""
    file: str = ""
    page: int = 1
    split: bool = False
    open: bool = False
    q: str = ""

    @classmethod
    def of(cls, query: Mapping[str, str]) -> Self:
        """Reads the address; what means nothing is left aside."""
        page = query.get("page", "")
        return cls(
            query.get("group", "")[:40],
            query.get("file", "")[:4096],
            int(page) if page.isascii() and page.isdigit() and len(page) < 7 else 1,
            query.get("split") == "1",
            query.get("open") == "1",
            query.get("q", "")[:200],
        )

    def address(self, **changes: Any) -> str:
        """The address of this view, or of one that differs in something."""
        fields = asdict(replace(self, **changes))
        words = {name: int(v) if isinstance(v, bool) else v for name, v in fields.items() if v}
        return "./?" + urlencode(words, errors="surrogateescape")


class ShownPart(NamedTuple):
    """What a view shows: the group, if it is one, its edits that fit, and which part of them."""

    key: str
    edits: Sequence[OrderedEdit]
    page: int
    pages: int
    total: int


def part_of(view: PageView, plan: OpenPlan) -> ShownPart:
    """The edits of a page; without a group that exists, of the first one."""
    key = view.group if view.group in plan.groups else next(iter(plan.groups))
    if view.q:
        every = [each for group in plan.groups.values() for each in group.edits]
        every = [each for each in every if matches(each.edit, each.path, view.q)]
        key = ""
    elif view.file:
        every = plan.edits_in(view.file)
        key = ""
    else:
        every = list(plan.groups[key].edits)
    if view.open:
        review = plan.review
        every = [each for each in every if review.decision(each.edit.id).choice is None]
    pages = max(1, -(-len(every) // EACH))
    page = min(max(view.page, 1), pages)
    return ShownPart(key, every[(page - 1) * EACH : page * EACH], page, pages, len(every))
