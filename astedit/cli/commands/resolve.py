"""`astedit resolve`, `apply` and `discard`: what becomes of what was staged."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click

from astedit.cli import options
from astedit.cli.output import streams
from astedit.cli.place import Place, find_place
from astedit.cli.session import (
    can_ask,
    named_or_newest,
    open_session,
    reason_of,
    recover_in,
    resolve_action,
    shown_on,
)
from astedit.errors import PreconditionError
from astedit.json_model import camel
from astedit.staging.plan_label import described
from astedit.staging.proof import proven_part
from resolve import AbortSignal, PendingAction, Session, ToolResult

resolving = options.together(
    options.action_ids,
    click.option("--reason", metavar="TEXT", help="The reason; a terminal asks for it."),
    click.option("-y", "--yes", is_flag=True, help="Ask nothing: the reason is the plan's title."),
    click.option("--all", "everything", is_flag=True, help="All that is pending, newest first."),
    options.only,
    options.exclude,
    click.option("--wait", type=click.FloatRange(min=0), default=0, metavar="SECONDS",
                 help="Wait at most this long for a person's approval elsewhere."),
    options.reviewed,
    options.undecided,
    click.option("--keep-rest", is_flag=True, help="Stage again what is not applied."),
    click.option("--refresh", is_flag=True, help="Write nothing: preview again in its place."),
    click.option("--prove", "proving_command", metavar="CMD",
                 help="First prove that this passes, as `astedit prove` does."),
    click.option("--proven", is_flag=True, help="Only what passed when it was proved."),
    options.codemods,
    click.option("--stat", is_flag=True, help="Print a table of the files, too."),
    click.option("-q", "--quiet", is_flag=True, help="Print errors only."),
    options.as_json,
    options.root,
    options.state,
)  # fmt: skip
"""What is said of an apply or a discard, beside which of them it is."""


@options.command("resolve apply --reason 'reviewed the diff'")
@click.argument("verb", type=click.Choice(("apply", "discard")), metavar="apply|discard")
@resolving
def command(verb: str, **flags: Any) -> int:
    """Apply or discard a staged action; without ID the newest.

    ID may be the last four characters of an id. Nothing is written unless the result is
    exactly what was previewed.
    """
    return _resolved(verb, newest=True, **flags)


@options.command("apply 7f3k")
@resolving
def apply(**flags: Any) -> int:
    """Apply staged actions; without ID the newest.

    ID may be the last four characters of an id; a script has to give one where several are
    pending. Several are applied in this order until one is refused. Nothing is written unless
    the result is exactly what was previewed.
    """
    return _resolved("apply", **flags)


@options.command("discard 7f3k --reason 'not what I meant'")
@resolving
def discard(**flags: Any) -> int:
    """Discard staged actions; without ID the newest.

    ID may be the last four characters of an id; a script has to give one where several are
    pending. Several are discarded in this order until one is refused. No file is changed.
    """
    return _resolved("discard", **flags)


def _resolved(
    verb: str,
    *,
    newest: bool = False,
    action_ids: Sequence[str],
    reason: str | None,
    yes: bool,
    everything: bool,
    proving_command: str | None,
    proven: bool,
    codemods: dict[str, str],
    wait: float,
    stat: bool,
    quiet: bool,
    as_json: bool,
    root: str | None,
    state_dir: str | None,
    **wishes: Any,
) -> int:
    """Resolves the actions in their order until one is refused; returns the exit code."""
    extra = _extra(verb, wishes)
    several = everything or len(action_ids) > 1
    part = bool(wishes["only"] or wishes["exclude"])
    proving = "--prove" if proving_command is not None else "--proven" if proven else ""
    senseless = (
        (bool(proving) and verb == "discard", f"{proving} belongs to apply."),
        (bool(proving and (extra or several)),
         f"{proving} is of one plan, as it was proved: no part of it."),
        (proving == "--prove" and proven,
         "--prove proves anew; --proven goes by what was proved."),
        (everything and bool(action_ids or extra), "--all takes neither an ID nor a part of it."),
        (several and part, "--only and --exclude are of one plan: give one ID."),
        (quiet and (as_json or stat), "--quiet prints nothing that --json or --stat could show."),
        (as_json and stat, "--json and --stat cannot be used together."),
    )  # fmt: skip
    for holds, why in senseless:
        if holds:
            raise click.UsageError(why)
    place = find_place(root)
    note: Callable[[str], None] = (lambda _: None) if quiet else streams.note
    unsure, stop, results = False, AbortSignal(), list[ToolResult]()
    with open_session(place, state_dir, announce=not quiet, codemods=codemods) as session:
        if session.records.unsettled:  # else what was claimed by a dead process is not found
            recover_in(session)
        shown = shown_on(sys.stderr, session)
        for target in _targets(session, action_ids, everything, newest or can_ask()):
            note(shown(f"{target.id} {described(target)}"))
            if yes and reason is None:
                why = target.title
            else:
                why = reason = reason_of(reason, place.config, "nothing is resolved.")
            if proving_command is not None:
                code = _prove(target, session, place, state_dir, proving_command, as_json)
                if code:
                    return code
            if proven:
                excluded = proven_part(target, session)
                extra = {"exclude": list(excluded)} if excluded else None
            result = resolve_action(
                session, place.config, verb, why, target.id, extra, stop, wait, ask=not yes
            )
            results.append(result)
            with _whoever_reads():
                if not (as_json or quiet):
                    streams.text(shown_on(sys.stdout, session)(result.text))
                if stat:
                    streams.texts(_stat(target, session))
            source = (result.details or {}).get("sourceResultDetails") or {}
            unsure |= source.get("durability") == "unknown"
    if as_json:  # one document: of one action, or the list of several
        documents = [result.to_json() for result in results]
        with _whoever_reads():
            streams.document(documents[0] if len(documents) == 1 else documents)
    return 5 if unsure else 0  # the disk did not confirm that what is applied will last


def _extra(verb: str, wishes: dict[str, Any]) -> dict[str, Any] | None:
    """What the handler is told beside the reason; only an apply can be partial."""
    asked = {name: value for name, value in wishes.items() if value}
    if asked and verb == "discard":
        raise click.UsageError(f"--{next(iter(asked)).replace('_', '-')} belongs to apply.")
    lists = {name: list(value) for name, value in asked.items() if isinstance(value, tuple)}
    return {camel(name): value for name, value in (asked | lists).items()} or None


def _prove(
    target: PendingAction,
    session: Session,
    place: Place,
    state: str | None,
    command: str,
    as_json: bool,
) -> int:
    """Proves an action first; returns what to exit with where it is not proven."""
    from astedit.cli import proving

    proof = proving.proof_of(proving.split(command, "--prove"), place, {})
    plan, proved = proving.prove_on(target, session, place, place.state(state), proof, {})
    if proved.outcome == "proven":
        return 0
    return proving.report(plan, proved, command, as_json=as_json)


def _targets(
    session: Session, action_ids: Sequence[str], everything: bool, newest: bool
) -> Iterable[PendingAction]:
    """What to resolve; of several pending actions the newest only where `newest` is enough."""
    if action_ids:  # an empty one is refused: a script's variable may be unset
        return map(session.store.find, action_ids)
    pending = session.store.list()
    # `edit -q … && apply -y`: the edit may have found nothing, and an older plan is the newest
    if not (everything or newest) and len(pending) > 1:
        rows = "".join(f"\n{action.id}  {described(action)}" for action in pending)
        raise PreconditionError(
            f"{len(pending)} plans are pending:{rows}",
            code="ambiguous",
            hint="Name those that you mean, or give --all.",
        )
    return (everything and pending) or [named_or_newest(session, None)]


def _stat(target: PendingAction, session: Session) -> Iterator[str]:
    """The table of files of what was resolved, as it was applied."""
    from astedit.cli.output import report
    from astedit.review.selectors import ALL
    from astedit.staging.part import shown_part
    from astedit.staging.stored import UNDO, stored
    from astedit.staging.undo import shown_as

    action = session.store.find(target.id)
    if action.kind == UNDO:
        return report.restored(file.path for file in shown_as(action, session).files)
    return report.stat(shown_part(stored(session, action), action, session, ALL).files)


@contextmanager
def _whoever_reads() -> Iterator[None]:
    """Prints for whoever is there; nobody has to be: what is resolved is resolved all the same."""
    try:
        yield
        streams.flush()
    except BrokenPipeError:
        streams.abandon_stdout()
