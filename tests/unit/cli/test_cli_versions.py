"""`--version` says one thing at once; with `--verbose` it says what a fault report needs."""

import importlib.metadata
import re

import pytest

from astedit.cli.main import run
from astedit.version import __version__


def printed(capsys: pytest.CaptureFixture[str], *args: str) -> list[str]:
    assert run([*args]) == 0
    return capsys.readouterr().out.splitlines()


def test_the_version_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, "--version") == [f"astedit {__version__}"]


def test_the_versions_of_all_it_stands_on(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = printed(capsys, "--version", "--verbose")
    assert lines == printed(capsys, "--verbose", "--version")
    assert lines[0] == f"astedit {__version__}"
    wheel = importlib.metadata.version("tree-sitter-python")
    assert re.search(
        rf"^grammars of wheels: .*\bpython {re.escape(wheel)},", "\n".join(lines), re.M
    )
    assert re.search(r"^extras: .*\bmcp\b.*\btui\b", lines[-1]) and "dev" not in lines[-1]


def test_an_extra_that_lacks_a_package_is_not_installed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    needed = ["mcp>=2.3,<3; extra == 'mcp'", "no-such-package>=1; extra == 'mcp'", "click>=8"]
    monkeypatch.setattr("astedit.cli.commands.languages.requires", lambda _: needed)
    assert printed(capsys, "--version", "--verbose")[-1] == "extras: none; not installed: mcp"
