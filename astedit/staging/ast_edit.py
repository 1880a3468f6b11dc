"""The handler `ast_edit`: reruns the request of a staged plan, compares, and writes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from astedit.engine.run.plan import check_limits
from astedit.engine.run_context import Run
from astedit.errors import PreconditionError, RequestError
from astedit.limits import Deadline, Progress
from astedit.model.plan import Plan
from astedit.model.request import EditRequest
from astedit.review.selectors import ids_of
from astedit.staging import on_top, overlaps, proof
from astedit.staging.approval import allowed, plan_subject
from astedit.staging.outcome import Count, differing, prepared, recovered, stale_because, translated
from astedit.staging.part import Wish, cut, noted_part, record_recovered, refuse_unknown, unseen
from astedit.staging.plan_contents import changes_of, new_directories, written_paths
from astedit.staging.plan_label import counted, details_of, label
from astedit.staging.preview import preview, refuse_another_root, reopened
from astedit.staging.replacement import made_from, stage_rest
from astedit.staging.stored import HANDLER, packed, stored, to_run_again, unpacked
from astedit.staging.stored_review import Refreshed, compared, review_of, take_over
from astedit.text import first_names, number
from astedit.transaction import commit, recovery
from astedit.workspace.config import Config, settings_of
from astedit.workspace.root import Workspace
from resolve import AbortSignal, Session, ToolError, ToolResult
from resolve.handlers import Context, Recovered, superseded
from resolve.visible import one_line

_NAMED = 5  # edits that came out otherwise
_WITHOUT = "Mend that, or leave the file out: astedit apply ID --exclude PATH."
PartWriter = Callable[[Plan, list[dict[str, str]], Workspace, Context], ToolResult]


def run_claimed(
    request: EditRequest, workspace: Workspace, session: Session | None, config: Config | None
) -> Plan:
    """The edit with `dry_run=False`, as the handler applies it, called by a program.

    Allowed only inside the claimed action that stores this very request. `config` is the
    configuration, if it was read already. Raises as `AstEdit.run_again`.
    """
    previewed, context = _claimed(request, workspace, session)
    plan, _ = AstEdit(config=config).run_again(previewed, workspace, Wish(), context)
    plan.applied, plan.action_id = True, previewed.action_id
    return plan


class AstEdit:
    """The handler of `ast_edit`.

    `inline` is for one-shot commands, which may parse themselves. `codemods` are classes
    that the command line names, by codemod. `config` is the configuration that a command
    has read; without it every apply reads the one of its own time. `lander` is called with
    what may be written, and what is left out, instead of writing it. `commands` are patterns
    of those that may run again where a plan came from one.
    """

    def __init__(
        self,
        *,
        inline: bool = False,
        codemods: Mapping[str, str] | None = None,
        config: Config | None = None,
        lander: PartWriter | None = None,
        commands: Sequence[str] = (),
    ) -> None:
        self._config = config
        self._lander = lander
        self._run = Run(want_hunks=False, inline=inline, codemods=codemods or {}, commands=commands)

    def _again(self, settings: Config, context: Context, progress: Progress) -> Run:
        deadline, records = Deadline(None, context.signal), context.session.records
        state = str(records.path.parent) if records.durable else None  # what the preview read
        return self._run._replace(
            deadline=deadline, progress=progress, config=settings, state=state
        )

    def _afterwards(self, settings: Config) -> Run:
        """For what is looked at when all is written: nothing stops it any more."""
        return self._run._replace(config=settings)

    def apply(
        self, payload: Any, reason: str, extra: Mapping[str, Any] | None, context: Context
    ) -> ToolResult:
        """Applies the stored plan or a part of it, or raises `ToolError` with nothing written.

        `extra` is as `Wish.of` reads it.
        """
        with translated(context.signal):
            wish = Wish.of(extra)
            if wish.refresh:
                raise self._refreshed(context)
            previewed = stored(context.session, context.action)
            with reopened(previewed.root, previewed.origin) as workspace:
                return self.run_again(previewed, workspace, wish, context)[1]

    def run_again(
        self, previewed: Plan, workspace: Workspace, wish: Wish, context: Context
    ) -> tuple[Plan, ToolResult]:
        """The edit with `dry_run=False`: the request run again, compared, and written.

        It is the one way to write a plan, or the part of it that is wished for. Raises
        `StaleError`, with nothing written, when the result is not the one previewed.
        """
        on_top.refuse_unless_applied(previewed, context.session.records)
        count = Count(len(previewed.files), context.progress)
        settings = settings_of(workspace, self._config)
        gate = (context.action, context.session, settings)
        allowed(plan_subject(previewed, workspace), *gate)
        run = self._again(settings, context, count.looked)
        plan = as_previewed(previewed, workspace, run._replace(previewed=previewed))
        review = partial(review_of, session=context.session, action_id=context.action_id)
        part, rest = wish.chosen(plan, review, partial(made_from, workspace=workspace, run=run))
        kept = wish.kept(plan, part, review)
        if rest:  # without the others an edit may mean something else
            allowed(plan_subject(part, workspace), *gate)
        proof.require(part, plan, *gate)
        if self._lander is not None:
            return part, self._lander(part, rest, workspace, context)
        count.files = len(part.files)
        changes = prepared(changes_of(part, workspace), count, context.signal)
        try:
            done = commit.write(
                written_paths(part),
                changes,
                workspace.fd,
                context,
                directories=new_directories(part),
                action=context.action_id,
                noted=noted_part(label(part, plan.total_replacements), part, rest, kept, context),
            )
        except PreconditionError as error:
            error.hint = error.hint or _WITHOUT
            raise
        result = _result(part, rest, len(kept), done, context)
        if places := unseen(plan, part):
            result.text += f"\nIt came out otherwise without them: {first_names(places, _NAMED)}."
        run = self._afterwards(settings)
        result.text += stage_rest(plan, ids_of(part), kept, workspace, run, context)
        return part, result

    def reject(
        self, payload: Any, reason: str, extra: Mapping[str, Any] | None, context: Context
    ) -> ToolResult:
        """Lets a discard go on; a part of a plan cannot be discarded."""
        with translated():
            refuse_unknown(extra, ())
        text = f"Discarded: {one_line(context.action.label)}. Reason: {one_line(reason)}"
        details: dict[str, Any] = {}
        text += overlaps.stale_now([], context, details, whole=False)
        return ToolResult(text, details=details or None)

    def recover(self, payload: Any, intent: Any, context: Context) -> Recovered:
        """Ends an apply that was interrupted; called under the apply lock."""
        rest = ""
        with translated():
            plan = unpacked(payload)
            with reopened(plan.root, plan.origin) as workspace:
                ended = recovery.recover(intent, workspace.fd, context)
                part = record_recovered(plan, intent, context)
                if part is not None and ended.outcome == "applied":
                    run = self._afterwards(settings_of(workspace, self._config))
                    rest = stage_rest(plan, part.applied, part.kept, workspace, run, context)
        return recovered(ended, rest)

    def _refreshed(self, context: Context) -> ToolError:
        """Stages what the request gives now in the old one's place; writes nothing."""
        older = to_run_again(context.session, context.action)
        with reopened(older.root, None) as workspace:  # another one is previewed as it is
            settings = settings_of(workspace, self._config)
            run = self._again(settings, context, context.progress)
            run = on_top.based_again(older, workspace, run, context.session.records)
            plan, refreshed = self._compared(older, workspace, run, context)
        plan.title = older.title
        check_limits(plan)
        if not plan.total_replacements:
            raise PreconditionError(
                "Nothing matches any more.", code="nothing_matches", hint="Discard the action."
            )
        known = context.action.notes
        details = {key: known[key] for key in known if key != on_top.KEY} | details_of(plan)
        new = context.supersede(packed(plan), label=label(plan), details=details)
        error = superseded(new)
        told = take_over(refreshed, older, plan, new, context, settings)
        return ToolError(f"{error.args[0]}{told}", code=error.code, hint=error.hint)

    def _compared(
        self, older: Plan, workspace: Workspace, run: Run, context: Context
    ) -> tuple[Plan, Refreshed]:
        """What the request gives now; of a plan of kept edits those that are the same still."""
        plan = preview(replace(older.request, kept=[]), workspace, run)
        refreshed = compared(older, plan, context, workspace)
        if older.request.kept:
            found = refreshed.carry
            others = [each for each in found.others if each.why != "new"]  # were not kept
            same = [each.edit.id for each in others if each.why != "gone"]
            plan = cut(plan, {*found.carried, *same}, workspace, want_hunks=run.want_hunks)
            refreshed = replace(refreshed, carry=found._replace(others=others))
        return plan, refreshed


