"""Whole agents behind the gate: twenty tasks with a client's own tools, landed by `resolve`."""

import random
import re
import shutil
from pathlib import Path
from typing import Any

import click
import pytest
import rich

from tests.support.hooks import EDIT, PATCH, WRITE, Hook
from tests.support.project import Project

inotify_simple = pytest.importorskip("inotify_simple")
_IMPORT = re.compile(r"^(?:import \w+|from [\w.]+ import \w+)$", re.MULTILINE)
_TASKS = 20


class Task:
    """Three changes of one tree, made on a plain copy, and the calls that ask for them."""

    def __init__(self, root: Path, plain: Path, number: int) -> None:
        self.root, self.plain = root, plain
        self._random = random.Random(number)
        self._mark = f"  # task {number}"
        paths = sorted(path.relative_to(root) for path in root.rglob("*.py"))
        self._paths = [path for path in paths if _IMPORT.search((root / path).read_text())]

    def _line(self, path: Path) -> tuple[str, str, str]:
        """A line that stands once in a file, that line changed, and the file with it."""
        text = (self.plain / path).read_text()
        lines = [line for line in _IMPORT.findall(text) if text.count(line + "\n") == 1]
        line = self._random.choice(lines or ["import os"])
        changed = line + self._mark
        after = text.replace(line + "\n", changed + "\n") if lines else f"{changed}\n{text}"
        return line, changed, after

    def calls(self, client: str) -> list[tuple[str, dict[str, Any]]]:
        """What an agent of this client would call, each after the other."""
        made = []
        for path in self._random.sample(self._paths, 3):
            line, changed, after = self._line(path)
            place, exists = str(self.root / path), line in (self.plain / path).read_text()
            if client in PATCH and (client == "codex" or self._random.random() < 0.5):
                tool, field = PATCH[client]
                hunk = f"@@\n-{line}\n+{changed}\n" if exists else f"@@\n+{changed}\n"
                if not exists:
                    after = after.removeprefix(f"{changed}\n") + f"{changed}\n"
                text = f"*** Begin Patch\n*** Update File: {path}\n{hunk}*** End Patch\n"
                given: dict[str, Any] = {field: text}
            elif client in EDIT and exists and self._random.random() < 0.7:
                tool, at, old, new, _ = EDIT[client]
                given = {at: place, old: line + "\n", new: changed + "\n"}
            elif client == "copilot":  # it writes no file anew
                continue
            else:
                tool, at, content = WRITE[client]
                given = {at: place, content: after}
            (self.plain / path).write_text(after)
            made.append((tool, given))
        return made


@pytest.mark.slow
@pytest.mark.parametrize("client", ["claude", "codex", "cursor", "gemini", "copilot", "opencode"])
def test_twenty_tasks_land_only_by_resolve(
    project: Project,
    monkeypatch: pytest.MonkeyPatch,
    client: str,
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> None:
    for package in (click, rich):
        source = Path(package.__file__).parent
        shutil.copytree(source, project.root / source.name, ignore=shutil.ignore_patterns("*.pyc"))
    project.git("init", "-q")
    plain = tmp_path / "plain"
    shutil.copytree(project.root, plain)
    watch = inotify_simple.INotify()
    request.addfinalizer(watch.close)
    flags = inotify_simple.flags
    changes = flags.MODIFY | flags.CREATE | flags.DELETE | flags.MOVED_TO | flags.ATTRIB
    for folder in (project.root, *(path for path in project.root.rglob("*") if path.is_dir())):
        watch.add_watch(folder, changes)
    for number in range(_TASKS):
        hook = Hook(project, monkeypatch, client, session=f"task {number}")
        calls = Task(project.root, plain, number).calls(client)
        for tool, given in calls:
            hook.denied(tool, given)
        assert watch.read(timeout=0) == []  # nothing of it has touched the tree
        if calls:
            assert hook.apply().code == 0
        watch.read(timeout=0)
        wanted = {
            str(path.relative_to(plain)): path.read_bytes()
            for path in plain.rglob("*")
            if path.is_file() and ".git/" not in str(path)
        }
        assert project.files() == wanted
