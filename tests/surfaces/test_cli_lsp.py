"""`lsp-rename` and its kin: a server's answer is staged as a whole, or nothing is."""

import contextlib
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.lists import rows
from tests.support.patched_trees import git
from tests.support.project import Outcome, Project

ROWS = rows(Path(__file__).with_suffix(".txt"))

STUBBORN = Path(__file__).parent.parent / "support/stubborn_language_server.py"
CODE = "def total(a):\n    return a\n\ntotal(1)\n"


@pytest.fixture
def code(project: Project) -> Project:
    project.write(a_py=CODE, b_py="y = 1\n", d_py="z = 1\n")
    return project


def rename(project: Project, mode: str, *flags: str) -> Outcome:
    server = shlex.join([sys.executable, "-S", str(STUBBORN), mode])
    return project("lsp-rename", "a.py:1:5", "sum", "--server", server, *flags)


@pytest.mark.slow
def test_an_answer_is_staged_and_applied_without_asking_again(code: Project) -> None:
    done = rename(code, "good")
    assert done.code == 0 and "hint: 1 possible use of total left as they are:" in done.err
    assert "a.py:4: total(1)" in done.err and code.read("a.py") == CODE
    assert "  rename a.py:1:5 → sum," in code("pending").text
    assert code("resolve", "apply", "--reason", "r").code == 0
    assert code.read("a.py") == CODE.replace("def total", "def sum")


@pytest.mark.slow
def test_a_rename_of_ours_is_compared_with_that_of_a_server(code: Project) -> None:
    """What differs is a hint; what is staged is ours."""
    server = shlex.join([sys.executable, "-S", str(STUBBORN), "more"])
    done = code("rename", "total", "sum", "--also-ask", "--server", server, "--json")
    assert done.json["hints"] == [
        "The language server would change 1 place of these, too.",
        "1 place that it alone would change, not changed here:",
        "b.py:1: y = 1",
        "1 place that it would leave unchanged:",
        "a.py:4: total(1)",
    ]
    assert code("resolve", "apply", "--reason", "r").code == 0
    assert code.read("a.py") == CODE.replace("total", "sum") and code.read("b.py") == "y = 1\n"
    server = server.replace("more", "both")
    done = code("rename", "sum", "total", "--also-ask", "--server", server, "--json")
    assert done.json["hints"] == ["The language server would change the same 2 places."]
    server = server.replace("both", "dies")
    done = code("rename", "sum", "plus", "--also-ask", "--server", server)
    assert done.code == 3 and "ended; nothing was staged" in done.err
    assert len(code("pending", "--json").json) == 1


def test_without_a_server_the_configuration_is_named(code: Project) -> None:
    done = code("lsp-rename", "a.py:1:5", "sum")
    assert done.code == 2 and "[servers] python" in done.err
    missing = code("lsp-rename", "a.py:1:5", "sum", "--server", "no-such-server")
    assert missing.code == 2 and "cannot be started" in missing.err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mode", "why"), ROWS["a server that goes wrong costs an error and nothing else"]
)
def test_a_server_that_goes_wrong_costs_an_error_and_nothing_else(
    code: Project, mode: str, why: str
) -> None:
    before = code.files()
    flags = ("--timeout", "6") if mode == "hangs" else ()
    done = rename(code, mode, *flags)
    assert done.code in (3, 4) and why in done.err, done.err
    assert code("pending", "--json").json == [] and code.files() == before
    assert subprocess.run(["pgrep", "-f", f"{STUBBORN} {mode}"], capture_output=True).stdout == b""


@pytest.mark.slow
def test_it_is_asked_until_two_answers_agree(code: Project) -> None:
    done = rename(code, "loading", "--json")
    assert done.json["totalReplacements"] == 2
    assert any("its answers had 1, 2, 2 edits" in hint for hint in done.json["hints"])


@pytest.mark.slow
def test_files_come_move_and_go(code: Project) -> None:
    assert rename(code, "files").code == 0
    assert code("resolve", "apply", "--reason", "r").code == 0
    assert {"a.py", "c.py", "new.py"} == {name for name in code.files() if name.endswith(".py")}
    assert code.read("new.py") == "x = 1\n" and code.read("c.py") == "y = 1\n"


@pytest.mark.slow
def test_a_directory_moves_with_what_the_server_changes_for_it(code: Project) -> None:
    """basedpyright follows; what is no code of its own goes along, and an undo brings all back."""
    program = Path(sys.executable).parent / "basedpyright-langserver"
    if not program.exists():
        pytest.skip("basedpyright is not here")
    code.put("p/__init__.py", "")
    code.put("p/m.py", "v = 1\n")
    code.put("p/data.txt", "x\n")
    code.put("main.py", "from p.m import v\nassert v\n")
    before = code.files()
    done = code("lsp-rename", "p", "q", "--server", f"{program} --stdio")
    assert done.code == 0 and code.files() == before, done.err
    assert code("resolve", "apply", "--reason", "r").code == 0
    assert {path for path in code.files() if "/" in path} == {
        "q/__init__.py",
        "q/m.py",
        "q/data.txt",
    }
    subprocess.run([sys.executable, "-B", "main.py"], cwd=code.root, check=True)
    assert (
        code("undo", "--apply", "--reason", "r").code == 0 and code.files().keys() == before.keys()
    )


