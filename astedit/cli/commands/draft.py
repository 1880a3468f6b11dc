"""`astedit draft`: a changed view of the tree for any program; what differs becomes a plan."""

import contextlib
import os
import shlex
import signal
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import chain
from typing import TYPE_CHECKING, Any

import click

from astedit.cli import options, preview, proving
from astedit.cli.flags import Bounds, Staging, flag_of, taken, written_flags
from astedit.cli.output import streams
from astedit.cli.place import Place, find_place
from astedit.draft.difference import difference, pull
from astedit.draft.draft import (
    DRAFT,
    MAX_BYTES,
    Draft,
    create,
    drafts,
    find,
    thrown_away,
    unreadable,
)
from astedit.errors import LimitError, PreconditionError, RequestError
from astedit.limits import Deadline
from astedit.programs import Child
from astedit.resident import client
from astedit.text import first_names, number
from resolve.visible import one_line

if TYPE_CHECKING:
    from resolve import Session

_VERBS = ("plan", "list", "enter", "discard", "pull")
_OUTSIDE = ("plan", "list", "pull")  # what the process outside answers to those inside
_DOOR = "door"  # the socket of that process, in the draft's directory
_ENDED = 128  # as shells count the end by a signal
_NAMED = 5
_SHOWN = 60  # characters of a command
_REQUEST = ("no_ignore", "allow_partial", "allow_protected")
_ALLOWED = {  # the flags that go with a verb, beside those that go with all
    "plan": """
        no_ignore allow_partial allow_protected apply reason check no_stage stat quiet interactive
        timeout jobs title stage yes as_json""",
    "list": "as_json",
    "enter": "max_bytes",
    "discard": "",
    "pull": "keep take as_json",
    None: "name max_bytes way",
}


@proving.with_command("draft --name try -- make test")
@click.argument("verb", required=False, type=click.Choice(_VERBS), metavar=f"[{'|'.join(_VERBS)}]")
@click.argument("draft", required=False, metavar="[NAME]")
@click.option("--name", metavar="NAME", help="Its name; an existing draft of this name continues.")
@click.option("--max-bytes", type=proving.Size(), metavar="SIZE",
              help="The space it may use; at the limit the program ends. Default: 8G.")  # fmt: skip
@proving.sandbox_way
@options.of_a_tree
@click.option("--keep", multiple=True, metavar="PATH",
              help="With pull: the draft's file is right in this conflict.")  # fmt: skip
@click.option("--take", multiple=True, metavar="PATH",
              help="With pull: the tree's file is right in this conflict.")  # fmt: skip
@options.pager
@options.operating
@click.pass_context
def command(ctx: click.Context, /, verb: str | None, draft: str | None, **flags: Any) -> int:
    """Run a program in its own view of the tree; stage what it changed.

    The program (behind --, else a shell) reads, writes, builds and tests as it likes, and
    your tree stays as it is. `plan` stages what differs, at any time, also from inside.
    `enter` continues a draft, `list` shows all, `discard` deletes one, `pull` brings in what is
    newer in the tree and lists conflicts. A draft stays when its program ends. It does not
    confine other directories, the network or secrets.
    """
    words = ctx.meta["words"]
    _check_sense(ctx, verb, draft, words, flags)
    if inside := os.environ.get(DRAFT):
        return _from_inside(inside, verb, draft, ctx.meta["arguments"])
    place = find_place(flags["root"])
    state = place.state(flags["state_dir"])
    if verb in (None, "enter"):
        flags["name"] = flags["name"] if draft is None else draft
        return _enter(verb, place, state, words, flags)
    if verb == "list":
        streams.warn(f"the draft {name} cannot be read." for name in unreadable(state))
        return _list(place, drafts(state), as_json=flags["as_json"])
    if verb == "discard" and draft and thrown_away(state, draft):
        streams.note(f"{draft} is discarded; no file of the tree was changed.")
        return 0
    meant = find(place.workspace, state, draft)
    return _plan(meant, place, flags) if verb == "plan" else _pull(meant, place, flags)


