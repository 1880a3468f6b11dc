"""From edits that are known already to a Plan like any other.

What rename, set-path and codemods share: each file is read, compared with what the caller
saw, edited, verified and put under the same policies, limits and fingerprint as the
edits of a pattern.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from astedit.discover.discover import Discovery
from astedit.engine.files.edits import finish_file, first_error
from astedit.engine.files.file import Engine
from astedit.engine.files.outcome import BlockedData, FileData, MadeEdit, span_data
from astedit.engine.fingerprint import path_key
from astedit.engine.languages import use_of
from astedit.engine.run.jobs import Job
from astedit.engine.run.merge import Merge
from astedit.engine.run.prepare import Evidence, PreparedRun
from astedit.engine.run_context import Run, hands
from astedit.errors import PreconditionError, StaleError
from astedit.language import Row, for_path, grammar_of
from astedit.language.traits import traits
from astedit.limits import is_shallow
from astedit.model.edit import Skip
from astedit.model.plan import Plan
from astedit.model.request import EditRequest
from astedit.rewrite.prove.fault import Fault, Put, parses_no_worse
from astedit.rewrite.prove.verify import Verification
from astedit.text.indent import Text
from astedit.text.source import Change, Lines, NotDecodable, Source, is_idle, source_of, splice
from astedit.workers.plain import plain, restored
from astedit.workers.pool import Pool
from astedit.workspace.confined_open import Read, read_within
from astedit.workspace.path_policy import kept_out
from astedit.workspace.root import Workspace
from resolve.visible import one_line

_ROOT_FD = 5  # the first of `fds` in a worker
_STALE = "stale"
_WEIGHT = 65_536  # about what is worth a worker; asking for sizes gains nothing here
_STATES = {
    "breaks_syntax": "would not parse any more",
    "changes_structure": "would change in structure",
    "not_utf8": "is not in an encoding that can be edited",
    "too_large": "is too large",
}

# path, changes, the hash the caller saw or None
KnownEdits = tuple[str, Sequence[Change], "str | None"]


def plan_of_edits(
    request: EditRequest,
    workspace: Workspace,
    edits: Mapping[str, Sequence[Change]],
    run: Run | None = None,
    *,
    expected: Mapping[str, str] | None = None,
    whole: bool = True,
    contained: bool = True,
    hints: Sequence[str] = (),
    skipped: Sequence[Skip] = (),
    files_searched: int | None = None,
) -> Plan:
    """The plan that makes `edits`, by path: `(start, end, new)`, sorted, not overlapping.

    Offsets and new text are those of the file's UTF-8 view (`view_of`): for nearly every
    file that is its bytes. `expected` holds the SHA-256 (hex) of files as the caller read
    them; `StaleError` for one that differs by now. With `whole` all edits are in the plan,
    or `PreconditionError` says which file stands in the way. `contained` refuses new text
    that changes the tree around it; that the result parses no worse is always checked.
    The caller's `hints` and `skipped` are passed on; nothing is written.
    """
    run = run or Run()
    seen = expected or {}
    paths = sorted(edits, key=path_key)
    tasks = [(path, [*edits[path]], seen.get(path)) for path in paths]
    jobs = [Job(path, _row(path)) for path in paths]
    uses = [use_of(name) for name in sorted({job.row.name for job in jobs})]
    engine = Engine(request, "edit", run.want_hunks, workspace.read)
    discovery = Discovery(files=paths, skipped=list(skipped), explicit=set(paths))
    prepared = PreparedRun(engine, jobs, {}, uses, discovery)
    outcomes = _outcomes(prepared, tasks, contained, workspace, run)
    plan = Merge(request, workspace.root, Evidence.of(prepared, outcomes)).plan()
    plan.hints = list(hints)
    if files_searched is not None:
        plan.files_searched = files_searched
    if whole:
        _check_whole(plan, set(paths))
    return plan


def view_of(raw: bytes, path: str, encoding: str | None = None) -> Source:
    """A file's bytes with the UTF-8 view that edits are given in; may raise `NotDecodable`.

    `encoding` is the request's; without it a Python file's coding line decides.
    """
    return source_of(raw, _row(path).name, encoding)


def worker(setup: tuple[Any, ...]) -> Callable[[KnownEdits], tuple[Any, ...]]:
    """What a worker process runs: `setup` is the request, `contained` and `want_hunks`."""
    request, contained, want_hunks = setup
    workspace = Workspace.adopt(_ROOT_FD)
    maker = _Maker(restored(EditRequest, request), workspace.read, contained, want_hunks)

    def run(task: KnownEdits) -> tuple[Any, ...]:
        made = maker.file(task, inline=False)
        assert made is not None  # nothing is deferred in a worker
        return made.plain()

    return run


def _row(path: str) -> Row:
    if (row := for_path(path)) is None:
        raise PreconditionError(f"{path} is of no known language.", path=path, code="unsupported")
    return row


def _outcomes(
    prepared: PreparedRun,
    tasks: Sequence[KnownEdits],
    contained: bool,
    workspace: Workspace,
    run: Run,
) -> Iterator[tuple[Job, FileData]]:
    """Yields each file's outcome; a worker makes that of large and deep files."""
    request = prepared.engine.request
    maker = _Maker(request, workspace.read, contained, run.want_hunks)
    deferred = []
    for job, task in zip(prepared.jobs, tasks, strict=True):
        run.deadline.check()
        made = maker.file(task, inline=True) if run.inline else None
        if made is None:
            deferred.append((job, _WEIGHT, task))
        else:
            yield job, _fresh(made, job.path)
    if not deferred:
        return
    with Pool(min(hands(run.jobs), len(deferred)), fds=(workspace.fd,)) as pool:
        setup = (plain(request), contained, run.want_hunks)
        pool.prepare("astedit.engine.known_edits:worker", setup)
        for job, (value, failure) in pool.run(deferred, run.deadline):
            failed = FileData(skip=(failure, None)) if failure else None
            yield job, _fresh(failed or restored(FileData, value), job.path)


