"""The formats that findings are printed in: one row and one file each.

A file is called like its row and has a class `Format`. It is imported when its format is
asked for.
"""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from astedit.cli.output.matches import ShownPaths

if TYPE_CHECKING:
    from astedit.cli.output.region import FindingJson
    from astedit.engine.run.search import Hits
    from astedit.rule import Document

FORMATS = (
    "text",
    "json",
    "sarif",
    "github",
    "github-review",
)
JSON_FORMS = ("pretty", "stream", "compact")

Mode = Literal["brief", "scan"]
Shown = Mapping[str, Sequence[range]]  # by file, the lines that a review may speak of


def _all_lines() -> Shown | None:
    return None


class About(NamedTuple):
    """What a format may ask about the run: its rules, and the lines that a review shows.

    `lines` finds out which; None stands for all lines of all files.
    """

    rules: "Sequence[Document]" = ()
    lines: Callable[[], Shown | None] = _all_lines


class Format(Protocol):
    """Prints findings.

    `mode` says how much the search tells of each: all that ast-grep's JSON has, or only
    what the text of the terminal needs.
    """

    mode: Mode

    def of(self, hits: "Hits", path: str, findings: "Sequence[FindingJson]") -> Any:
        """What is kept of one file's findings. It is made as soon as they are known."""

    def show(self, hits: "Hits", about: About) -> None:
        """Writes what was kept of all files to stdout."""


class Whole:
    """The part of a format that makes one document of all findings: it keeps them all."""

    mode: Mode = "scan"

    def __init__(self, names: ShownPaths, style: str) -> None:
        """A document names files relative to the root, not as they were typed."""

    def of(
        self, hits: "Hits", path: str, findings: "Sequence[FindingJson]"
    ) -> "Sequence[FindingJson]":
        """The findings of one file."""
        return findings

    @staticmethod
    def findings(hits: "Hits") -> "list[FindingJson]":
        """Those of all files, each with the name of its file."""
        return [one | {"file": path} for path, (found,) in hits.files for one in found]


def parts(hits: "Hits") -> list[Any]:
    """What `of` made of each file."""
    return [part for _, (part,) in hits.files]


def format_of(style: str, names: ShownPaths) -> Format:
    """The format of a row, or a form of JSON."""
    row = "json" if style in JSON_FORMS else style
    if row not in FORMATS:
        raise KeyError(style)
    module = import_module(f"astedit.cli.output.{row.replace('-', '_')}")
    found: Format = module.Format(names, style)
    return found
