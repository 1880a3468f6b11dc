"""Lands a plan: every commit is the one before with whole groups of edits, and parses."""

import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any

from astedit.errors import PreconditionError, RequestError
from astedit.landing.git_objects import GONE, CommitStep, GitFailure, GitObjects, HookedCommits
from astedit.landing.groups import CommitGroup, GroupedBy, groups_of, joined
from astedit.language import load
from astedit.language.table import for_path
from astedit.model.plan import Plan
from astedit.model.shapes import alike_edits
from astedit.programs import ANY
from astedit.review.units import ids_of
from astedit.sandbox.locked_directory import locked_directory
from astedit.sandbox.sandbox import FileState, Sandbox
from astedit.staging.ast_edit import AstEdit
from astedit.staging.part import left_out
from astedit.staging.plan_contents import PlanContents
from astedit.staging.stored import HANDLER
from astedit.text import first_names, number
from astedit.workspace.codeowners import CodeOwners
from astedit.workspace.config import Config
from astedit.workspace.root import Workspace
from resolve import Session, ToolResult
from resolve.handlers import Context
from resolve.visible import one_line

MESSAGE = "{title}\n\n{count} in {files}. {reason}\n"
_WHOLE = "{reason}\n\n{title}\n\n{count} in {files}.\n"
_UNREASONED = "{title}\n\n{count} in {files}.\n"  # the reason is the title
_HOLE = re.compile(r"\{(\w*)\}")
_UNSAFE = re.compile(r"[^A-Za-z0-9._/-]+")
_SUBJECT = 72  # characters of a first line, as git's own tools expect it
_NAMED = 5  # files in a message


@dataclass(frozen=True, slots=True)
class LandingOptions:
    """How a plan becomes commits.

    Without `by` there is one commit, whose subject is the reason. Without `message` it is
    that, or `MESSAGE`. `branch` may have holes such as `{owner}`: then there is a branch for
    each group, and each is the base with that group alone. `passes` says whether the tests
    pass with these files; None does not ask. `moved_from` is where the branch is, if it is
    there. In `hooks_in` git's hooks, signing and filters run; None runs none of them.
    """

    by: GroupedBy | None = None
    message: str | None = None
    branch: str | None = None
    moved_from: str | None = None
    passes: Callable[[Mapping[str, FileState]], bool] | None = None
    hooks_in: Sandbox | None = None


@dataclass(frozen=True, slots=True)
class LandedCommit:
    """One commit that was made, by its name, and the branch that it is on."""

    commit: str
    branch: str
    group: str
    edits: int
    files: int


@dataclass(slots=True)
class Landing:
    """What landing a plan has come to."""

    base: str
    commits: list[LandedCommit] = field(default_factory=list)


