"""`astedit review`: what was decided about the edits of a staged plan."""

import os
from collections.abc import Set
from typing import Any

import click

from astedit.cli import options, request
from astedit.cli.output import review_summary, streams
from astedit.cli.place import Place, find_place, tell_interruption
from astedit.cli.question import serve_review
from astedit.cli.session import apply_accepted, named_or_newest, open_session, resolve_action
from astedit.cli.terminal_approval import go_through, possible
from astedit.errors import PreconditionError
from astedit.review.decisions import Review
from astedit.review.selectors import Selection, part_of
from astedit.text import number
from resolve import PendingAction, Session, ToolError

_KINDS = ("web", "questions", "summary", "refresh", "as_json", "target", "source")
_REASON = "previewed again for a review"


@options.command("review --export review.json")
@options.action_id
@click.option("--web", is_flag=True, help="Decide in a browser on this machine.")
@click.option("--no-open", is_flag=True, help="With --web: only print the link.")
@click.option("--questions", is_flag=True, help="Ask line by line, not on the whole screen.")
@click.option("--theme", type=click.Choice(("auto", "light", "dark")), default="auto",
              help="For which background the screen is drawn.")  # fmt: skip
@click.option("--summary", is_flag=True, help="Print how much is decided, in all and by shape.")
@click.option("--refresh", is_flag=True, help="Preview again; keep the decisions that still hold.")
@click.option("--export", "target", metavar="FILE|-", help="Write the decisions to a document.")
@click.option("--import", "source", metavar="FILE|-", help="Read decisions from a document.")
@options.only
@options.exclude
@options.answering
def command(action_id: str | None, **flags: Any) -> int:
    """Decide about the edits of a staged plan; without ID the newest that is pending.

    On a terminal you go through the edits, odd ones first, by shape; elsewhere a summary is
    printed. Decisions are kept beside the plan, and hold for exactly its bytes.
    """
    only, exclude, source, web = (flags[name] for name in ("only", "exclude", "source", "web"))
    if (only or exclude) and source is not None:
        raise click.UsageError(
            "--import takes over what its document names: leave out the rest there."
        )
    if sum(flags[name] not in (None, False) for name in _KINDS) > 1:
        raise click.UsageError(
            "--web, --questions, --summary, --refresh, --json, --export and --import exclude one"
            " another."
        )
    from astedit.staging.proof import newest_proof
    from astedit.staging.stored_review import open_review

    place = find_place(flags["root"])
    tell_interruption(place, flags["state_dir"])
    selection = Selection.of_flags(only, exclude)
    if flags["no_open"] and not web:
        raise click.UsageError("--no-open belongs to --web.")
    if web:
        opening = not flags["no_open"] and possible()
        serve_review(place, flags["state_dir"], action_id, selection, opening=opening)
        return 0
    with open_session(place, flags["state_dir"]) as session:
        action = named_or_newest(session, action_id)
        if flags["refresh"]:
            action = _refreshed(action, session, place)
        review = open_review(session, action)
        asked = action.state == "pending" and possible()
        if source is not None:
            _import(source, review, session)
        elif flags["target"] is not None or flags["as_json"]:
            _export(flags["target"] or "-", review, part_of(review.plan, selection))
        elif flags["questions"] or (asked and not (flags["summary"] or flags["refresh"])):
            way = {name: flags[name] for name in ("questions", "theme")}
            ended = go_through(review, session, place, selection, **way)
            if ended.reason is not None:
                apply_accepted(session, place.config, ended)
        else:
            proof = newest_proof(action.id, session.records, review.fingerprint)
            said = None if proof is None else proof.sentence()
            streams.texts(review_summary.lines(review, part_of(review.plan, selection), said))
    return 0


def _refreshed(action: PendingAction, session: Session, place: Place) -> PendingAction:
    """The action in the place of a stale one, with the decisions that hold, and says which."""
    known = {each.id for each in session.store.list()}
    try:
        resolve_action(session, place.config, "apply", _REASON, action.id, {"refresh": True})
    except ToolError as error:
        if error.code != "superseded":
            raise
        streams.text(str(error))
    return next(each for each in session.store.list() if each.id not in known)


def _import(source: str, review: Review, session: Session) -> None:
    from astedit.review.document import MAX_SIZE, import_document
    from astedit.staging.stored_review import remember_decided

    try:
        changed = import_document(request.document_of(source, MAX_SIZE), review)
    finally:  # also after Ctrl-C: what was decided until then is kept
        remember_decided(review.plan, session.records, review.plan.action_id or "")
    streams.note(f"{number(len(changed), 'decision')} taken over: {review.progress()}.")


def _export(target: str, review: Review, part: Set[str]) -> None:
    from astedit.review.document import document_of

    document = document_of(review, part)
    if target == "-":
        streams.document(document)
        return
    _write(target, streams.as_json(document, indent=2) + b"\n")
    streams.note(f"{target}: {review.progress()}.")


def _write(target: str, content: bytes) -> None:
    """Writes a file that the user names, and that does not exist yet."""
    from astedit.transaction.user_files import create
    from astedit.workspace.confined_open import closed_after

    directory, name = os.path.split(target)
    try:
        parent = os.open(directory or ".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        message = f"{target} cannot be written: {error.strerror}."
        raise PreconditionError(message, code="unwritable") from error
    with closed_after(parent):
        create(parent, name, content)
