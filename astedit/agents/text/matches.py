"""Matches as text for a model: how many, where, and the lines themselves as far as they fit."""

from collections import Counter
from collections.abc import Iterator

from astedit.agents.text.budget import LIMIT, Budget, fitted, for_agents, name, quoted
from astedit.agents.text.plan import QUOTED, hints, skipped
from astedit.locating.result import LocateResult, NodeRef
from astedit.model.plan import SearchResult
from astedit.text.count_phrases import number
from resolve.visible import one_line

_FILES = 800  # weight of the files' counts, where not every match can be shown
_LINES = 5  # of one match


def search_text(result: SearchResult, limit: int = LIMIT) -> str:
    """The text for a model, its weight at most `limit`; totals first."""
    budget = Budget(limit - 60)
    lines = budget.first(_head(result))
    shown, complete = _matches(budget, result, _FILES)
    if not complete:
        counts = list(Counter(match.file for match in result.matches).items())
        lines += fitted("Matches by file:", counts, budget, _FILES)
    lines += shown
    if not complete:
        lines.append("Not every match is shown: narrow the pattern or `paths`.")
    return "\n".join(lines) + "\n"


def _head(result: SearchResult) -> Iterator[str]:
    searched = number(result.files_searched, "file") + " searched"
    count = len(result.matches)
    if count:
        files = number(len({match.file for match in result.matches}), "file")
        most = "At least " if result.limit_reached else ""
        yield f"{most}{number(count, 'match', 'matches')} in {files} ({searched})."
    else:
        yield f"Nothing found ({searched})."
    if result.limit_reached:
        yield "The limit was reached: there are more."
    yield from skipped(result.skipped)
    yield from hints(result.hints)
    if count:
        yield QUOTED


def _matches(budget: Budget, result: SearchResult, kept: int) -> tuple[list[str], bool]:
    """The lines of the matches while they fit; `kept` is for the counts if they do not."""
    lines: list[str] = []
    for match in result.matches:
        start = match.range["start"]
        head = f"{name(match.file)}:{start['line'] + 1}:{start['column'] + 1}"
        body = list(quoted(match.lines))
        more = ["|…"] if len(body) > _LINES else []
        block = [head, *body[:_LINES], *more]
        if sum(map(len, block)) and not _room(budget, block, kept):
            return lines, False
        lines += block
    return lines, True


def _room(budget: Budget, block: list[str], kept: int) -> bool:
    budget.left -= kept
    fits = budget.fits(block)
    budget.left += kept
    return fits


def located_text(result: LocateResult) -> str:
    """One line and an id a node; with several or none the sentence that says so comes first."""
    lines = [for_agents(one_line(result.message))] if result.message else []
    if not result.success:
        lines.append("next: Call locate with a name such as Cart.total, or GET /users/{id}.")
    if result.node is not None:
        lines += _node(result.node)
    for candidate in result.candidates:
        lines += _node(candidate.node, f" ({candidate.reason})")
    return "\n".join(lines) + "\n"


def _node(node: NodeRef, reason: str = "") -> Iterator[str]:
    described = (
        f"{node.symbol_kind} {node.fqn}" if node.kind == "symbol" else f"{node.kind} {node.name}"
    )
    yield f"{name(node.path)}:{node.start_line}: {one_line(described)}{reason}"
    yield f"  id: {one_line(node.id)}"
