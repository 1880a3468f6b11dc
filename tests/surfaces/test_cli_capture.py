"""`astedit capture`: what a real command changes is staged, and nothing else happens."""

import os
import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from astedit.agents.calls import Calls, ToolCall
from astedit.staging.open_workspace import OpenWorkspace
from tests.support.lists import rows
from tests.support.patched_trees import git
from tests.support.patience import LAST
from tests.support.project import Outcome, Project

ROWS = rows(Path(__file__).with_suffix(".txt"))

CODE = """\
from typing import Optional


def f(x: Optional[int], y: Optional[str]) -> None:
    print( x )  # größe
"""
GO = 'package a\n\nimport ("os"; "fmt")\nfunc F() {\nfmt.Println( "a",os.Args )\n}\n'
SCRIPT = "var a = 1;\nfunction f() {\n  var b = a; // kept\n  return b;\n}\n"


@pytest.fixture
def tree(project: Project) -> Project:
    """A repository with one file of each kind, all of it tracked."""
    project.put("pkg/a.py", CODE)
    project.put("pkg/notes.txt", "one\ntwo\nthree\n")
    project.put(".gitignore", "*.log\n")
    git(project.root, "init", "-q")
    git(project.root, "add", "-A")
    return project


def capture(project: Project, script: str, *flags: str) -> Outcome:
    return project("capture", *flags, "--", "sh", "-c", script)


def test_what_a_command_changes_is_staged_and_applied_by_running_it_again(tree: Project) -> None:
    before = tree.files()
    script = (
        "mkdir new; mv pkg/notes.txt new/n.txt; sed -i s/two/2/ new/n.txt; echo x > a.log;"
        " printf '#!/bin/sh\\n' > run.sh; chmod +x run.sh; echo evil >> .git/config"
    )
    done = capture(tree, script, "--json", "--reason-label", "tidy")
    plan = done.json
    assert done.code == 0 and tree.files() == before
    files = {file["path"]: (file["operation"], file["source"]) for file in plan["files"]}
    assert files == {"new/n.txt": ("move", "pkg/notes.txt"), "run.sh": ("create", None)}
    assert plan["command"]["exitCode"] == 0 and plan["command"]["replay"] == "command"
    assert "left out: 1 ignored file, a.log" in plan["hints"]
    assert "left out: 1 file of git's own, .git/config" in plan["hints"]
    assert "  tidy, 3 replacements in" in tree("pending").text
    assert tree("resolve", "apply", "--reason", "r").code == 0
    assert tree.read("new/n.txt") == "one\n2\nthree\n" and not (tree.root / "a.log").exists()
    assert os.access(tree.root / "run.sh", os.X_OK)
    tree("undo")
    assert tree("resolve", "apply", "--reason", "r").code == 0 and tree.files() == before


def test_edits_are_of_tokens_and_decided_one_by_one(tree: Project) -> None:
    """Both annotations are on one line of which a diff of lines makes one change."""
    script = "sed -i 's/Optional\\[\\(int\\|str\\)\\]/\\1 | None/g; /^from/d' pkg/a.py"
    (file,) = capture(tree, script, "--json").json["files"]
    changes = [(edit["before"], edit["after"]) for edit in file["edits"]]
    assert changes[1:] == [("Optional[int]", "int | None"), ("Optional[str]", "str | None")]
    assert tree("resolve", "apply", "--only", file["edits"][1]["id"], "--reason", "r").code == 0
    assert "x: int | None, y: Optional[str]" in tree.read("pkg/a.py")


@pytest.mark.parametrize(("script", "why"), ROWS["what no plan can do"])
def test_what_no_plan_can_do_is_named_and_nothing_is_staged(
    tree: Project, script: str, why: str
) -> None:
    before = tree.files()
    done = capture(tree, f"echo y >> .gitignore; {script}")
    assert done.code == 3 and why in done.err, done.err
    assert tree("pending", "--json").json == [] and tree.files() == before


def test_a_program_that_is_not_there_is_named(tree: Project) -> None:
    done = tree("capture", "--", "no-such-program")
    assert done.code == 2 and "no-such-program cannot be started" in done.err
    assert tree("capture").code == 2


