"""Every way to a plan obeys the same configuration, and aims at the same region."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any, ClassVar

import pytest

from astedit import ast_edit, search
from astedit.agents import calls
from astedit.agents.calls import Calls, ToolCall
from astedit.campaign.task import answer
from astedit.engine.resident import Resident
from astedit.engine.run_context import Run
from astedit.model.plan import FilePlan
from astedit.model.request import EditRequest, Op
from astedit.staging.open_workspace import OpenWorkspace
from astedit.staging.preview import preview
from astedit.staging.stored import unpacked
from astedit.workers.pool import Pool
from astedit.workspace.root import Workspace

TREE = {"a.py": "def one():\n    f(1)\n\n\nf(2)\n", "made/b.py": "f(3)\n"}
OPS = [{"pat": "f($A)", "out": "g($A)"}]


class Watched(Resident):
    """Workers that say how many of them were asked for."""

    asked: ClassVar[list[int]] = []

    def pool(self, workspace: Workspace, workers: int) -> Pool:
        self.asked.append(workers)
        return super().pool(workspace, workers)


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A tree whose repository ignores `made/`, of a user whose computer is to lend 3 hands."""
    for path, text in {**TREE, "astedit.toml": 'ignore = ["made/"]\n'}.items():
        place = tmp_path / "root" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    settings = tmp_path / "config" / "astedit" / "config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text("jobs = 3\n")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("ASTEDIT_JOBS", raising=False)
    monkeypatch.setattr(calls, "Resident", Watched)
    monkeypatch.setattr(Watched, "asked", [])
    yield tmp_path / "root"


def request(within: str | None = None) -> EditRequest:
    return EditRequest(ops=[Op("f($A)", "g($A)")], within=within)


def places(files: Iterable[FilePlan]) -> set[str]:
    return {f"{file.path}:{edit.line}" for file in files for edit in file.edits}


def by_edit(root: Path, within: str | None) -> set[str]:
    return places(ast_edit(OPS, root=root, within=within).files)


def by_search(root: Path, within: str | None) -> set[str]:
    matches = search("f($A)", root=root, within=within).matches
    return {f"{match.file}:{match.range['start']['line'] + 1}" for match in matches}


def by_worker(root: Path, within: str | None) -> set[str]:
    asked = asdict(request(within))
    task = {"root": str(root), "request": asked, "jobs": 1, "timeout": 60.0, "expect": {}}
    return places(unpacked(answer(task)["plan"]).files)


def by_agent(root: Path, tool: str, values: dict[str, Any], within: str | None) -> dict[str, Any]:
    values = values | ({"within": within} if within else {})
    with closing(Calls(OpenWorkspace(str(root), str(root.parent / "state")))) as made:
        return made(tool, values, ToolCall()).data


def by_agents_edit(root: Path, within: str | None) -> set[str]:
    data = by_agent(root, "ast_edit", {"ops": OPS}, within)
    return {f"{file['path']}:{edit['line']}" for file in data["files"] for edit in file["edits"]}


def by_agents_search(root: Path, within: str | None) -> set[str]:
    data = by_agent(root, "ast_grep", {"pat": "f($A)"}, within)
    return {f"{one['file']}:{one['range']['start']['line'] + 1}" for one in data["matches"]}


WAYS = [by_edit, by_search, by_worker, by_agents_edit, by_agents_search]


@pytest.mark.parametrize("way", WAYS)
def test_what_the_configuration_ignores_is_ignored_whoever_asks(
    root: Path, way: Callable[[Path, str | None], set[str]]
) -> None:
    assert way(root, None) == {"a.py:2", "a.py:5"}


@pytest.mark.parametrize("way", WAYS)
def test_within_aims_whoever_asks(root: Path, way: Callable[[Path, str | None], set[str]]) -> None:
    assert way(root, "one") == {"a.py:2"}


def test_the_configured_jobs_reach_the_python_interface(root: Path) -> None:
    with Watched() as resident:
        ast_edit(OPS, root=root, resident=resident)
        search("f($A)", root=root, resident=resident)
        ast_edit(OPS, root=root, resident=resident, jobs=2)  # what the caller says wins
    assert resident.asked == [3, 3, 2]


@pytest.mark.parametrize("way", WAYS[3:])
def test_the_configured_jobs_reach_agents(
    root: Path, way: Callable[[Path, str | None], set[str]]
) -> None:
    way(root, None)
    assert Watched.asked == [3]


def test_a_configuration_that_was_read_already_is_not_read_again(root: Path) -> None:
    from astedit.workspace.config import load

    with Workspace(root) as workspace:
        known = load(workspace)
        (root / "astedit.toml").write_text("ignore = []\n")
        old = preview(request(), workspace, Run(inline=True, config=known))
        new = preview(request(), workspace, Run(inline=True))
    assert [file.path for file in old.files] == ["a.py"]
    assert [file.path for file in new.files] == ["a.py", "made/b.py"]
