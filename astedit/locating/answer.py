"""`locate`: from an identifier to the answer, a definition, the region of a request."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from astedit.engine.run_context import Run
from astedit.errors import PreconditionError, RequestError
from astedit.locating import symbols
from astedit.locating.identifier import Identifier, Malformed, parse
from astedit.locating.inventory.inventory import Inventory, Look
from astedit.locating.result import (
    CAP,
    KINDS,
    TIER,
    Candidate,
    LocateResult,
    MeantNodes,
    NodeRef,
    NotLocated,
)
from astedit.model.request import EditRequest, Region
from astedit.text import first_names, number
from astedit.workspace.root import Workspace

_FALLBACK = "`astedit search -p …` finds code by its structure."


def explained(inventory: Inventory, parsed: Identifier, hint: str | None) -> str:
    """The message of an answer that names nothing."""
    if parsed.wildcard and parsed.id is None:
        wildcard = f"the wildcard `{parsed.wildcard}`"
        return f"{parsed.text!r} has {wildcard}, and a name has none. {_FALLBACK}"
    shapes = [kind for kind in KINDS if parsed.asks_for(kind)]
    if not shapes:
        return f"{parsed.text!r} is not the name of a symbol, route or client. {_FALLBACK}"
    if hint is not None and hint not in shapes:
        return f"{parsed.text!r} does not have the shape of a {hint}. {_FALLBACK}"
    kinds = [hint] if hint else shapes
    parts = [f"No {' or '.join(kinds)} is named {parsed.text!r}."]
    if "symbol" in kinds and parsed.name:
        if advice := symbols.reexported(inventory, parsed.name):
            return f"{parts[0]} {advice}"
        if unread := inventory.unread_languages():
            parts.append(f"There is no symbol query for {', '.join(unread)}.")
    if "route" in kinds and parsed.path:
        from astedit.locating.web import near_misses

        if near := near_misses(inventory, parsed):
            parts.append(near)
    return " ".join([*parts, _FALLBACK])


_NAMED = 5  # skipped files that a message names


def find_in(inventory: Inventory, identifier: object, hint_kind: str | None = None) -> LocateResult:
    """Which node of a tree the identifier names. Trouble with files is in the message.

    Raises `RequestError` for an unknown kind and what the tree's deadline raises; an
    internal failure is an exception too, never an answer.
    """
    if hint_kind not in (None, *KINDS):
        raise RequestError(f"Unknown kind {hint_kind!r}.", hint=f"One of: {', '.join(KINDS)}.")
    try:
        parsed = parse(identifier)
    except Malformed as error:
        return LocateResult(False, "none", message=str(error))
    return _result(inventory, parsed, hint_kind, _candidates(inventory, parsed, hint_kind))


def _candidates(inventory: Inventory, parsed: Identifier, hint_kind: str | None) -> MeantNodes:
    """All candidates of every kind whose shape the identifier has, and what was skipped."""
    kinds = [kind for kind in KINDS if hint_kind in (None, kind) and parsed.asks_for(kind)]
    parts: list[MeantNodes] = []
    if "symbol" in kinds and parsed.id_kind == "symbol":
        parts.append(symbols.by_id(inventory, parsed))
    if "symbol" in kinds and parsed.name:
        parts.append(symbols.by_name(inventory, parsed))
    if {"route", "client"} & set(kinds):
        from astedit.locating import web

        parts.append(web.candidates(inventory, parsed, kinds))
    look = Look()
    for part in parts:
        look.skipped |= part.look.skipped
        look.broken += part.look.broken
    return MeantNodes([node for part in parts for node in part.nodes], look)


def _ranked(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Each node once, with its best reason, in order: tier, longer match, id."""
    best: dict[str, Candidate] = {}
    for candidate in sorted(candidates, key=lambda c: (TIER[c.reason], -c.score, c.node.id)):
        best.setdefault(candidate.node.id, candidate)
    return list(best.values())


def _result(
    inventory: Inventory, parsed: Identifier, hint: str | None, candidates: MeantNodes
) -> LocateResult:
    doubt, ranked = _doubt(candidates.look), _ranked(candidates.nodes)
    if not ranked:
        return LocateResult(True, "none", message=explained(inventory, parsed, hint) + doubt)
    if len(ranked) == 1:
        return LocateResult(True, "one", node=ranked[0].node, message=doubt.strip() or None)
    kinds = sorted({candidate.node.kind for candidate in ranked})
    text = f"{parsed.text!r} may mean several nodes ({', '.join(kinds)}); name one by its id."
    return LocateResult(True, "many", candidates=ranked[:CAP], message=text + doubt)


