"""What comes out: `Plan`, `SearchResult` and what they hold. What goes in is `request`.

Every model is a standard dataclass that pydantic understands: pydantic is imported only
where JSON is validated or a schema is asked for, since importing it costs more than a
whole selective search. Python names are snake_case, JSON names camelCase.

Units, everywhere: `start` and `end` are byte offsets into the file, 0-based and
half-open; `line` and `column` are 1-based and count characters.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple, Self

from astedit.json_model import Model
from astedit.model.edit import FilePlan, LanguageUse, ListedPlace, Near, Shape, Skip, Span, Stats
from astedit.model.request import EditRequest
from astedit.text import number


class PlanOrigin(NamedTuple):
    """The directory that a path led to, and the policy there, when a plan was made.

    `device` tells directories apart only as long as `boot` is the same.
    """

    inode: int
    device: int
    boot: str
    policy: str
    human_paths: tuple[str, ...]

    @classmethod
    def restored(cls, row: Sequence[Any] | None) -> Self | None:
        """Reads a stored one; what an earlier version staged has none."""
        return None if row is None else cls._make([*row[:-1], tuple(row[-1])])


BlockReason = Literal[
    "loss", "breaks_syntax", "changes_structure", "empty_block", "protected", "imports"
]
DisplaceReason = Literal["dropped_by", "inside", "crossing"]


@dataclass(slots=True, eq=False, repr=False)
class Lost(Model):
    """Text that a rewrite would have removed without anyone asking for it."""

    range: Span
    text: str


@dataclass(slots=True, eq=False, repr=False)
class Readings(Model):
    """What code would be read as, and what was meant, with brackets around the piece concerned.

    `capture` is the name of the metavariable that the piece comes from; None if it is all
    of the edit.
    """

    capture: str | None
    read: str
    meant: str


@dataclass(slots=True, eq=False, repr=False)
class Blocked(Model):
    """A match that was found and left out of the plan, with the reason and a way on.

    `text` is the code that stays as it is. `detail` says what exactly is wrong with the
    result: what the parser does not expect, or what binds otherwise. `readings` is there where
    the structure would change.
    """

    path: str
    range: Span | None
    op: int | None
    reason: BlockReason
    lost: list[Lost] = field(default_factory=list)
    hint: str | None = None
    matches: int = 1
    rule_id: str | None = None
    text: str = ""
    detail: str | None = None
    readings: Readings | None = None


@dataclass(slots=True, eq=False, repr=False)
class Displaced(Model):
    """A match whose text another match rewrites; `by` is that one's op, `by_rule` its rule."""

    path: str
    range: Span
    op: int | None
    by: int | None
    reason: DisplaceReason
    rule_id: str | None = None
    by_rule: str | None = None


@dataclass(slots=True, eq=False, repr=False)
class DroppedComment(Model):
    """A comment that goes with code which a rewrite leaves out on purpose."""

    path: str
    range: Span
    op: int | None
    text: str
    rule_id: str | None = None


@dataclass(slots=True, eq=False, repr=False)
class PlanOverlap(Model):
    """Another pending action that touches the same code; the second to be applied is stale.

    `by` is the session that staged it, `since` when. `how` says how close they are: the
    same bytes, one definition, or only one file.
    """

    action_id: str
    by: str
    since: str
    how: Literal["bytes", "definition", "file"]


@dataclass(slots=True, eq=False, repr=False)
class PlanBase(Model):
    """The action that a plan was previewed on top of, and the fingerprint of its plan."""

    action_id: str
    fingerprint: str


@dataclass(slots=True, eq=False, repr=False)
class ParseError(Model):
    """A file that does not parse cleanly: where its first error is."""

    path: str
    line: int
    column: int


@dataclass(slots=True, eq=False, repr=False)
class ParseErrors(Model):
    """At most 20 files that did not parse cleanly, and how many there were."""

    total: int = 0
    shown: list[ParseError] = field(default_factory=list)


@dataclass(slots=True, eq=False, repr=False)
class CommandRun(Model):
    """The command that a plan came from, as it ended; never part of a fingerprint.

    `output` is the end of what it printed. `replay` says what an apply does: `command` runs
    it again and compares, `never` compares the files alone.
    """

    words: list[str]
    exit_code: int
    seconds: float
    output: str
    replay: str


