"""YAML files below the root, for the rules of a project: found, and read within limits."""

import os
from collections.abc import Iterator

from astedit.errors import LimitError, RequestError
from astedit.rule.yaml import MAX_SIZE
from astedit.workspace.confined_open import open_directory
from astedit.workspace.root import Workspace

MAX_FILES = 10_000  # YAML files below one directory
MAX_DEPTH = 64  # directories below one that is named
_SUFFIXES = (".yml", ".yaml")


def read_file(workspace: Workspace, path: str) -> bytes:
    """A YAML file below the root, link or not; one that is too large is refused."""
    try:
        content, _ = workspace.read(workspace.resolve(path), MAX_SIZE)
    except OSError as error:
        raise RequestError(f"{path} cannot be read: {error.strerror}.", path=path) from error
    if len(content) > MAX_SIZE:
        raise RequestError(f"{path} is larger than {MAX_SIZE} bytes.", path=path)
    return content


def yaml_files(workspace: Workspace, directory: str) -> list[str]:
    """The visible `.yml` and `.yaml` files below a directory, in the order of their bytes."""
    found = []
    for path in _walk(workspace, directory):
        found.append(path)
        if len(found) > MAX_FILES:
            raise LimitError(f"{directory} holds more than {MAX_FILES} YAML files.", path=directory)
    return sorted(found, key=os.fsencode)


def _walk(workspace: Workspace, directory: str) -> Iterator[str]:
    stack = ["" if directory == "." else directory]
    while stack:
        here = stack.pop()
        descriptor = open_directory(workspace.fd, here)
        try:
            entries = list(os.scandir(descriptor))
            kinds = [(e.name, e.is_dir(follow_symlinks=False), e.is_symlink()) for e in entries]
        finally:
            os.close(descriptor)
        for name, is_directory, is_link in kinds:
            path = f"{here}/{name}" if here else name
            if name.startswith(".") or is_link:
                continue
            if is_directory:
                if path.count("/") - directory.count("/") > MAX_DEPTH:
                    raise LimitError(f"{path} lies too deep.", path=path)
                stack.append(path)
            elif name.endswith(_SUFFIXES):
                yield path
