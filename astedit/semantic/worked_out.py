"""Changes of a tree that are worked out in steps, each for what the one before it leaves."""

import hashlib
from dataclasses import dataclass

from astedit.engine.known_edits import plan_of_edits
from astedit.engine.run_context import Run
from astedit.errors import PreconditionError
from astedit.model.edit import FilePlan
from astedit.model.plan import Plan
from astedit.model.request import EditRequest
from astedit.semantic.library import Library
from astedit.text.splice import Change, compose, splice
from astedit.workspace.root import Workspace

_MARK = b"\xef\xbb\xbf"


@dataclass(slots=True)
class WorkedOut:
    """What becomes of a tree: `edits` by path, of the files as `expected` says.

    `created` is a new module, `end` stands for one that goes.
    """

    edits: dict[str, list[Change]]
    expected: dict[str, str]
    hints: list[str]
    library: Library
    created: FilePlan | None = None
    end: FilePlan | None = None

    def plan(self, request: EditRequest, workspace: Workspace, run: Run) -> Plan:
        """The plan of the edits alone."""
        return plan_of_edits(
            request,
            workspace,
            self.edits,
            run,
            expected=self.expected,
            contained=False,
            hints=self.hints,
            skipped=list(self.library.trouble.skips.values()),
            files_searched=len(self.library.files),
        )


class ChangeSteps:
    """Changes that are worked out one after the other, as those of the tree before the first."""

    def __init__(self, workspace: Workspace) -> None:
        self._before: dict[str, bytes] = {}
        self.contents = dict(workspace.overlay)
        self.made: WorkedOut | None = None

    def take(self, step: WorkedOut) -> None:
        """Adds what was worked out for the tree of `contents`."""
        first = self.made or WorkedOut({}, {}, [], step.library)
        for path, changes in step.edits.items():
            before = self._before.setdefault(path, _bytes_of(step.library, path))
            earlier = first.edits.get(path, [])
            first.edits[path] = [c for c, _, _ in compose(before, earlier, changes)]
            first.expected.setdefault(path, step.expected[path])
            self.contents[path] = splice(before, first.edits[path])
        first.hints += step.hints
        first.created, first.end = step.created, step.end
        self.made = first


def _bytes_of(library: Library, path: str) -> bytes:
    """A file's bytes; raises unless they are its UTF-8 view."""
    text = library.text(path)
    assert text is not None
    raw = _MARK[: text.mark] + text.code
    if hashlib.sha256(raw).hexdigest() != text.sha256:
        message = f"{path} is not in UTF-8; nothing was staged."
        raise PreconditionError(message, path=path, code="not_utf8")
    return raw
