"""The Python interface: one function for each kind of preview and search.

Every function is synchronous and may be called from any thread; an event loop uses
`asyncio.to_thread` and `signal`. Paths are relative to the root, with `/`.
"""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING
from functools import wraps
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, Unpack, cast, get_type_hints

from astedit.engine.request import request_of, search_op
from astedit.engine.run.plan import check_limits
from astedit.engine.run_context import Run, is_one_small_file
from astedit.errors import AstEditError, PreconditionError, RequestError, StaleError, not_unicode
from astedit.json_model import SchemaCheck, fitting
from astedit.language import languages
from astedit.limits import Cancel, Deadline, Progress
from astedit.model.plan import Finding, Match, Plan, ScanResult, SearchResult
from astedit.model.request import (
    APART,
    OPTIONS,
    EditOptions,
    EditRequest,
    Op,
    SearchOptions,
    Strictness,
    checked_title,
)
from astedit.staging.on_top import preview_on_top
from astedit.staging.preview import configured, prepare
from astedit.staging.preview import search as find
from astedit.workspace.root import Workspace, find_root
from resolve import SessionBusy, ToolError

if TYPE_CHECKING:
    from astedit.engine.resident import Resident
    from astedit.locating.result import LocateResult
    from astedit.model.explanation import Explanation
    from resolve import Session

Parameters = ParamSpec("Parameters")
Answer = TypeVar("Answer")


def checked(
    function: Callable[Parameters, Answer], signature: inspect.Signature | None = None
) -> Callable[Parameters, Answer]:
    """Lets a function raise `RequestError` for an argument that is not as its annotation says.

    So it does for text that is not Unicode, and the gate's errors are those of every other call.
    `signature` stands for the function's own, and is shown.
    """
    whole = signature or inspect.signature(function)

    @wraps(function)
    def calling(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Answer:
        try:
            arguments = whole.bind(*args, **kwargs).arguments
            for name, value in arguments.items():
                arguments[name] = fitting(value, whole.parameters[name].annotation, name)
            return cast(Answer, cast(Any, function)(**arguments))
        except SessionBusy:
            raise
        except ToolError as error:
            kind: type[AstEditError] = StaleError if error.code == "stale" else PreconditionError
            if isinstance(error.__cause__, RequestError) or error.code == "invalid":
                kind = RequestError
            raise kind(str(error), code=error.code, hint=error.hint) from error
        except UnicodeEncodeError as error:
            raise not_unicode(error) from error
        except RecursionError as error:
            hint = "A rule is a few levels deep."
            raise RequestError("Something is nested too deeply.", hint=hint) from error

    vars(calling)["__signature__"] = whole
    return calling


def taking(kind: type) -> Callable[[Callable[Parameters, Answer]], Callable[Parameters, Answer]]:
    """Lets a function take what `kind`, a table of options of a request, names as keywords.

    Any other keyword is a `TypeError`, and the values are `checked`. The signature shows each
    with its default, and the docstring says what it does.
    """

    def decorate(function: Callable[Parameters, Answer]) -> Callable[Parameters, Answer]:
        signature = inspect.signature(function)
        own = [each for each in signature.parameters.values() if each.kind is not each.VAR_KEYWORD]
        whole = signature.replace(parameters=[*own, *_parameters(kind)])
        calling = checked(function, whole)
        if function.__doc__ is not None:  # there is none under -OO
            rows = (f"    {name}: {OPTIONS[name]}" for name in EditRequest.options(kind))
            text = inspect.cleandoc(function.__doc__)
            calling.__doc__ = "\n".join([text, "", "Options:", *rows])
        return calling

    return decorate


def _parameters(kind: type) -> Iterator[inspect.Parameter]:
    hints: dict[str, Any] = get_type_hints(kind)
    for name in EditRequest.options(kind):
        default = EditRequest.declared(name).default
        yield inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=() if default is MISSING else default,
            annotation=hints[name],
        )


__all__ = ["ast_edit", "explain", "languages", "locate", "scan", "search"]


