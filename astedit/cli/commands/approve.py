"""`astedit approve`: a person's approval of one staged action, asked for on the terminal."""

import click

from astedit.cli import completions, options
from astedit.cli.output import streams
from astedit.cli.place import find_place
from astedit.cli.session import can_ask, open_session, reason_of, resolve_action
from astedit.cli.terminal_approval import ask
from resolve.stack import refusal


@options.command("approve 3f9a")
@click.argument("action_id", metavar="ID", shell_complete=completions.pending_ids)
@click.option("--apply", "applying", is_flag=True, help="Apply it at once.")
@click.option("--reason", metavar="TEXT", help="The reason for --apply; a terminal asks for it.")
@options.root
@options.state
def command(
    action_id: str, applying: bool, reason: str | None, root: str | None, state_dir: str | None
) -> int:
    """Give a person's approval, where the policy needs one.

    Shows what it would change, in short, and asks for the first characters of its fingerprint,
    on the terminal itself. The approval holds for this very fingerprint.
    """
    if reason is not None and not applying:
        raise click.UsageError("--reason belongs to --apply.")
    place = find_place(root)
    with open_session(place, state_dir) as session:
        action = session.store.find(action_id)
        if action.state != "pending":
            raise refusal(action.id, action)
        ask(action, session)
        if applying:  # the terminal may be no more than the device
            ending = "it is approved, and nothing is applied."
            usual = None if can_ask() else "approved on a terminal"
            why = reason_of(reason or usual, place.config, ending)
            streams.text(resolve_action(session, place.config, "apply", why, action.id).text)
    if not applying:
        streams.note(f"Approved {action.id}. It can be applied now.")
    return 0
