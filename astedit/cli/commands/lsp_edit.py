"""`astedit lsp-edit`: what a language server renames, offers or changes."""

import os
from collections import Counter
from collections.abc import Callable
from typing import Any

import click

from astedit.cli import language_server, options, preview
from astedit.cli.flags import Bounds, Staging, taken
from astedit.cli.options import CommandGroup
from astedit.cli.output import streams
from astedit.cli.place import Place, find_place
from astedit.errors import RequestError
from astedit.model.request import EditRequest
from astedit.programs import ANY
from resolve.visible import one_line

NamedTarget = tuple[str, dict[str, str]]  # the file that a server is shown, and what is asked
staging = options.together(
    language_server.server_option, options.fitting, options.pager, options.operating
)
target_range = click.argument("target", metavar="FILE[:RANGE]")


@click.group(cls=CommandGroup, epilog="Example: astedit lsp-edit rename src/cart.go:12:6 Basket")
def command() -> None:
    """Rename or apply a code action with a language server.

    Each takes --root DIR and --server CMD, and stages what the server answers.
    """


@command.command(
    short_help="Rename with a language server, and stage the result.",
    epilog="Example: astedit lsp-edit rename src/cart.go:12:6 Basket --server gopls",
)
@click.argument("target", metavar="IDENT|FILE:LINE:COL|PATH")
@click.argument("new_name", metavar="NEW")
@staging
def rename(target: str, new_name: str, **flags: Any) -> int:
    """Rename with a language server, and stage the result; nothing is written.

    It is asked until it has loaded and two answers agree. Uses of the name that it leaves
    are listed. A file or a directory goes to the path NEW, with what the server changes
    where it is imported.
    """

    def asked(place: Place) -> NamedTarget:
        if os.path.lexists(target):
            return _move(target, new_name, place)
        path, at = _place_of(target, place)
        return path, {"place": at, "name": new_name, "label": f"rename {target} -> {new_name}"}

    return _staged(asked, flags)


@command.command(
    short_help="List the code actions of a language server.",
    epilog="Example: astedit lsp-edit actions src/cart.ts:4-9 --kind refactor",
)
@target_range
@click.option("--kind", metavar="KIND", help="Such as refactor, quickfix, source.organizeImports.")
@language_server.server_option
@options.bounds
@options.as_json
@options.root
def actions(target: str, kind: str | None, **flags: Any) -> int:
    """List the code actions of a language server, with their fingerprints.

    RANGE is LINE, LINE:COL or LINE:COL-LINE:COL, from 1; without it the whole file is meant.
    """
    language_server.require_client()
    from astedit.engine.run_context import Run
    from astedit.limits import Deadline
    from astedit.producers.lsp_question import listed_actions

    place = find_place(flags["root"])
    path, at = language_server.placed(target, place)
    run = Run(deadline=Deadline(flags["timeout"]), commands=ANY)
    words = language_server.server_for(path, flags["server"], place)
    actions = listed_actions(words, path, at, kind, place.workspace, run)
    lines = (f"{each['fingerprint']}  {each['kind']:<24}  {each['title']}" for each in actions)
    document = {"schema": "astedit/actions/1", "actions": actions}
    streams.answer(document, map(one_line, lines), as_json=flags["as_json"])
    return 0 if actions else 1


@command.command(
    short_help="Stage what a code action changes.",
    epilog="Example: astedit lsp-edit apply src/cart.ts 'Organize imports'",
)
@target_range
@click.argument("action", metavar="CODE-ACTION")
@staging
def apply(target: str, action: str, **flags: Any) -> int:
    """Stage what a code action changes; nothing is written.

    CODE-ACTION is a title, or a fingerprint that `lsp-actions` printed. The server is asked
    for its actions again.
    """

    def asked(place: Place) -> NamedTarget:
        path, at = language_server.placed(target, place)
        return path, {"range": at, "action": action, "label": f"{action} in {path}"}

    return _staged(asked, flags)


def _staged(asked: Callable[[Place], NamedTarget], flags: dict[str, Any]) -> int:
    """Stages what the server answers to what is asked there."""
    language_server.require_client()
    place = find_place(flags["root"])

    def make() -> EditRequest:
        from astedit.producers.lsp_question import request_of_server

        path, arguments = asked(place)
        words = language_server.server_for(path, flags["server"], place)
        allowed = {name: flags[name] for name in ("allow_partial", "allow_protected")}
        return request_of_server(words, path, arguments, **allowed)

    bounds = taken(Bounds, flags)
    return preview.operated(make, place, taken(Staging, flags), bounds, commands=ANY)


def _move(target: str, new: str, place: Place) -> NamedTarget:
    """The file that the server is shown, and what goes where: into NEW, if that is there.

    Of a directory it is one of the language that most of its files are in.
    """
    from astedit.discover.discover import discover
    from astedit.language import for_path

    if os.path.isdir(new):
        new = os.path.join(new, os.path.basename(os.path.normpath(target)))
    source, dest = place.below(target) or "", place.below(new) or ""
    files = discover(place.workspace, [source]).files
    languages = Counter(row.name for path in files if (row := for_path(path)) is not None)
    if not languages:
        raise RequestError(f"{source} has no code that a language server knows.")
    (most, _), *_ = languages.most_common(1)
    shown = next(path for path in files if (row := for_path(path)) and row.name == most)
    return shown, {"from": source, "to": dest, "label": f"move {source} -> {dest}"}


def _place_of(target: str, place: Place) -> tuple[str, str]:
    """Where the name stands: its file, and line and column from 1."""
    path, at = language_server.placed(target, place)
    if at.count(":") == 1 and "-" not in at:
        return path, at
    from astedit.producers.name_places import named_place

    return named_place(place.workspace, target, place.config)
