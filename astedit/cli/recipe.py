"""`astedit pack run`: a recipe of a pack becomes one plan, or a plan for each step."""

import shlex
from collections.abc import Mapping
from typing import Any

import click

from astedit.cli import operation, preview, request
from astedit.cli.flags import Bounds, Staging, taken
from astedit.cli.output import streams
from astedit.cli.place import Place
from astedit.errors import PreconditionError, RequestError
from astedit.operations import kinds
from astedit.operations import operation as descriptor_of
from astedit.packs.pack import Pack, Recipe
from astedit.packs.project import PackProject
from astedit.packs.source import bad_pack
from astedit.producers.recipe import RecipeStep, is_wanted, request_of_recipe, rule_step
from astedit.programs import ANY
from astedit.rule.failure import one_of, some_of
from resolve.visible import one_line


def run_recipe(
    name: str, place: Place, *, each: bool, commands: bool, flags: Mapping[str, Any]
) -> int:
    """Plans, stages and prints the recipe of this name; returns the exit code.

    Its commands run only if the person says so (`commands`): a pack is somebody else's.
    """
    full, pack, recipe = _recipe(name, PackProject.open(place.workspace, place.config))
    steps = [_step(raw, pack, place) for raw in recipe.steps]
    for step in steps:
        if step.command and not commands:
            raise PreconditionError(
                f"The recipe {full} runs a command: {one_line(step.command)}",
                code="command_not_allowed",
                hint="--commands allows it, in a sandbox.",
            )
    staging, bounds = taken(Staging, dict(flags)), taken(Bounds, dict(flags))
    staging.check_sense()
    allowed = ANY if commands else ()
    run = place.run(staging.state_dir, *bounds, commands=allowed)
    if not is_wanted(recipe.preconditions, recipe.language, place.workspace, run):
        streams.note(f"{full}: no file meets its preconditions; there is nothing to do.")
        return 0
    if not each:
        whole = request_of_recipe(full, steps)
        return preview.operated(lambda: whole, place, staging, bounds, commands=allowed)
    if staging.as_json or not staging.stages:
        raise RequestError("--each stages a plan for each step, and excludes --json and --check.")
    return _run_each(full, steps, place, staging, run)


def _run_each(full: str, steps: list[RecipeStep], place: Place, staging: Staging, run: Any) -> int:
    from astedit.staging.on_top import on_top_of

    base = None
    for number, step in enumerate(steps, 1):
        streams.note(f"{number} of {len(steps)}: {one_line(step.title)}")
        here = run if base is None else on_top_of(base, place.workspace, run)
        plan = step.plan(place.workspace, here)
        plan.title = f"{full} {number}: {step.title}"
        preview.finish(plan, preview.refusal(plan), place, staging)
        if plan.applied:
            base = None
        elif plan.action_id is not None:
            base = plan.action_id
    return 0


def _recipe(name: str, opened: PackProject) -> tuple[str, Pack, Recipe]:
    """The recipe with its whole name, and its pack. Raises `RequestError` unless it is one."""
    found: dict[str, tuple[Pack, Recipe]] = {}
    for _, pack in opened.packs():
        found |= {f"{pack.name}/{own}": (pack, recipe) for own, recipe in pack.recipes.items()}
    chosen = [full for full in found if name in (full, full.partition("/")[2])]
    if len(chosen) != 1:
        hint = some_of(sorted(chosen or found), name) if found else "No pack here has recipes."
        raise RequestError(f"There is no one recipe {name!r} here.", hint=hint, code="no_recipe")
    return chosen[0], *found[chosen[0]]


def _step(raw: Any, pack: Pack, place: Place) -> RecipeStep:
    if isinstance(raw, str):
        return _of_command_line(raw, pack, place)
    ((key, names),) = raw.items()
    title = f"{key} {', '.join(names)}"
    if key == "rule":
        rules = {rule.id.partition("/")[2]: rule for rule in pack.rules}
        for name in set(names).difference(rules):
            raise bad_pack(f"{pack.name}: there is no rule {name!r}", some_of(list(rules), name))
        return rule_step(title, [rules[name] for name in names], pack.utils)
    if key == "pack":
        pairs = [request.pack(place.workspace, name) for name in names]
        chosen = [rule for some, _ in pairs for rule in some]
        return rule_step(title, chosen, [one for _, some in pairs for one in some])
    if len(names) != 1:
        raise bad_pack(f"{pack.name}: a step runs one codemod, not {len(names)}", None)
    return RecipeStep(title, operation="codemod", values={"name": names[0]})


def _of_command_line(text: str, pack: Pack, place: Place) -> RecipeStep:
    """`rename IDENT NEW` and the other operations, or `capture -- COMMAND`."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise bad_pack(f"{pack.name}: {text!r} is no command line: {error}", None) from error
    kind = words[0].replace("-", "_") if words else ""
    if kind == "capture" and words[1:2] == ["--"] and words[2:]:
        return RecipeStep(text, command=shlex.join(words[2:]))
    if kind not in kinds():
        hint = one_of(("capture -- COMMAND", *(each.replace("_", "-") for each in kinds())), kind)
        raise bad_pack(f"{pack.name}: {text!r} is no step", hint)
    try:
        values = operation.values_of(descriptor_of(kind), words[1:], place.workspace.root)
    except click.UsageError as error:
        why = error.format_message().rstrip(".")
        raise bad_pack(f"{pack.name}: {text!r}: {why}", None) from error
    if values.get("codemods"):
        hint = "Your own configuration does: [codemods]."
        raise bad_pack(f"{pack.name}: {text!r}: a pack does not say what code a name means", hint)
    return RecipeStep(text, operation=kind, values=values)
