"""What `locate` answers, and the invariants of the answer."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import ClassVar, Literal, NamedTuple, get_args

from astedit.errors import PreconditionError
from astedit.json_model import Model
from astedit.locating.inventory.inventory import Look

NodeKind = Literal["symbol", "route", "client"]
AnswerStatus = Literal["one", "many", "none"]
SymbolKind = Literal["function", "class", "method", "variable", "attribute", "constant"]
MatchReason = Literal[
    "exact_id",
    "exact_fqn",
    "route_method_path",
    "client_target_path",
    "fqn_suffix",
    "route_template",
    "short_name",
    "client_target",
]
KINDS: tuple[str, ...] = get_args(NodeKind)
TIER: dict[str, int] = dict(zip(get_args(MatchReason), (0, 1, 1, 1, 2, 2, 3, 3), strict=True))
CAP = 10  # candidates of an answer; the rest is counted before, and not announced
MALFORMED = "Invalid identifier: "


class BrokenEnvelope(RuntimeError):
    """A bug in `locate`: an answer that contradicts itself. Never shown as `success=false`."""


@dataclass(slots=True, eq=False, repr=False)
class NodeRef(Model):
    """One symbol, route or client in the working tree as it is now.

    `path` is the file; what a client asks for is its `url_path`. `region` says that the
    node has bytes to which a rewrite can be restricted: `span`, or `body` of it, in a file
    whose content has the hash `sha256`. `literal` is the text that `set-path` changes.
    """

    id: str
    kind: NodeKind
    name: str
    path: str
    start_line: int
    language: str
    root: str
    fqn: str | None = None
    symbol_kind: SymbolKind | None = None
    region: bool = False
    renamable: bool = False
    methods: list[str] = field(default_factory=list)
    template: str | None = None
    framework: str | None = None
    handler: str | None = None
    prefix_unknown: bool = False
    target: str | None = None
    target_unresolved: bool = False
    url_path: str | None = None
    library: str | None = None
    enclosing: str | None = None
    span: tuple[int, int] = field(default=(0, 0), repr=False)
    body: tuple[int, int] = field(default=(0, 0), repr=False)
    literal: tuple[int, int] = field(default=(0, 0), repr=False)
    sha256: str = field(default="", repr=False)

    @property
    def described(self) -> str:
        """`method Cart.total`, or `route GET /users/{id}`."""
        symbol = f"{self.symbol_kind} {self.fqn}"
        return symbol if self.kind == "symbol" else f"{self.kind} {self.name}"


def number_ids(nodes: Iterable[NodeRef]) -> None:
    """Adds its number to each id but the first of those that are alike: `@2`."""
    seen: Counter[str] = Counter()
    for node in nodes:
        seen[node.id] += 1
        if seen[node.id] > 1:
            node.id += f"@{seen[node.id]}"


@dataclass(slots=True, eq=False, repr=False)
class Candidate(Model):
    """A node that an identifier may mean. Nobody may branch on `score`."""

    node: NodeRef
    score: float
    reason: MatchReason

    def __post_init__(self) -> None:
        if self.reason not in TIER:
            raise ValueError(f"{self.reason!r} is no reason: {', '.join(TIER)}")


@dataclass(slots=True, eq=False, repr=False)
class LocateResult(Model):
    """The envelope: look at `success` first, at `status` only when that is true.

    Building one that breaks an invariant raises `BrokenEnvelope`.
    """

    _schema: ClassVar[str | None] = "astedit/locate/1"

    success: bool
    status: AnswerStatus
    node: NodeRef | None = None
    candidates: list[Candidate] = field(default_factory=list)
    message: str | None = None

    def __post_init__(self) -> None:
        explained, count = bool(self.message), len(self.candidates)
        holds = {
            "one": self.success and self.node is not None and not count,
            "many": self.success and self.node is None and 2 <= count <= CAP and explained,
            "none": self.node is None and not count and explained,
        }.get(self.status, False)
        if not self.success and not (self.message or "").startswith(MALFORMED):
            holds = False
        if not holds:
            raise BrokenEnvelope(f"{self.status} with {count} candidates: {self.message!r}")


class NotLocated(PreconditionError):
    """An identifier that had to name one node names none or many; `result` is the answer."""

    code = "not_found"

    def __init__(self, result: LocateResult) -> None:
        code = "ambiguous" if result.candidates else "not_found"
        listed = "".join(f"\n  {candidate.node.id}" for candidate in result.candidates)
        hint = "Name one of them by its id." if listed else "`astedit locate` looks a name up."
        super().__init__(f"{result.message}{listed}", hint=hint, code=code)
        self.result = result


class MeantNodes(NamedTuple):
    """Nodes that an identifier may mean, and the look at the tree that showed them."""

    nodes: list[Candidate]
    look: Look