def _doubt(look: Look) -> str:
    """What was not looked into though it holds the text that was asked for."""
    text = ""
    if look.skipped:
        reasons = [f"{path} ({look.skipped[path]})" for path in sorted(look.skipped)]
        files = number(len(reasons), "file")
        text += f" Skipped {files} that may hold it: {first_names(reasons, _NAMED)}."
    if look.broken:
        text += f" Not all of {first_names(sorted(set(look.broken)), _NAMED)} could be parsed."
    return text


def aim(request: EditRequest, workspace: Workspace, run: Run) -> None:
    """Puts the region of the request's `within` in the place of the name, for good.

    Nothing asks for the name again: a rerun has the node's bytes and its file's hash. Only
    that file is searched then. Raises `NotLocated` for a name of several nodes or of none,
    `RequestError` for a malformed one, and what the deadline's `check` raises.
    """
    assert request.within is not None
    inventory = Inventory(
        workspace, run.deadline, state=run.state, config=run.config, encoding=request.encoding
    )
    node = the_one(find_in(inventory, request.within))
    if not node.region:
        raise PreconditionError(
            f"{node.id} is no one place in the code that could be rewritten by itself.",
            code="no_region",
            hint="Name the class, function or single assignment around it.",
        )
    if not any(path in (".", node.path) or node.path.startswith(f"{path}/")
               for path in request.paths):  # fmt: skip
        raise PreconditionError(
            f"{node.id} lies outside the paths that were named.", code="not_found", path=node.path
        )
    start, end = node.body if request.body_only else node.span
    request.regions = [Region(node.id, node.path, node.sha256, start, end)]
    request.paths = [node.path]
    request.within, request.body_only = None, False


def the_one(result: LocateResult) -> NodeRef:
    """The node of an answer that names one; raises for every other answer."""
    if not result.success:
        raise RequestError(result.message or "", code="bad_identifier")
    if result.node is None:
        raise NotLocated(result)
    return result.node


_SCOPED = ("python", "javascript", "typescript", "tsx")  # where a name is one in its scope


class LocatedDefinition(NamedTuple):
    """A located definition, and its name within its module (`OrderService.create`).

    Of a parameter, `node` is the function, and the name is that of the parameter within it.
    """

    node: NodeRef
    name: str

    @property
    def arguments(self) -> dict[str, str]:
        """What an operation keeps of it, to be computed again and to know a stale file.

        Its id, path and name, the bytes of the node, and the hash of the file that has them.
        """
        node = self.node
        return {
            "id": f"{node.id.partition('::')[0]}::{self.name}",
            "path": node.path,
            "name": self.name,
            "hash": node.sha256,
            "region": f"{node.span[0]}:{node.span[1]}",
        }


def find_definition(inventory: Inventory, identifier: str) -> LocatedDefinition:
    """The one symbol, or the parameter, that `identifier` names.

    Raises `NotLocated` unless the identifier names one symbol, `RequestError` for a malformed
    one, and `PreconditionError` for what is known to be something else.
    """
    result = find_in(inventory, identifier, "symbol")
    if not result.success:
        raise RequestError(result.message or "", code="bad_identifier")
    node = result.node
    if result.status == "many":
        node = _one_binding([candidate.node for candidate in result.candidates])
    name = node.id.partition("::")[2].partition("@")[0] if node is not None else ""
    if result.status == "none":
        node, name = _parameter(inventory, identifier)
    if node is None:
        reason = symbols.misnamed(inventory, identifier) if result.status == "none" else None
        raise reason or NotLocated(result)
    return LocatedDefinition(node, name)


def _one_binding(nodes: Sequence[NodeRef]) -> NodeRef | None:
    """The first of several that are one name of one scope: a property and its setter."""
    names = {node.id.partition("@")[0] for node in nodes}
    alike = len(names) == 1 and all(node.language in _SCOPED for node in nodes)
    return nodes[0] if alike else None


def _parameter(inventory: Inventory, identifier: str) -> tuple[NodeRef | None, str]:
    """The function whose parameter an id names, which is no node of its own."""
    path, _, name = identifier.partition("::")
    function, _, last = name.replace(".<locals>", "").rpartition(".")
    if not (function and last.isidentifier()):
        return None, ""
    node = find_in(inventory, f"{path}::{function}", "symbol").node
    is_function = node is not None and node.symbol_kind in ("function", "method")
    return (node, f"{function}.{last}") if is_function else (None, "")
