"""`astedit campaign`: one request over many repositories."""

import gc
import os
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from astedit.campaign.drive import plan
from astedit.campaign.file import TIMEOUT, Campaign, read
from astedit.campaign.land import decide, rows
from astedit.campaign.ledger import Ledger, LedgerRow
from astedit.campaign.task import stop
from astedit.cli import completions, options
from astedit.cli.flags import Flags
from astedit.cli.output import streams
from astedit.cli.output.streams import Bar
from astedit.cli.place import Place, find_place
from astedit.cli.session import can_ask, open_session, reason_of, resolve_action
from astedit.engine.run_context import hands
from astedit.errors import RequestError
from astedit.text import number
from astedit.workspace.config import Config, load
from astedit.workspace.root import Workspace, default_state
from resolve.visible import one_line

if TYPE_CHECKING:
    from astedit.landing.land import LandingOptions
    from resolve import Session, ToolResult

_FAILED = 3
_HEAD = ("REPOSITORY", "STATE", "FILES", "REPLACEMENTS", "ACTION")


@options.command("campaign rename.yml")
@click.argument("file", metavar="FILE", shell_complete=completions.files)
@click.argument("verb", required=False, type=click.Choice(("apply", "land", "discard")),
                metavar="[apply|land|discard]")  # fmt: skip
@click.option("--status", is_flag=True, help="Only print what became of each repository.")
@click.option("--reason", metavar="TEXT", help="The reason; a terminal asks for it.")
@click.option("--push", metavar="REMOTE", help="Push the landed branches to this remote.")
@click.option("--refresh", is_flag=True, help="Plan again what is stale or had no match.")
@click.option("--scheduler", metavar="ADDRESS", help="Plan on the workers of a Dask scheduler.")
@click.option(
    "-j", "--jobs", type=options.POSITIVE, metavar="N", help="How many repositories at once."
)
@options.as_json
@click.option("--root", metavar="DIR", help="Where relative repositories lie, not beside FILE.")
@options.state
def command(file: str, verb: str | None, as_json: bool, **flags: Any) -> int:
    """Plan one request for many repositories, then apply or land it.

    FILE (YAML or TOML) names the repositories and the request. Each one gets a plan and a
    pending action of its own; nothing is written before `apply`, and nothing pushed but by
    --push. After a crash, run the same command again: it goes on with what is not done.
    """
    _check(verb, flags)
    gc.enable()  # unlike other commands this one runs long
    campaign, folder, jobs = _campaign(file, flags)
    if verb == "land" and campaign.land is None:
        raise RequestError(f"{file} has no `land`.", hint="Add `land: true` to it.")
    reason = ""
    if verb is not None:
        reason = reason_of(flags["reason"], Config(), "nothing is resolved.")
    repositories = Repositories(flags["state_dir"])
    with Ledger(folder, campaign, alone=not flags["status"]) as ledger:
        if verb == "land":
            from astedit.campaign.land import land

            assert campaign.land is not None
            land(reason, campaign, ledger, repositories, campaign.land, flags["push"])
        elif verb is not None:
            decide(verb, reason, campaign, ledger, repositories)
        elif not flags["status"]:
            with _executor(flags["scheduler"], jobs) as executor, Bar() as bar:
                within = 1 if flags["scheduler"] else hands(None) // min(jobs, len(campaign.roots))
                plan(campaign, ledger, executor, repositories,
                     jobs=max(1, within), refresh=flags["refresh"], progress=bar)  # fmt: skip
        reports = list(rows(campaign, ledger, repositories))
    _print(campaign, reports, as_json)
    return _FAILED if any(row.error for row in reports) and not flags["status"] else 0


class Repositories:
    """The gates of the repositories, as `resolve` on the command line opens them."""

    def __init__(self, state: str | None) -> None:
        self._state = state
        self._config = Config()  # of the repository that was opened last

    @contextmanager
    def session(self, root: str, *, create: bool) -> Iterator["Session"]:
        """The stack of one repository."""
        with Workspace(root) as workspace:
            self._config = load(workspace)
            self._place = place = Place(workspace, self._config, [])
            with open_session(place, self._state, create=create, announce=False) as session:
                yield session

    def resolve(
        self,
        session: "Session",
        verb: str,
        reason: str,
        action_id: str,
        landing: "LandingOptions | None" = None,
    ) -> "ToolResult":
        """Resolves one action; asks a person where the policy wants one."""
        if landing is not None:
            from astedit.landing.land import land_with

            land_with(session, landing, self._config, self._place.state(self._state))
        return resolve_action(session, self._config, verb, reason, action_id)


