"""`move_module` in JavaScript and TypeScript: a file or a directory, and all that imports it."""

import os
import posixpath
import re
from collections.abc import Iterator

from tree_sitter import Node

from astedit.engine.whole_files import with_files
from astedit.model.plan import Plan
from astedit.python.syntax import every_node, text_of
from astedit.semantic.library import Library, NameRequest
from astedit.semantic.listed_uses import listed
from astedit.semantic.module_code import refused
from astedit.semantic.move.move_module import below, destinations, moved_file
from astedit.semantic.rename.gather import in_project
from astedit.semantic.script.files import LANGUAGES, ScriptFile, ScriptFiles, is_script, specifier
from astedit.text.source import Change

_PROJECT = ("package.json", "tsconfig.json", "jsconfig.json")


def plan(asked: NameRequest) -> Plan:
    """The plan of a move of scripts; every relative import means what it meant."""
    arguments = asked.arguments
    source, written = posixpath.normpath(arguments["id"]), posixpath.normpath(arguments["new"])
    library = Library(asked, source, None, LANGUAGES)
    files, moving = ScriptFiles(library), [source]
    if source not in library.files:
        if not any(path.startswith(f"{source}/") for path in library.files):
            why = "is no Python module or package, and holds no scripts"
            raise refused(source, why, "no_module")
        moving = below(asked, source)
    is_inside = os.path.isdir(os.path.join(asked.workspace.root, written))
    is_inside |= source in library.files and not is_script(written)
    place = f"{written}/{posixpath.basename(source)}" if is_inside else written
    moves = destinations(asked, moving, source, place.removeprefix("./"))
    edits = {}
    for file in filter(None, map(files.file, library.files)):
        edits[file.path] = list(_followed(files, file, moves))
    users = {path: changes for path, changes in edits.items() if path not in moves}
    word = re.compile(rb"(?<![\w])" + re.escape(source.encode()) + rb"(?![\w])")
    hints = listed(source, list(in_project(asked.workspace, _PROJECT, word)))
    result = asked.plan(library.worked_out(users, hints))
    whole = [moved_file(library, old, new, edits.get(old, ())) for old, new in moves.items()]
    return with_files(result, whole)


def _followed(files: ScriptFiles, file: ScriptFile, moves: dict[str, str]) -> Iterator[Change]:
    """The relative modules that a file names, as they are called from where it is then."""
    here = moves.get(file.path, file.path)
    for node in _modules(file.root):
        module = text_of(node)[1:-1]
        target = files.resolved(file.path, module)
        if target is None:  # a file of another kind, if there is one
            path = posixpath.normpath(posixpath.join(posixpath.dirname(file.path), module))
            lies = os.path.lexists(os.path.join(files.library.asked.workspace.root, path))
            target = path if lies and module.startswith(".") else None
        there = moves.get(target, target) if target is not None else None
        if target is None or there is None or (here == file.path and there == target):
            continue
        new = specifier(here, there, module)
        if new != specifier(file.path, target, module):
            yield node.start_byte + 1, node.end_byte - 1, new.encode()


def _modules(root: Node) -> Iterator[Node]:
    """The strings that name a module: of imports, exports, `require` and `import()`."""
    for node in every_node(root):
        above = node.parent
        if node.type != "string" or above is None:
            continue
        call = above.parent if above.type == "arguments" else None
        function = call.child_by_field_name("function") if call is not None else None
        if above.child_by_field_name("source") == node or text_of(function) in (
            "require",
            "import",
        ):
            yield node
