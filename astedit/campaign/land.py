"""Applies, discards or lands what a campaign has staged, each repository through its own gate.

What opens a pull request are files beside the ledger. Nothing is pushed here but by `push`.
"""

import os
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, cast

from astedit import git
from astedit.campaign.file import Campaign, LandStep
from astedit.campaign.ledger import Ledger, LedgerRow, error_data
from astedit.campaign.repository import RepositoryGate, current
from astedit.errors import AstEditError, PreconditionError
from astedit.landing.land import LandingOptions
from astedit.limits import Deadline
from astedit.model.plan import Plan
from astedit.page.report import report
from astedit.staging.plan_contents import contents_of
from astedit.staging.proof import Proof, newest_proof
from astedit.staging.stored import stored
from astedit.text import number
from astedit.workspace.codeowners import CodeOwners
from astedit.workspace.root import Workspace
from resolve import Session, ToolError
from resolve.visible import one_line

if TYPE_CHECKING:
    from astedit.landing.groups import GroupedBy


def each_row(
    campaign: Campaign,
    ledger: Ledger,
    gate: RepositoryGate,
    work: Callable[[LedgerRow, Session], LedgerRow],
) -> Iterator[LedgerRow]:
    """Every repository's row after `work` in its session; a refusal is the `error` of its row."""
    for root in campaign.roots:
        row = ledger.row(root)
        try:
            with gate.session(root, create=False) as session:
                row = current(campaign, row, session)
                try:
                    row = work(row, session)
                except (AstEditError, ToolError) as error:
                    row = current(campaign, row, session)
                    row.error = error_data(error)
        except (AstEditError, ToolError) as error:
            row.error = error_data(error)
        yield row


def rows(campaign: Campaign, ledger: Ledger, gate: RepositoryGate) -> Iterator[LedgerRow]:
    """Every repository as it is now, whoever resolved something there; nothing is written."""
    return each_row(campaign, ledger, gate, lambda row, session: row)


def decide(
    verb: str, reason: str, campaign: Campaign, ledger: Ledger, gate: RepositoryGate
) -> None:
    """Applies or discards (`verb`) the pending actions, one repository after the other.

    What is applied already stays as it is, so a killed run is simply run again: the gate
    lets nothing be applied twice. What the file does not say any more is not applied, nor
    what is not proven where it wants that.
    """

    def work(row: LedgerRow, session: Session) -> LedgerRow:
        row = _recovered(campaign, row, session)
        if row.action_id is None or not _waits_for(verb, row, campaign):
            return row
        gate.resolve(session, verb, reason, row.action_id)
        row.error = None
        return current(campaign, row, session)

    for row in each_row(campaign, ledger, gate, work):
        ledger.put(row)


def _recovered(campaign: Campaign, row: LedgerRow, session: Session) -> LedgerRow:
    session.recover()
    return current(campaign, row, session)


def land(
    reason: str, campaign: Campaign, ledger: Ledger, gate: RepositoryGate, step: LandStep,
    remote: str | None,
) -> None:  # fmt: skip
    """Makes branches of the pending actions, one repository after the other.

    With `remote` the branches are pushed there, also those that an earlier run has made.
    What has landed stays as it is, so a killed run is simply run again.
    """
    landing = _Landing(reason, campaign, gate, step, remote, ledger.folder)
    for row in each_row(campaign, ledger, gate, landing.row):
        ledger.put(row)


@dataclass(frozen=True, slots=True)
class _Landing:
    """How one repository is landed."""

    _reason: str
    _campaign: Campaign
    _gate: RepositoryGate
    _step: LandStep
    _remote: str | None
    _folder: str

    def row(self, row: LedgerRow, session: Session) -> LedgerRow:
        row = self._landed(_recovered(self._campaign, row, session), session)
        return self._with_request(row, session)

    def _landed(self, row: LedgerRow, session: Session) -> LedgerRow:
        if row.action_id is None or not _waits_for("land", row, self._campaign):
            return row
        step = self._step
        options = LandingOptions(
            cast("GroupedBy | None", step.by or None), step.message or None, step.branch or None
        )
        self._gate.resolve(session, "apply", self._reason, row.action_id, options)
        row.error = None
        return current(self._campaign, row, session)

    def _with_request(self, row: LedgerRow, session: Session) -> LedgerRow:
        """The row of what has landed, with the commands of its pull request, and pushed."""
        if row.state != "landed" or row.action_id is None:
            return row
        if row.commands is None or not os.path.exists(row.commands):
            row.commands = self._commands(row, row.action_id, session)
        if self._remote is not None and row.pushed != self._remote:
            try:
                push(row.root, self._remote, row.branches)
                row.pushed, row.error = self._remote, None
            except PreconditionError as error:
                row.error = error_data(error)  # the commands stay known
        return row

    def _commands(self, row: LedgerRow, action_id: str, session: Session) -> str:
        plan = stored(session, session.store.find(action_id))
        proof = newest_proof(action_id, session.records, plan.fingerprint)
        title = (
            f"{self._campaign.name}: {number(plan.total_replacements, 'replacement')}"
            f" in {number(plan.files_touched, 'file')}"
        )
        request = PullRequest(plan, title, self._reason, row.branches, proof)
        with Workspace(row.root) as workspace:
            return request.write(self._folder, workspace, remote_of(row.root, self._remote))


