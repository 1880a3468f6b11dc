"""`move_module` in JavaScript and TypeScript: a file or a directory, and all that imports it."""

import os
import posixpath
import re
from collections.abc import Iterator, Mapping

from tree_sitter import Node

from astedit.engine.whole_files import with_files
from astedit.model.plan import Plan
from astedit.python.syntax import every_node, text_of
from astedit.semantic.library import NameRequest
from astedit.semantic.listed_uses import UsePlace, listed
from astedit.semantic.module_code import refused
from astedit.semantic.move.move_module import below, destinations, moved_file
from astedit.semantic.rename.gather import in_project
from astedit.semantic.script.files import ScriptFile, ScriptFiles, is_script, naming, specifier
from astedit.text.source import Change

_PROJECT = ("package.json", "tsconfig.json", "jsconfig.json")
_LOADING = re.compile(r"(require(\.resolve)?|import|(jest|vi)\.\w+)\Z")
# A relative module as it stands in a string, or in a comment that refers to a file.
_RELATIVE = re.compile(rb"\A(?:[\"'`]|///.*\bpath=[\"'])(\.\.?/[^\"'`$\\\n]*)[\"'`]")
_TEXTS = ("string", "template_string", "comment")


def plan(asked: NameRequest) -> Plan:
    """The plan of a move of scripts; every relative import means what it meant."""
    arguments = asked.arguments
    source, written = posixpath.normpath(arguments["id"]), posixpath.normpath(arguments["new"])
    files, moving = ScriptFiles(asked, source), [source]
    library = files.library
    if source not in library.files:
        if not any(path.startswith(f"{source}/") for path in library.files):
            why = "is no Python module or package, and holds no scripts"
            raise refused(source, why, "no_module")
        moving = below(asked, source)
    is_inside = os.path.isdir(os.path.join(asked.workspace.root, written))
    is_inside |= source in library.files and not is_script(written)
    place = f"{written}/{posixpath.basename(source)}" if is_inside else written
    moves = destinations(asked, moving, source, place.removeprefix("./"))
    edits: dict[str, list[Change]] = {}
    places, named = list[UsePlace](), naming(moves)
    for file in files.holding(""):
        edits[file.path] = []
        here = moves.get(file.path, file.path)
        for node, module, new in relative_names(files, file, here, moves):
            low = node.start_byte + (node.text or b"").find(module.encode())
            if is_module(node):
                edits[file.path].append((low, low + len(module.encode()), new.encode()))
            else:
                places.append(file.place(node, f"it names {module}"))
        for match in named.finditer(file.code):  # by a path of the project, or of a package
            text = file.root.descendant_for_byte_range(*match.span())
            if text is not None and match[0][1:2] != b"." and is_module(text):
                places.append(file.place(text, "it may be meant by a path of the project"))
    users = {path: changes for path, changes in edits.items() if path not in moves}
    word = re.compile(rb"(?<![\w])" + re.escape(source.encode()) + rb"(?![\w])")
    places += in_project(asked.workspace, _PROJECT, word)
    places += in_project(asked.workspace, library.pages, named, "a page names it")
    hints = listed(source, places)
    result = asked.plan(library.worked_out(users, hints))
    whole = [moved_file(library, old, new, edits.get(old, ())) for old, new in moves.items()]
    return with_files(result, whole)


def relative_names(
    files: ScriptFiles, file: ScriptFile, here: str, moves: Mapping[str, str]
) -> Iterator[tuple[Node, str, str]]:
    """What names a relative module otherwise from the path `here`: its name, and the new one."""
    for node in every_node(file.root):
        named = _RELATIVE.match(node.text or b"") if node.type in _TEXTS else None
        if named is None:
            continue
        module = named[1].decode()
        target = files.resolved(file.path, module)
        if target is None:  # a file of another kind, if there is one
            path = posixpath.normpath(posixpath.join(posixpath.dirname(file.path), module))
            lies = os.path.lexists(os.path.join(files.library.asked.workspace.root, path))
            target = path if lies else None
        there = moves.get(target, target) if target is not None else None
        if target is None or there is None or (here == file.path and there == target):
            continue
        new = specifier(here, there, module)
        if new != specifier(file.path, target, module):
            yield node, module, new


def is_module(node: Node) -> bool:
    """Whether a string names a module: of imports, exports, declarations, and what loads one."""
    above = node.parent
    call = above.parent if above is not None and above.type == "arguments" else None
    function = text_of(call.child_by_field_name("function")) if call is not None else ""
    is_first = above is not None and above.named_children[:1] == [node]
    is_named = above is not None and above.type == "module"
    is_source = above is not None and above.child_by_field_name("source") == node
    return is_source or is_named or (is_first and _LOADING.match(function) is not None)
