"""What opens the pull request of a landed plan: its text, its report, and the commands.

They are files beside the ledger. Nothing is pushed here but by `push`.
"""

import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from astedit import git
from astedit.errors import PreconditionError
from astedit.model.plan import Plan
from astedit.page.report import report
from astedit.staging.plan_contents import contents_of
from astedit.staging.proof import Proof
from astedit.text.count_phrases import number
from astedit.workspace.codeowners import CodeOwners
from astedit.workspace.root import Workspace
from resolve.visible import one_line

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
        lines = done.complained.decode("utf-8", "replace").strip().splitlines()
        raise PreconditionError(
            f"git push to {remote} failed: {lines[-1].strip() if lines else done.complaint}",
            code="push",
            hint="Push by hand: the file of the commands says how.",
        )


def _answer(root: str, *words: str) -> str:
    """What git prints; nothing where it refuses."""
    done = git.run(root, words)
    return "" if done.status else done.printed.decode("utf-8", "replace").strip()


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
        name = f"{os.path.basename(workspace.root)}-{_mark(workspace.root)}"
        place = os.path.join(folder, name)
        os.makedirs(place, _MODE, exist_ok=True)
        page, body, script = (
            os.path.join(place, file) for file in ("report.html", "body.md", "pull-request.sh")
        )
        owners = CodeOwners.read(workspace).of
        sentences = [self.proof.sentence()] if self.proof else []
        text = report(self.plan, contents_of(self.plan, workspace), self.title, owners, sentences)
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
        proof = f"{_code(self.proof.command)} passes with {_of(self.proof)}" if self.proof else None
        lines = [
            one_line(self.reason),
            "",
            "| edits | files | kind of edit |",
            "|---:|---:|---|",
            *rows,
            "",
            f"Proof: {proof}." if proof else "Nothing was run to prove it.",
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


def _of(proof: Proof) -> str:
    return f"{number(proof.edits, 'edit')}, in {proof.seconds:.1f} s"


def _code(text: str) -> str:
    """Text as code in Markdown, also in a table."""
    return "`" + one_line(text).replace("`", "'").replace("|", "\\|") + "`"


def _mark(root: str) -> str:
    return sha256(os.fsencode(root)).hexdigest()[:8]


def _put(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)
