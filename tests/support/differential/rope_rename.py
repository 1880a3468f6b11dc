"""Prints where rope would rename, as JSON: paths and offsets in bytes. Needs rope alone.

    python rope_rename.py TREE FILE NEW STARTS

STARTS are offsets in FILE where the name stands; the first that rope takes for the
definition or a use of it, and that makes it change most, is where it begins.
"""

import json
import os
import re
import sys

from rope.base.exceptions import RopeError
from rope.base.project import Project
from rope.refactor.rename import Rename


def changed(project: Project, file: str, offset: int, new: str) -> set[tuple[str, int]]:
    """The places that one rename changes; empty if rope refuses."""
    resource = project.get_resource(file)
    try:
        changes = Rename(project, resource, offset).get_changes(new, in_hierarchy=True, docs=False)
    except RopeError:
        return set()
    return {(one.resource.path, at) for one in changes.changes for at in _places(one)}


def _places(change: object) -> list[int]:
    was = re.findall(r"\w+|\W", change.resource.read())
    now = re.findall(r"\w+|\W", change.new_contents)
    assert len(was) == len(now)
    found, at = [], 0
    for old, new in zip(was, now, strict=True):
        if old != new:
            found.append(at)
        at += len(old.encode())
    return found


def main(tree: str, file: str, new: str, starts: str) -> None:
    """Tries the first places in turn, as rope knows an attribute by its definition alone."""
    sources = ["src"] if os.path.isdir(os.path.join(tree, "src")) else []
    project = Project(tree, ropefolder=None, source_folders=sources)
    with open(os.path.join(tree, file), "rb") as stream:
        text = stream.read()
    offsets = [len(text[:start].decode()) for start in json.loads(starts)[:12]]
    best = max((changed(project, file, offset, new) for offset in offsets), key=len)
    json.dump(sorted(best), sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
