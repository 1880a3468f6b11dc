"""The command of an operation, made of its descriptor: arguments, options, help, and the run."""

from collections.abc import Mapping, Sequence
from typing import Any

import click

from astedit.cli import completions, language_server, options, preview
from astedit.cli.flags import Bounds, Staging, taken, written_flags
from astedit.cli.options import HelpPage
from astedit.cli.place import Place, find_place
from astedit.operations import Descriptor, Input, Lookup


def command(operation: Descriptor) -> click.Command:
    """The command that plans an operation, and stages the plan."""
    compares = operation.kind == "rename"  # the one that a language server is asked for, too

    def run(**flags: Any) -> int:
        place, values = _values(operation, flags)
        lookup = Lookup(place.workspace, place.state(flags["state_dir"]), place.config)
        return preview.operated(
            lambda: operation.locate(operation.parameters(**values), lookup),
            place,
            taken(Staging, flags),
            taken(Bounds, flags),
            codemods=values.get("codemods") or {},
            compare=language_server.comparison(flags, place) if compares else None,
        )

    parameters = [_declared(parameter) for parameter in operation.inputs]
    if compares:
        parameters.append(language_server.comparing)
    decorate = click.command(
        operation.kind.replace("_", "-"),
        cls=HelpPage,
        help=_help(operation),
        epilog=f"Example: astedit {operation.example}",
    )
    return decorate(options.together(*parameters, options.pager, options.operating)(run))


def _values(operation: Descriptor, flags: Mapping[str, Any]) -> tuple[Place, dict[str, Any]]:
    """Where the flags of the command say that it works, and what they set."""
    inputs = operation.inputs
    paths = [
        path for parameter in inputs if _takes_paths(parameter) for path in flags[parameter.name]
    ]
    place = find_place(flags["root"], paths)
    return place, {
        parameter.name: _value(parameter, flags[parameter.name], place) for parameter in inputs
    }


def values_of(operation: Descriptor, words: Sequence[str], root: str) -> dict[str, Any]:
    """What the words of a command line set for a step of a recipe, below the root.

    Raises `click.UsageError`, also for a flag that is not of the operation itself.
    """
    context = command(operation).make_context(operation.kind, list(words))
    own = {parameter.name for parameter in operation.inputs}
    for name in written_flags(context, context.params) - own:
        raise click.UsageError(f"--{name.replace('_', '-')} is for the recipe, not for a step.")
    return _values(operation, context.params | {"root": root})[1]


def _help(operation: Descriptor) -> str:
    """What it does; then what stands in each position, and how it is done."""
    meanings = [
        f"{parameter.face.metavar} is {parameter.face.text}."
        for parameter in operation.inputs
        if parameter.face.text and not parameter.is_option
    ]
    head = f"{operation.summary} It is staged; nothing is written."
    return f"{head}\n\n{' '.join([*meanings, *operation.details])}"


def _declared(parameter: Input) -> Any:
    """The argument or the option of a parameter, which has its type, default and text."""
    shown = parameter.face
    if parameter.kind == Mapping[str, str]:
        return options.codemods
    if parameter.is_option:
        return click.option(
            f"--{parameter.name.replace('_', '-')}",
            is_flag=parameter.kind is bool,
            multiple=parameter.is_list,
            default=parameter.default,
            metavar=shown.metavar,
            help=shown.text,
        )
    return click.argument(
        parameter.name,
        metavar=f"{shown.metavar}..." if parameter.is_list else shown.metavar,
        nargs=-1 if parameter.is_list else 1,
        required=parameter.is_required,
        shell_complete=completions.files if shown.path else None,
    )


def _takes_paths(parameter: Input) -> bool:
    return parameter.is_list and parameter.face.path is bool


def _value(parameter: Input, value: Any, place: Place) -> Any:
    """What a parameter is set to: of a path, where it lies below the root."""
    if _takes_paths(parameter):
        return place.paths
    is_path = parameter.face.path
    if is_path is None:
        return value
    if parameter.is_list:
        return [place.below(each) if is_path(each) else each for each in value]
    return place.below(value) if is_path(value) else value
