"""`astedit show`: what was staged, as it stands against the files of now."""

from collections.abc import Iterator, Sequence

import click

from astedit.cli import gate, interruption, options, place, report, streams
from astedit.diff import hunks
from astedit.edit import splice
from astedit.errors import PreconditionError, StaleError
from astedit.model import Edit, FilePlan, Plan
from astedit.workspace import Workspace
from resolve import PendingAction, Session

FORMS = ("diff", "patch", "json", "stat", "shapes", "plan")


@click.command(epilog="Example: astedit show --format patch | git apply --check")
@options.action_id
@click.option("--format", "form", type=click.Choice(FORMS), help="Default: diff.")
@options.as_json
@options.root
@options.state
def command(
    action_id: str | None, form: str | None, as_json: bool, root: str | None, state_dir: str | None
) -> int:
    """Show a staged or resolved action; without ID the newest that is pending.

    diff is for reading; patch is for `git apply`; plan and json are documents.
    """
    if as_json and form not in (None, "json"):
        raise click.UsageError(f"--json and --format {form} exclude one another.")
    from astedit.tool import stored

    found = place.find(root)
    interruption.tell(found, state_dir)
    with gate.session(found, state_dir) as session:
        action = _chosen(session, action_id)
        if action.handler == "ast_edit":
            plan = stored(session, action)
            _show(action, plan, found.workspace, "json" if as_json else form or "diff")
        else:
            _show_foreign(action, "json" if as_json else form)
    return 0


def _chosen(session: Session, action_id: str | None) -> PendingAction:
    action = session.store.find(action_id) if action_id is not None else session.store.peek()
    if action is None:
        raise PreconditionError(
            "Nothing is pending.", code="nothing_pending", hint="Name an action: astedit log."
        )
    return action


def _show(action: PendingAction, plan: Plan, workspace: Workspace, form: str) -> None:
    if form == "json":
        streams.document(plan.to_json() | action.to_json())
    elif form == "plan":
        streams.document(plan.to_json())
    elif form == "stat":
        streams.texts(report.stat(plan.files))
    elif form == "shapes":
        streams.texts(f"{shape.count} {shape.label}\n{shape.example}" for shape in plan.shapes)
    else:
        _show_diff(plan, workspace, form)
    if form != "json":
        streams.note(f"{action.id} {streams.name(action.label)} ({action.state})")


def _show_foreign(action: PendingAction, form: str | None) -> None:
    """An action of another tool: all there is to see is its record."""
    if form not in (None, "json"):
        raise PreconditionError(f"{action.id} ({action.kind}) holds no plan.", code="no_plan")
    streams.document(action.to_json())


def _show_diff(plan: Plan, workspace: Workspace, form: str) -> None:
    changed = []
    for file in plan.files:
        source = _before(file, workspace, plan.request.max_file_size)
        if source is None:
            changed.append(file.path)
            file.hunks = _without_context(file)
        else:
            file.hunks = hunks(file.path, source, _splices(file.edits))
    if changed and form == "patch":
        raise StaleError(
            f"{_names(changed)} changed since the preview: no exact patch can be made.",
            hint="Look at it with --format diff, or preview the change again.",
        )
    if form == "patch":
        report.print_diff(plan.patch())
    else:
        report.print_visible(plan.patch())
    for path in changed:
        streams.note(f"{streams.name(path)} has changed since the preview; no context is shown.")


def _before(file: FilePlan, workspace: Workspace, limit: int) -> bytes | None:
    """The bytes the plan was made of, from the file as it was or as it became; else None."""
    from hashlib import sha256

    try:
        content, _ = workspace.read(file.path, limit)
    except OSError:
        return None
    found = sha256(content).hexdigest()
    if found == file.after_hash:
        content = splice(content, _inverse(file.edits))
        found = sha256(content).hexdigest()
    return content if found == file.before_hash else None


def _splices(edits: Sequence[Edit]) -> list[tuple[int, int, bytes]]:
    return [(edit.start, edit.end, edit.new) for edit in edits]


def _inverse(edits: Sequence[Edit]) -> list[tuple[int, int, bytes]]:
    """What turns the result back; exact for UTF-8, and the caller compares the hash."""
    shift, back = 0, []
    for edit in edits:
        start = edit.start + shift
        back.append((start, start + len(edit.new), edit.before.encode("utf-8", "surrogateescape")))
        shift += len(edit.new) - (edit.end - edit.start)
    return back


def _without_context(file: FilePlan) -> bytes:
    """The edits alone: of the lines around them nothing is known any more."""
    return "".join(_pieces(file)).encode("utf-8", "surrogateescape")


def _pieces(file: FilePlan) -> Iterator[str]:
    yield f"--- a/{file.path}\n+++ b/{file.path}\n"
    for edit in file.edits:
        yield f"@@ line {edit.line} when previewed @@\n"
        yield from (f"-{line}\n" for line in edit.before.splitlines())
        yield from (f"+{line}\n" for line in edit.after.splitlines())


def _names(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - 3} more" if len(paths) > 3 else ""
    return ", ".join(streams.name(path) for path in paths[:3]) + more
