"""Ids of actions as they are shown: short to a person, whole to a program."""

import os
import re
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, TextIO, get_args

from astedit.cli.output import streams
from astedit.cli.place import Place
from resolve.actions import ALPHABET, State
from resolve.stack import short_ids

if TYPE_CHECKING:
    from resolve import Session

ShowIds = Callable[[str], str]
_ID = re.compile(rf"\ba[{ALPHABET}]{{17}}\b")


def shown_on(stream: TextIO | None, session: "Session") -> ShowIds:
    """Rewrites the ids in a text for a stream: on a terminal to the shortest end that is enough."""
    if not streams.terminal(stream):
        return str
    short = all_short(session)
    return lambda text: _ID.sub(lambda match: short.get(match[0], match[0]), text)


def all_short(session: "Session") -> dict[str, str]:
    """The short form of the id of every action there is."""
    return short_ids([action.id for action in session.records.select(get_args(State))])


def staged_notice(
    action_id: str, notice: str | None, session: "Session", place: Place, state_dir: str | None
) -> list[str]:
    """What is said of a staged action: to a person the command that applies it.

    A pipe gets `notice`, the sentence for agents.
    """
    if not streams.terminal(sys.stderr):
        return [notice] if notice else []
    name = shown_on(sys.stderr, session)(action_id)
    verb, _, _ = (notice or "Staged").partition(" as ")
    return [f"{verb} as {name}: no file is changed yet.", _how_to_apply(name, place, state_dir)]


def _how_to_apply(name: str, place: Place, state_dir: str | None) -> str:
    """The command by which a person applies an action, from the working directory."""
    words = [f"astedit resolve apply {name} --reason TEXT"]
    if os.path.commonpath([os.path.realpath("."), place.workspace.root]) != place.workspace.root:
        words.append(f"--root {place.workspace.root}")
    if state_dir is not None:
        words.append(f"--state-dir {state_dir}")
    return f"Apply with: {' '.join(words)}"