@taking(EditOptions)
def ast_edit(
    ops: Sequence[Op | Mapping[str, Any]] | None = None,
    paths: Iterable[str] | str = (".",),
    *,
    rules: object = None,
    patch: str | bytes | None = None,
    root: str | PathLike[str] | None = None,
    dry_run: bool = True,
    expect: Mapping[str, int] | None = None,
    timeout: float | None = None,
    jobs: int | None = None,
    signal: Cancel | None = None,
    session: "Session | None" = None,
    stack: "Session | None" = None,
    replace: str | None = None,
    progress: Progress | None = None,
    resident: "Resident | None" = None,
    state: str | None = None,
    title: str | None = None,
    **options: Unpack[EditOptions],
) -> Plan:
    """What the ops or rules would do to the tree below `root`, as a `Plan`; nothing is written.

    `rules` is YAML text, a document of the rule language, or a list of documents. `patch` is
    a unified or git diff, taken in the place of both; few options go with it.
    With a `session` and at least one replacement the plan is staged: `plan.action_id`
    names the pending action, whose apply reruns this request and writes it only if the
    result is the same. `after` names a pending action: the plan is of the tree as that
    would leave it, and can be applied once that is; it is looked up in the session, in
    `stack` (a session in which nothing is staged), or in the workspace's state. `replace`
    names a plan of the same actor that gives way to this one. `title` is what the plan is
    called, in the place of what it does. `state` is a directory where
    what was parsed to find `within` is kept for the next time. Raises `RequestError` (the
    request is wrong), `PreconditionError` (this tree does not allow it), `LimitError` (a
    budget ran out); nothing is staged then.
    `dry_run=False` is what that apply uses: it needs the session's claimed action.
    """
    fields = {"ops": ops, "paths": paths, **options}
    request = request_of(fields, rules=rules) if patch is None else _patching(patch, fields, rules)
    counts = SchemaCheck().value(expect or {}, APART["expect"], "expect")
    deadline = Deadline(timeout, signal)
    run = Run(jobs=jobs, deadline=deadline, progress=progress, resident=resident, state=state)
    with workspace_at(root) as workspace:
        run = _configured(run, request, workspace)
        if not dry_run:
            from astedit.staging.ast_edit import run_claimed

            prepare(request, workspace, run)
            return run_claimed(request, workspace, session, run.config)
        plan = preview_on_top(request, workspace, run, session or stack)
        plan.title = plan.title if title is None else checked_title(title)
        check_limits(plan, counts)
        deadline.check()  # what was cancelled meanwhile is not staged
        if session is not None and plan.total_replacements:
            from astedit.staging.stage import stage

            stage(plan, session, replace=replace)
    return plan


def _configured(run: Run, request: EditRequest, workspace: Workspace) -> Run:
    """The run as the workspace is configured; one small file is parsed in this process."""
    return configured(run._replace(inline=is_one_small_file(workspace, request.paths)), workspace)


def _patching(patch: str | bytes, fields: dict[str, Any], rules: Any) -> EditRequest:
    from astedit.producers.patch import request_of_patch

    given = {name: value for name, value in fields.items() if value not in (None, (".",), ["."])}
    text = patch.encode("utf-8", "surrogateescape") if isinstance(patch, str) else patch
    return request_of_patch(text, **given, **({} if rules is None else {"rules": rules}))


def workspace_at(root: str | PathLike[str] | None) -> Workspace:
    """The workspace of a call, opened; without a root the nearest project above the directory."""
    return Workspace(find_root(Path.cwd(), []) if root is None else root)


@taking(SearchOptions)
def search(
    pat: str | None = None,
    paths: Iterable[str] | str = (".",),
    *,
    rule: object = None,
    root: str | PathLike[str] | None = None,
    where: Mapping[str, str] | None = None,
    where_kind: Mapping[str, str] | None = None,
    limit: int | None = None,
    timeout: float | None = None,
    jobs: int | None = None,
    signal: Cancel | None = None,
    progress: Progress | None = None,
    resident: "Resident | None" = None,
    state: str | None = None,
    **options: Unpack[SearchOptions],
) -> SearchResult:
    """Every match of a pattern or a rule below `root`, in path order, at most `limit`.

    `rule` is a rule object, a document, or one as YAML text; its fix and labels are
    checked, and left aside. `where` and `where_kind` say by the names of captures what the
    pattern's must match, and which kinds of node they must be.
    `state` is as for `ast_edit`.
    """
    if (pat is None) == (rule is None):
        raise RequestError("A search needs a pattern or a rule.", code="empty_pattern")
    conditions = {"where": where, "where_kind": where_kind}
    op = {"pat": pat} | {name: dict(each) for name, each in conditions.items() if each}
    if rule is not None and len(op) > 1:
        raise RequestError("where goes with a pattern.", hint="A rule has `constraints`.")
    ops = [search_op(rule) if pat is None else op]
    request = request_of({"ops": ops, "paths": paths, **options})
    deadline = Deadline(timeout, signal)
    run = Run(jobs=jobs, deadline=deadline, progress=progress, resident=resident, state=state)
    with workspace_at(root) as workspace:
        run = _configured(run, request, workspace)
        hits = find(request, workspace, run, "json", limit=limit)
        return SearchResult(
            root=workspace.root,
            matches=[Match(**_found(path, each)) for path, rows in hits.files for each in rows],
            skipped=hits.skipped,
            hints=hits.hints,
            near=hits.near,
            files_searched=hits.files_searched,
            languages=hits.languages,
            limit_reached=hits.limit_reached,
            stats=hits.stats,
        )


