"""Makes commits with hooks, signing and filters, in a sandbox, and brings them into git."""

import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from astedit.errors import PreconditionError
from astedit.landing.commit_steps import BUNDLE, RESULT, TASK
from astedit.landing.git_objects import GitObjects
from astedit.sandbox.sandbox import FileState, Sandbox
from astedit.text.count_phrases import first_names

_LIBRARY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_START = (
    "import sys; sys.path.insert(0, sys.argv.pop()); "
    "from astedit.landing.commit_steps import main; main()"
)
_NAMED = 5  # files in a message
_SAID = 20  # lines of what a hook prints


@dataclass(frozen=True, slots=True)
class CommitStep:
    """One commit to make: its tree, its message, its branch, and the step that it stands on.

    `parent` counts from 0; None stands on the base.
    """

    tree: str
    message: str
    branch: str
    parent: int | None


class HookedCommits:
    """Makes steps into commits in a sandbox of the root; `filtered` are paths with filters.

    The tree, the index and HEAD stay as they are: what hooks do there is gone with the sandbox.
    """

    def __init__(self, git: GitObjects, sandbox: Sandbox) -> None:
        if not os.path.isdir(os.path.join(sandbox.root, ".git")):
            raise PreconditionError(
                "Hooks run where the root is the top of a work tree and holds git's directory.",
                code="git_outside",
                hint="Land without --run-hooks, or from a clone.",
            )
        self._git, self._sandbox = git, replace(sandbox, directory="")

    def make(self, base: str, steps: Sequence[CommitStep], filtered: Sequence[str]) -> list[str]:
        """Returns the names of the commits, which are in the repository then, on no branch.

        Raises `PreconditionError` where a hook refuses, or makes something else of a commit.
        """
        rows = [asdict(replace(step, branch=f"refs/heads/{step.branch}")) for step in steps]
        task = json.dumps({"base": base, "steps": rows, "filtered": list(filtered)}).encode()
        run = self._sandbox.run(
            [sys.executable, "-I", "-S", "-c", _START, self._git.program, _LIBRARY],
            {TASK: FileState(task)},
            collect=(RESULT, BUNDLE),
        )
        made = run.made.get(RESULT)
        if made is None:
            raise _refusal(run.output or run.start_error or "the sandbox has ended")
        result: Mapping[str, object] = json.loads(made)
        if "refused" in result:
            raise _refusal(str(result["refused"]))
        bundle, names = run.made.get(BUNDLE), result["commits"]
        assert bundle is not None and isinstance(names, list)
        self._git.unbundle(bundle)
        self._check(base, steps, names, set(filtered))
        return names

    def _check(
        self, base: str, steps: Sequence[CommitStep], names: Sequence[str], filtered: set[str]
    ) -> None:
        """Every commit has the tree of its step, its parent, and its trailers."""
        for step, name in zip(steps, names, strict=True):
            parent = base if step.parent is None else names[step.parent]
            tree, above, message = self._git.parts(name)
            other = [path for path in self._git.differing(step.tree, tree) if path not in filtered]
            if other:
                raise PreconditionError(
                    f"A hook changed {first_names(other, _NAMED)}: that is not what was previewed.",
                    code="hook_changed",
                    hint="With `astedit prove --format-with CMD` a formatter is part of the plan.",
                )
            if above != [parent] or step.message.splitlines()[-2] not in message:
                raise PreconditionError(
                    "A hook changed the history or took the trailers of a commit.",
                    code="hook_changed",
                )
            for path in filtered.intersection(self._git.differing(step.tree, tree)):
                self._git.keep_filtered(path, step.tree)


def _refusal(output: str) -> PreconditionError:
    lines = output.splitlines()[-_SAID:]
    return PreconditionError(
        "The commits were not made. " + "\n".join(lines),
        code="hook",
        hint="Nothing was landed, and the plan is still pending. Without --run-hooks no hook runs.",
    )