@dataclass(slots=True, eq=False, repr=False)
class Plan(Model):
    """Everything a request would do to a tree, and everything it would not.

    `shapes` groups alike edits; it is made of `files` as they are when it is first read.
    Two plans with equal `fingerprint` change the same bytes of the same content, whatever the
    root. `interpreter` is the Python that was asked whether results compile. `origin` is where
    it was made; it is in no document. `after` is the pending action whose outcome the plan was
    made of, `command` what made the changes, `title` what it does.
    """

    _schema: ClassVar[str | None] = "astedit/plan/1"

    root: str
    request: EditRequest
    files: list[FilePlan] = field(default_factory=list)
    blocked: list[Blocked] = field(default_factory=list)
    displaced: list[Displaced] = field(default_factory=list)
    skipped: list[Skip] = field(default_factory=list)
    parse_errors: ParseErrors = field(default_factory=ParseErrors)
    languages: list[LanguageUse] = field(default_factory=list)
    total_replacements: int = 0
    files_touched: int = 0
    files_searched: int = 0
    applied: bool = False
    limit_reached: bool = False
    incomplete: bool = False
    shapes: list[Shape] = field(default_factory=list)
    stats: Stats = field(default_factory=Stats)
    hints: list[str] = field(default_factory=list)
    near: list[Near] = field(default_factory=list)
    fingerprint: str = ""
    action_id: str | None = None
    notice: str | None = None
    interpreter: str | None = None
    overlaps: list[PlanOverlap] = field(default_factory=list)
    dropped_comments: list[DroppedComment] = field(default_factory=list)
    after: PlanBase | None = None
    command: CommandRun | None = None
    title: str = ""
    listed: list[ListedPlace] = field(default_factory=list)
    origin: PlanOrigin | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        self.title = self.title or self.request.title
        if not self.shapes:
            del self.shapes  # grouped when somebody asks, see `__getattr__`

    def __getattr__(self, name: str) -> Any:
        """Groups the edits on first use of `shapes`: most commands never show them."""
        if name != "shapes":
            raise AttributeError(name)
        from astedit.model.shapes import shapes_of

        self.shapes = shapes_of(self.files, self.request)
        return self.shapes

    def __repr__(self) -> str:
        files = number(self.files_touched, "file")
        counted = f"{number(self.total_replacements, 'replacement')} in {files}"
        blocked = f", {len(self.blocked):,} blocked" if self.blocked else ""
        return f"<Plan {self.action_id or 'not staged'}: {counted}{blocked}>"

    def _repr_html_(self) -> str:
        """What a notebook shows: a table of the kinds of edit, and the diff behind a fold."""
        from astedit.text.html import folded, table

        rows = [
            (f"{shape.count:,}", f"{shape.example.path}:{shape.example.line}", shape.label)
            for shape in self.shapes
        ]
        return table(repr(self), ("edits", "such as", "kind"), rows) + folded("diff", self.diff())

    def diff(self) -> str:
        """The whole plan as one unified diff that `git apply` accepts.

        Bytes that are not UTF-8 are carried as surrogates; `patch()` gives the bytes.
        """
        return self.patch().decode("utf-8", "surrogateescape")

    def patch(self) -> bytes:
        """The diff as the exact bytes for `git apply`."""
        return b"".join(file.hunks for file in self.files)


@dataclass(slots=True, eq=False, repr=False)
class Match(Model):
    """One match, with ast-grep's field names; lines and columns here are 0-based."""

    text: str
    range: dict[str, Any]
    file: str
    lines: str
    language: str
    meta_variables: dict[str, Any]

    def __repr__(self) -> str:
        return f"<Match {self.place}>"

    @property
    def place(self) -> str:
        """`path:line:column`, counted from 1."""
        start = self.range["start"]
        return f"{self.file}:{start['line'] + 1}:{start['column'] + 1}"

    def _repr_html_(self) -> str:
        """What a notebook shows: where it is, and its lines."""
        from astedit.text.html import lines

        return lines(self.place, self.lines)


@dataclass(slots=True, eq=False, repr=False)
class SearchResult(Model):
    """Matches in path order, then in order of position."""

    _schema: ClassVar[str | None] = "astedit/search/1"

    root: str
    matches: list[Match] = field(default_factory=list)
    skipped: list[Skip] = field(default_factory=list)
    hints: list[str] = field(default_factory=list)
    files_searched: int = 0
    languages: list[LanguageUse] = field(default_factory=list)
    limit_reached: bool = False
    stats: Stats = field(default_factory=Stats)
    near: list[Near] = field(default_factory=list)

    def __repr__(self) -> str:
        files = number(len({match.file for match in self.matches}), "file")
        return f"<SearchResult: {number(len(self.matches), 'match', 'matches')} in {files}>"

    def _repr_html_(self) -> str:
        """What a notebook shows: a table of the matches."""
        from astedit.text.html import table

        rows = [(match.place, match.lines) for match in self.matches]
        return table(repr(self), ("where", "code"), rows)


@dataclass(slots=True, eq=False, repr=False)
class Finding(Match):
    """One match of a rule; `message` is filled in, `severity` is the rule's."""

    rule_id: str = ""
    severity: str = ""
    message: str = ""
    note: str | None = None


@dataclass(slots=True, eq=False, repr=False)
class ScanResult(Model):
    """What rules found, in path order, then in order of position."""

    root: str
    findings: list[Finding] = field(default_factory=list)
    skipped: list[Skip] = field(default_factory=list)
    hints: list[str] = field(default_factory=list)
    files_searched: int = 0
    limit_reached: bool = False

    def __repr__(self) -> str:
        files = number(len({finding.file for finding in self.findings}), "file")
        return f"<ScanResult: {number(len(self.findings), 'finding')} in {files}>"

    def _repr_html_(self) -> str:
        """What a notebook shows: a table of the findings."""
        from astedit.text.html import table

        rows = [(each.place, each.rule_id, each.message) for each in self.findings]
        return table(repr(self), ("where", "rule", "message"), rows)


@dataclass(slots=True, eq=False, repr=False)
class Language(Model):
    """One language astedit knows; `problem` says why it cannot be used here, if so."""

    name: str
    aliases: list[str]
    suffixes: list[str]
    provider: str | None
    version: str | None
    problem: str | None = None
