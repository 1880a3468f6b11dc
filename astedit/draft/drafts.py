"""The drafts of a root: a new one, those that there are, and the one that is meant."""

import json
import os
import re
import time

from astedit.draft.draft import BASE, RECORD, Agreed, Draft, write
from astedit.errors import PreconditionError, RequestError
from astedit.sandbox.available import choose
from astedit.sandbox.locked_directory import private_directory, remove_tree
from astedit.sandbox.sandbox import Sandbox, SandboxError, SandboxWay
from astedit.sandbox.tree_copy import PathState, TreeCopy, tree_state
from astedit.text.count_phrases import number
from astedit.workspace.root import Workspace, path_below

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_DRAFTS = "drafts"


def create(
    workspace: Workspace, state: str, name: str | None, way: SandboxWay | None, max_bytes: int
) -> tuple[Draft, list[str]]:
    """A new draft, and what to say of the way it is made.

    Raises `RequestError` for a name that cannot be one, and `SandboxError` where neither an
    overlay nor a copy can be made.
    """
    taken = {draft.name for draft in drafts(state)}
    name = name or next(f"d{n}" for n in range(1, len(taken) + 2) if f"d{n}" not in taken)
    if not _NAME.fullmatch(name):
        raise RequestError(
            f"{name!r} cannot be the name of a draft.",
            hint="Letters, digits, `.`, `_` and `-`, at most 64, and a letter or digit first.",
        )
    place = os.path.join(state, _DRAFTS, name)
    root = workspace.root
    if path_below(root, os.path.realpath(state)) is not None:
        raise RequestError(
            f"The state directory {state} is inside the root: a draft would hold itself.",
            hint="Name another place with --state-dir.",
        )
    draft = Draft(place, root, os.fstat(workspace.fd).st_ino, "overlay", max_bytes, time.time())
    try:
        private_directory(place)
        with draft.alone("Begin it again once that has ended."):
            for left in os.listdir(place):  # of one that was killed before it was complete
                remove_tree(os.path.join(place, left))
            states = {"tree": tree_state(root)}
            sandbox = Sandbox(root, place, "", max_bytes, kept=place)
            choose(sandbox, way, ())
            draft.way = sandbox.way
            if draft.way == "copy":
                states["copied"] = _copied(draft, sandbox.warnings)
            write(place, BASE, states)
            draft.save()
    except OSError as error:
        remove_tree(place)
        where = error.filename or place
        raise SandboxError(f"No draft can be made: {where}: {error.strerror}.") from error
    except SandboxError:
        remove_tree(place)
        raise
    return draft, sandbox.warnings


def _copied(draft: Draft, warnings: list[str]) -> dict[str, PathState]:
    """Copies the tree, and says what that cost."""
    begun = time.monotonic()
    remove_tree(os.path.join(draft.place, "upper"))
    copy = TreeCopy(draft.root, draft.files, 0)
    cost = "it shares its content with the tree" if copy.shared else f"{draft.used():,} bytes"
    took = f"It took {time.monotonic() - begun:.1f} s; {cost}."
    missed = f" {number(copy.missed, 'path')} could not be copied." if copy.missed else ""
    warnings.append(f"{took}{missed} What the tree gets later comes by astedit draft pull.")
    return copy.copied


def drafts(state: str) -> list[Draft]:
    """Every draft of a root that is complete, in the order in which they began."""
    above = os.path.join(state, _DRAFTS)
    names = os.listdir(above) if os.path.isdir(above) else []
    read = (_read(os.path.join(above, name)) for name in names)
    return sorted((draft for draft in read if draft is not None), key=lambda one: one.began)


def find(workspace: Workspace, state: str, name: str | None) -> Draft:
    """The draft of this name, or the only one; raises `PreconditionError`."""
    every = drafts(state)
    fitting = [draft for draft in every if name in (None, draft.name)]
    if len(fitting) != 1:
        names = ", ".join(draft.name for draft in every)
        if not every:
            problem, hint = "There is no draft.", "Begin one: astedit draft -- COMMAND"
        elif name is None:
            problem, hint = f"There are several drafts: {names}.", "Name the one that you mean."
        else:
            problem, hint = f"There is no draft {name!r}.", f"There are: {names}."
        raise PreconditionError(problem, code="no_draft", hint=hint)
    draft = fitting[0]
    if (draft.root, draft.inode) != (workspace.root, os.fstat(workspace.fd).st_ino):
        raise PreconditionError(
            f"The root {workspace.root} is not the directory that the draft {draft.name} began on.",
            code="root_changed",
            hint=f"Put that directory back, or astedit draft discard {draft.name}.",
        )
    return draft


def _read(place: str) -> Draft | None:
    """The draft at a place; None of what is incomplete or damaged."""
    try:
        with open(os.path.join(place, RECORD), "rb") as file:
            record = json.load(file)
        record["agreed"] = {
            path: Agreed(mark, None if state is None else PathState(*state))
            for path, (mark, state) in record["agreed"].items()
        }
        return Draft(place, **record)
    except (OSError, ValueError, TypeError, KeyError):
        return None
