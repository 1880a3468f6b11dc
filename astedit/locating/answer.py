"""`locate`: from an identifier to the envelope. (spec: locate.md sections 1 and 7)"""

from collections.abc import Iterable

from astedit.errors import RequestError
from astedit.limits import Deadline
from astedit.locating import symbols
from astedit.locating.identifier import Identifier, Malformed, known_kind, parse
from astedit.locating.inventory.inventory import Found, Progress, Tree
from astedit.locating.not_found import explained
from astedit.locating.result import CAP, KINDS, TIER, Candidate, LocateResult, NodeRef
from astedit.workspace.root import Workspace

_NAMED = 5  # skipped files that a message names


def find(
    workspace: Workspace,
    identifier: object,
    hint_kind: str | None = None,
    *,
    deadline: Deadline | None = None,
    progress: Progress | None = None,
    state: str | None = None,
) -> LocateResult:
    """Which node of the tree, as it is on disk, the identifier names; see `find_in`."""
    return find_in(Tree(workspace, deadline, progress, state=state), identifier, hint_kind)


def find_in(tree: Tree, identifier: object, hint_kind: str | None = None) -> LocateResult:
    """Which node of a tree the identifier names. Trouble with files is in the message.

    Raises `RequestError` for an unknown kind and what the tree's deadline raises; an
    internal failure is an exception too, never an envelope.
    """
    if not known_kind(hint_kind):
        raise RequestError(f"Unknown kind {hint_kind!r}.", hint=f"One of: {', '.join(KINDS)}.")
    try:
        parsed = parse(identifier)
    except Malformed as error:
        return LocateResult(False, "none", message=str(error))
    candidates, found = _candidates(tree, parsed, hint_kind)
    return _envelope(tree, parsed, hint_kind, _ranked(candidates), found)


def _candidates(
    tree: Tree, parsed: Identifier, hint_kind: str | None
) -> tuple[list[Candidate], Found]:
    """All candidates of every kind whose shape the identifier has, and what was skipped."""
    kinds = [k for k in KINDS if hint_kind in (None, k) and parsed.asks_for(k)]
    candidates: list[Candidate] = []
    everything = Found()

    def add(answer: tuple[list[Candidate], Found]) -> None:
        candidates.extend(answer[0])
        everything.skipped |= answer[1].skipped
        everything.broken += answer[1].broken

    if "symbol" in kinds and parsed.id_kind == "symbol":
        add(symbols.by_id(tree, parsed))
    if "symbol" in kinds and parsed.name:
        add(symbols.by_name(tree, parsed))
    if {"route", "client"} & set(kinds):
        from astedit.locating import web

        add(web.candidates(tree, parsed, kinds))
    return candidates, everything


def _ranked(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Each node once, with its best reason, in order: tier, longer match, id."""
    best: dict[str, Candidate] = {}
    for one in sorted(candidates, key=_order):
        best.setdefault(one.node.id, one)
    return list(best.values())


def _order(one: Candidate) -> tuple[int, float, str]:
    return TIER[one.reason], -one.score, one.node.id


def _envelope(
    tree: Tree, parsed: Identifier, hint: str | None, ranked: list[Candidate], found: Found
) -> LocateResult:
    doubt = _doubt(found)
    if not ranked:
        return LocateResult(True, "none", message=explained(tree, parsed, hint) + doubt)
    if len(ranked) == 1:
        return LocateResult(True, "one", node=ranked[0].node, message=doubt.strip() or None)
    kinds = sorted({one.node.kind for one in ranked})
    text = f"{parsed.text!r} may mean several nodes ({', '.join(kinds)}); name one by its id."
    return LocateResult(True, "many", candidates=ranked[:CAP], message=text + doubt)


def _doubt(found: Found) -> str:
    """What was not looked into though it holds the text that was asked for."""
    said = ""
    if found.skipped:
        listed = sorted(found.skipped)
        reasons = [f"{path} ({found.skipped[path]})" for path in listed[:_NAMED]]
        said += f" Skipped {_files(len(listed))} that may hold it: {_some(reasons, len(listed))}."
    if found.broken:
        listed = sorted(set(found.broken))
        said += f" Not all of {_some(listed[:_NAMED], len(listed))} could be parsed."
    return said


def _files(count: int) -> str:
    return f"{count} file{'' if count == 1 else 's'}"


def _some(shown: list[str], count: int) -> str:
    more = f" and {count - len(shown)} more" if count > len(shown) else ""
    return ", ".join(shown) + more


def only(result: LocateResult) -> NodeRef | None:
    """The one node, if the answer is one."""
    return result.node if result.success and result.status == "one" else None
