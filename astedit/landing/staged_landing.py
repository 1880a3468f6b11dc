"""Lands what the gate lets through: the seam between a resolution and the commits."""

import os
from collections.abc import Mapping
from typing import Any

from astedit.landing.git_objects import git_objects
from astedit.landing.land import Lander, Landing, LandingOptions
from astedit.model.plan import Plan
from astedit.programs import ANY
from astedit.staging.ast_edit import HANDLER, AstEdit
from astedit.staging.part import left_out
from astedit.text.count_phrases import number
from astedit.workspace.config import Config
from astedit.workspace.root import Workspace
from resolve import Session, ToolResult
from resolve.handlers import Context


class StagedLanding:
    """What a resolution calls instead of writing; `state` is the directory of the state."""

    def __init__(self, options: LandingOptions, state: str) -> None:
        self._options, self._state = options, state

    def __call__(
        self, plan: Plan, rest: list[dict[str, str]], workspace: Workspace, context: Context
    ) -> ToolResult:
        """Makes the commits and branches, and closes the action as `landed`."""
        with git_objects(workspace.root, self._state) as git:
            lander = Lander(plan, workspace, git, self._options, context.action_id, context.reason)
            landing = lander.land()
            not_run = [] if self._options.hooks_in is not None else git.not_run()
        details: dict[str, Any] = landing.to_json() | left_out(rest) | {"notRun": not_run}
        context.record_landed(dict(context.action.notes) | details)
        return ToolResult(_text(landing, context.action_id, not_run), details=details)


def land_with(
    session: Session,
    options: LandingOptions,
    config: Config,
    state: str,
    codemods: Mapping[str, str] | None = None,
) -> None:
    """Lets whatever this session applies become commits instead; for a person's command line."""
    lander = StagedLanding(options, state)
    session.handlers[HANDLER] = AstEdit(
        inline=True, codemods=codemods, config=config, lander=lander, commands=ANY
    )


def _text(landing: Landing, action_id: str, not_run: list[str]) -> str:
    branches = dict.fromkeys(commit.branch for commit in landing.commits)
    head = f"Landed {action_id}: {number(len(landing.commits), 'commit')} on {', '.join(branches)}."
    rows = [f"{commit.name[:12]} {commit.group}" for commit in landing.commits]
    rows += [f"Did not run: {', '.join(not_run)}."] if not_run else []
    return os.linesep.join([head, *rows])
