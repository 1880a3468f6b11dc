"""What goes in: `EditRequest`, and the rewrites, operation and regions it is made of.

As in `plan`, `start` and `end` are byte offsets, 0-based and half-open.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import Field, dataclass, field, fields
from typing import Any, ClassVar, Literal, TypedDict, get_args

from astedit.errors import RequestError
from astedit.json_model import Model
from astedit.limits import MAX_FILE_SIZE
from astedit.model.edit import PERSON, edit_id
from astedit.text import number, shortened

Strictness = Literal["cst", "smart", "ast", "relaxed", "signature", "template"]
Overlap = Literal["compose", "error"]
Reindent = Literal["auto", "exact"]
Layout = Literal["keep", "template"]
_LABEL = 80  # characters of what people know an op by
_IMPORTS = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
OPTIONS: dict[str, str] = {
    "lang": "Only files of this language.",
    "strictness": "How closely code must match the pattern.",
    "selector": "Which node of the pattern to match, by its kind.",
    "context": "Code around the pattern, so that it parses as you mean it.",
    "no_near": "Do not list near misses: places that almost match.",
    "near": "List near misses also of a pattern with more than 100 matches.",
    "glob": "Only files that match; gitignore syntax, `!` excludes.",
    "within": "Only inside this symbol.",
    "encoding": "The encoding of files that are not UTF-8: latin-1, cp1252 or utf-16.",
    "max_file_size": "Skip larger files. Default: 2 MiB.",
    "no_ignore": "Read files of this kind, too, which are skipped otherwise.",
    "overlap": "What to do about a match inside a match: rewrite both, or refuse.",
    "reindent": "Indent new code to fit its place, or leave it as written.",
    "layout": "Keep the line breaks and comments of a match, or write the template's.",
    "add_import": "An import to add to edited files that use it, as written in code.",
    "remove_import": "A name, or an import as in code, to remove where nothing uses it any more.",
    "prune_imports": "Remove imports whose last use goes with the edit.",
    "fixpoint": "Rewrite the result until nothing changes, in at most N passes; 10 without N.",
    "body_only": "With `within`: only the body of the symbol.",
    "fail_on_parse_error": "Refuse if a file with a match does not parse.",
    "fail_on_blocked": "Refuse if any match is blocked.",
    "fail_on_dropped_comments": "Refuse if a rewrite drops any comment.",
    "allow_loss": "Rewrite even where comments or code would be lost.",
    "allow_partial": "Stage what was found before a limit was reached.",
    "allow_protected": "Edit protected files, too.",
    "allow_error_pattern": "Use a pattern that does not parse.",
    "max_files": "Refuse to change more files.",
    "max_replacements": "Refuse to make more replacements.",
    "params": "Parameters of the rules, by name.",
    "max_events": "Stop a cascade of rules after N events. Default: 100,000.",
    "after": "Plan on the tree as the pending action of this id would leave it.",
}
_COUNT = {"type": "integer", "minimum": 0}
APART: dict[str, dict[str, Any]] = {
    "expect": {"type": "object", "properties": {"replacements": _COUNT, "files": _COUNT}},
    "timeout": {"type": "number", "exclusiveMinimum": 0},
    "jobs": {"type": "integer", "minimum": 1},
}
"""What is asked of a call beside its request, and is not stored with that."""
STRICTNESS: tuple[str, ...] = get_args(Strictness)
IMPORTS_SCHEMA: dict[str, Any] = {  # of the `imports` of an op
    "type": "object",
    "properties": {"add": _IMPORTS, "remove": _IMPORTS, "prune": {"type": "boolean"}},
    "additionalProperties": False,
}


@dataclass(slots=True, eq=False, repr=False)
class Op(Model):
    """One rewrite: every match of `pat` becomes `out`; an empty `out` deletes it.

    `None` means: as the request says. `rule`, in the place of `pat`, is what the rule
    language has under `rule`, with its `constraints`, `utils`, `transform`, `rewriters`; its
    `message` or `id` is what people know the op by. `where` says by the name of a
    capture which regular expression its text holds, `where_kind` of which kind its node is;
    of many nodes each. `imports` (add, remove, prune) are changed in the
    files that the op edits.
    """

    pat: str = ""
    out: str | None = None
    lang: str | None = None
    selector: str | None = None
    context: str | None = None
    strictness: Strictness | None = None
    allow_loss: bool | None = None
    allow_error_pattern: bool | None = None
    layout: Layout | None = None
    rule: dict[str, Any] | None = None
    where: dict[str, str] | None = None
    where_kind: dict[str, str] | None = None
    imports: dict[str, Any] | None = None

    @property
    def label(self) -> str:
        """What people know the op by."""
        return self.pat or _rule_label(self.rule or {})


def _rule_label(rule: dict[str, Any]) -> str:
    """A rule's message, its id, its pattern, or what else it asks for."""
    label = rule.get("message") or rule.get("id") if "rule" in rule else None
    inner = rule.get("rule", rule)
    if not label and isinstance(inner, dict):
        pattern = inner.get("pattern")
        label = pattern.get("context") if isinstance(pattern, dict) else pattern
    return shortened(label if isinstance(label, str) and label else f"the rule {inner}", _LABEL)


