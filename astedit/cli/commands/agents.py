"""`astedit agents`: installs astedit where an agent's client looks, and takes it out again."""

import os
import re
from contextlib import ExitStack, suppress
from typing import Any

import click

from astedit.agents.kit.install import Kit
from astedit.agents.kit.rows import CLIENTS, MODES, client
from astedit.cli import options, preview
from astedit.cli.flags import Bounds, Staging
from astedit.cli.output import report, streams
from astedit.cli.place import find_place
from astedit.cli.session import sure
from astedit.errors import LimitError, PreconditionError, RequestError
from astedit.limits import Deadline
from astedit.producers.patch import request_of_patch
from astedit.programs import find_program, scratch, spawn, written
from astedit.text.diff import content_diff
from astedit.transaction import user_files
from astedit.transaction.disk import directories_above, remove_directory
from astedit.workspace.root import Workspace
from resolve.visible import one_line

_STAGE = "With --mode stage an agent's own edits are staged as one plan, too, instead of written."
_OWN = re.compile("/(?:skills|extensions)/astedit/")  # directories of nobody else
_SECONDS = 20.0  # for the server to start


@options.command("agents install claude --project")
@click.argument("verb", type=click.Choice(("list", "install", "remove", "check")))
@click.argument("names", metavar="[CLIENT]...", nargs=-1, type=click.Choice(CLIENTS))
@click.option("--project", "scope", flag_value="project", default="project",
              help="In the files of this project; the default.")  # fmt: skip
@click.option("--user", "scope", flag_value="user", help="In your own files, for every project.")
@click.option("--mode", type=click.Choice(MODES),
              help="What the hook does with edits, as `astedit hook`. Default: offer.")  # fmt: skip
@click.option("-y", "--yes", is_flag=True, help="Write what is shown without a question.")
@options.placed
def command(verb: str, names: tuple[str, ...], scope: str, mode: str | None, **flags: Any) -> int:
    """Install astedit in agents' clients, or remove it.

    CLIENT is claude, codex, cursor, gemini, copilot or opencode; without one it is each of them.
    The diff of every file is shown first. Entries of others stay as they are, to the byte.
    """
    place = find_place(flags["root"])
    home = os.path.expanduser("~") if os.environ.get("HOME") != "" else ""
    if scope == "user" and not (os.path.isabs(home) and os.path.isdir(home)):
        raise PreconditionError(
            f"There is no home directory {home!r}.", code="no_home", hint="Set HOME to yours."
        )
    kit = Kit("user", home) if scope == "user" else Kit("project", place.workspace.root)
    chosen = list(dict.fromkeys(names)) or list(CLIENTS)
    if verb in ("list", "check"):
        return _tell(kit, chosen, mode, check=verb == "check", as_json=flags["as_json"])
    as_json, what = flags["as_json"], f"agents {verb} {' '.join(chosen)}"
    staging = Staging(apply=True, reason=what, quiet=not as_json, as_json=as_json)
    staging = staging._replace(state_dir=flags["state_dir"])
    if kit.scope == "project" and (error := preview.interruption(place, staging)) is not None:
        raise error
    left = kit.install(chosen, mode) if verb == "install" else kit.remove(chosen)
    patch = b"".join(content_diff(path.lstrip("/"), *both) for path, both in kit.changes.items())
    document: dict[str, Any] = {"scope": kit.scope, "written": False, "left": left}
    document |= {"diff": patch.decode("utf-8", "backslashreplace")}
    streams.notes(left)
    if not as_json:
        report.print_diff(patch)
        streams.flush()
    if not patch or not (flags["yes"] or sure("Write this?")):
        nothing = "Nothing was changed." if patch else "There is nothing to change."
        streams.answer(document, (), as_json=as_json, nothing=nothing)
        return 1 if patch else 0
    document["written"] = True
    if kit.scope == "user":
        streams.answer(document, _write(kit), as_json=as_json)
    else:
        request = request_of_patch(patch, label=what, allow_protected=True)  # a person asks for it
        preview.operated(lambda: request, place, staging, Bounds(), document=lambda _: document)
    if verb == "remove":
        _remove_emptied(kit)
        return 0
    for name in chosen:
        streams.note("{title}: {after}".format(**client(name).row))
    if mode in (None, "offer"):
        streams.note(_STAGE)
    return 0


def _tell(kit: Kit, names: list[str], mode: str | None, *, check: bool, as_json: bool) -> int:
    """Says what is there; a check also whether the command starts, and 1 for what is wrong."""
    rows = [row for name in names for row in kit.rows(name, mode)]
    fault = _fault() if check else ""
    starts = {"command": fault or "starts"} if check else {}
    if as_json:
        streams.document({"scope": kit.scope, "entries": rows, **starts})
    else:
        for row in rows:
            state = f"{row['state']} ({row['mode']})" if row["mode"] else row["state"]
            place = f"{row['path']} {row['entry']}".strip()
            streams.text(f"{row['client']:<9} {state:<19} {one_line(place)}")
        streams.texts(f"astedit mcp: {word}" for word in starts.values())
    wrong = any(row["state"] not in ("installed", "absent") for row in rows)
    return 1 if check and (wrong or fault) else 0


def _fault() -> str:
    """Why the server that the entries name does not start; "" if it does."""
    if (program := find_program("astedit", None)) is None:
        return "`astedit` is not in PATH; install it where every program finds it"
    files = (scratch(), scratch(), errors := scratch())
    try:
        child = spawn([program, "mcp"], dict(os.environ), files)
        code = child.wait(Deadline(_SECONDS))
    except OSError as error:  # its interpreter is gone, too
        return f"{program}: {error.strerror}"
    except LimitError:
        child.kill()
        return f"it does not come to an end within {_SECONDS:g} s"
    lines = written(errors).decode("utf-8", "replace").splitlines()
    return one_line(" ".join(lines[-2:])) or f"it exits with {code}" if code else ""


def _write(kit: Kit) -> list[str]:
    """Writes the very files that the person was shown, all or none; a line for each."""
    with ExitStack() as back:
        back.callback(_remove_emptied, kit)
        for path, (before, after) in kit.changes.items():
            _put(kit, path, before, after)
            back.callback(_put, kit, path, after, before)
        back.pop_all()
    words = {True: "Removed", False: "Written"}
    rows = kit.changes.items()
    return [f"{words[after is None]}: {one_line(path)}" for path, (_, after) in rows]


def _put(kit: Kit, path: str, before: bytes | None, after: bytes | None) -> None:
    base, below = kit.place(path)
    with Workspace(base) as workspace:
        user_files.put(workspace.fd, below, before, after)


def _remove_emptied(kit: Kit) -> None:
    """Removes the directories that are ours alone; others may have been there, and empty."""
    files = (os.path.join(*kit.place(path)) for path in kit.changes)
    for above, name in map(os.path.split, reversed(directories_above(files))):
        if _OWN.search(f"{above}/{name}/"):
            with suppress(RequestError), Workspace(above) as workspace:  # it may be gone
                remove_directory(workspace.fd, name)
