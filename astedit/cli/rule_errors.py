"""Errors about rules that a command read: in which file, and in which line of it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from astedit.cli.output import streams
from astedit.errors import RequestError

if TYPE_CHECKING:
    from astedit.rule import Document
    from astedit.rule.failure import TurnedOff
    from astedit.rule.project import Project
    from astedit.workspace.root import Workspace


@contextmanager
def telling(documents: "Sequence[Document]", text_of: Callable[[str], bytes]) -> Iterator[None]:
    """Adds the place in the file to errors about these documents, which run through it.

    `text_of` reads one of their files again.
    """
    try:
        yield
    except RequestError as error:
        from astedit.rule import RuleError
        from astedit.rule.document import locate

        if isinstance(error, RuleError):
            locate(error, documents, text_of)
        raise


def project(
    workspace: "Workspace", config: str | None, off: "TurnedOff | None" = None
) -> "Project":
    """The rules of a project, its warnings printed; a wrong one that is `off` is left out."""
    from astedit.rule.project import load_project

    with telling((), of_project(workspace)):
        loaded = load_project(workspace, config, off=off)
    for warning in loaded.warnings:
        streams.note(f"warning: {warning}")
    return loaded


def of_project(workspace: "Workspace") -> Callable[[str], bytes]:
    """Reads the rule files of a project."""
    from astedit.rule.project import read_file

    return lambda path: read_file(workspace, path)
