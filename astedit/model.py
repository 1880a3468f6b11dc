"""What goes in (`EditRequest`) and what comes out (`Plan`, `SearchResult`).

Every model is a standard dataclass that pydantic understands: pydantic is imported only
where JSON is validated or a schema is asked for, since importing it costs more than a
whole selective search. Python names are snake_case, JSON names camelCase.

Units, everywhere: `start` and `end` are byte offsets into the file, 0-based and
half-open; `line` and `column` are 1-based and count characters.
"""

import hashlib
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from astedit.jsonform import Model
from astedit.limits import MAX_FILE_SIZE

Strictness = Literal["cst", "smart", "ast", "relaxed", "signature", "template"]
Overlap = Literal["compose", "error"]
Reindent = Literal["auto", "exact"]
OperationKind = Literal["rename", "set_path", "codemod"]
BlockReason = Literal["loss", "breaks_syntax", "changes_structure", "empty_block", "protected"]
DisplaceReason = Literal["dropped_by", "inside", "crossing"]
SkipReason = Literal[
    "binary",
    "not_utf8",
    "too_large",
    "generated",
    "vendored",
    "symlink",
    "outside_root",
    "unreadable",
    "too_deep",
    "timeout",
    "crashed",
    "out_of_memory",
    "parse_error",
]
STRICTNESS = ("cst", "smart", "ast", "relaxed", "signature", "template")
INCOMPLETE_REASONS = frozenset({"timeout", "crashed", "out_of_memory"})


@dataclass(slots=True, eq=False, repr=False)
class Op(Model):
    """One rewrite: every match of `pat` becomes `out`; an empty `out` deletes it.

    `None` means: as the request says. `rule`, in the place of `pat`, is what the rule
    language has under `rule`, with its `constraints`, `utils`, `transform`, `rewriters`.
    """

    pat: str = ""
    out: str | None = None
    lang: str | None = None
    selector: str | None = None
    context: str | None = None
    strictness: Strictness | None = None
    allow_loss: bool | None = None
    allow_error_pattern: bool | None = None
    rule: dict[str, Any] | None = None

    @property
    def label(self) -> str:
        """What people know the op by."""
        return self.pat or "a rule"


@dataclass(slots=True, eq=False, repr=False)
class Operation(Model):
    """A change that is computed from a name instead of patterns.

    `arguments` are plain texts (node id, path, hash, region, new name …) with which it can
    be computed again; they never name code to import.
    """

    kind: OperationKind
    arguments: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True, eq=False, repr=False)
class Region(Model):
    """The part of one file that a request is restricted to: where a located node is.

    `start` and `end` are offsets into the UTF-8 view of a file whose bytes have the hash
    `sha256`; `id` says which node it was.
    """

    id: str
    path: str
    sha256: str
    start: int
    end: int


@dataclass(slots=True, eq=False, repr=False)
class EditRequest(Model):
    """A structural edit, complete enough to be run again in another process.

    Paths and globs are relative to the root with `/`. `left_out` names files that an
    admitted incomplete plan could not look at. A request has `ops`, `rules` or, made by
    astedit's own commands only, an `operation`. `regions` stand for a located `within`;
    `language_globs` says which files are of a language whatever their names.
    """

    _schema: ClassVar[str | None] = "astedit/ops/1"

    ops: list[Op] = field(default_factory=list)
    paths: list[str] = field(default_factory=lambda: ["."])
    lang: str | None = None
    strictness: Strictness = "smart"
    selector: str | None = None
    context: str | None = None
    glob: list[str] = field(default_factory=list)
    within: str | None = None
    body_only: bool = False
    overlap: Overlap = "compose"
    fixpoint: int = 1
    reindent: Reindent = "auto"
    allow_loss: bool = False
    allow_error_pattern: bool = False
    allow_protected: bool = False
    allow_partial: bool = False
    max_files: int | None = None
    max_replacements: int | None = None
    fail_on_parse_error: bool = False
    encoding: str | None = None
    max_file_size: int = MAX_FILE_SIZE
    no_ignore: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    regions: list[Region] = field(default_factory=list)
    operation: Operation | None = None
    rules: list[dict[str, Any]] = field(default_factory=list)
    utils: list[dict[str, Any]] = field(default_factory=list)
    unused_suppressions: bool = False
    language_globs: dict[str, list[str]] = field(default_factory=dict)
    injections: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def restored(cls, data: dict[str, Any]) -> "EditRequest":
        """The request that `dataclasses.asdict` took apart."""
        operation = data.get("operation")
        ops = [Op(**op) for op in data["ops"]]
        named = None if operation is None else Operation(**operation)
        regions = [Region(**one) for one in data.get("regions", ())]
        return cls(**{**data, "ops": ops, "operation": named, "regions": regions})


