"""What one file says about routes and clients, before files are put together.

These records cross to other processes, and into the index, as `workers.plain` writes them.
Nobody compares or prints these records: writing `__eq__` and `__repr__` for them would take
as long as importing half of the module.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from astedit.text.source import ByteRange

NOWHERE: ByteRange = (0, 0)


class PathText(NamedTuple):
    """A path as it is written: its text, None if that is no literal, and where it stands."""

    text: str | None
    place: ByteRange


NO_TEXT = PathText(None, NOWHERE)  # something that is no literal
EMPTY = PathText("", NOWHERE)  # no path is written at all


class ImportedName(NamedTuple):
    """One import: the name `local` stands for `name` of `module`, or for all of it.

    `import a.b as c` is ("c", 0, "a.b", ""), `import a.b` ("a", 0, "a", ""), and
    `from ..m import n` ("n", 2, "m", "n"): `dots` are those before a relative module. What
    a JavaScript file exports by default is an import of the local name "default".
    """

    local: str
    dots: int
    module: str
    name: str


@dataclass(slots=True, eq=False, repr=False)
class Registration:
    """A path handed to a framework. `owner` is the router or application it is handed to.

    `paths` are the local paths as written. `region` says that the handler stands here:
    `span` and `body` are its bytes then, and those of the call otherwise. `enclosed` are
    prefixes from the very expression around it, which `enclosed_by` writes, and `others`
    those that may stand instead of them, one at a time. A `relative` path needs no slash
    at its head; `is_regex` says that the path is a regular expression.
    """

    owner: str
    framework: str
    methods: tuple[str, ...]
    paths: tuple[PathText, ...]
    handler: str
    line: int
    span: ByteRange
    body: ByteRange
    region: bool = False
    enclosed: tuple[PathText, ...] = ()
    others: tuple[PathText, ...] = ()
    enclosed_by: str = ""
    parameters: tuple[str, ...] = ()
    relative: bool = False
    is_regex: bool = False


@dataclass(slots=True, eq=False, repr=False)
class Router:
    """A variable that routes are registered on, with the prefix it was made with."""

    name: str
    framework: str
    prefix: PathText
    line: int
    maker: str = ""


@dataclass(slots=True, eq=False, repr=False)
class Mount:
    """`child` (an expression such as `users.router`) put below `prefix` of `owner`.

    A child that begins with `'` is the name of a module or file. `replaces` says that the
    prefix stands instead of the child's own, as in Flask.
    """

    owner: str
    child: str
    prefix: PathText
    line: int
    replaces: bool = False
    maker: str = "include"


class ClientObject(NamedTuple):
    """What requests are sent with; `base` is the URL it was made with."""

    library: str
    base: str | None


@dataclass(slots=True, eq=False, repr=False)
class ClientCall:
    """One call of a client: `url` with its holes as `{expr}`, and the `base` it is below."""

    library: str
    method: str
    url: str
    base: str | None
    target: str | None
    enclosing: str
    line: int
    literal: ByteRange
    span: ByteRange


@dataclass(slots=True, eq=False, repr=False)
class WebFacts:
    """All that one file says about routes and clients."""

    registrations: list[Registration] = field(default_factory=list)
    routers: list[Router] = field(default_factory=list)
    mounts: list[Mount] = field(default_factory=list)
    calls: list[ClientCall] = field(default_factory=list)
    imports: list[ImportedName] = field(default_factory=list)

    def router(self, name: str) -> Router | None:
        """The first router that the file makes by this name."""
        return next((router for router in self.routers if router.name == name), None)
