"""`astedit show`: what was staged, as it stands against the files of now."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from astedit.cli import options
from astedit.cli.output import report, streams
from astedit.cli.place import Place, find_place, tell_interruption
from astedit.cli.session import named_or_newest, open_session
from astedit.errors import PreconditionError, StaleError
from astedit.model.plan import Plan
from astedit.review.selectors import ALL, Selection, numbered_shapes
from astedit.staging.plan_contents import contents_of, redraw
from astedit.staging.plan_label import command_of, described
from astedit.text import first_names
from astedit.workspace.root import Workspace
from resolve import PendingAction, Session
from resolve.visible import one_line

if TYPE_CHECKING:
    from astedit.review.ledger.model import PlaceLedger

FORMS = ("diff", "patch", "json", "stat", "shapes", "causes", "plan", "html")
_NAMED = 3  # files that changed meanwhile


@options.command("show --format patch | git apply --check")
@options.action_id
@options.only
@options.exclude
@click.option("--format", "form", type=click.Choice(FORMS), help="Default: diff.")
@click.option(
    "--ledger",
    "as_ledger",
    is_flag=True,
    help="Print what became of each place of the rarest names; html adds it.",
)
@options.answering
def command(action_id: str | None, form: str | None, as_ledger: bool, **flags: Any) -> int:
    """Show a staged or resolved action; without ID the newest that is pending.

    diff is for reading; patch is for `git apply`; plan and json are documents; html is a
    page for a browser, in one file.
    """
    only, exclude = flags["only"], flags["exclude"]
    if flags["as_json"] and form not in (None, "json"):
        raise click.UsageError(f"--json and --format {form} cannot be used together.")
    form = "json" if flags["as_json"] else form
    if form == "plan" and (only or exclude):
        raise click.UsageError("--format plan is the whole plan: it takes no part of it.")
    if as_ledger and (only or exclude or form not in (None, "json", "html")):
        raise click.UsageError("--ledger is of the whole plan, as a table, --json or html.")
    place = find_place(flags["root"])
    tell_interruption(place, flags["state_dir"])
    with open_session(place, flags["state_dir"]) as session:
        action = named_or_newest(session, action_id)
        account = _ledger(action, session, place) if as_ledger else None
        if account is not None and form != "html":
            from astedit.cli.output.review_summary import ledger_lines

            if form == "json":
                streams.document(account.to_json())
            else:
                streams.texts(ledger_lines(account))
                _tell(action)
        elif action.handler == "ast_edit":
            selection = Selection.of_flags(only, exclude)
            _show_plan(action, session, place.workspace, selection, form, account)
        elif only or exclude:
            raise PreconditionError(f"{action.id} ({action.kind}) has no parts.", code="no_plan")
        elif action.handler == "undo":
            _show_undo(action, place.workspace, session, form or "diff")
        elif form not in (None, "json"):
            raise PreconditionError(f"{action.id} ({action.kind}) holds no plan.", code="no_plan")
        else:  # of another tool: all there is to see is its record
            streams.document(action.to_json())
    return 0


def _ledger(action: PendingAction, session: Session, place: Place) -> "PlaceLedger":
    from astedit.staging.stored import stored
    from astedit.staging.stored_review import staged_ledger

    if action.handler != "ast_edit" or action.state != "pending":
        raise PreconditionError(
            f"{action.id} ({action.kind}) is {action.state}: only a pending plan has a ledger.",
            code="no_ledger",
        )
    return staged_ledger(stored(session, action), place.workspace, session.records, place.config)


def _show_plan(
    action: PendingAction,
    session: Session,
    workspace: Workspace,
    selection: Selection,
    form: str | None,
    account: "PlaceLedger | None",
) -> None:
    from astedit.engine.run_context import Run
    from astedit.staging.on_top import as_previewed
    from astedit.staging.part import shown_part
    from astedit.staging.proof import newest_proof
    from astedit.staging.replacement import remaking
    from astedit.staging.stage import tell_overlaps
    from astedit.staging.stored import stored

    staged = stored(session, action)
    if action.state == "pending":
        tell_overlaps(staged, session)
    remade = None
    if selection != ALL and action.state == "pending":
        remade = remaking(staged, workspace, Run(inline=True))
    plan = staged if form == "plan" else shown_part(staged, action, session, selection, remade)
    proof = newest_proof(action.id, session.records)
    proved = None if proof is None else proof.sentence()
    with as_previewed(staged, workspace, session.records):
        match form:
            case "shapes":
                streams.texts(report.shapes(plan, numbered_shapes(staged, plan.files)))
            case "causes":
                from astedit.review.causes import Causes  # few plans are cascades

                streams.texts(Causes(plan).tree())
            case "html":
                streams.data(_page(action, plan, workspace, proved, account))
            case "json":
                last = None if proof is None else proof.to_json()
                streams.document(plan.to_json() | action.to_json() | {"proof": last})
                return
            case "plan":
                streams.document(plan.to_json())
            case "stat":
                streams.texts(report.stat(plan.files))
            case _:
                _show_diff(plan, workspace, form)
        _tell(action, plan)
        if proved is not None:
            streams.note(f"proof: {one_line(proved)}")


def _page(
    action: PendingAction,
    plan: Plan,
    workspace: Workspace,
    proof: str | None,
    account: "PlaceLedger | None",
) -> bytes:
    from astedit.page.report import report as page  # colours cost more than all of `show`
    from astedit.workspace.codeowners import CodeOwners

    owners = CodeOwners.read(workspace).of
    text = page(plan, contents_of(plan, workspace), action.title, owners, proof, account)
    return text.encode("utf-8")


def _tell(action: PendingAction, plan: Plan | None = None) -> None:
    named = described(action) + command_of(action)
    streams.note(f"{action.id} {named} ({action.state})")
    if plan is not None and plan.overlaps:
        streams.note(report.overlapping(plan))


def _show_undo(action: PendingAction, workspace: Workspace, session: Session, form: str) -> None:
    """An undo holds no edits: of each file, the content that it restores."""
    from astedit.staging import undo

    undoing = undo.shown_as(action, session)
    if form == "json":
        rows = [asdict(file) for file in undoing.files]
        head = {"fingerprint": undoing.fingerprint, "undoes": undoing.undoes, "files": rows}
        streams.document(action.to_json() | head)
        return
    if form in ("shapes", "causes", "plan", "html"):
        raise PreconditionError(
            f"{action.id} (undo) holds no plan.", code="no_plan", hint="Show it as diff or json."
        )
    if form == "stat":
        streams.texts(report.restored(file.path for file in undoing.files))
    else:
        diff = undo.diff_of(undoing, workspace, session)
        (report.print_diff if form == "patch" else report.print_visible)(diff)
    _tell(action)


def _show_diff(plan: Plan, workspace: Workspace, form: str | None) -> None:
    changed = redraw(plan, workspace)
    if changed and form == "patch":
        names = first_names([one_line(path) for path in changed], _NAMED)
        raise StaleError(
            f"{names} changed since the preview: no exact patch can be made.",
            hint="Look at it with --format diff, or preview the change again.",
        )
    if form == "patch":
        report.print_diff(plan.patch())
    else:
        report.print_visible(plan.patch())
    for path in changed:
        streams.note(f"{one_line(path)} has changed since the preview; no context is shown.")