class Lander:
    """Makes the commits of one plan, and at the very end the branches."""

    def __init__(
        self, plan: Plan, workspace: Workspace, git: GitObjects, options: LandingOptions,
        action_id: str, reason: str,
    ) -> None:  # fmt: skip
        self._plan, self._git, self._options = plan, git, options
        self._action_id, self._reason = action_id, reason
        self._contents = PlanContents(plan, workspace)
        self._groups = groups_of(plan, options.by, CodeOwners.read(workspace).of)
        self._branch = options.branch or f"astedit/{action_id}"
        self._apart = _HOLE.search(self._branch) is not None

    def land(self) -> Landing:
        """Makes all commits and then the branches; raises before the latter, or has made all.

        Raises `PreconditionError` where the files are not as HEAD has them, or git refuses.
        """
        base = self._base()
        modes, filtered = self._checked(base)
        steps = self._commit_steps(base, modes)
        self._refuse_bad_names({step.branch for step, _ in steps})
        landing, tips = Landing(base), dict[str, str]()
        names = self._committed(base, [step for step, _ in steps], filtered)
        for (step, group), name in zip(steps, names, strict=True):
            shown = group.name or self._title(group)
            landing.commits.append(LandedCommit(name, step.branch, shown, group.edits, group.files))
            tips[step.branch] = name
        if not self._made_before(landing, tips):
            self._git.branches(tips, self._options.moved_from)
        return landing

    def _commit_steps(
        self, base: str, modes: Mapping[str, str]
    ) -> list[tuple[CommitStep, CommitGroup]]:
        """What each commit is to be, with the group that it adds."""
        prefix = self._git.run("rev-parse", "--show-prefix").rstrip("\n")
        self._git.run("read-tree", base)
        steps: list[tuple[CommitStep, CommitGroup]] = []
        done: list[CommitGroup] = []
        for group in self._steps():
            if self._apart:
                self._git.run("read-tree", base)
                done = []
            done.append(group)
            states = self._contents.with_edits(_ids(done))
            values = dict.fromkeys(("group", self._options.by or "group"), group.name)
            safe = {
                hole: re.sub(r"-*/-*", "/", _UNSAFE.sub("-", value)).strip("-/.")
                for hole, value in values.items()
            }
            branch = _filled(self._branch, safe | {"id": self._action_id}, "--branch")
            if self._apart and branch in {step.branch for step, _ in steps}:
                raise RequestError(f"Two groups would have the branch {branch!r}.", code="branch")
            tree = self._tree(prefix, states, modes, base)
            parent = None if self._apart or not steps else len(steps) - 1
            message = self._message(group, len(steps) + 1)
            steps.append((CommitStep(tree, message, branch, parent), group))
        return steps

    def _committed(
        self, base: str, steps: Sequence[CommitStep], filtered: Sequence[str]
    ) -> list[str]:
        """The names of the commits, which are on no branch yet."""
        if self._options.hooks_in is not None:
            return HookedCommits(self._git, self._options.hooks_in).make(base, steps, filtered)
        names: list[str] = []
        for step in steps:
            parent = base if step.parent is None else names[step.parent]
            names.append(self._git.commit(step.tree, parent, step.message))
        return names

    def _made_before(self, landing: Landing, tips: Mapping[str, str]) -> bool:
        """Whether a landing of this very plan made the branches, and was killed right then.

        Then the commits are those that are there: all that differs is when they were made.
        """

        def commits(tip: str) -> list[str]:
            return self._git.run("rev-list", "--reverse", f"{landing.base}..{tip}").split()

        names: list[str] = []
        for branch, tip in tips.items():
            try:
                there = commits(f"refs/heads/{branch}")
            except GitFailure:
                return False
            if not there or [*map(self._content, there)] != [*map(self._content, commits(tip))]:
                return False
            names += there
        landing.commits = [
            replace(made, commit=name) for made, name in zip(landing.commits, names, strict=True)
        ]
        return True

    def _content(self, commit: str) -> str:
        """Tree and message, with the trailers that name this plan."""
        return self._git.run("log", "-1", "--format=%T%n%B", commit)

    def _base(self) -> str:
        try:
            return self._git.run("rev-parse", "--verify", "HEAD^{commit}").strip()
        except GitFailure as error:
            raise PreconditionError(
                "Landing needs a git work tree with a commit.",
                code="no_commit",
                hint="Commit once, or apply the plan.",
            ) from error

    def _checked(self, base: str) -> tuple[dict[str, str], list[str]]:
        """The modes of the plan's files, all of which must be as in `base`; those with filters."""
        states = self._contents.unchanged(file.path for file in self._plan.files)
        blobs, entries = self._git.blobs(_present(states)), self._git.entries(base, list(states))
        other = [path for path in states if entries.get(path, ("", ""))[1] != blobs.get(path, "")]
        filtered = self._git.filtered(list(states))
        if filtered and self._options.hooks_in is None:
            raise PreconditionError(
                f"Filters of git, such as LFS, do not run here: {first_names(filtered, _NAMED)}.",
                code="filtered",
                hint="--run-hooks runs them in a sandbox.",
            )
        other = [path for path in other if path not in filtered]  # the sandbox compares these
        if other:
            raise PreconditionError(
                f"Not as in the commit HEAD: {first_names(other, _NAMED)}.",
                code="not_committed",
                hint="Commit or stash what you changed there, and preview again.",
            )
        return {path: mode for path, (mode, _) in entries.items()}, filtered

    def _steps(self) -> list[CommitGroup]:
        """The groups; one with which it does not parse or pass is joined with the next."""
        steps: list[CommitGroup] = []
        waiting: list[CommitGroup] = []
        for group in self._groups:
            waiting.append(group)
            if self._sound([*([] if self._apart else steps), *waiting]):
                steps.append(joined(waiting))
                waiting = []
        if waiting:
            names = first_names([group.name for group in waiting], _NAMED)
            raise PreconditionError(
                f"With these no commit parses and passes: {names}.",
                code="not_proven",
                hint=f"astedit prove {self._action_id} names the edits that break it.",
            )
        return steps

    def _sound(self, groups: Iterable[CommitGroup]) -> bool:
        ids = _ids(groups)
        after, before = self._contents.with_edits(ids), _present(self._contents.unchanged(ids))
        if not all(
            _parses(path, content, before[path])
            for path, content in _present(after).items()
            if path in before  # what a whole file holds that comes was looked at in the preview
        ):
            return False
        passes = self._options.passes
        if passes is None or passes(after):
            return True
        if not self._baseline_passes:
            raise PreconditionError(
                "It does not pass without the plan either.",
                code="baseline",
                hint="Make it pass first, or land without --prove.",
            )
        return False

    @cached_property
    def _baseline_passes(self) -> bool:
        """Whether it passes without the plan; asked once a commit does not pass."""
        return self._options.passes is None or self._options.passes({})

    def _tree(
        self, prefix: str, states: Mapping[str, FileState], modes: Mapping[str, str], like: str
    ) -> str:
        """The tree with these files; a mode changes where the plan says so alone.

        `like` is an object of the repository, whose names are as long.
        """
        blobs = self._git.blobs(_present(states))
        entries = {path: (GONE, "0" * len(like)) for path in states if path not in blobs}
        for path, blob in blobs.items():
            entries[path] = modes.get(path) or _git_mode(states[path].mode), blob
        for file in self._plan.files:
            if file.new_mode is not None and file.path in blobs:
                entries[file.path] = _git_mode(states[file.path].mode), blobs[file.path]
        return self._git.tree(prefix, entries)

    def _message(self, group: CommitGroup, position: int) -> str:
        title = one_line(self._title(group))
        # no line end in a name begins a line of a message
        name = one_line(group.name) or title
        values = {
            "title": title,
            "group": name,
            self._options.by or "group": name,
            "count": number(group.edits, "edit"),
            "files": number(group.files, "file"),
            "reason": self._reason,
            "n": str(position),
            "id": self._action_id,
        }
        template = self._options.message or MESSAGE
        if not self._options.by and not self._options.message:
            template = _UNREASONED if self._reason == self._plan.title else _WHOLE
        subject, _, body = _filled(template, values, "--message").partition("\n")
        if len(subject) > _SUBJECT:  # nothing of a reason is lost
            subject, body = f"{subject[: _SUBJECT - 1]}…", f"\n{subject}\n{body}"
        trailers = f"Astedit-Plan: {self._action_id}\nAstedit-Fingerprint: {self._plan.fingerprint}"
        return f"{subject}\n{body.rstrip()}\n\n{trailers}\n"

    def _title(self, group: CommitGroup) -> str:
        """The shape; of other groups their name and the first shape in them.

        Of a whole plan it is what the plan does.
        """
        if self._options.by is None:
            return self._plan.title
        if self._options.by == "shape":
            return group.name
        return f"{group.name}: {self._labels[group.units[0].shape]}"

    @cached_property
    def _labels(self) -> list[str]:
        """What the shapes are called; asked for only where another name begins a title."""
        return [alike.shape.label for alike in alike_edits(self._plan.files, self._plan.request)]

    def _refuse_bad_names(self, tips: Collection[str]) -> None:
        for name in tips:
            # git takes HEAD for what is checked out, also below refs/heads, and `-x` for an option
            if name == "HEAD" or name.startswith("-"):
                raise PreconditionError(
                    f"{name} is no branch to land on.",
                    code="bad_branch",
                    hint="Name another one: --branch NAME.",
                )
            try:
                self._git.run("check-ref-format", f"refs/heads/{name}")
            except GitFailure as error:
                raise RequestError(
                    f"{name!r} is not the name of a branch.", code="branch"
                ) from error
        if self._options.moved_from and (moved := self._git.checked_out(tips)):
            raise PreconditionError(
                f"The branch {moved[0]!r} is checked out: its files would not be as its commit.",
                code="branch_checked_out",
                hint="Land on a branch of its own, or check out another one first.",
            )


