"""`astedit lsp-rename`: what a language server renames, as a plan."""

import os
from collections import Counter
from typing import Any

import click

from astedit.cli import language_server, options, preview
from astedit.cli.flags import Bounds, Staging, taken
from astedit.cli.place import Place, find_place
from astedit.errors import RequestError
from astedit.language import for_path
from astedit.model.request import EditRequest
from astedit.programs import ANY


@options.command("lsp-edit rename src/cart.go:12:6 Basket --server gopls")
@click.argument("target", metavar="IDENT|FILE:LINE:COL|PATH")
@click.argument("new_name", metavar="NEW")
@language_server.server_options
@options.pager
@options.operating
def command(target: str, new_name: str, **flags: Any) -> int:
    """Rename what a language server knows, and stage that; nothing is written.

    It is asked until it has loaded and two answers agree. Uses of the name that it leaves
    are listed. A file or a directory goes to the path NEW, with what the server changes
    where it is imported.
    """
    language_server.require_client()
    place = find_place(flags["root"])

    def make() -> EditRequest:
        if os.path.lexists(target):
            path, arguments = _move(target, new_name, place)
        else:
            path, at = _place_of(target, place)
            arguments = {"place": at, "name": new_name, "label": f"rename {target} -> {new_name}"}
        return language_server.asked_of(path, flags, place, arguments)

    staging, bounds = taken(Staging, flags), taken(Bounds, flags)
    return preview.operated(make, place, staging, bounds, commands=ANY)


def _move(target: str, new: str, place: Place) -> tuple[str, dict[str, str]]:
    """The file that the server is shown, and what goes where: into NEW, if that is there.

    Of a directory it is one of the language that most of its files are in.
    """
    from astedit.discover.discover import discover

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
