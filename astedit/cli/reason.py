"""Why something is resolved: as --reason says, or as a person on the terminal answers."""

import sys

import click

from astedit.cli.output import streams
from astedit.workspace.config import Config
from resolve.errors import AbortError


def can_ask() -> bool:
    """Whether somebody is there who can be asked."""
    return streams.terminal(sys.stdin) and streams.terminal(sys.stderr)


def asked(reason: str | None, settings: Config, unanswered: str) -> str:
    """The reason; where there is none the person is asked, and may answer nothing.

    Raises `click.UsageError` where nobody can be asked, and `AbortError`, which says
    `unanswered`, if the person goes away instead.
    """
    if reason is not None:
        return reason
    if not can_ask():
        raise click.UsageError("Missing option '--reason'.", click.get_current_context())
    usual = f"by {settings.actor or _user()}"
    streams.prompt(f"Why? (Enter: {usual}) ")
    try:
        line = sys.stdin.readline()
    except KeyboardInterrupt as error:
        raise AbortError(f"Interrupted: {unanswered}") from error
    if not line:
        raise AbortError(f"Not answered: {unanswered}")
    return line.strip() or usual


def sure(question: str) -> bool:
    """Whether a person on the terminal says yes; no where nobody can be asked."""
    if not can_ask():
        return False
    streams.prompt(f"{question} [y/N] ")
    try:
        return sys.stdin.readline().strip().lower() in ("y", "yes")
    except KeyboardInterrupt:
        return False


def _user() -> str:
    from getpass import getuser

    try:
        return getuser()
    except (KeyError, OSError):  # no name is known for this number
        return "a person"