def _campaign(file: str, flags: Flags) -> tuple[Campaign, str, int]:
    """The campaign, the state directory for its ledger, and how many work at once."""
    from astedit.cli import request

    found = read(file, flags["root"])
    roots = found.roots
    try:
        text = streams.as_json(found.request)
    except TypeError as error:  # TOML has dates
        raise RequestError(f"{file}: {error}.", path=file, code="bad_campaign") from error
    call = request.from_json(text, request.CallFlags({}, jobs=flags["jobs"]), None)
    path = os.path.realpath(file)
    place = find_place(os.path.dirname(path))
    with place.workspace:
        chosen = flags["state_dir"] or place.config.state_dir
    timeout = call.timeout or TIMEOUT
    campaign = Campaign(
        path, found.name, roots, call.request, call.expect, timeout, found.prove, found.land
    )
    return campaign, _state(chosen, roots), hands(call.jobs or place.config.jobs)


def _state(chosen: str | None, roots: list[str]) -> str:
    """Where the ledger is kept; a chosen place must lie outside every repository."""
    if chosen is None:
        return os.path.realpath(default_state())
    place = os.path.realpath(chosen)
    for root in roots:
        if os.path.commonpath([root, place]) == root:
            raise RequestError(
                f"The state directory {chosen!r} is inside the root {root!r}.",
                hint="Choose one outside every repository.",
            )
    return place


@contextmanager
def _executor(scheduler: str | None, jobs: int) -> Iterator[Executor]:
    if scheduler is not None:
        from astedit.campaign.task import on_cluster

        with on_cluster(scheduler) as executor:
            yield executor
        return
    pool = ThreadPoolExecutor(jobs)  # each thread waits for a process of its own
    try:
        yield pool
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        stop()


def _check(verb: str | None, flags: Flags) -> None:
    """No flag is ignored silently."""
    blank = not can_ask() if flags["reason"] is None else not flags["reason"].strip()
    if verb is not None and blank:
        raise RequestError(f"{verb} needs a reason.", hint="Say why with --reason TEXT.")
    if verb is None and flags["reason"] is not None:
        raise RequestError("--reason belongs to apply, land and discard.")
    planning = [name for name in ("refresh", "scheduler", "jobs") if flags[name]]
    if planning and (verb is not None or flags["status"]):
        raise RequestError(f"--{planning[0]} is about planning.", hint="Leave it out here.")
    if flags["scheduler"] and flags["jobs"]:
        raise RequestError("--jobs is for this machine; the scheduler knows its workers.")
    if flags["push"] is not None and verb != "land":
        raise RequestError("--push belongs to land.")
    if flags["push"] is not None and (not flags["push"] or flags["push"].startswith("-")):
        raise RequestError(f"{flags['push']!r} is not a remote.")
    if verb is not None and flags["status"]:
        raise RequestError(f"--status and {verb} cannot be used together.")


def _print(campaign: Campaign, reports: list[LedgerRow], as_json: bool) -> None:
    states = [row.state for row in reports]
    totals = {state: states.count(state) for state in dict.fromkeys(sorted(states))}
    if as_json:
        head = {"schema": "astedit/campaign/1", "name": campaign.name, "file": campaign.file}
        body = {"totals": totals, "repositories": [row.to_json() for row in reports]}
        streams.document(head | body)
        return
    streams.texts(_table(reports))
    streams.flush()
    counts = ", ".join(f"{count} {state}" for state, count in totals.items())
    streams.note(f"{number(len(reports), 'repository', 'repositories')}: {counts}.")


def _table(reports: list[LedgerRow]) -> Iterator[str]:
    """A line for each repository, and its error below it."""
    names = [one_line(_shown(row.root)) for row in reports]
    states = [f"{row.state}, {row.proof}" if row.proof else row.state for row in reports]
    width, wide = max(map(len, [*names, _HEAD[0]])), max([10, *map(len, states)])
    line = f"{{:<{width}}}  {{:<{wide}}}  {{:>7}}  {{:>12}}  {{}}"
    yield line.format(*_HEAD)
    for name, state, row in zip(names, states, reports, strict=True):
        yield line.format(name, state, row.files, row.replacements, row.action_id or "").rstrip()
        for label, value in (("branch", ", ".join(row.branches)), ("commands", row.commands)):
            if value:
                yield f"    {label}: {one_line(value)}"
        if row.error is not None:
            said = [*row.error["message"].splitlines(), row.error["hint"] or ""]
            yield from (f"    {part.strip()}" for part in said if part)


def _shown(root: str) -> str:
    below = os.path.relpath(root)
    return root if below.startswith("..") else below