def _present(states: Mapping[str, FileState]) -> dict[str, bytes]:
    """The contents of those paths that hold a file."""
    return {path: state.content for path, state in states.items() if state.content is not None}


def _git_mode(mode: int | None) -> str:
    return "100755" if mode is not None and mode & 0o100 else "100644"


def _ids(groups: Iterable[CommitGroup]) -> dict[str, list[str]]:
    """The ids of the edits of these groups, by path."""
    return ids_of(unit for group in groups for unit in group.units)


def _filled(template: str, values: Mapping[str, str], option: str) -> str:
    def value(hole: re.Match[str]) -> str:
        if hole[1] not in values:
            holes = ", ".join(f"{{{name}}}" for name in values)
            raise RequestError(f"{option} knows no {hole[0]}; it knows {holes}.")
        return values[hole[1]]

    return _HOLE.sub(value, template)


def _parses(path: str, content: bytes, before: bytes) -> bool:
    """Whether a file parses, or did not before either."""
    if (row := for_path(path)) is None:
        return True
    parser = load(row).parser()
    return not parser.parse(content).root_node.has_error or (
        parser.parse(before).root_node.has_error
    )


def land_with(
    session: Session,
    options: LandingOptions,
    config: Config,
    state: str,
    codemods: Mapping[str, str] | None = None,
) -> None:
    """Lets what this session applies become commits instead; `state` is the state's directory."""

    def land(
        plan: Plan, rest: list[dict[str, str]], workspace: Workspace, context: Context
    ) -> ToolResult:
        with locked_directory(os.path.join(state, "landing")) as directory:
            git = GitObjects(workspace.root, directory)
            lander = Lander(plan, workspace, git, options, context.action_id, context.reason)
            landing = lander.land()
            not_run = [] if options.hooks_in is not None else git.not_run()
        details: dict[str, Any] = asdict(landing) | left_out(rest) | {"notRun": not_run}
        context.record_landed(dict(context.action.notes) | details)
        return ToolResult(_text(landing, context.action_id, not_run), details=details)

    session.handlers[HANDLER] = AstEdit(
        inline=True, codemods=codemods, config=config, lander=land, commands=ANY
    )


def _text(landing: Landing, action_id: str, not_run: list[str]) -> str:
    branches = dict.fromkeys(commit.branch for commit in landing.commits)
    head = f"Landed {action_id}: {number(len(landing.commits), 'commit')} on {', '.join(branches)}."
    rows = [f"{each.commit[:12]} {each.group}" for each in landing.commits]
    rows += [f"Did not run: {', '.join(not_run)}."] if not_run else []
    return os.linesep.join([head, *rows])