def _result(
    part: Plan, rest: list[dict[str, str]], kept: int, done: recovery.Ended, context: Context
) -> ToolResult:

    context.record_files(done.files())
    details: dict[str, Any] = {"files": done.files(), "replacements": part.total_replacements}
    text = f"Applied {context.action_id}: {counted(part)}."
    if done.unsure:
        details["durability"] = "unknown"
        text += f"\n{recovery.doubt(done.unsure)}"
    if rest:
        details["notApplied"] = rest
        dropped = len(rest) - kept
        way = f" ({dropped:,} dropped; --keep-rest stages them again)" if dropped else ""
        text += f"\nNot applied: {number(len(rest), 'other edit')}{way}."
    text += overlaps.stale_now(done.files(), context, details, whole=not rest)
    return ToolResult(text, details=details)


def as_previewed(previewed: Plan, workspace: Workspace, run: Run) -> Plan:
    """The request of a preview run again; `StaleError` unless it gives the plan that was previewed.

    Of the preview only the request, the fingerprint and the hashes of its files are used.
    """
    try:
        plan = preview(previewed.request, workspace, run)
    except RequestError as error:  # it was right once: a PATH it names is gone
        reason = "vanished" if error.path else error.message
        raise stale_because([f"{one_line(error.path or 'the request')}: {reason}"]) from error
    except PreconditionError as error:
        if error.code != "patch_does_not_fit":  # which it did
            raise
        why = [line.strip() for line in error.message.splitlines()[1:]]
        raise stale_because(why, hint="Discard it, and make the patch again.") from error
    if plan.fingerprint != previewed.fingerprint:
        raise differing(previewed, plan, workspace)
    return plan


def _claimed(
    request: EditRequest, workspace: Workspace, session: Session | None
) -> tuple[Plan, Context]:
    """The preview that the action being resolved here stores, if it is of this request."""
    action = session.claimed if session is not None else None
    if session is not None and action is not None and action.kind == HANDLER:
        previewed = stored(session, action)
        if previewed.request == request and previewed.root == workspace.root:
            refuse_another_root(workspace, previewed.root, previewed.origin)
            return previewed, Context(session, action, action.reason or "", AbortSignal())
    raise PreconditionError(
        "Writing needs a staged plan of this very request.",
        code="not_staged",
        hint="Call with dry_run=True and a session, then resolve the action it stages.",
    )
