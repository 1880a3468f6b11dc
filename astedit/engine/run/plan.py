"""From a request and a tree to a Plan. Reads and never writes."""

import os
import stat
import time
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from astedit.discover.discover import Discovery
from astedit.engine.files.file import Engine
from astedit.engine.files.outcome import FileData
from astedit.engine.files.places import Purpose
from astedit.engine.run.jobs import Job, run_jobs
from astedit.engine.run.merge import Merge
from astedit.engine.run.prepare import (
    Evidence,
    PreparedRun,
    Question,
    compile_languages,
    prepare_run,
)
from astedit.engine.run_context import Start
from astedit.errors import AstEditError, LimitError, PreconditionError
from astedit.language import GrammarUnavailable, Row, TimedParser
from astedit.limits import Deadline, Progress
from astedit.model.edit import INCOMPLETE_REASONS
from astedit.model.plan import Plan
from astedit.model.request import EditRequest
from astedit.text import number
from astedit.text.source import Change, Lines, alike_ends
from astedit.workspace.root import Workspace

if TYPE_CHECKING:
    from tree_sitter import Tree

    from astedit.engine.files.file import Parse

_CAUSING = frozenset({"when", "then", "deleteEmpty", "preconditions"})
_BUFFER = os.stat_result((stat.S_IFREG | 0o644, *[0] * 9))


def compute(
    request: EditRequest,
    workspace: Workspace,
    start: Start,
    *,
    deadline: Deadline | None = None,
    hunks: bool = True,
    progress: Progress | None = None,
    ignore: Sequence[str] = (),
    barred: Mapping[str, Sequence[tuple[int, int]]] = MappingProxyType({}),
) -> tuple[Plan, Evidence]:
    """Everything the request would do to this tree, which is only read, and the evidence.

    `start` lists its files and holds the workers; without `hunks` the plan has no diff. No edit
    of a cascade touches what is `barred`, by path.
    Per-file trouble is data in the plan. Raises `RequestError` for what is wrong whatever
    the tree holds, and what `deadline` raises.
    """
    deadline = deadline or Deadline()
    started = time.perf_counter()
    if _cascades(request):
        from astedit.engine.cascade.run import cascaded  # few rules cause others

        return cascaded(request, workspace, start, deadline, hunks, ignore, barred)
    question = Question(request, "edit", hunks, ignore)
    if (evidence := question.recall(start)) is None:
        prepared = prepare_run(
            request, workspace, "edit", start, deadline=deadline, hunks=hunks, ignore=ignore
        )
        ran = run_jobs(prepared.engine, prepared.jobs, start, deadline=deadline, progress=progress)
        evidence = Evidence.of(prepared, ran, started)
        question.remember(start, evidence)
    merge = Merge(request, workspace.root, evidence)
    plan = merge.plan(alone=start.resident is None)
    plan.stats.checked = start.checked
    if plan.files and hunks and not request.no_near:
        matched = plan.stats.matched  # in a later turn, too
        plan.near = [
            near
            for near in evidence.places.near(evidence.prepared.ops)
            if near.matched or not matched.get(near.op)
        ]
    plan.hints = merge.hints()
    plan.stats.seconds["total"] = round(time.perf_counter() - started, 4)
    evidence.nothing = not (plan.files or plan.blocked or plan.displaced or plan.limit_reached)
    return plan, evidence


def _cascades(request: EditRequest) -> bool:
    return any(not _CAUSING.isdisjoint(rule) or _attaches(rule) for rule in request.rules)


def _attaches(rule: dict[str, Any]) -> bool:
    fix = rule.get("fix")
    return any("comments" in one for one in (fix if isinstance(fix, list) else [fix or ""]))


def check_limits(plan: Plan, expect: dict[str, int] | None = None) -> None:
    """Raises what forbids staging this plan: a limit, a wrong count, a parse error, a gap."""
    request = plan.request
    if plan.limit_reached and not request.allow_partial:
        error = LimitError(
            f"The limit of {_limit(request)} was reached; nothing was staged.",
            hint="Raise the limit, or allow a partial plan to stage the first ones.",
            code="limit_reached",
        )
        error.plan = plan
        raise error
    if plan.incomplete and not request.allow_partial:
        missing = [skip for skip in plan.skipped if skip.reason in INCOMPLETE_REASONS]
        limit = LimitError(
            f"{number(len(missing), 'file')} could not be looked at, the first "
            f"{missing[0].path} ({missing[0].reason}); nothing was staged.",
            hint="Allow a partial plan to stage the rest.",
            code="incomplete",
        )
        limit.plan = plan
        raise limit
    if request.fail_on_parse_error and plan.parse_errors.total:
        first = plan.parse_errors.shown[0]
        raise PreconditionError(
            f"{number(plan.parse_errors.total, 'file does', 'files do')} not parse cleanly, "
            f"the first at {first.path}:{first.line}.",
            code="parse_error",
            path=first.path,
        )
    if request.fail_on_blocked and plan.blocked:
        _refuse_blocked(plan)
    if request.fail_on_dropped_comments and plan.dropped_comments:
        first_comment, count = plan.dropped_comments[0], len(plan.dropped_comments)
        raise PreconditionError(
            f"{number(count, 'comment')} would be dropped, the first at "
            f"{first_comment.path}:{first_comment.range.line}; nothing was staged.",
            code="dropped_comments",
            path=first_comment.path,
            hint="Use the capture that holds it in the rewrite, or move the comment first.",
        )
    counts = {"replacements": plan.total_replacements, "files": plan.files_touched}
    for key, wanted in (expect or {}).items():
        if counts[key] != wanted:
            raise PreconditionError(
                f"Expected {wanted} {key}, found {counts[key]}; nothing was staged.",
                code="unexpected_count",
            )