def _found(path: str, row: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that every match has."""
    none: dict[str, Any] = {"single": {}, "multi": {}, "transformed": {}}
    return {
        "text": row["text"],
        "range": row["range"],
        "file": path,
        "lines": row["lines"],
        "language": row["language"],
        "meta_variables": row.get("metaVariables") or none,
    }


@taking(SearchOptions)
def scan(
    rules: object = None,
    paths: Iterable[str] | str = (".",),
    *,
    config: str | None = None,
    root: str | PathLike[str] | None = None,
    limit: int | None = None,
    timeout: float | None = None,
    jobs: int | None = None,
    signal: Cancel | None = None,
    progress: Progress | None = None,
    **options: Unpack[SearchOptions],
) -> ScanResult:
    """What rules find below `root`; without `rules` those of the project's `sgconfig.yml`.

    `rules` is YAML text, a document, or a list of documents; `config` names another project
    file. Raises `RequestError` for a wrong rule, `PreconditionError` (`no_project`) where
    there is no project.
    """
    fields: dict[str, Any] = {"ops": [], "paths": paths, **options}
    run = Run(jobs=jobs, deadline=Deadline(timeout, signal), progress=progress)
    with workspace_at(root) as workspace:
        if rules is None:
            from astedit.packs.project import project_with_packs
            from astedit.rule.project import request_fields

            fields |= request_fields(project_with_packs(workspace, config))
        hits = find(request_of(fields, rules=rules), workspace, run, "scan", limit=limit)
        return ScanResult(
            root=workspace.root,
            findings=[_finding(path, each) for path, rows in hits.files for each in rows],
            skipped=hits.skipped,
            hints=hits.hints,
            files_searched=hits.files_searched,
            limit_reached=hits.limit_reached,
        )


def _finding(path: str, row: Mapping[str, Any]) -> Finding:
    return Finding(
        **_found(path, row),
        rule_id=row["ruleId"],
        severity=row["severity"],
        message=row["message"],
        note=row.get("note"),
    )


@checked
def explain(
    pat: str,
    file: str | None = None,
    *,
    lang: str | None = None,
    selector: str | None = None,
    context: str | None = None,
    strictness: Strictness = "smart",
) -> "Explanation":
    """How a pattern is read in each language, what is doubtful, and what to write instead."""
    from astedit.explanation.reading import explain as diagnose

    return diagnose(pat, file, lang=lang, selector=selector, context=context, strictness=strictness)


@checked
def locate(
    identifier: Any,  # a text; what is none is malformed, which is an answer
    hint_kind: str | None = None,
    *,
    root: str | PathLike[str] | None = None,
    signal: Cancel | None = None,
    progress: Progress | None = None,
    state: str | None = None,
) -> "LocateResult":
    """Which symbol, route or client of the tree on disk an identifier names.

    Look at `success` first, then at `status`: only `one` has a `node`. Raises
    `RequestError` for an unknown `hint_kind`; a bad identifier is an answer. `state` is
    the directory of the workspace's state file, if it is not the configured one; what was
    parsed is kept there for the next question, if it is given.
    """
    from astedit.locating.answer import find_in
    from astedit.locating.inventory.inventory import Inventory
    from astedit.staging.overlaps import mention

    with workspace_at(root) as workspace:
        inventory = Inventory(workspace, Deadline(None, signal), progress, state=state)
        result = find_in(inventory, identifier, hint_kind)
        mention(result, identifier, workspace, state)
        return result
