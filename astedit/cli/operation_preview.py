"""What the commands that plan from a name share: options, the plan, and how it ends."""

from collections.abc import Callable, Mapping
from typing import Any

from astedit.cli import interrupted_apply, options
from astedit.cli.commands import edit
from astedit.cli.place import Place
from astedit.errors import AstEditError
from astedit.limits import Deadline
from astedit.model.request import EditRequest

previewing = options.together(
    options.previewing,
    options.bounds,
    options.as_json,
    options.root,
    options.state,
)


def preview(
    make: Callable[[], EditRequest],
    found: Place,
    flags: Mapping[str, Any],
    codemods: Mapping[str, str] | None = None,
) -> int:
    """Makes the request, plans it, stages and prints the plan; returns the exit code.

    An apply that was interrupted forbids staging, as it does everywhere.
    """
    from astedit.engine.plan import check_limits
    from astedit.engine.run_context import Run
    from astedit.staging.preview import preview as planned

    edit.check_apart(flags)
    given = edit.STAGES | dict(flags)
    failure: Exception | None = None
    if not (flags["check"] or flags["no_stage"]):
        failure = interrupted_apply.found_in(found, flags["state_dir"])
    run = Run(
        inline=True,
        jobs=flags["jobs"],
        deadline=Deadline(flags["timeout"]),
        codemods=codemods or {},
        state=found.state(flags["state_dir"]),
        config=found.config,
    )
    plan = planned(make(), found.workspace, run)
    try:
        check_limits(plan)
    except AstEditError as error:
        failure = failure or error
    return edit.finish(plan, failure, found, given)