def _refuse_blocked(plan: Plan) -> None:
    first, count = plan.blocked[0], sum(item.matches for item in plan.blocked)
    line = f":{first.range.line}" if first.range is not None else ""
    raise PreconditionError(
        f"{count} {'match is' if count == 1 else 'matches are'} blocked, "
        f"the first at {first.path}{line} ({first.reason}); nothing was staged.",
        code="blocked",
        path=first.path,
        hint=first.hint,
    )


def _limit(request: EditRequest) -> str:
    limits = {"files": request.max_files, "replacements": request.max_replacements}
    return " and ".join(f"{most} {what}" for what, most in limits.items() if most is not None)


def plan_buffer(request: EditRequest, name: str, row: Row, content: bytes, names: str = "") -> Plan:
    """What the request does to `content`, as a file called `name` of language `row`.

    It is parsed in this process; `names` says who resolves names (see
    `name_resolver`). Raises what compiling the ops raises.
    """
    if _cascades(request):
        from astedit.engine.cascade.run import cascaded_texts

        return cascaded_texts(request, {name: content}, names, row)
    prepared = _prepared_buffer(request, "edit", name, row, content, names)
    data = _outcome(prepared.engine, name, row)
    evidence = Evidence.of(prepared, [(job, data) for job in prepared.jobs])
    return Merge(request, ".", evidence).plan()


def scan_buffer(
    request: EditRequest, name: str, row: Row, content: bytes, names: str = ""
) -> list[dict[str, Any]]:
    """What the rules of the request find in `content`, in order of position.

    Each finding is ast-grep's JSON object with an empty `file`. Parsed in this process;
    raises what compiling the rules raises.
    """
    prepared = _prepared_buffer(request, "scan", name, row, content, names)
    return list(_outcome(prepared.engine, name, row).matches)


class LastTree:
    """The tree of the text that was parsed last, from which one like it is parsed quickly.

    Only a whole tree is used: what an edit leaves of a broken one may be read otherwise.
    """

    def __init__(self) -> None:
        self._path, self._text = "", b""
        self._tree: Tree | None = None

    def parse(self, path: str, text: bytes, parser: "TimedParser") -> "Tree":
        """The tree of a text; where the last one was of the same file only what changed is new."""
        tree = None
        if self._tree is not None and self._path == path:
            tree = parser.parse(text, self._edited(self._tree, text))
        if tree is None or tree.root_node.has_error:
            tree = parser.parse(text)
        self._path, self._text = path, text
        self._tree = None if tree.root_node.has_error else tree
        return tree

    def _edited(self, tree: "Tree", text: bytes) -> "Tree":
        start, rest = alike_ends(self._text, text)
        ends = len(self._text) - rest, len(text) - rest
        old, new = Lines(self._text), Lines(text)
        tree.edit(start, *ends, old.point(start), old.point(ends[0]), new.point(ends[1]))
        return tree


class BufferScan:
    """The rules of a request, compiled once, and what they find in one text after another.

    A rule that does not compile is left out; `refused` says why. `parse` is shared by scans
    of the same texts. In the mode `brief` its findings lack texts and captures.
    """

    def __init__(
        self, request: EditRequest, names: str, mode: Purpose, parse: "Parse | None" = None
    ) -> None:
        self._engine = Engine(request, mode, False, lambda path, limit: (b"", _BUFFER), names)
        self._engine.parse = parse
        self.language = self._engine.language

    def refused(self, row: Row) -> Sequence[AstEditError]:
        """What is wrong with rules in one language, or that there is no grammar for it."""
        try:
            return [*self._engine.program(row).refused.values()]
        except GrammarUnavailable as error:
            return [error]

    def warnings(self, row: Row) -> Sequence[str]:
        """What is doubtful in rules of a language; nothing where there is no grammar for it."""
        try:
            return self._engine.program(row).warnings
        except GrammarUnavailable:
            return ()

    def findings(self, name: str, content: bytes, fixing: bool = True) -> list[dict[str, Any]]:
        """As `scan_buffer`; nothing for a file of no language that is known.

        Without `fixing` they lack what their fixes make, which costs half of the time and more.
        """
        self._engine.fixing = fixing
        data = self._data(name, content)
        return [] if data is None else list(data.matches)

    def edits(self, name: str, content: bytes) -> list[Change]:
        """The edits that the fixes make in a text, in the mode `edit`."""
        data = self._data(name, content)
        return [] if data is None else [edit.change for edit in data.edits]

    def _data(self, name: str, content: bytes) -> FileData | None:
        row = self.language(name)
        if row is None:
            return None
        self._engine.read_with(lambda path, limit: (content[: limit + 1], _BUFFER))
        self._engine.begin()
        return _outcome(self._engine, name, row)


def _prepared_buffer(
    request: EditRequest, mode: Purpose, name: str, row: Row, content: bytes, names: str
) -> PreparedRun:
    engine = Engine(request, mode, True, lambda path, limit: (content, _BUFFER), names)
    prepared = PreparedRun(engine, [Job(name, row)], {}, [], Discovery(files=[name]))
    compile_languages(prepared, request, [row])
    return prepared


def _outcome(engine: Engine, name: str, row: Row) -> FileData:
    data = engine.file(name, row.name, inline=False)
    assert isinstance(data, FileData)  # nothing is deferred outside a pool
    return data