@pytest.mark.slow
def test_a_result_that_differs_each_time_is_stale_unless_only_files_are_compared(
    tree: Project,
) -> None:
    script = "cat /proc/sys/kernel/random/uuid > stamp.txt; sed -i s/two/2/ pkg/notes.txt"
    capture(tree, script, "-q")
    done = tree("resolve", "apply", "--reason", "r")
    assert done.code == 3 and "gave another result this time" in done.err
    assert "--replay never" in done.err and not (tree.root / "stamp.txt").exists()
    plan = capture(tree, script, "--json", "--replay", "never").json
    assert tree("resolve", "apply", "--reason", "r").code == 0
    assert tree.read("stamp.txt") in plan["files"][1]["edits"][0]["after"]
    capture(tree, "sed -i s/three/3/ pkg/notes.txt", "-q", "--replay", "never")
    tree.put("pkg/notes.txt", "mine\n")
    assert tree("resolve", "apply", "--reason", "r").code == 3


def test_agents_capture_what_a_person_allowed_and_run_nothing_else(tree: Project) -> None:
    """What was staged on the command line is applied there by comparing files."""
    capture(tree, "cat /proc/sys/kernel/random/uuid > stamp.txt", "-q")
    served = OpenWorkspace(str(tree.root), None)
    calls = Calls(served, resident=False, commands=["sed *"])
    (staged,) = tree("pending", "--json").json
    done = calls("resolve", {"action": "apply", "reason": "r", "target": staged["id"]}, ToolCall())
    assert not done.is_error, done.text
    assert (tree.root / "stamp.txt").exists()
    refused = calls("capture", {"command": ["sh", "-c", "echo y >> b"]}, ToolCall())
    assert refused.code == "command_not_allowed"
    words = ["sed", "-i", "s/two/2/", "pkg/notes.txt"]
    shown = calls("capture", {"command": words, "label": "digits"}, ToolCall())
    assert shown.counts["replacements"] == 1 and "|+2" in shown.text
    assert "capture" not in Calls(served, resident=False).tools


def test_a_document_brings_no_command(tree: Project) -> None:
    capture(tree, "echo y > b.txt", "-q")
    (tree.root.parent / "plan.json").write_bytes(tree("show", "--format", "plan").out)
    done = tree("stage", str(tree.root.parent / "plan.json"))
    assert done.code == 3 and "may not run here" in done.err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "code", "why"),
    [
        ("rm -rf ./* .gitignore .git", 0, "left out:"),
        ("i=0; while [ $i -lt 10001 ]; do : > f$i; i=$((i+1)); done", 4, "changed 10,001 files"),
        (
            f"{sys.executable} -S -c \"[open(f'f{{i}}', 'w').close() for i in range(100001)]\"",
            4,
            "made 100,001 changes",
        ),
    ],
)
def test_much_is_counted_and_refused(tree: Project, script: str, code: int, why: str) -> None:
    done = capture(tree, script, "--stat")
    assert done.code == code and why in done.err, done.err
    assert (tree.root / ".git/config").exists()


@pytest.mark.slow
def test_a_file_that_somebody_saves_meanwhile_makes_it_void(tree: Project) -> None:
    command = ("capture", "--", "sh", "-c", "sed -i s/two/2/ pkg/notes.txt; sleep 3")
    running = tree.process(*command)
    while not (tree.state.exists() and list(tree.state.rglob("sandbox"))):
        pass
    subprocess.run(["sleep", "1"], check=True)
    tree.put("pkg/notes.txt", "mine\n")
    _, err = running.communicate(timeout=LAST)
    assert running.returncode == 3 and b"was changed while the command ran" in err
    assert tree.read("pkg/notes.txt") == "mine\n"


