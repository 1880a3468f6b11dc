"""`--json[=FORM]` never swallows a PATH or a pattern."""

from pathlib import Path

import click
import pytest

from astedit.cli.commands import search
from tests.support.lists import rows

ROWS = rows(Path(__file__).with_suffix(".txt"))


@pytest.mark.parametrize(("args", "form", "paths", "pattern"), ROWS["forms"])
def test_the_form_follows_only_an_equals_sign(
    args: list[str], form: str | None, paths: tuple[str, ...], pattern: str
) -> None:
    found = search.command.make_context("search", args).params
    assert (found["form"], found["paths"], found["pattern"]) == (form, paths, pattern)


def test_an_unknown_form_is_refused() -> None:
    with pytest.raises(click.BadParameter):
        search.command.make_context("search", ["-p", "a", "--json=yaml"])


@pytest.mark.parametrize("args, ref", [(["--changed"], "HEAD"), (["--changed=x"], "x"), ([], None)])
def test_changed_has_a_default_revision(args: list[str], ref: str | None) -> None:
    assert search.command.make_context("search", ["-p", "a", *args]).params["changed"] == ref