@dataclass(slots=True, eq=False, repr=False)
class Span(Model):
    """A place in one file: bytes `start` to `end`, and where `start` is for a person."""

    start: int
    end: int
    line: int
    column: int


@dataclass(slots=True, eq=False, repr=False)
class Edit(Model):
    """Bytes `start` to `end` of one file become `after`.

    `id` is stable for the same change of the same text. `matches` counts the matches
    composed into it. The exact bytes are `new`, which is not part of the JSON form.
    """

    id: str
    op: int | None
    rule_id: str | None
    start: int
    end: int
    line: int
    column: int
    before: str
    after: str
    matches: int = 1
    new: bytes = field(default=b"", repr=False)


def edit_id(path: str, op: int | str, start: int, end: int, before: bytes, after: bytes) -> str:
    """12 hex digits of SHA-256 over path, op, start, end, before and after."""
    digest = hashlib.sha256()
    for part in (path, str(op), str(start), str(end)):
        digest.update(part.encode("utf-8", "surrogateescape") + b"\0")
    digest.update(len(before).to_bytes(8, "big") + before + after)
    return digest.hexdigest()[:12]


@dataclass(slots=True, eq=False, repr=False)
class FilePlan(Model):
    """What one file would become. Hashes are SHA-256 in hex, None where there is no file."""

    path: str
    operation: str
    before_hash: str | None
    after_hash: str | None
    mode: int
    replacements: int
    edits: list[Edit]
    link: str | None = None
    hunks: bytes = field(default=b"", repr=False)


@dataclass(slots=True, eq=False, repr=False)
class Lost(Model):
    """Text that a rewrite would have removed without anyone asking for it."""

    range: Span
    text: str


@dataclass(slots=True, eq=False, repr=False)
class Blocked(Model):
    """A match that was found and left out of the plan, with the reason and a way on."""

    path: str
    range: Span | None
    op: int | None
    reason: BlockReason
    lost: list[Lost] = field(default_factory=list)
    hint: str | None = None
    matches: int = 1
    rule_id: str | None = None


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
class Skip(Model):
    """A file that was not looked at, or not edited, and why."""

    path: str
    reason: SkipReason
    detail: str | None = None


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
class LanguageUse(Model):
    """One language of a run: compiled, or dropped and why."""

    name: str
    grammar: str
    version: str
    dropped: str | None = None


@dataclass(slots=True, eq=False, repr=False)
class Example(Model):
    """One edit of a shape; long texts are cut."""

    path: str
    line: int
    before: str
    after: str


@dataclass(slots=True, eq=False, repr=False)
class Shape(Model):
    """Edits that are alike: `print(…) -> log.info(…)`, how many, in how many files."""

    label: str
    count: int
    files: int
    op: int | None
    rule_id: str | None
    example: Example


@dataclass(slots=True, eq=False, repr=False)
class Stats(Model):
    """What a run did; `seconds` by stage. Never part of a fingerprint."""

    discovered: int = 0
    read: int = 0
    parsed: int = 0
    bytes_read: int = 0
    seconds: dict[str, float] = field(default_factory=dict)


@dataclass(slots=True, eq=False, repr=False)
class Plan(Model):
    """Everything a request would do to a tree, and everything it would not.

    `shapes` groups alike edits; it is made of `files` as they are when it is first read.
    Computing it writes nothing. Two plans with equal `fingerprint` change the same bytes
    of the same content, whatever the root, worker count or file order.
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
    fingerprint: str = ""
    action_id: str | None = None
    notice: str | None = None

    def __post_init__(self) -> None:
        if not self.shapes:
            del self.shapes  # grouped when somebody asks, see `__getattr__`

    def __getattr__(self, name: str) -> Any:
        """Groups the edits on first use of `shapes`: most commands never show them."""
        if name != "shapes":
            raise AttributeError(name)
        from astedit.shapes import shapes_of

        self.shapes = shapes_of(self)
        return self.shapes

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


@dataclass(slots=True, eq=False, repr=False)
class Language(Model):
    """One language astedit knows; `problem` says why it cannot be used here, if so."""

    name: str
    aliases: list[str]
    suffixes: list[str]
    provider: str | None
    version: str | None
    problem: str | None = None