_TITLE = 60  # characters
_SIDE = 28  # of them, that each side of an arrow has at least


def short(text: str, most: int = _TITLE) -> str:
    """The text on one line, cut to so many characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


def arrow(before: str, after: str) -> str:
    """`before → after` on one line: the longer side is cut where both are too long."""
    left, right = " ".join(before.split()), " ".join(after.split()) or "(nothing)"
    left = short(left, max(_SIDE, _TITLE - 3 - len(right)))
    return f"{left} → {short(right, _TITLE - 3 - len(left))}"


def checked_title(text: str) -> str:
    """What somebody calls a plan, on one line; raises `RequestError` for what is not a name."""
    if not text.strip() or len(text.splitlines()) != 1:
        raise RequestError(
            "A title is one line of text.", code="bad_title", hint="Leave it out for the usual one."
        )
    return short(text)


@dataclass(slots=True, eq=False, repr=False)
class Operation(Model):
    """A change that is computed from a name instead of patterns.

    `kind` is a row of the table of operations, which says what computes it.
    `arguments` are plain texts (node id, path, hash, region, new name …) with which it can
    be computed again; they never name code to import.
    """

    kind: str
    arguments: dict[str, str] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """`rename Cart.total → sum_of`, or the command that was captured."""
        said = self.arguments
        if "command" in said:
            return short(said.get("label") or said["command"])
        if self.kind == "lsp":
            label = said.get("label", self.kind)
            before, goes, after = label.rpartition(" -> ")
            return arrow(before, after) if goes and "action" not in said else short(label)
        kind = {"move_module": "move"}.get(self.kind, self.kind.replace("_", "-"))
        name = said.get("names") or said.get("label") or said.get("id", "")
        name = re.sub(r"^[a-z]+:", "", name).rpartition("::")[2]
        what = " ".join(filter(None, (kind, name))) or self.kind
        if self.kind == "signature":
            what = f"{what}: {'; '.join(self._parameters())}"
        return arrow(what, said["new"]) if "new" in said else short(what)

    def _parameters(self) -> Iterator[str]:
        """`add c=1`, `rename a → b`: what happens to the parameters of a signature."""
        for verb in ("add", "remove", "rename", "reorder", "keyword_only"):
            items = json.loads(self.arguments.get(verb, "[]"))
            names = [item if isinstance(item, str) else " → ".join(item) for item in items]
            if names:
                yield f"{verb.replace('_', '-')} {', '.join(names)}"


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
class OwnEdit(Model):
    """What a person wrote: bytes `start` to `end` of a file, `before`, become `after`."""

    path: str
    start: int
    end: int
    before: str
    after: str

    @property
    def id(self) -> str:
        """The id of the edit that it becomes."""
        texts = (text.encode("utf-8", "surrogateescape") for text in (self.before, self.after))
        return edit_id(self.path, PERSON, self.start, self.end, *texts)


@dataclass(slots=True, eq=False, repr=False)
class EditRequest(Model):
    """A structural edit, complete enough to be run again in another process.

    Paths and globs are relative to the root with `/`. `left_out` names files that an
    admitted incomplete plan could not look at. A request has `ops`, `rules` or, made by
    astedit's own commands only, an `operation`. `after` is the id of a pending action: the
    request is about the tree as that would leave it. `kept` holds the ids of the edits that the
    plan is cut to, if it is what an apply of a part left, and `format_with` is the command that
    formats the touched lines. `own_edits` are a person's, in the place of those that they cover.
    `regions` stand for a located `within`;
    `language_globs` says which files are of a language whatever their names, `suppressions`
    how severe it is what is said about comments that silence rules, by its id.
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
    suppressions: dict[str, str] = field(default_factory=dict)
    language_globs: dict[str, list[str]] = field(default_factory=dict)
    injections: list[dict[str, Any]] = field(default_factory=list)
    layout: Layout = "keep"
    fail_on_blocked: bool = False
    add_import: list[str] = field(default_factory=list)
    remove_import: list[str] = field(default_factory=list)
    prune_imports: bool = False
    no_near: bool = False
    near: bool = False
    fail_on_dropped_comments: bool = False
    after: str | None = None
    kept: list[str] = field(default_factory=list)
    format_with: str = ""
    params: dict[str, str] = field(default_factory=dict)
    max_events: int | None = None
    own_edits: list[OwnEdit] = field(default_factory=list)

    def spans_in(self, path: str) -> list[tuple[int, int]] | None:
        """The regions of one file; None if there are none at all, so that all of it counts."""
        own = ((region.start, region.end) for region in self.regions if region.path == path)
        return list(own) if self.regions else None

    @property
    def imports(self) -> dict[str, Any]:
        """What is asked of the imports of every edited file, as the `imports` of an op."""
        if not (self.add_import or self.remove_import or self.prune_imports):
            return {}
        add, remove = self.add_import, self.remove_import
        return {"add": add, "remove": remove, "prune": self.prune_imports}

    @property
    def title(self) -> str:
        """What it does, in at most 60 characters: `print($$$A) → log($$$A)`."""
        if self.operation is not None:
            return self.operation.title
        if len(self.rules) == 1:
            inner, fix = self.rules[0].get("rule"), self.rules[0].get("fix")
            pattern = inner.get("pattern") if isinstance(inner, dict) else None
            if isinstance(pattern, str) and isinstance(fix, str):
                return arrow(f"{self.rules[0].get('id')}: {pattern}", fix)
        if self.rules:
            names = ", ".join(str(rule.get("id")) for rule in self.rules)
            return short(f"{number(len(self.rules), 'rule')}: {names}")
        if len(self.ops) > 1:
            patterns = ", ".join(op.label for op in self.ops)
            return short(f"{number(len(self.ops), 'pattern')}: {patterns}")
        return arrow(self.ops[0].label, self.ops[0].out or "") if self.ops else "nothing"

    @classmethod
    def declared(cls, name: str) -> Field[Any]:
        """How the field of this name is declared."""
        return cls.__dataclass_fields__[name]

    @classmethod
    def options(cls, kind: type) -> list[str]:
        """The fields that `SearchOptions` or `EditOptions` names, in their order here."""
        return [one.name for one in fields(cls) if one.name in kind.__annotations__]

    @classmethod
    def restored(cls, data: dict[str, Any]) -> "EditRequest":
        """The request that `dataclasses.asdict` took apart."""
        operation = data.get("operation")
        ops = [Op(**op) for op in data["ops"]]
        named = None if operation is None else Operation(**operation)
        regions = [Region(**region) for region in data.get("regions", ())]
        own = [OwnEdit(**edit) for edit in data.get("own_edits", ())]
        made = {"ops": ops, "operation": named, "regions": regions, "own_edits": own}
        return cls(**{**data, **made})


