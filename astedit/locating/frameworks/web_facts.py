"""What one file says about routes and clients, before files are put together."""

import functools
from dataclasses import dataclass, field, fields
from typing import Any

from tree_sitter import Node, Query, QueryCursor

from astedit.language import load, named
from astedit.locating.frameworks.web_marks import FAMILY
from astedit.text.source import Source

Span = tuple[int, int]
NOWHERE: Span = (0, 0)
_LONGEST = 8_192  # bytes


@dataclass(slots=True)
class Registration:
    """A path handed to a framework. `owner` is the router or application it is handed to.

    `paths` are the local paths as written, None where one is not a literal; `literals`
    where they stand. `enclosed` are prefixes from the very expression around it, `others`
    those that may stand instead of them, one at a time.
    """

    owner: str
    framework: str
    methods: tuple[str, ...]
    paths: tuple[str | None, ...]
    literals: tuple[Span, ...]
    handler: str
    line: int
    span: Span
    body: Span
    region: bool
    enclosed: tuple[str | None, ...] = ()
    enclosed_at: tuple[Span, ...] = ()
    parameters: tuple[str, ...] = ()
    others: tuple[tuple[str | None, Span], ...] = ()


@dataclass(slots=True)
class Router:
    """A variable that routes are registered on, with the prefix it was made with."""

    name: str
    framework: str
    prefix: str | None
    literal: Span
    line: int
    made: str = ""


@dataclass(slots=True)
class Mounted:
    """`child` (an expression such as `users.router`) put below `prefix` of `owner`.

    `replaces`: the prefix stands instead of the child's own, as in Flask.
    """

    owner: str
    child: str
    prefix: str | None
    literal: Span
    line: int
    replaces: bool = False
    made: str = "include"


@dataclass(slots=True)
class Call:
    """One call of a client: `url` with its holes as `{expr}`, and the `base` it is below."""

    library: str
    method: str
    url: str
    base: str | None
    target: str | None
    enclosing: str
    line: int
    literal: Span
    span: Span
    is_test: bool = False


@dataclass(slots=True)
class WebFacts:
    """All of one file. `imports` are as `imports.imported` gives them."""

    registrations: list[Registration] = field(default_factory=list)
    routers: list[Router] = field(default_factory=list)
    mounts: list[Mounted] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    imports: list[tuple[str, int, str, str]] = field(default_factory=list)

    def plain(self) -> tuple[Any, ...]:
        """As plain data, for another process."""
        rows = (self.registrations, self.routers, self.mounts, self.calls)
        return (*([_row(one) for one in each] for each in rows), list(self.imports))

    @classmethod
    def restored(cls, data: tuple[Any, ...]) -> "WebFacts":
        """The facts again."""
        kinds = (Registration, Router, Mounted, Call)
        rows = [[kind(*row) for row in each] for kind, each in zip(kinds, data, strict=False)]
        return cls(*rows, imports=[tuple(one) for one in data[4]])  # type: ignore[misc]


def _row(one: Any) -> tuple[Any, ...]:
    return tuple(getattr(one, each.name) for each in fields(one))


def web_facts(root: Node, source: Source, language: str) -> tuple[Any, ...]:
    """What a parsed file says, as plain data."""
    family = FAMILY.get(language, language)
    if family == "python":
        from astedit.locating.frameworks import python_web

        return python_web.read(root, source.text).plain()
    if family == "javascript":
        from astedit.locating.frameworks import javascript_web

        return javascript_web.read(root, language).plain()
    if family == "java":
        from astedit.locating.frameworks import java_web

        return java_web.read(root).plain()
    return WebFacts().plain()


def text_of(node: Node | None) -> str:
    """A node's text; "" for none, and for what is longer than any name or path."""
    if node is None or is_long(node) or node.text is None:
        return ""
    return node.text.decode("utf-8", "replace")


def is_long(node: Node) -> bool:
    """Whether a node is longer than names and paths are: copying them all would take hours."""
    return node.end_byte - node.start_byte > _LONGEST


def nodes_of(root: Node, language: str, kinds: tuple[str, ...]) -> list[Node]:
    """All nodes of these kinds, in source order, the outer one first."""
    cursor = QueryCursor(_query(language, kinds))
    found = cursor.captures(root).get("it", [])
    return sorted(found, key=lambda node: (node.start_byte, -node.end_byte))


@functools.cache
def _query(language: str, kinds: tuple[str, ...]) -> Query:
    row = named(language)
    assert row is not None, language
    return Query(load(row).language, f"[{' '.join(f'({kind})' for kind in kinds)}] @it")
