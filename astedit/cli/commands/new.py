"""`astedit new`: start a project of rules, a rule with its test, a test, or a utility."""

import os
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from astedit.cli import options
from astedit.cli.output import streams
from astedit.cli.place import Place, find_place
from astedit.errors import RequestError

if TYPE_CHECKING:
    from astedit.rule.project import Project
    from astedit.workspace.root import Workspace

_NAME = re.compile(r"[^/\0\s.][^/\0\n]{0,99}")
_LAYOUT = """\
ruleDirs:
- rules
testConfigs:
- testDir: rule-tests
utilDirs:
- utils
"""
_TEST = """\
id: {name}
valid: # code that the rule leaves alone
- valid code
invalid: # code that it reports
- invalid code
"""

language = click.option("-l", "--lang", metavar="NAME", help="The language of the rule.")
pattern = click.option("-p", "--pattern", metavar="PAT", help="What it looks for.")
config = click.option("-c", "--config", metavar="FILE", help="Instead of sgconfig.yml.")
name = click.argument("name")


@options.group("new rule no-print -l python -p 'print($$$A)'")
def command() -> None:
    """Start a project of rules, a rule, a test or a utility.

    Prints the files it wrote. Nothing is ever written over.
    """


@command.command(epilog="Example: astedit new project")
@options.root
def project(root: str | None) -> int:
    """Write sgconfig.yml and the directories it names, in the working directory."""
    place = find_place(root, default=os.getcwd())
    keep = [f"{directory}/.gitkeep" for directory in ("rules", "rule-tests", "utils")]
    files = {path: "" for path in keep if not os.path.lexists(f"{place.workspace.root}/{path}")}
    # last: after a kill before that it can be run again
    return _write(place.workspace, files | {"sgconfig.yml": _LAYOUT})


@command.command(epilog="Example: astedit new rule no-print -l python -p 'print($$$A)' -r ''")
@name
@language
@pattern
@click.option("-r", "--rewrite", metavar="OUT", help="What its fix makes of that.")
@options.root
@config
def rule(name: str, rewrite: str | None, **flags: Any) -> int:
    """Write a rule and its test."""
    place, project = _project(flags["root"], flags["config"])
    text = "\n".join(_rule(name, flags["lang"], flags["pattern"], rewrite)) + "\n"
    files = {f"{_first(project.rule_directories, project, 'ruleDirs')}/{_file(name)}.yml": text}
    if project.tests:
        files |= _test(name, project)
    return _write(place.workspace, files)


@command.command(epilog="Example: astedit new test no-print")
@name
@options.root
@config
def test(name: str, root: str | None, config: str | None) -> int:
    """Write a test for the rule with this id."""
    place, project = _project(root, config)
    return _write(place.workspace, _test(name, project))


@command.command(epilog="Example: astedit new util is-string -l python")
@name
@language
@pattern
@options.root
@config
def util(name: str, **flags: Any) -> int:
    """Write a utility, which rules use with `matches`."""
    place, project = _project(flags["root"], flags["config"])
    text = "\n".join(_head(name, flags["lang"], flags["pattern"])) + "\n"
    directory = _first(project.util_directories, project, "utilDirs")
    return _write(place.workspace, {f"{directory}/{_file(name)}.yml": text})


def _project(root: str | None, config: str | None) -> "tuple[Place, Project]":
    from astedit.rule.project import load_project

    place = find_place(root)
    return place, load_project(place.workspace, place.below(config), documents=False)


def _rule(name: str, lang: str | None, pattern: str | None, rewrite: str | None) -> Iterator[str]:
    from astedit.testing.snapshot import entry

    yield from _head(name, lang, pattern)
    yield "severity: warning # error, warning, info, hint, off"
    yield "message: Say what is wrong, and what to do instead."
    if rewrite is not None:
        yield from entry("fix", rewrite, "")


def _head(name: str, lang: str | None, pattern: str | None) -> Iterator[str]:
    from astedit.language import named
    from astedit.language.table import unknown_language
    from astedit.testing.snapshot import entry

    if (row := named(lang or "")) is None:
        if lang:
            raise unknown_language(lang)
        hint = "Give -l NAME; `astedit languages` lists them."
        raise RequestError("No language given.", hint=hint)
    yield from entry("id", name, "")
    yield f"language: {row.label}"
    yield "rule:"
    yield from entry("  pattern", pattern or "your_pattern", "  ")


def _test(name: str, project: "Project") -> dict[str, str]:
    from astedit.testing.snapshot import scalar

    directory = _first(tuple(tests.path for tests in project.tests), project, "testConfigs")
    return {f"{directory}/{_file(name)}-test.yml": _TEST.format(name=scalar(name))}


def _first(directories: tuple[str, ...], project: "Project", key: str) -> str:
    if not directories:
        raise RequestError(
            f"{project.config} names no directory in {key}.",
            hint=f"Add one to {key}.",
            path=project.config,
        )
    return directories[0]


def _file(name: str) -> str:
    if _NAME.fullmatch(name) is None:
        raise RequestError(f"{name!r} cannot be the name of a file.", hint="Such as no-print.")
    return name


def _write(workspace: "Workspace", files: dict[str, str]) -> int:
    """Writes all files, or none if one of them is there already."""
    from astedit.transaction.user_files import create_all

    streams.texts(create_all(workspace.fd, files))
    return 0
