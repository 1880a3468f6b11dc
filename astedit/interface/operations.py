"""The functions of the operations, each made of its descriptor.

`astedit.move` and the others come from here, by their kinds; `Work` has a method for each.
"""

import inspect
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from os import PathLike
from typing import TYPE_CHECKING, Any

from astedit import operations
from astedit.engine.run.plan import check_limits
from astedit.engine.run_context import Run
from astedit.interface.functions import checked, workspace_at
from astedit.model.plan import Plan
from astedit.model.request import checked_title
from astedit.operations import Descriptor, Input, Lookup
from astedit.staging.preview import preview
from astedit.workspace.config import load

if TYPE_CHECKING:
    from resolve import Session

_FUNCTION = """\
Returns the plan; nothing is written. With a `session` of the gate it is staged, if it replaces
anything; `dry_run=False` is what the apply of a staged plan uses. `root` is the workspace, without
one the nearest project above the working directory. `state` is a directory where what was parsed
is kept for the next time. `title` is what the plan is called, in the place of what it does."""


@cache
def _function(kind: str) -> Callable[..., Plan]:
    return taking_parameters(kind, planned, _FUNCTION)


if TYPE_CHECKING:  # which does not see what is made on demand
    codemod = extract = inline = move = move_module = _function("")
    remove = rename = set_path = signature = _function("")


def __getattr__(name: str) -> Any:
    if name not in operations.kinds():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _function(name)


def planned(
    operation: Descriptor,
    values: Any,
    *,
    root: str | PathLike[str] | None = None,
    session: "Session | None" = None,
    dry_run: bool = True,
    state: str | None = None,
    title: str | None = None,
) -> Plan:
    """The plan of an operation; applied inside a claimed action without `dry_run`."""
    with workspace_at(root) as workspace:
        config = load(workspace)
        request = operation.locate(values, Lookup(workspace, state, config))
        if not dry_run:
            from astedit.staging.ast_edit import run_claimed

            return run_claimed(request, workspace, session, config)
        run = Run(state=state, config=config, codemods=getattr(values, "codemods", {}))
        plan = preview(request, workspace, run)
        plan.title = plan.title if title is None else checked_title(title)
        check_limits(plan)
        if session is not None and plan.total_replacements:
            from astedit.staging.stage import stage

            stage(plan, session)
    return plan


def taking_parameters(kind: str, around: Callable[..., Any], text: str) -> Callable[..., Any]:
    """A function that takes what an operation takes, beside what `around` does.

    `around` is called with the operation and its values. `text` says what comes out.
    """
    operation = operations.operation(kind)
    more = [
        parameter
        for name, parameter in inspect.signature(around).parameters.items()
        if name not in ("operation", "values")
    ]
    first = [parameter for parameter in more if parameter.kind is not parameter.KEYWORD_ONLY]
    last = [parameter for parameter in more if parameter not in first]
    whole = inspect.Signature([*first, *map(_parameter, operation.inputs), *last])

    def function(**arguments: Any) -> Any:
        names = (parameter.name for parameter in operation.inputs)
        values = {name: arguments.pop(name) for name in names if name in arguments}
        return around(operation=operation, values=operation.parameters(**values), **arguments)

    function.__name__ = function.__qualname__ = kind
    function.__doc__ = "\n\n".join(_paragraphs(operation, text))
    return checked(function, whole)


def _parameter(parameter: Input) -> inspect.Parameter:
    shapes = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(
        parameter.name,
        shapes[parameter.is_option],
        default=inspect.Parameter.empty if parameter.is_required else parameter.default,
        annotation=str | Iterable[str] if parameter.is_list else parameter.kind,
    )


def _paragraphs(operation: Descriptor, text: str) -> Iterator[str]:
    yield operation.summary
    shown = (parameter for parameter in operation.inputs if parameter.face.text)
    rows = [f"    {parameter.name}: {parameter.face.text}" for parameter in shown]
    yield "\n".join(["Parameters:", *rows])
    yield from operation.details
    yield operation.raises
    yield text
