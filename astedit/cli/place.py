"""Where a command works: the root rule, and PATHS as typed and below the root."""

import os
from collections.abc import Sequence
from dataclasses import dataclass

import click

from astedit.cli.output import streams
from astedit.errors import RequestError
from astedit.workspace.config import Config, load
from astedit.workspace.root import Workspace, find_root, state_dir


@dataclass(slots=True)
class Place:
    """An open workspace, its configuration, and `typed`: each PATH as typed, and where it lies
    below the root."""

    workspace: Workspace
    config: Config
    typed: list[tuple[str, str]]

    @property
    def paths(self) -> list[str]:
        """PATHS below the root, `/` separated."""
        return [below for _, below in self.typed]

    def below(self, path: str | None) -> str | None:
        """A path as typed, relative to the root; `OutsideRootError` if it is elsewhere."""
        return None if path is None else self.workspace.relative(path, os.getcwd())

    def state(self, flag: str | None) -> str:
        """The directory of this root's state: `--state-dir`, else as configured.

        Raises `RequestError` for one inside the root.
        """
        if flag == "":
            raise RequestError("--state-dir is empty.")
        return state_dir(self.workspace, flag or self.config.state_dir)

    def changed(self, ref: str | None, timeout: float | None) -> list[str]:
        """PATHS, or those files below them that differ from `ref`, found within `timeout`."""
        if ref is None:
            return self.paths
        from astedit.cli.changed_files import changed_files

        return changed_files(self.workspace, self.paths, ref, timeout)


def find_place(root: str | None, paths: Sequence[str] = ()) -> Place:
    """Opens the root, until the command ends: as given, else as the root rule finds it.

    Without PATHS it is the working directory, or the whole root if `--root` lies elsewhere.
    Raises `OutsideRootError` for a PATH that leaves the root.
    """
    if "" in paths:
        raise RequestError("A PATH is empty.", hint="`.` is the working directory.")
    here = os.getcwd()
    workspace = Workspace(root if root is not None else find_root(here, paths))
    if (command := click.get_current_context(silent=True)) is not None:
        command.call_on_close(workspace.close)
    config = load(workspace)
    for warning in config.warnings:
        streams.note(f"warning: {warning}")
    if not paths and root is not None and not _within(here, workspace.root):
        return Place(workspace, config, [(root, ".")])
    typed = [(path, workspace.relative(path, here)) for path in paths or ["."]]
    return Place(workspace, config, typed)


def _within(here: str, root: str) -> bool:
    return os.path.commonpath([os.path.realpath(here), root]) == root
