"""The reference names every option that a command takes, and no other."""

import re
from collections.abc import Iterator

import click
import pytest

from astedit.cli.main import astedit, every_command
from astedit.operations import kinds
from tests.support import REPOSITORY, operation_rows

TEXT = (REPOSITORY / "docs/reference.md").read_text()
FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
# Flags of other programs that the page speaks of.
OTHERS: set[str] = set()


def options(command: click.Command) -> Iterator[str]:
    """The long names of a command's options, those of its own commands with them."""
    for param in command.params:
        if isinstance(param, click.Option):
            yield from (name for name in param.opts if name.startswith("--"))
    for inner in getattr(command, "commands", {}).values():
        yield from options(inner)


def command(name: str) -> click.Command:
    found = astedit.get_command(click.Context(astedit), name)
    assert found is not None
    return found


@pytest.mark.parametrize("name", every_command())
def test_the_reference_names_every_option(name: str) -> None:
    assert set(options(command(name))) - set(FLAG.findall(TEXT)) == set()


def test_the_reference_names_no_option_that_there_is_not() -> None:
    known = {option for name in every_command() for option in options(command(name))}
    known |= {"--help", "--help-all", "--version", "--no-pager", "--no-resident"}
    assert set(FLAG.findall(TEXT)) - known - OTHERS == set()


def test_the_table_of_operations_is_that_of_their_descriptors() -> None:
    """`python -m tests.support.operation_rows` prints it."""
    assert operation_rows.written(TEXT) == operation_rows.table()


STAGING = (
    *("edit", "scan", "stage", "capture", "lsp-rename", "lsp-apply", "undo"),
    *(kind.replace("_", "-") for kind in kinds()),
)


@pytest.mark.parametrize("name", STAGING)
def test_every_command_that_stages_takes_what_edit_takes(name: str) -> None:
    wanted = {"--apply", "--reason", "--check", "--no-stage", "--stat", "--quiet", "--json"}
    if name != "undo":  # it restores whole files: there are no edits to decide about
        wanted |= {"--interactive"}
    assert wanted <= set(options(command(name)))


def test_short_options_mean_the_same_everywhere() -> None:
    meaning: dict[str, set[str]] = {}
    for name in every_command():
        for param in command(name).params:
            for short in (one for one in param.opts if re.fullmatch("-[a-zA-Z]", one)):
                meaning.setdefault(short, set()).add(max(param.opts, key=len))
    assert meaning["-l"] == {"--lang"} and meaning["-c"] == {"--config"}
    assert meaning["-C"] == {"-C"} and meaning["-A"] == {"--after-context"}
