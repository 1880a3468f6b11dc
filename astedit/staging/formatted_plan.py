"""A plan whose lines a formatter has seen: what it does to them is part of the plan.

The command is part of the request, and it runs again with every rerun: where it does
something else by then, the plan is stale. Only commands of the user's own put it there.
"""

import shlex
from collections.abc import Mapping
from dataclasses import replace

from astedit.engine.fingerprint import fingerprint_of
from astedit.engine.run_context import Run
from astedit.engine.whole_files import diff_of
from astedit.errors import PreconditionError, RequestError
from astedit.limits import Deadline
from astedit.model.edit import FilePlan
from astedit.model.plan import Plan
from astedit.model.shapes import shapes_of
from astedit.programs import allowed
from astedit.sandbox.available import choose
from astedit.sandbox.sandbox import FileState, Sandbox
from astedit.staging.file_changes import written_paths
from astedit.staging.formatted_edits import formatted_edits, with_edits
from astedit.staging.plan_contents import PlanContents
from astedit.text.count_phrases import number
from astedit.workspace.config import load
from astedit.workspace.root import Workspace, state_dir

FILES = "{files}"
_AT_ONCE = 500  # files that one command gets
_SHOWN = 500  # characters of what it printed


def formatter_words(command: str) -> list[str]:
    """The words of a formatter's command; raises `RequestError` for what cannot be one."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise RequestError(f"--format-with: {error}.") from error
    if FILES not in words:
        raise RequestError(
            f"--format-with {command!r} has no word {FILES}.",
            hint=f"Say where the files come: 'ruff format {FILES}'.",
        )
    return words


def formatted(plan: Plan, workspace: Workspace, run: Run) -> Plan:
    """The plan with what the formatter of its request does to the lines that it touches.

    Raises `PreconditionError` where the formatter fails or nobody has allowed it here, and
    `SandboxError` where it cannot run.
    """
    words = formatter_words(plan.request.format_with)
    if not allowed(words, run.commands):
        raise PreconditionError(
            f"The plan was formatted by {plan.request.format_with}, which is not allowed here.",
            code="command_not_allowed",
            hint="Apply it on the command line.",
        )
    before = PlanContents(plan, workspace)
    states = before.with_edits({f.path: [e.id for e in f.edits] for f in plan.files})
    made = _formatted_contents(words, states, plan, workspace, run)
    taken = left = 0
    files: list[FilePlan] = []
    for file in plan.files:
        if file.path in made:
            old = before.content(file.path)
            changed = formatted_edits(file, old, made[file.path])
            taken, left = taken + changed.taken, left + changed.left
            if changed.taken:
                file = with_edits(file, old, changed.edits)
                file.hunks = diff_of(file, old) if run.want_hunks else b""
        files.append(file)
    return _counted(replace(plan, files=files, hints=[*plan.hints, _told(taken, left)]))


def _told(taken: int, left: int) -> str:
    what = f"The formatter changed {number(taken, 'place')} in lines that the plan touches"
    return (
        f"{what}; {number(left, 'other place')} it would change are left." if left else f"{what}."
    )


def _counted(plan: Plan) -> Plan:
    plan.files = [file for file in plan.files if file.edits]
    plan.files_touched = len(plan.files)
    plan.total_replacements = sum(file.replacements for file in plan.files)
    plan.shapes = shapes_of(plan.files)
    plan.fingerprint = fingerprint_of(plan)
    return plan


def _formatted_contents(
    words: list[str],
    states: Mapping[str, FileState],
    plan: Plan,
    workspace: Workspace,
    run: Run,
) -> dict[str, bytes]:
    """What the formatter makes of the files, in a sandbox: nothing of the tree is written."""
    state = run.state or state_dir(workspace, (run.config or load(workspace)).state_dir)
    sandbox = Sandbox(workspace.root, state)
    choose(sandbox, None, written_paths(plan))
    paths = [file.path for file in plan.files if file.operation != "delete"]
    made: dict[str, bytes] = {}
    for start in range(0, len(paths), _AT_ONCE):
        made |= _run(words, paths[start : start + _AT_ONCE], states, sandbox, run.deadline)
    return made


def _run(
    words: list[str],
    paths: list[str],
    states: Mapping[str, FileState],
    sandbox: Sandbox,
    deadline: Deadline,
) -> dict[str, bytes]:
    at = words.index(FILES)
    named = [f"./{path}" if path.startswith("-") else path for path in paths]
    done = sandbox.run(
        [*words[:at], *named, *words[at + 1 :]], states, collect=paths, deadline=deadline
    )
    if done.start_error or done.status != 0:
        how = done.start_error or done.ended or f"it ended with {done.status}"
        raise PreconditionError(
            f"The formatter {words[0]} failed: {how}.\n{done.output[-_SHOWN:].rstrip()}".rstrip(),
            code="formatter",
            hint=f"Run it by hand on the files of the plan: {shlex.join(words)}",
        )
    return {path: content for path, content in done.made.items() if content is not None}


def with_formatter(plan: Plan, command: str, workspace: Workspace, run: Run) -> Plan:
    """A plan with the formatter added to its request; the files are as they were previewed.

    One that was made with this formatter stays as it is. Raises what `formatted` raises.
    """
    if plan.request.format_with == command:
        return plan
    if plan.request.kept:
        raise PreconditionError(
            "This plan is what an apply of a part left, which cannot be formatted any more.",
            code="not_formattable",
            hint="Preview the edit again, and format that.",
        )
    if plan.request.format_with:
        raise PreconditionError(
            f"This plan was formatted already, by {plan.request.format_with}.",
            code="not_formattable",
            hint="Preview the edit again, and format that.",
        )
    request = replace(plan.request, format_with=command)
    return formatted(replace(plan, request=request, action_id=None), workspace, run)