def _fresh(data: FileData, path: str) -> FileData:
    """The outcome; `StaleError` for a file that is not what its edits were made for."""
    if data.skip and data.skip[0] == _STALE:
        raise stale(path)
    return data


def stale(path: str) -> StaleError:
    """The error for a file that is not what its edits were made for."""
    return StaleError(
        f"{path} has changed since it was looked at; nothing was written.",
        path=path,
        hint="Preview the change again.",
    )


class _Maker:
    """Makes the edits of one file at a time, and looks at what becomes of it."""

    def __init__(self, request: EditRequest, read: Read, contained: bool, want_hunks: bool) -> None:
        self._request = request
        self._read = read
        self._contained = contained
        self._want_hunks = want_hunks

    def file(self, task: KnownEdits, *, inline: bool) -> FileData | None:
        """Makes one file's outcome; None if it must go to a worker."""
        path, changes, expected = task
        language = _row(path).name
        raw, mode, skip = read_within(self._read, path, self._request.max_file_size)
        if raw is None:
            return FileData(skip=skip or (_STALE, "vanished"))
        data = FileData(read=len(raw), searched=True, mode=mode)
        data.before = hashlib.sha256(raw).hexdigest()
        if expected is not None and data.before != expected:
            data.skip = (_STALE, "changed")
            return data
        reason = None if skip else kept_out(path, raw, self._request)
        data.skip = (reason, None) if reason else skip
        try:
            source = None if data.skip else source_of(raw, language, self._request.encoding)
        except NotDecodable:
            data.skip, source = ("not_utf8", None), None
        if source is None:
            return data
        if inline and not is_shallow(source.text):
            return None
        real = [change for change in changes if not is_idle(change, source.text)]
        self._edit(path, source, language, real, data)
        return data

    def _edit(
        self, path: str, source: Source, language: str, changes: Sequence[Change], data: FileData
    ) -> None:
        lines = Lines(source.text)
        fault = self._fault(source, language, changes, lines, data)
        if fault is None:
            edits = [MadeEdit(change, None, 1, (change,)) for change in changes]
            finish_file(path, source, edits, [()] * len(edits), self._want_hunks, data)
            return
        data.blocked = tuple(
            BlockedData(
                span_data(start, end, lines),
                None,
                fault.reason,
                text=source.text[start:end],
                detail=fault.detail,
                misreading=fault.misreading and (*fault.misreading,),
            )
            for start, end, _ in changes
        )

    def _fault(
        self, source: Source, language: str, changes: Sequence[Change], lines: Lines, data: FileData
    ) -> Fault | None:
        """What is wrong with the result; None if the edits may be made."""
        grammar = grammar_of(language)
        tree = grammar.parser().parse(source.text)
        data.parsed = True
        if tree.root_node.has_error:
            data.error_at = first_error(tree.root_node)
        known = traits(language)
        if self._contained:
            puts = [Put(start, end, Text(new)) for start, end, new in changes]
            proof = Verification(grammar, known, tree, source.text, lines, puts)
            return proof.fault(range(len(puts)))
        result = splice(source.text, changes)
        after = grammar.parser().parse(result).root_node
        return parses_no_worse(tree.root_node, after, changes[0][0] if changes else 0, result)


def _check_whole(plan: Plan, wanted: set[str]) -> None:
    """Raises unless every edit is in the plan: half of such a change breaks the code."""
    lost: list[tuple[str, str, str | None, str]] = []
    lost += [(item.path, item.reason, item.hint, item.detail or "") for item in plan.blocked]
    lost += [(skip.path, skip.reason, None, "") for skip in plan.skipped if skip.path in wanted]
    if not lost:
        return
    path, reason, hint, detail = min(lost, key=lambda item: path_key(item[0]))
    raise PreconditionError(
        f"{path} would have to change too, but it {_STATES.get(reason, f'is {reason}')}; "
        "nothing was staged." + (f"\n| {one_line(detail)}" if detail else ""),
        path=path,
        code=reason,
        hint=hint,
    )
