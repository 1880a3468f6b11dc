"""Routes: registrations and the prefixes above them, put together. (spec: locate.md section 5)"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from astedit.locating.frameworks.spring_settings import context_path
from astedit.locating.frameworks.web_facts import NOWHERE, Mounted, Registration, Router, Span
from astedit.locating.identifier import Identifier
from astedit.locating.inventory.inventory import Tree
from astedit.locating.inventory.source_roots import service
from astedit.locating.result import NodeRef
from astedit.locating.routers import Linked
from astedit.locating.urls import joined, loose, normal

_DEPTH = 10  # routers within routers; a cycle of them ends at the first repetition
_VISITS = 500  # routers looked at for one registration: they may include one another
_MOST = 64  # full paths of one registration whose routers are mounted again and again


@dataclass(frozen=True, slots=True)
class Prefix:
    """One literal that the paths below it begin with; `text` is None if it is no literal."""

    text: str | None
    path: str
    span: Span
    line: int
    made: str


@dataclass(slots=True)
class Route:
    """One registration with all its full paths: `chains` are the prefixes of each."""

    node: NodeRef
    registration: Registration
    chains: list[tuple[Prefix, ...]]
    templates: list[str] = field(default_factory=list)


def routes(tree: Tree, linked: Linked) -> list[Route]:
    """Every route of the tree, by path and in source order."""
    found: list[Route] = []
    for path in sorted(linked.facts):
        seen: Counter[str] = Counter()
        for one in linked.facts[path].registrations:
            route = _route(tree, linked, path, one)
            if route is not None:
                seen[route.node.id] += 1
                if seen[route.node.id] > 1:
                    route.node.id += f"@{seen[route.node.id]}"
                found.append(route)
    return found


def _route(tree: Tree, linked: Linked, path: str, one: Registration) -> Route | None:
    locals_ = [text for text in one.paths if text is not None]
    if not locals_ or not _is_path(one, locals_):
        return None
    outer = _above(linked, path, one.owner, frozenset(), [_VISITS]) or [()]
    inner = list(_inner(tree, path, one))
    chains = [(*above, *below) for above in outer for below in inner]
    known = [chain for chain in chains if all(prefix.text is not None for prefix in chain)]
    unknown = not known or None in one.paths
    templates = [
        joined(*(prefix.text or "" for prefix in chain), text)
        for chain in known
        for text in locals_
    ] or [joined(text) for text in locals_]
    methods = ",".join(one.methods) or "ANY"
    anchor = one.handler or one.owner or "<route>"
    root = tree.roots.of(path)
    node = NodeRef(
        id=f"route:{path}::{anchor}::{methods} {templates[0]}",
        kind="route",
        name=f"{methods} {templates[0]}",
        path=path,
        start_line=one.line,
        language=linked.languages[path],
        root=root,
        region=one.region,
        methods=list(one.methods),
        template=templates[0],
        framework=one.framework,
        handler=one.handler or None,
        prefix_unknown=unknown,
        span=one.span,
        body=one.body,
        literal=one.literals[0] if one.paths[0] is not None else NOWHERE,
        sha256=linked.hashes[path],
    )
    return Route(node, one, known or chains, templates)


def _inner(tree: Tree, path: str, one: Registration) -> Iterator[tuple[Prefix, ...]]:
    """What the code around a registration says before its own path: one chain or several."""
    context = _context(tree, path, one)
    made = "RequestMapping" if one.framework == "spring" else "Mount"
    given = zip(one.enclosed, one.enclosed_at, strict=True)
    yield (*context, *(Prefix(text, path, where, one.line, made) for text, where in given))
    for text, where in one.others:
        yield (*context, *([Prefix(text, path, where, one.line, made)] if text != "" else ()))


def _context(tree: Tree, path: str, one: Registration) -> tuple[Prefix, ...]:
    found = context_path(tree, path) if one.framework == "spring" else None
    if found is None:
        return ()
    text, settings, line = found
    return (Prefix(text, settings, NOWHERE, line, "context path"),)


def _is_path(one: Registration, texts: list[str]) -> bool:
    """Django's paths have no slash at their head; elsewhere only an empty one has none."""
    if one.framework.startswith("django") or one.framework == "spring":
        return True
    return all(text == "" or text.startswith(("/", "*")) for text in texts)


def _above(
    linked: Linked, path: str, owner: str, seen: frozenset[tuple[str, str]], left: list[int]
) -> list[tuple[Prefix, ...]]:
    """The chains of prefixes above what is registered on `owner`, the outermost first.

    `left` counts the visits that may still be made, one number for all of them.
    """
    path, owner = linked.router(path, owner) or (path, owner)
    left[0] -= 1
    if (path, owner) in seen or len(seen) > _DEPTH or left[0] < 0:
        return []
    seen = seen | {(path, owner)}
    known = linked.facts[path].routers if path in linked.facts else ()
    router = next((one for one in known if one.name == owner), None)
    own = _own(path, router)
    chains: list[tuple[Prefix, ...]] = []
    for parent_path, mount in linked.mounts_of(path, owner):
        given = Prefix(mount.prefix, parent_path, mount.literal, mount.line, mount.made)
        here = () if mount.replaces else own
        between = (given,) if mount.prefix != "" else ()
        for outer in _above(linked, parent_path, mount.owner, seen, left) or [()]:
            chains += [(*outer, *between, *here)]
    return (chains or [own])[:_MOST]


def _own(path: str, router: Router | None) -> tuple[Prefix, ...]:
    if router is None or router.prefix == "":
        return ()
    return (Prefix(router.prefix, path, router.literal, router.line, router.made),)


def matching(found: list[Route], parsed: Identifier, workspace: str) -> Iterator[tuple[Route, int]]:
    """The routes that a path means, with how much of it is stored text."""
    assert parsed.path is not None
    wanted = {parsed.path, normal(parsed.path)}
    for route in found:
        if not _method_fits(route, parsed) or not _service_fits(route, parsed, workspace):
            continue
        if any(text in wanted or normal(text) in wanted for text in route.templates):
            yield route, len(parsed.path)


def _method_fits(route: Route, parsed: Identifier) -> bool:
    methods = route.registration.methods
    return parsed.method is None or not methods or parsed.method in methods


def _service_fits(route: Route, parsed: Identifier, workspace: str) -> bool:
    return parsed.service is None or service(route.node.root, workspace) == parsed.service


def near(found: list[Route], parsed: Identifier) -> list[str]:
    """Templates that differ from the path asked for in names, case or a last slash."""
    assert parsed.path is not None
    wanted = loose(parsed.path)
    texts = {text for route in found for text in route.templates if loose(text) == wanted}
    return sorted(texts | {normal(text) for text in texts})


def mounts_named(linked: Linked) -> Iterator[tuple[str, Mounted]]:
    """Every mount with the file it is in."""
    for path, facts in linked.facts.items():
        yield from ((path, one) for one in facts.mounts)