class SearchOptions(TypedDict, total=False):
    """The fields of a request that a search may set, as its callers give them.

    To add a field that callers may set: declare it in `EditRequest`, name it here or in
    `EditOptions`, say what it does in `OPTIONS`, and give the command line its flag
    in `cli/options.py`.
    The keywords of the Python interface, what `help` shows of them, the arguments of the
    agents' tools, the JSON that `--ops` reads and its schema follow from these two classes.
    """

    lang: str | None
    strictness: Strictness
    selector: str | None
    context: str | None
    glob: str | Iterable[str] | None
    within: str | None
    encoding: str | None
    max_file_size: int
    no_ignore: str | Iterable[str]
    no_near: bool
    near: bool


class EditOptions(SearchOptions, total=False):
    """The fields of a request that an edit may set."""

    body_only: bool
    overlap: Overlap
    fixpoint: int
    reindent: Reindent
    layout: Layout
    allow_loss: bool
    allow_error_pattern: bool
    allow_protected: bool
    allow_partial: bool
    max_files: int | None
    max_replacements: int | None
    fail_on_parse_error: bool
    fail_on_blocked: bool
    fail_on_dropped_comments: bool
    add_import: str | Iterable[str] | None
    remove_import: str | Iterable[str] | None
    prune_imports: bool
    after: str | None
    params: dict[str, str] | None
    max_events: int | None
