"""Routes: registrations and the prefixes above them, put together."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from astedit.locating.frameworks.java import FILES, context_path
from astedit.locating.frameworks.web_facts import NOWHERE, PathText, Registration
from astedit.locating.identifier import Identifier
from astedit.locating.inventory.inventory import Inventory
from astedit.locating.inventory.source_roots import service
from astedit.locating.result import NodeRef, number_ids
from astedit.locating.routers import LinkedFacts, RouterName
from astedit.locating.urls import joined, loose, normal
from astedit.text.source import ByteRange

_DEPTH = 10  # routers within routers; a cycle of them ends at the first repetition
_VISITS = 500  # routers looked at for one registration: they may include one another
_MOST = 64  # full paths of one registration whose routers are mounted again and again


class Prefix(NamedTuple):
    """One literal that the paths below it begin with; `text` is None if it is no literal."""

    text: str | None
    path: str
    span: ByteRange
    line: int
    maker: str


PrefixChain = tuple[Prefix, ...]  # all prefixes above a path, the outermost first


@dataclass(slots=True, eq=False, repr=False)
class Route:
    """One registration with all its full paths: `chains` are the prefixes of each."""

    node: NodeRef
    registration: Registration
    chains: list[PrefixChain]
    templates: list[str] = field(default_factory=list)


def routes(inventory: Inventory, linked: LinkedFacts) -> list[Route]:
    """Every route of the tree, by path and in source order."""
    every = [
        route
        for path in sorted(linked.facts)
        for registration in linked.facts[path].registrations
        if (route := _route(inventory, linked, path, registration)) is not None
    ]
    number_ids(route.node for route in every)
    return every


def _route(
    inventory: Inventory, linked: LinkedFacts, path: str, registration: Registration
) -> Route | None:
    texts = [text.text for text in registration.paths if text.text is not None]
    # a text is a path that has a slash at its head, or is empty, unless it may be relative
    are_paths = all(text == "" or text.startswith(("/", "*")) for text in texts)
    if not texts or not (registration.relative or are_paths):
        return None
    outer = _Above(linked).chains(path, registration.owner) or [()]
    inner = list(_inner(inventory, path, registration))
    chains = [(*above, *below) for above in outer for below in inner]
    whole = [chain for chain in chains if all(prefix.text is not None for prefix in chain)]
    unknown = not whole or len(texts) < len(registration.paths)
    templates = [full(chain, text) for chain in whole for text in texts]
    templates = templates or [joined(text) for text in texts]
    node = _node(inventory, linked, path, registration, templates[0])
    node.prefix_unknown = unknown
    return Route(node, registration, whole or chains, templates)


def full(chain: PrefixChain, text: str) -> str:
    """The full path of a local one below its prefixes."""
    return joined(*(prefix.text or "" for prefix in chain), text)


def _node(
    inventory: Inventory, linked: LinkedFacts, path: str, registration: Registration, template: str
) -> NodeRef:
    methods = ",".join(registration.methods) or "ANY"
    anchor = registration.handler or registration.owner or "<route>"
    first = registration.paths[0]
    return NodeRef(
        id=f"route:{path}::{anchor}::{methods} {template}",
        kind="route",
        name=f"{methods} {template}",
        path=path,
        start_line=registration.line,
        language=linked.files[path].language,
        root=inventory.roots.of(path),
        region=registration.region,
        methods=list(registration.methods),
        template=template,
        framework=registration.framework,
        handler=registration.handler or None,
        span=registration.span,
        body=registration.body,
        literal=first.place if first.text is not None else NOWHERE,
        sha256=linked.files[path].facts.sha256,
    )


def _inner(inventory: Inventory, path: str, registration: Registration) -> Iterator[PrefixChain]:
    """What the code around a registration says before its own path: one chain or several."""
    line, maker = registration.line, registration.enclosed_by

    def prefix(text: PathText) -> Prefix:
        return Prefix(text.text, path, text.place, line, maker)

    context = _context(inventory, path, registration)
    yield (*context, *map(prefix, registration.enclosed))
    for text in registration.others:
        yield (*context, *([prefix(text)] if text.text != "" else ()))


def _context(inventory: Inventory, path: str, registration: Registration) -> PrefixChain:
    """The prefix that settings files add, which Spring alone has."""
    if registration.framework != "spring":
        return ()
    files = inventory.once(_settings)
    context = context_path(inventory.roots.of(path), files, inventory.bytes_of)
    if context is None:
        return ()
    text, file, line = context
    return (Prefix(text, file, NOWHERE, line, "context path"),)


def _settings(inventory: Inventory) -> list[str]:
    """The files that may set a context path."""
    return [path for path in inventory.files if path.rpartition("/")[2] in FILES]


class _Above:
    """The prefixes above one registration; routers that include one another end somewhere."""

    def __init__(self, linked: LinkedFacts) -> None:
        self._linked = linked
        self._visits = _VISITS  # that may still be made, one number for all routers

    def chains(
        self, path: str, owner: str, seen: frozenset[RouterName] = frozenset()
    ) -> list[PrefixChain]:
        """The chains of prefixes above what is registered on `owner`."""
        name = self._linked.router(path, owner) or RouterName(path, owner)
        self._visits -= 1
        if name in seen or len(seen) > _DEPTH or self._visits < 0:
            return []
        own = self._own(name)
        chains: list[PrefixChain] = []
        for parent, mount in self._linked.mounts.get(name, ()):
            text, place = mount.prefix
            prefix = Prefix(text, parent, place, mount.line, mount.maker)
            between = (prefix,) if text != "" else ()
            below = () if mount.replaces else own
            above = self.chains(parent, mount.owner, seen | {name}) or [()]
            chains += [(*outer, *between, *below) for outer in above]
        return (chains or [own])[:_MOST]

    def _own(self, name: RouterName) -> PrefixChain:
        """The prefix that a router was made with."""
        facts = self._linked.facts.get(name.path)
        router = facts.router(name.name) if facts is not None else None
        if router is None or router.prefix.text == "":
            return ()
        text, place = router.prefix
        return (Prefix(text, name.path, place, router.line, router.maker),)


def matching(every: list[Route], parsed: Identifier, workspace: str) -> Iterator[Route]:
    """The routes that a path means."""
    path = parsed.path or ""
    spelling = {path, normal(path)}
    for route in every:
        of_service = parsed.service in (None, service(route.node.root, workspace))
        methods = route.registration.methods
        if not of_service or (parsed.method and methods and parsed.method not in methods):
            continue
        if any(text in spelling or normal(text) in spelling for text in route.templates):
            yield route


def near(every: list[Route], parsed: Identifier) -> list[str]:
    """Templates that differ from the path asked for in names, case or a last slash."""
    assert parsed.path is not None
    spelling = loose(parsed.path)
    texts = {text for route in every for text in route.templates if loose(text) == spelling}
    return sorted(texts | {normal(text) for text in texts})
