"""The tool `capture`: what a command would change, if a person allowed that command."""

import shlex
from collections.abc import Sequence
from typing import Any

from astedit.agents.prove_call import ProvingStack, RunningCall, refuse_unless_allowed
from astedit.engine.run_context import Run
from astedit.limits import Deadline
from astedit.model.plan import Plan
from astedit.producers.capture import request_of_capture
from astedit.staging.preview import preview
from astedit.workspace.root import Workspace


def captured(
    values: dict[str, Any], call: RunningCall, served: ProvingStack, patterns: Sequence[str]
) -> Plan:
    """The plan of what a command changes; one that nobody allowed is refused."""
    words: list[str] = values["command"]
    refuse_unless_allowed(words, patterns)
    request = request_of_capture(
        words,
        label=values.get("label", shlex.join(words)),
        replay=values.get("replay", "command"),
    )
    with Workspace(served.root) as workspace:
        run = Run(deadline=Deadline(None, call.signal), commands=patterns, state=served.state_dir)
        return preview(request, workspace, run)