def _waits_for(verb: str, row: LedgerRow, campaign: Campaign) -> bool:
    """Whether there is something to resolve; an outdated plan is only discarded.

    So is one that is not proven, if it is to be.
    """
    if verb == "discard":
        return row.state in ("outdated", "pending", "stale")
    if row.state == "outdated":
        outdated = PreconditionError(
            "The campaign's file has changed since this was planned.",
            code="outdated",
            hint=f"Run the campaign again, look at the new plan, and {verb} that.",
        )
        row.error = error_data(outdated)
        return False
    if row.state in ("pending", "stale") and campaign.prove and row.proof != "proven":
        hint = "Run the campaign again, with --refresh."
        unproven = PreconditionError("It is not proven.", code="not_proven", hint=hint)
        row.error = row.error or error_data(unproven)
        return False
    return row.state in ("pending", "stale")


_SECONDS = 600  # for one push
_DEFAULT = "origin"


@dataclass(frozen=True, slots=True)
class GitRemote:
    """A remote of a repository: its name, its address, and the branch that is checked out."""

    name: str
    url: str
    base: str


def remote_of(root: str, name: str | None = None) -> GitRemote:
    """The remote of this name; without one `origin`, or else the only one that there is."""
    if name is None:
        names = _answer(root, "remote").split()
        name = names[0] if len(names) == 1 else _DEFAULT
    url = _answer(root, "remote", "get-url", "--", name)
    return GitRemote(name, url, _answer(root, "symbolic-ref", "--short", "-q", "HEAD"))


def push(root: str, remote: str, branches: Sequence[str]) -> None:
    """Pushes branches, all or none, under their own names; nobody is asked for a password.

    Raises `PreconditionError` with what git says.
    """
    refs = [f"refs/heads/{branch}:refs/heads/{branch}" for branch in branches]
    done = git.run(root, ["push", "--atomic", "--quiet", "--", remote, *refs], remote=_SECONDS)
    if done.status:
        lines = done.complained.decode("utf-8", "replace").splitlines()
        reason = next((line for line in lines if not line.startswith("To ")), done.complaint)
        raise PreconditionError(
            f"git push to {remote} failed: {reason.strip()}",
            code="push",
            hint="Push by hand: the file of the commands says how.",
        )


def _answer(root: str, *words: str) -> str:
    """What git prints; nothing where it refuses."""
    return (git.answer(root, words, Deadline()) or b"").decode("utf-8", "replace").strip()


_SHAPES = 50  # in the text; the report has them all
_MODE = 0o700


@dataclass(frozen=True, slots=True)
class PullRequest:
    """A landed plan, as somebody who reviews it reads of it."""

    plan: Plan
    title: str
    reason: str
    branches: Sequence[str]
    proof: Proof | None

    def write(self, folder: str, workspace: Workspace, remote: GitRemote) -> str:
        """Writes the files into a directory of this repository; returns that of the commands."""
        mark = sha256(os.fsencode(workspace.root)).hexdigest()[:8]
        place = os.path.join(folder, f"{os.path.basename(workspace.root)}-{mark}")
        os.makedirs(place, _MODE, exist_ok=True)
        page, body, script = (
            os.path.join(place, file) for file in ("report.html", "body.md", "pull-request.sh")
        )
        owners = CodeOwners.read(workspace).of
        proof = None if self.proof is None else self.proof.sentence()
        text = report(self.plan, contents_of(self.plan, workspace), self.title, owners, proof)
        _put(page, text)
        _put(body, self.body(page))
        _put(script, self.commands(workspace.root, body, remote))
        os.chmod(script, _MODE)
        return script

    def body(self, page: str) -> str:
        """The text of the pull request."""
        plan = self.plan
        rows = [
            f"| {shape.count:,} | {shape.files:,} | {_code(shape.label)} |"
            for shape in plan.shapes[:_SHAPES]
        ]
        more = len(plan.shapes) - _SHAPES
        rows += [f"| | | and {number(more, 'more kind')} |"] if more > 0 else []
        proof = "Nothing was run to prove it."
        if self.proof is not None:
            edits = f"{number(self.proof.edits, 'edit')}, in {self.proof.seconds:.1f} s"
            proof = f"Proof: {_code(self.proof.command)} passes with {edits}."
        lines = [
            one_line(self.reason),
            "",
            "| edits | files | kind of edit |",
            "|---:|---:|---|",
            *rows,
            "",
            proof,
            f"Report: {_code(page)}",
            f"Plan: {_code(plan.action_id or '')}, fingerprint {_code(plan.fingerprint)}",
        ]
        return "\n".join(lines) + "\n"

    def commands(self, root: str, body: str, remote: GitRemote) -> str:
        """A script that pushes each branch and opens a pull request for it."""
        lines = [
            "#!/bin/sh",
            f"# Pushes what was landed in {one_line(root)}, and opens a pull request.",
            "set -e",
            shlex.join(["cd", root]),
        ]
        for branch in self.branches:
            lines.append(shlex.join(["git", "push", remote.name, branch]))
            lines.append(_open(branch, self.title, body, remote))
        return "\n".join(lines) + "\n"


def _open(branch: str, title: str, body: str, remote: GitRemote) -> str:
    """The command that opens it where the remote is: GitLab's, or else GitHub's."""
    base = remote.base
    if "gitlab" in remote.url:
        words = ["glab", "mr", "create", "--source-branch", branch, "--title", title]
        words += ["--target-branch", base] if base else []
        return f'{shlex.join(words)} --description "$(cat {shlex.quote(body)})"'
    words = ["gh", "pr", "create", "--head", branch, "--title", title, "--body-file", body]
    return shlex.join([*words, *(["--base", base] if base else [])])


def _code(text: str) -> str:
    """Text as code in Markdown, also in a table."""
    return "`" + one_line(text).replace("`", "'").replace("|", "\\|") + "`"


def _put(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)