@pytest.mark.slow
@pytest.mark.parametrize(("source", "dest", "why"), ROWS["moves refused"])
def test_a_move_that_cannot_be_made_stages_nothing(
    code: Project, source: str, dest: str, why: str
) -> None:
    program = Path(sys.executable).parent / "basedpyright-langserver"
    if not program.exists():
        pytest.skip("basedpyright is not here")
    done = code("lsp-rename", source, dest, "--server", f"{program} --stdio")
    assert done.code in (2, 3) and why in done.err, done.err
    assert code("pending", "--json").json == []


GO = {
    "go.mod": "module example.com/m\n\ngo 1.19\n",
    "lib/lib.go": "package lib\n\n// 𝒳\nfunc Total(a int) int { return a }\n",
    "main.go": 'package main\n\nimport "example.com/m/lib"\n\n'
    'func main() { println("𝒳", lib.Total(1)) }\n',
}
CPP = {
    "lib.h": "#pragma once\nint total(int a);\n",
    "lib.cpp": '#include "lib.h"\nint total(int a) { return a; }\n',
    "main.cpp": '#include "lib.h"\nint main() { return total(1) - total(1); }\n',
}
PYTHON = {
    "lib.py": "def total(a):\n    return a\n",
    "main.py": "from lib import total\nassert '𝒳' and total(1) == 1\n",
}
TYPESCRIPT = {
    "tsconfig.json": '{"compilerOptions":{"strict":true,"noEmit":true},"include":["*.ts"]}\n',
    "lib.ts": "export function total(a: number) {\n  return a;\n}\n",
    "main.ts": 'import { total } from "./lib";\nexport const s = "𝒳" + total(1);\n',
}
SERVERS = {
    "gopls": (GO, "lib/lib.go:4:6", "gopls", "go vet ./..."),
    "clangd": (CPP, "lib.cpp:2:5", "clangd", "c++ -o /dev/null lib.cpp main.cpp"),
    "basedpyright": (
        PYTHON, "lib.py:1:5", "basedpyright-langserver --stdio", f"{sys.executable} main.py",
    ),
    "typescript": (TYPESCRIPT, "lib.ts:1:17", "typescript-language-server --stdio", "tsc -p ."),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", SERVERS)
def test_a_server_renames_over_several_files_and_compilers_agree(
    name: str, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, place, server, check = SERVERS[name]
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    program = shutil.which(server.split()[0])
    if program is None or shutil.which(check.split()[0]) is None:
        pytest.skip(f"{name} is not here")
    for path, text in files.items():
        project.put(path, text)
    if name == "clangd":
        rows = ", ".join(
            f'{{"directory": "{project.root}", "command": "c++ -c {file}", "file": "{file}"}}'
            for file in ("lib.cpp", "main.cpp")
        )
        project.put("compile_commands.json", f"[{rows}]")
    if name == "typescript":  # the server takes the compiler of the project
        os.symlink(Path(program).resolve().parents[2], project.root / "node_modules")
    git(project.root, "init", "-q")
    subprocess.run(check, shell=True, cwd=project.root, check=True, capture_output=True)
    done = project("lsp-rename", place, "Zusammen", "--server", server, "--stat")
    assert done.code == 0, done.err
    assert "possible use" not in done.err
    assert project("resolve", "apply", "--reason", "r").code == 0
    assert not any(b"otal" in project.files()[path] for path in files)
    subprocess.run(check, shell=True, cwd=project.root, check=True, capture_output=True)


def test_what_a_server_started_in_a_session_of_its_own_ends_with_it(
    code: Project, tmp_path: Path
) -> None:
    note = tmp_path / "pid"
    nap = f"import os, time; open({str(note)!r}, 'w').write(str(os.getpid())); time.sleep(600)"
    start = (
        "import os, subprocess, sys, time; "
        f"subprocess.Popen([sys.executable, '-c', {nap!r}], start_new_session=True); "
        f"[time.sleep(0.01) for _ in range(30_000) if not os.path.exists({str(note)!r})]; "
        f"os.execv(sys.executable, [sys.executable, '-S', {str(STUBBORN)!r}, 'good'])"
    )
    server = shlex.join([sys.executable, "-S", "-c", start])
    assert code("lsp-rename", "a.py:1:5", "sum", "--server", server).code == 0
    pid = note.read_text()
    with contextlib.suppress(ProcessLookupError, FileNotFoundError):
        assert "Z" in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