CODEMOD = """\
import sys
from pathlib import Path
import libcst as cst

class Rename(cst.CSTTransformer):
    def leave_Name(self, old, new):
        return new.with_changes(value="show") if old.value == "print" else new

for name in sys.argv[1:]:
    place = Path(name)
    place.write_text(cst.parse_module(place.read_text()).visit(Rename()).code)
"""
TRANSFORM = """\
module.exports = (file, api) => {
  const j = api.jscodeshift;
  return j(file.source).find(j.VariableDeclaration, {kind: 'var'})
    .forEach(path => { path.node.kind = 'let'; }).toSource();
};
"""
TOOLS = {
    "ruff check": ("ruff", "check", "--fix", "--exit-zero", "--select", "UP,F", "pkg"),
    "ruff format": ("ruff", "format", "pkg"),
    "pyupgrade": ("pyupgrade", "--py311-plus", "--exit-zero-even-if-changed", "pkg/a.py"),
    "sed": ("sed", "-i", "s/three/3/; s/Println/Print/", "pkg/notes.txt", "pkg/a.go"),
    "gofmt": ("gofmt", "-w", "pkg/a.go"),
    "libcst": (sys.executable, "codemod.py", "pkg/a.py"),
    "jscodeshift": ("jscodeshift", "-t", "transform.js", "pkg/a.js"),
}


@pytest.mark.slow
@pytest.mark.parametrize("words", TOOLS.values(), ids=TOOLS.keys())
def test_the_result_is_that_of_the_tool_on_a_copy(
    tree: Project, words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if shutil.which(words[0]) is None:
        pytest.skip(f"{words[0]} is not here")
    more = {"pkg/a.go": GO, "pkg/a.js": SCRIPT, "codemod.py": CODEMOD, "transform.js": TRANSFORM}
    for path, text in more.items():
        tree.put(path, text)
    copy = tmp_path / "copy"
    shutil.copytree(tree.root, copy)
    subprocess.run(words, cwd=copy, check=True, capture_output=True)
    expected = Project(copy, tree._capture).files()
    before = tree.files()
    done = tree("capture", "-q", "--", *words)
    assert done.code == 0 and tree.files() == before, done.err
    assert tree("resolve", "apply", "--reason", "r").code == 0
    made = {path: text for path, text in expected.items() if ".ruff_cache" not in path}
    assert tree.files() == made and made != before


@pytest.mark.parametrize(("mode", "word"), ROWS["a mode that no diff shows is refused by name"])
@pytest.mark.parametrize("name", ["new.sh", "a.py", "moved.py"])
def test_a_mode_that_no_diff_shows_is_refused_by_name(
    project: Project, mode: str, word: str, name: str
) -> None:
    project.write(a_py="x = 1\n")
    make = {"new.sh": "echo y > new.sh", "a.py": "echo y > a.py", "moved.py": "mv a.py moved.py"}
    refused = project("capture", "--", "sh", "-c", f"{make[name]}; chmod {mode} {name}")
    assert refused.code == 3 and word in refused.err and name in refused.err, refused
    assert project("pending", "--json").json == []


@pytest.mark.parametrize(("mode", "lands"), [("0700", 0o755), ("0775", 0o755), ("0600", 0o644)])
@pytest.mark.parametrize("name", ["new.sh", "a.py"])
def test_the_mode_that_is_shown_is_the_mode_that_lands(
    project: Project, mode: str, lands: int, name: str
) -> None:
    project.write(a_py="x = 1\n")
    done = project("capture", "--json", "--", "sh", "-c", f"echo y > {name}; chmod {mode} {name}")
    assert done.code == 0, done.err
    patch = project("show", "--format", "patch").text
    assert ("100755" in patch) == (lands == 0o755 or (name, lands) == ("a.py", 0))
    assert project("resolve", "apply", "--reason", "r").code == 0
    assert (project.root / name).stat().st_mode & 0o7777 == lands


def test_a_label_never_stands_in_the_place_of_the_command(project: Project) -> None:
    project.write(a_py="x = 1\n")
    words = ("sh", "-c", "echo y > a.py")
    assert project("capture", "--reason-label", "ruff --fix", "--", *words).code == 0
    (row,) = project("pending", "--json").json
    assert "ruff --fix" in row["label"] and row["command"] == "sh -c 'echo y > a.py'"
    shown = project("pending").text
    assert "ruff --fix" in shown and "$ sh -c 'echo y > a.py'" in shown
    assert "$ sh -c 'echo y > a.py'" in project("show").err
    with closing(Calls(OpenWorkspace(str(project.root), str(project.state)))) as calls:
        text = calls("pending", {}, ToolCall()).text
        assert "ruff --fix" in text and "$ sh -c 'echo y > a.py'" in text
