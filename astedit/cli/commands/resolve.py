"""`astedit resolve`: apply or discard what was staged."""

import sys
from typing import Any

import click

from astedit.cli import options
from astedit.cli.options import HelpPage
from astedit.cli.output import streams
from astedit.cli.place import Place, find_place
from astedit.cli.session import (
    ShowIds,
    open_session,
    reason_of,
    recover_in,
    resolve_action,
    shown_on,
)
from astedit.json_model import camel
from astedit.staging.plan_label import described
from resolve import AbortSignal, PendingAction, Session, ToolResult


@click.command(cls=HelpPage, epilog="Example: astedit resolve apply --reason 'reviewed the diff'")
@click.argument("verb", type=click.Choice(("apply", "discard")), metavar="apply|discard")
@options.action_id
@click.option("--reason", metavar="TEXT", help="The reason; a terminal asks for it.")
@click.option("--all", "everything", is_flag=True, help="Everything that is pending, newest first.")
@options.only
@options.exclude
@click.option("--wait", type=click.FloatRange(min=0), default=0, metavar="SECONDS",
              help="Wait at most this long for a person's approval elsewhere.")  # fmt: skip
@options.reviewed
@options.undecided
@click.option("--keep-rest", is_flag=True, help="Stage again what is not applied.")
@click.option("--refresh", is_flag=True, help="Write nothing: preview again in its place.")
@click.option(
    "--prove",
    "proving_command",
    metavar="CMD",
    help="First prove that this passes, as `astedit prove` does.",
)
@click.option("--proven", is_flag=True, help="Only what passed when it was proved.")
@options.codemods
@options.as_json
@options.root
@options.state
def command(
    verb: str,
    action_id: str | None,
    reason: str | None,
    everything: bool,
    proving_command: str | None,
    proven: bool,
    codemods: dict[str, str],
    wait: float,
    as_json: bool,
    root: str | None,
    state_dir: str | None,
    **wishes: Any,
) -> int:
    """Apply or discard a staged action; without ID the newest.

    ID may be the end or the beginning of one, of four or more characters. Nothing is
    written unless the result is exactly what was previewed.
    """
    extra = _extra(verb, wishes)
    _refuse_mixed(verb, extra, everything, proving_command, proven)
    if everything and (action_id is not None or extra):
        raise click.UsageError("--all takes neither an ID nor a part of it.")
    place = find_place(root)
    unsure, stop = False, AbortSignal()
    with open_session(place, state_dir, codemods=codemods) as session:
        if session.records.unsettled:  # else what was claimed by a dead process is not found
            recover_in(session)
        shown = shown_on(sys.stderr, session)
        for target in _targets(session, action_id, everything):
            if target is not None:
                streams.note(shown(f"{target.id} {described(target)}"))
            reason = reason_of(reason, place.config, "nothing is resolved.")
            name = target.id if target is not None else None
            if target is not None and proving_command is not None:
                code = _prove(target, session, place, state_dir, proving_command, as_json)
                if code:
                    return code
            if target is not None and proven:
                extra = _passing(target, session)
            result = resolve_action(session, place.config, verb, reason, name, extra, stop, wait)
            _print(result, as_json, shown_on(sys.stdout, session))
            unsure = unsure or _unsure(result)
    return 5 if unsure else 0


def _extra(verb: str, wishes: dict[str, Any]) -> dict[str, Any] | None:
    """What the handler is told beside the reason; only an apply can be partial."""
    asked = {name: value for name, value in wishes.items() if value}
    if asked and verb == "discard":
        raise click.UsageError(f"--{next(iter(asked)).replace('_', '-')} belongs to apply.")
    lists = {name: list(value) for name, value in asked.items() if isinstance(value, tuple)}
    return {camel(name): value for name, value in (asked | lists).items()} or None


def _refuse_mixed(
    verb: str, extra: dict[str, Any] | None, everything: bool, command: str | None, proven: bool
) -> None:
    """Refuses a proof with what it says nothing about."""
    for flag, used in (("--prove", command is not None), ("--proven", proven)):
        if used and verb == "discard":
            raise click.UsageError(f"{flag} belongs to apply.")
        if used and (extra or everything):
            raise click.UsageError(f"{flag} is of one plan, as it was proved: no part of it.")
    if command is not None and proven:
        raise click.UsageError("--prove proves anew; --proven goes by what was proved.")


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

    words = proving.split(command, "--prove")
    settings = proving.DEFAULTS
    proof = proving.proof_of(words, place, settings)
    plan, proved = proving.prove_on(target, session, place, place.state(state), proof, settings)
    if proved.outcome == "proven":
        return 0
    return proving.report(plan, proved, command, as_json=as_json)


def _passing(target: PendingAction, session: Session) -> dict[str, Any] | None:
    from astedit.staging.proof import proven_part

    excluded = proven_part(target, session)
    return {"exclude": list(excluded)} if excluded else None


def _targets(
    session: Session, action_id: str | None, everything: bool
) -> list[PendingAction | None]:
    """What to resolve; None lets the gate choose, or say that nothing is pending."""
    if action_id is not None:  # an empty one is refused: a script's variable may be unset
        return [session.store.find(action_id)]
    if everything:
        return [*session.store.list()] or [None]
    return [session.store.peek()]


def _unsure(result: ToolResult) -> bool:
    """Applied, but the disk did not confirm that it will last."""
    source = (result.details or {}).get("sourceResultDetails") or {}
    return source.get("durability") == "unknown"


def _print(result: ToolResult, as_json: bool, shown: ShowIds) -> None:
    try:
        if as_json:
            streams.document(result.to_json())
        else:
            streams.text(shown(result.text))
        streams.flush()
    except BrokenPipeError:  # nobody reads it; the other actions are resolved all the same
        streams.abandon_stdout()