def _check_sense(
    ctx: click.Context, verb: str | None, draft: str | None, words: Sequence[str], flags: Any
) -> None:
    """No flag is ignored silently, and no command without its `--`."""
    allowed = f"root state_dir no_pager {_ALLOWED[verb]}".split()
    for name in sorted(written_flags(ctx, flags).difference(allowed)):
        option = "--sandbox" if name == "way" else flag_of(name)
        raise RequestError(f"{option} does not go with `draft {verb or '-- COMMAND'}`.")
    if words and verb not in (None, "enter"):
        raise RequestError(f"`draft {verb}` starts no program.")
    if verb == "list" and draft is not None:
        raise RequestError("`draft list` lists all drafts of the root.")
    if verb == "discard" and draft is None:
        raise RequestError("Name the draft to discard.", hint="astedit draft list")


def _plan(draft: Draft, place: Place, flags: dict[str, Any]) -> int:
    staging = taken(Staging, flags)
    staging.check_sense()
    from astedit.cli.session import open_session
    from astedit.draft.plan import request_of_draft

    with open_session(place, flags["state_dir"], announce=False) as session:
        difference(draft, _applied(draft, session))  # which notes what came out of it
        for action in session.records.select(("pending",)) if staging.stages else ():
            if action.notes.get("draft") == draft.name:  # a newer one takes its place
                staging = staging._replace(replaces=action.id)
    request = request_of_draft(draft.name, **{name: flags[name] for name in _REQUEST})
    return preview.operated(lambda: request, place, staging, taken(Bounds, flags))


def _applied(draft: Draft, session: "Session") -> Iterator[tuple[str, str | None]]:
    """The files that applies of this draft's plans wrote, and their hashes, the newest first.

    What undid one of them counts, too: the draft differs again then.
    """
    began = datetime.fromtimestamp(draft.began, UTC)
    for row in session.records.audit(outcome="applied", since=began):
        action = session.records.get(row.action_id) if row.action_id else None
        if action is not None and "undoes" in action.notes:
            action = session.records.get(str(action.notes["undoes"]))
        if action is not None and action.notes.get("draft") == draft.name:
            yield from ((str(file["path"]), file["after"]) for file in row.files)


def _list(place: Place, every: Sequence[Draft], *, as_json: bool) -> int:
    from astedit.draft.plan import planned_paths
    from astedit.sandbox.tree_copy import room_taken

    rows, changed = list[dict[str, Any]](), dict[str, set[str]]()
    for draft in every:
        now = difference(draft)
        paths = changed[draft.name] = planned_paths(draft, now, place.workspace)
        rows.append({
            "name": draft.name,
            "running": draft.runs,
            "sandbox": draft.way,
            "bytes": room_taken(draft.place),
            "maxBytes": draft.max_bytes,
            "began": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(draft.began)),
            "command": draft.command,
            "changes": len(paths),
            "conflicts": sorted(now.conflicts & paths),
        })  # fmt: skip
    for row in rows:
        row["overlaps"] = [
            {"name": name, "paths": sorted(both)}
            for name, paths in changed.items()
            if name != row["name"] and (both := changed[row["name"]] & paths)
        ]
    nothing = "There is no draft."
    streams.answer({"drafts": rows}, map(_line, rows), as_json=as_json, nothing=nothing)
    return 0


def _line(row: dict[str, Any]) -> str:
    """`try  3 changes  12,288 of 8,589,934,592 bytes  running: make`, and what to know of it."""
    runs = "running" if row["running"] else "ended"
    texts = [
        row["name"],
        number(row["changes"], "change"),
        f"{row['bytes']:,} of {row['maxBytes']:,} bytes",
        f"{runs}: {shlex.join(row['command'])[:_SHOWN]}",
        *(["[copy]"] if row["sandbox"] == "copy" else []),
    ]
    if row["conflicts"]:
        texts.append(f"[changed in the tree, too: {first_names(row['conflicts'], _NAMED)}]")
    overlaps = ((other["name"], first_names(other["paths"], _NAMED)) for other in row["overlaps"])
    texts += [f"[{name} changes {paths}, too]" for name, paths in overlaps]
    return one_line("  ".join(texts))


def _pull(draft: Draft, place: Place, flags: dict[str, Any]) -> int:
    from astedit.discover.listing import ignored_paths

    pulled = pull(draft, flags["keep"], flags["take"])
    ignored = ignored_paths(place.workspace, [*chain(*pulled)], {}, Deadline())
    newer, conflicts, left = ([path for path in one if path not in ignored] for one in pulled)
    if flags["as_json"]:
        paths = {"pulled": newer, "conflicts": conflicts, "left": left}
        streams.document({"name": draft.name, **paths})
    else:
        paths = {"newer": newer, "conflict": conflicts, "left as it is": left}
        streams.texts(one_line(f"{how}: {path}") for how in paths for path in paths[how])
        files = number(len(newer), "file")
        streams.note(f"{files} newer in the tree; {number(len(conflicts), 'conflict')}.")
        if conflicts:
            how = f"astedit draft pull {draft.name} --keep PATH, or --take PATH."
            streams.note(f"hint: Settle each: {how}")
    return 1 if conflicts else 0


