"""`astedit flag`: take a feature flag out of the code, with all that goes with it."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from astedit.cli import options, preview, request
from astedit.cli.flags import Staging, taken
from astedit.cli.output import streams
from astedit.cli.output.report import LEFT
from astedit.cli.place import Place, find_place
from astedit.errors import RequestError
from astedit.model.request import arrow
from resolve.visible import one_line

if TYPE_CHECKING:
    from astedit.engine.run_context import Run
    from astedit.model.plan import Plan
    from astedit.rule import Document

_EPILOG = "Example: astedit flag new-checkout --value true --style launchdarkly src"
_MOST = 50  # places that still name the flag
_WIDTH = 80


@options.command("flag new-checkout --value true --style launchdarkly src")
@click.argument("name", required=False)
@click.option("--value", type=click.Choice(["true", "false"]), help="What it is from now on.")
@click.option("--style", "styles", multiple=True, metavar="NAME|FILE",
              help="How code reads the flag; default: every shipped style.")  # fmt: skip
@click.option("--list", "list_styles", is_flag=True, help="Print the shipped styles.")
@options.settings
@options.of_request("max_events", type=options.POSITIVE, metavar="N")
@options.planning
@options.answering
@options.paths
def command(name: str | None, value: str | None, paths: tuple[str, ...], **flags: Any) -> int:
    """Remove a feature flag and all code that depends on it.

    Reads of the flag become the value, and the branches, variables and conditions that it
    decides go with them. What is left of the name is listed at the end.
    """
    staging = taken(Staging, flags)
    if flags["list_styles"]:
        return _list()
    if not name or value is None:
        missing = "Which flag? Its NAME is missing." if not name else "--value is missing."
        raise RequestError(missing, hint=_EPILOG)
    staging.check_sense()
    staging = staging._replace(title=staging.title or arrow(f"flag {name}", value))
    place = find_place(flags["root"], paths)
    rules = list(_rules(name, flags["styles"]))
    settings = request.settings(flags["settings"])
    if repeated := sorted(settings.keys() & {"NAME", "VALUE", "CAPITAL"}):
        raise RequestError(f"--set {repeated[0]}: the flag's name and --value say it already.")
    params = _params(rules, name, value) | settings
    names = {rule.id for rule in rules}
    below = place.changed(flags["changed"], flags["timeout"])
    with request.telling(rules, request.document_of):
        call = request.rules_call(rules, (), request.call_flags(flags), below, params)
        interrupted = preview.interruption(place, staging)

        def compare(plan: "Plan", run: "Run") -> list[str]:
            return [*_styles(plan, names), *_left(plan, run, place, name)]

        return preview.edited(call, place, staging, interrupted, compare)


def _list() -> int:
    from astedit.packs import shipped

    for name, path in shipped.files("flags"):
        with open(path, encoding="utf-8") as file:
            streams.texts([f"# --style {name.removeprefix('flags/')}", file.read()])
    return 0


def _rules(name: str, styles: Sequence[str]) -> "Iterator[Document]":
    """The rules of the styles, less those for a language that cannot be read here."""
    from astedit.language import GrammarUnavailable, load
    from astedit.packs import shipped

    known = [each.removeprefix("flags/") for each, _ in shipped.files("flags")]
    is_name = name.isidentifier()  # no constant has another one
    for style in styles or [style for style in known if is_name or style != "constant"]:
        for rule in _of_style(style, known):
            try:
                for row in rule.languages:
                    load(row)
            except GrammarUnavailable:
                continue
            yield rule


def _of_style(style: str, known: Sequence[str]) -> "list[Document]":
    from astedit.engine.cascade.graph import read_shipped
    from astedit.rule import read_rules

    if style in known:
        return [rule for _, rules in read_shipped(f"flags/{style}") for rule in rules]
    try:
        return read_rules(request.document_of(style), style)
    except RequestError as error:
        if error.code == "bad_request":
            error.hint = f"A file of rules, or one of: {', '.join(known)}."
        raise


def _params(rules: "Sequence[Document]", name: str, value: str) -> dict[str, str]:
    """What the styles declare of what every style may ask for."""
    declared = {each for rule in rules for each in rule.content.get("params", ())}
    known = {"NAME": name, "VALUE": value, "CAPITAL": value.capitalize()}
    return {each: text for each, text in known.items() if each in declared}


def _styles(plan: "Plan", names: set[str]) -> Iterator[str]:
    """Which styles have matched; of those that come with astedit nobody asks why one has not."""
    edits = (edit for file in plan.files for edit in file.edits)
    rules = {step.rule for edit in edits for step in edit.chain} & names
    styles = dict.fromkeys(id.split("/")[1] for id in sorted(rules) if id.startswith("flags/"))
    if styles:
        yield f"styles that match: {', '.join(styles)}"
    elif not plan.files and all(name.startswith("flags/") for name in names):
        plan.hints[:] = ["no style matches: --list prints them, --style takes a file of rules"]


def _left(plan: "Plan", run: "Run", place: Place, name: str) -> Iterator[str]:
    """Where the name still stands, in files of any kind, after the plan."""
    import re

    from astedit.discover.discover import Search
    from astedit.text.source import splice

    changes = {file.path: file.changes for file in plan.files}
    gone = {file.path for file in plan.files if file.operation == "delete"}
    word = re.compile(rb"(?<![\w-])" + re.escape(name.encode()) + rb"(?![\w-])")
    places = []
    workspace = place.workspace
    with Search(workspace, ["."]) as search:
        paths = search.finish(globs=(), ignore=run.ignore, deadline=run.deadline).files
    for path in paths:
        try:
            raw, _ = workspace.read(path, plan.request.max_file_size)
        except OSError:
            continue
        if path in gone or name.encode() not in raw or b"\0" in raw[:8192]:
            continue
        for at, line in enumerate(splice(raw, changes.get(path, [])).split(b"\n"), 1):
            if word.search(line):
                text = one_line(line.strip().decode("utf-8", "replace"))[:_WIDTH]
                places.append(f"{LEFT}{one_line(path)}:{at}: {text}")
    yield from places[:_MOST]
    if len(places) > _MOST:
        yield f"{LEFT}{len(places) - _MOST:,} more places name {one_line(name)}"
