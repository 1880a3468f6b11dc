"""What a command imports is part of its promise: start-up time is a feature.

Each command runs in a process of its own, which prints the names of its modules.
"""

import os
import subprocess
import sys
from collections.abc import Set
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
HEAVY = ("libcst", "rich", "pydantic", "mcp", "pathspec", "textual", "starlette", "asyncio")
_PROBE = """
import sys
sys.argv[1:] = {args!r}
from astedit.__main__ import main
code = main()
sys.stdout.flush()
maps = open("/proc/self/maps").read().split() if sys.platform == "linux" else []
libraries = [word for word in maps if "tree_sitter_" in word]  # loaded without their package
print("modules:", code, *sorted(sys.modules), *sorted(set(libraries)), file=sys.stderr)
"""


@cache
def usual(*args: str) -> frozenset[str]:
    """What a command imports in the usual project, which each test has to itself."""
    with TemporaryDirectory() as name:
        return frozenset(modules(filled(Path(name)), *args))


def modules(folder: Path, *args: str) -> set[str]:
    """The names of all modules that a successful command has imported."""
    env = os.environ | {"PYTHONPATH": str(REPOSITORY), "ASTEDIT_STATE_DIR": str(folder / "state")}
    command = [sys.executable, "-c", _PROBE.format(args=list(args))]
    done = subprocess.run(command, cwd=folder / "project", env=env, capture_output=True, text=True)
    words = done.stderr.splitlines()[-1].split()
    assert words[:2] == ["modules:", "0"], done.stderr
    return set(words[2:])


def of_package(found: Set[str], package: str) -> set[str]:
    return {name for name in found if name == package or name.startswith(package + ".")}


def grammars(found: Set[str]) -> set[str]:
    """The grammar packages whose shared library is loaded."""
    return {Path(name).parent.name for name in found if name.startswith("/")}


def filled(place: Path) -> Path:
    project = place / "project"
    project.mkdir()
    (project / "a.py").write_text("f(1)\n")
    (project / "b.go").write_text("package b\n")
    (project / "c.json").write_text("{}")
    return place


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return filled(tmp_path)


def test_the_version_imports_nothing_of_ours_but_the_version() -> None:
    found = usual("--version")
    assert of_package(found, "astedit") == {"astedit", "astedit.__main__", "astedit.version"}
    assert not of_package(found, "resolve")
    assert not of_package(found, "click")


@pytest.mark.parametrize(
    "args",
    [
        ("search", "-p", "f($A)"),
        ("edit", "-p", "f($A)", "-r", "g($A)", "--no-stage"),
        ("edit", "-p", "f($A)", "-r", "g($A)"),
    ],
)
def test_the_hot_path_imports_nothing_heavy(args: tuple[str, ...]) -> None:
    found = usual(*args)
    assert [name for package in HEAVY for name in of_package(found, package)] == []


def test_only_grammars_that_the_found_files_need_are_loaded() -> None:
    named = grammars(usual("search", "-p", "f($A)", "a.py"))
    found = grammars(usual("search", "-p", "f($A)"))
    assert named == {"tree_sitter_python"}
    assert found == {"tree_sitter_python", "tree_sitter_go"}  # and no JSON: nobody named it


@pytest.mark.parametrize(
    "args",
    [
        ("search", "-p", "f($A)"),
        ("edit", "-p", "f($A)", "-r", "g($A)", "--no-stage"),
        ("explain", "-p", "f($A)", "-l", "py"),
        ("languages",),
    ],
)
def test_what_does_not_stage_does_not_load_the_store(args: tuple[str, ...]) -> None:
    found = usual(*args)
    assert "sqlite3" not in found
    assert "resolve.session" not in found


def test_only_what_finds_little_loads_what_explains(folder: Path) -> None:
    (folder / "project" / "a.py").write_text("foo(1)\n" + "foo(2, 3)\n" * 12)
    for args in [("search",), ("edit", "-r", "bar($$$A)", "--no-stage")]:
        assert not of_package(modules(folder, *args, "-p", "foo($$$A)"), "astedit.explanation")
    assert of_package(modules(folder, "search", "-p", "foo($A)"), "astedit.explanation")


def test_a_command_imports_no_other_command() -> None:
    from astedit.cli.main import every_command

    for name in ("search", "languages"):
        args = ("search", "-p", "f($A)") if name == "search" else (name,)
        found = usual(*args)
        assert not found & {f"astedit.cli.{other}" for other in every_command() if other != name}


def test_importing_the_packages_imports_nothing_else(folder: Path) -> None:
    probe = "import sys, astedit, resolve; print(*sys.modules)"
    env = os.environ | {"PYTHONPATH": str(REPOSITORY)}
    done = subprocess.run([sys.executable, "-c", probe], env=env, capture_output=True, text=True)
    found = set(done.stdout.split())
    assert of_package(found, "astedit") == {"astedit"}
    assert of_package(found, "resolve") == {"resolve"}


def test_what_is_known_already_is_located_without_what_writes(folder: Path) -> None:
    route = "app = Flask()\n@app.get('/x')\ndef page(): ...\n"
    (folder / "project" / "app.py").write_text(route + "# what is worth being kept\n" * 3_000)
    asked = ("locate", "GET /x")
    first, again = modules(folder, *asked), modules(folder, *asked)
    assert of_package(first, "astedit.transaction")
    assert not of_package(again, "astedit.transaction")
    assert of_package(again, "astedit.locating.frameworks")
    assert grammars(again) == {"tree_sitter_python"}  # the project has Go as well