# -- programs inside --------------------------------------------------------------------------


def _enter(
    verb: str | None, place: Place, state: str, words: Sequence[str], flags: dict[str, Any]
) -> int:
    """Runs a program in a draft that is there, or in a new one; returns its exit code."""
    name = flags["name"]
    if verb == "enter" or name in {draft.name for draft in drafts(state)}:
        draft = find(place.workspace, state, name)
        if flags["way"] not in (None, draft.way):
            raise RequestError(f"{draft.name} is a draft of the other kind: --sandbox {draft.way}.")
    else:
        size = flags["max_bytes"] or MAX_BYTES
        draft, warnings = create(place.workspace, state, name, flags["way"], size)
        streams.warn(warnings)
    draft.max_bytes = flags["max_bytes"] or draft.max_bytes
    streams.note(f"draft: {draft.name} (the tree stays as it is; astedit draft plan {draft.name})")
    streams.flush()
    program = list(words) or [os.environ.get("SHELL") or "/bin/sh"]
    is_ours = os.isatty(0) and os.tcgetpgrp(0) == os.getpgrp()
    for key in (signal.SIGINT, signal.SIGQUIT):  # keys of the program, until we end, too
        signal.signal(key, signal.SIG_IGN)
    try:
        ended = draft.run(program, proving.directory_in(place), lambda child: _wait(child, draft))
    finally:
        if is_ours:  # a shell inside may have left the terminal to a group that has ended with it
            signal.signal(signal.SIGTTOU, signal.SIG_IGN)
            with contextlib.suppress(OSError):
                os.tcsetpgrp(0, os.getpgrp())
    with contextlib.suppress(OSError, PreconditionError):  # what it changed, while that is known
        difference(find(place.workspace, state, draft.name))
    ended.check_started(program)
    if ended.ended == "full":
        raise LimitError(
            f"{draft.name} has no room: the program was ended at {draft.max_bytes:,} bytes.",
            code="draft_full",
            hint=f"Its changes are kept: astedit draft enter {draft.name} --max-bytes SIZE",
        )
    status = -signal.SIGKILL if ended.status is None else ended.status
    return status if status >= 0 else _ENDED - status


def _wait(child: Child, draft: Draft) -> None:
    """Waits for the program, and answers what those inside ask meanwhile."""
    from astedit.resident import host

    run: host.Runner = click.get_current_context().obj
    try:
        with host.bound(draft.place, _DOOR) as (listener, lock):
            door = host.Host(listener, lock, run, _accepts, own=True)
            door.serve(lambda _: child.poll() is None, host.LOOK)
    except OSError as error:
        streams.note(f"warning: `draft plan` does not work from inside: {error.strerror}.")
        child.wait()


def _accepts(args: list[str]) -> bool:
    """What those inside may ask for: what neither asks nor applies."""
    return args[:2] in [["draft", verb] for verb in _OUTSIDE] and not client.asks(args)


def _from_inside(name: str, verb: str | None, draft: str | None, args: Sequence[str]) -> int:
    """Has the process outside answer, which sees the tree as it is, and the gate that counts."""
    if verb not in _OUTSIDE or client.asks(args):
        raise PreconditionError(
            f"This is inside the draft {name}: {verb or 'another draft'} works outside.",
            code="inside_draft",
            hint="Leave it first (exit); what is staged here is resolved outside, too.",
        )
    above = os.path.dirname(os.environ.get("ASTEDIT_STATE_DIR", "").rstrip("/"))
    named = () if draft or verb == "list" else (name,)
    words = ["draft", verb, *named, *args[args.index(verb) + 1 :]]
    door = client.connect(above, _DOOR)
    code = None if door is None else client.hand_over(door, words)
    if code is None:
        raise PreconditionError(
            f"The process outside of the draft {name} does not answer.",
            code="no_answer",
            hint=f"Ask from outside: astedit draft {verb} {name}",
        )
    return code
