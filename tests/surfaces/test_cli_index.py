"""What `locate` has parsed serves every command that takes a name, and is never stale."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import astedit
from astedit.facts import reading
from astedit.workspace import config
from astedit.workspace.root import Workspace
from tests.support.located import build, paths_parsed
from tests.support.project import Project

COMMANDS = [
    ("locate", "app.main.outer"),
    ("search", "-p", "print($A, $B)", "--within", "OrderService.cancel"),
    ("edit", "-p", "print($A, $B)", "-r", "log($A)", "--within", "OrderService.cancel"),
    ("rename", "app.main.outer", "outside"),
    ("set-path", "GET /api/v1/customers", "/api/v1/clients"),
]


@pytest.fixture
def t1(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """The tree of three services, of which the smallest file is worth keeping."""
    monkeypatch.setattr(reading, "WORTH", 1)
    build(project.root)
    return project


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths that are parsed to find names."""
    return paths_parsed(monkeypatch)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: words[0])
def test_nothing_is_parsed_twice(t1: Project, parsed: list[str], command: tuple[str, ...]) -> None:
    more = ["--no-stage"] if command[0] in ("edit", "rename", "set-path") else []
    first = t1(*command, *more)
    assert first.code == 0, first.err
    assert parsed
    parsed.clear()
    assert t1(*command, *more) == first
    assert parsed == []


@pytest.mark.parametrize("command", COMMANDS[:3], ids=lambda words: words[0])
def test_the_configuration_is_read_once(
    t1: Project, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    t1.put("astedit.toml", 'ignore = ["svc_b"]\n')
    read: list[Workspace] = []
    original = config._repository

    def noted(workspace: Workspace) -> Iterator[tuple[dict[str, Any], str]]:
        read.append(workspace)
        return original(workspace)

    monkeypatch.setattr(config, "_repository", noted)
    assert t1(*command).code == 0
    assert len(read) == 1
    assert t1("locate", "app.main.OrderService").code == 0  # there is another in svc_b


@pytest.mark.slow
def test_python_keeps_nothing_unless_it_is_told_where(t1: Project, parsed: list[str]) -> None:
    ops = [{"pat": "print($A, $B)", "out": "log($A)"}]
    place = str(t1.root.parent / "kept")
    for state in (None, place, place):
        parsed.clear()
        astedit.ast_edit(ops, within="OrderService.cancel", root=t1.root, state=state)
        astedit.search("print($A, $B)", within="OrderService.cancel", root=t1.root, state=state)
        astedit.rename("app.main.outer", "outside", root=t1.root, state=state)
        astedit.set_path("GET /api/v1/customers", "/api/v1/c", root=t1.root, state=state)
        assert bool(parsed) == (state is None or not t1.state.exists())
        assert Path(place).exists() == (state is not None)
        t1.state.mkdir(exist_ok=True) if state else None


def unchanged(path: Path, old: str, new: str) -> None:
    """Writes a change that neither the size nor the time of the file tells."""
    assert len(old) == len(new)
    before, text = path.stat(), path.read_text()
    path.write_text(text.replace(old, new))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)


def test_a_name_that_moved_is_followed(t1: Project) -> None:
    edit = ("edit", "-p", "return $A", "-r", "yield $A", "--no-stage", "--within")
    assert t1(*edit, "app.main.outer.inner").code == 0
    unchanged(t1.root / "svc_a/app/main.py", "def inner", "def outin")
    gone = t1(*edit, "app.main.outer.inner", "--json")
    assert (gone.code, gone.json["error"]["code"]) == (3, "not_found")
    assert t1(*edit, "app.main.outer.outin").code == 0


def test_a_new_definition_makes_a_name_ambiguous(t1: Project) -> None:
    assert t1("rename", "app.main.outer", "outside", "--no-stage").code == 0
    unchanged(t1.root / "svc_b/app/main.py", "class OrderService", "class outer       ")
    done = t1("rename", "app.main.outer", "outside", "--json")
    assert (done.code, done.json["error"]["code"]) == (3, "ambiguous")


def test_a_route_that_came_meanwhile_is_in_the_way(t1: Project) -> None:
    command = ("set-path", "GET /items/{id}", "/things/{id}", "--json", "--no-stage")
    t1.put("svc_c/more.py", "from flask import Flask\napp = Flask(__name__)\n#" + "x" * 60 + "\n")
    assert t1(*command).code == 0
    route = "@app.route('/things/<id>')\ndef other(id): return id"
    unchanged(t1.root / "svc_c/more.py", "#" + "x" * 60, route.ljust(61))
    done = t1(*command)
    assert (done.code, done.json["error"]["code"]) == (3, "collision")
