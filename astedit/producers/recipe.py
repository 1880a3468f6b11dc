"""A recipe: rules, codemods, operations and commands, run in order as one plan.

Each step sees the tree as the one before leaves it. What is stored are the steps, not what
they do, so an apply goes through all of them again.
"""

import json
import shlex
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from astedit.engine.run_context import Run
from astedit.errors import PreconditionError, RequestError
from astedit.limits import MAX_FILE_SIZE
from astedit.model.plan import Plan
from astedit.model.request import EditRequest, Operation
from astedit.operations import Lookup, operation
from astedit.producers.capture import request_of_capture
from astedit.producers.tree_change import TreeChange, unchanged
from astedit.programs import allowed
from astedit.rule.document import Document
from astedit.staging.preview import preview, search
from astedit.text.source import Change, compose, splice
from astedit.workspace.root import Workspace

KIND = "recipe"
_HINT = "Run the recipe with --each, which stages a plan for each step."


class RecipeStep(NamedTuple):
    """One step: its title, and its rules, its command, or its operation with what that takes."""

    title: str
    rules: Sequence[dict[str, Any]] = ()
    utils: Sequence[dict[str, Any]] = ()
    command: str = ""
    operation: str = ""
    values: Mapping[str, Any] = {}

    def request(self, lookup: Lookup) -> EditRequest:
        """What the step asks of the tree as it is now. Raises what its operation raises."""
        if self.command:
            return request_of_capture(shlex.split(self.command))
        if self.operation:
            descriptor = operation(self.operation)
            return descriptor.locate(descriptor.parameters(**self.values), lookup)
        return EditRequest([], rules=list(self.rules), utils=list(self.utils))

    def plan(self, workspace: Workspace, run: Run) -> Plan:
        """What the step makes of the tree of a run."""
        with workspace.overlaid(run.overlay):
            request = self.request(Lookup(workspace, run.state, run.config))
        request.after = None if run.base is None else run.base.action_id
        return preview(request, workspace, run)


def rule_step(title: str, rules: Sequence[Document], utils: Sequence[Document]) -> RecipeStep:
    """The step that runs the fixes of rules, with what those cause."""
    from astedit.engine.request import contents_of

    return RecipeStep(title, contents_of(rules, {}), [dict(one.content) for one in utils])


def is_wanted(
    conditions: Sequence[Mapping[str, Any]], language: str, workspace: Workspace, run: Run
) -> bool:
    """Whether some file of the tree matches all preconditions of a recipe."""
    if not conditions:
        return True
    first, *others = conditions
    rule = {"id": KIND, "language": language, "rule": first, "preconditions": others}
    from astedit.engine.request import request_of

    request = request_of({"rules": [{key: value for key, value in rule.items() if value}]})
    return bool(search(request, workspace, run, "scan", limit=1).files)


def request_of_recipe(name: str, steps: Sequence[RecipeStep], **options: Any) -> EditRequest:
    """The request that runs the steps as one plan; `options` are fields of the request."""
    text = json.dumps([step._asdict() for step in steps], ensure_ascii=False, sort_keys=True)
    return EditRequest([], operation=Operation(KIND, {"label": name, "steps": text}), **options)


def plan(request: EditRequest, workspace: Workspace, run: Run) -> Plan:
    """What all steps make of the tree; a step that fails is named, and nothing is staged.

    Commands that may not run again are not: then the files are compared with the preview.
    """
    assert request.operation is not None
    steps = [RecipeStep(**step) for step in json.loads(request.operation.arguments["steps"])]
    commands = [shlex.split(step.command) for step in steps if step.command]
    if run.previewed is not None and not all(allowed(words, run.commands) for words in commands):
        return unchanged(run.previewed, workspace)
    composed = _Composed(request, workspace)
    for number, step in enumerate(steps, 1):
        try:
            composed.take(step, number, len(steps), run)
        except (RequestError, PreconditionError) as error:
            kind = RequestError if isinstance(error, RequestError) else PreconditionError
            message = f"Step {number}, {step.title}: {error.message}"
            raise kind(message, code=error.code, hint=error.hint, path=error.path) from error
    return composed.plan(run)


class _Composed:
    """What the steps have made of the tree so far, as changes of the tree before the first."""

    def __init__(self, request: EditRequest, workspace: Workspace) -> None:
        self._request, self._workspace = request, workspace
        self._change = TreeChange(request, workspace)
        self._before: dict[str, bytes] = {}
        self._edits: dict[str, list[Change]] = {}
        self._steps: dict[str, dict[Change, str]] = {}
        self._plans: list[Plan] = []
        self._contents = dict(workspace.overlay)

    def take(self, step: RecipeStep, number: int, count: int, run: Run) -> None:
        """Plans a step for the tree that the others leave, and adds what it changes."""
        quiet = run._replace(overlay=self._contents, base=None, previewed=None, want_hunks=False)
        made = step.plan(self._workspace, quiet)
        name = f"{number:0{len(str(count))}} {step.title}"
        for file in made.files:
            if file.operation == "modify" and file.new_mode is None:
                self._edit(file.path, file.changes, name)
            elif number < count or file.read_from in self._edits:
                raise PreconditionError(
                    f"it creates, deletes or moves {file.path}, or changes its mode, which only "
                    "the last step of one plan may do to a file that no other step edits.",
                    code="file_operation",
                    hint="Make it the last step, or run the recipe with --each.",
                )
            else:
                self._change.whole.append(file)
        self._change.notes += [f"{name}: {hint}" for hint in made.hints]
        self._plans.append(made)

    def _edit(self, path: str, changes: Sequence[Change], name: str) -> None:
        if path not in self._before:
            self._before[path], _ = self._workspace.read(path, MAX_FILE_SIZE)
        before, earlier = self._before[path], self._edits.get(path, [])
        names = self._steps.get(path, {})
        together = compose(before, earlier, changes)
        self._steps[path] = {
            change: name if later else names[earlier[first[0]]] for change, first, later in together
        }
        self._edits[path] = [change for change, _, _ in together]
        self._contents[path] = splice(before, self._edits[path])

    def plan(self, run: Run) -> Plan:
        """One plan of everything; each edit has its step where others have their rule."""
        for path, changes in self._edits.items():
            if self._contents[path] == self._before[path]:
                continue
            with self._change.listing():
                before, mode = self._change.read(path)
                self._change.edit(path, before, mode, changes)
        searched = max((made.files_searched for made in self._plans), default=0)
        whole = self._change.plan(run, KIND, searched, _HINT)
        for file in whole.files:
            steps = {change[0]: name for change, name in self._steps.get(file.path, {}).items()}
            for edit in file.edits:
                starts = [start for start in steps if start <= edit.start]
                edit.rule_id = steps[max(starts)] if starts else None
        skipped = {(skip.path, skip.reason): skip for skip in whole.skipped}
        for made in self._plans:
            whole.blocked += made.blocked
            skipped |= {(skip.path, skip.reason): skip for skip in made.skipped}
        whole.skipped = list(skipped.values())
        return whole
