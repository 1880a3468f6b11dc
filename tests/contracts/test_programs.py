"""Whoever starts a process starts Python itself, or what `find_program` has found.

Nobody calls git but one module.
"""

import ast

from tests.support.sources import nodes, texts, trees, trees_with

# What starts a process, by module; the names of `os` and `asyncio` by their beginning.
MODULES = {"subprocess", "multiprocessing", "pty", "pexpect", "sh"}
STARTS = ("exec", "spawn", "posix_spawn", "system", "popen", "startfile", "create_subprocess")
HOMES = {"os", "asyncio", "shutil", "posix"}
SEARCHES = {"which", "get_exec_path"}
STARTERS = {
    "astedit/programs.py": "spawn",  # its callers name the program
    "astedit/workers/worker.py": "sys.executable",
    "astedit/git.py": "find_program",
    "astedit/campaign/task.py": "sys.executable",
    "astedit/sandbox/sandbox.py": "sys.executable",
    "astedit/sandbox/contained_command.py": "execvpe",  # the command that a person names
    "astedit/resident/client.py": "sys.executable",
    "astedit/landing/commit_steps.py": "self._program",  # git, which `GitObjects` has found
    "astedit/cli/commands/agents.py": "find_program",  # itself, to see whether it starts
    "astedit/cli/output/streams.py": "find_program",
    "astedit/terminal/screen.py": "find_program",  # the editor
    "astedit/producers/lsp_connection.py": "find_program",  # else a path that a person typed
}


def starts(tree: ast.Module) -> set[str]:
    """The names in a module that start a process, or that look for a program."""
    found = set()
    for node in nodes(tree):
        if isinstance(node, ast.Import):
            found |= MODULES & {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            module = (node.module or "").partition(".")[0]
            found |= MODULES & {module}
            found |= {alias.name for alias in node.names if alias.name == "spawn"}
            if module in HOMES:
                found |= {alias.name for alias in node.names if is_start(alias.name)}
        elif isinstance(node, ast.Attribute) and is_start(node.attr):
            found |= {node.attr} if ast.unparse(node.value) in HOMES else set()
    return found


def is_start(name: str) -> bool:
    return name.startswith(STARTS) or name in SEARCHES


def test_nobody_else_starts_a_process_or_looks_for_a_program() -> None:
    found = {path: names for path, tree in trees().items() if (names := starts(tree))}
    assert found.keys() <= STARTERS.keys(), found
    for path, needed in STARTERS.items():
        assert needed in texts()[path], path


def test_nobody_else_looks_for_git() -> None:
    callers = {
        path
        for path, tree in trees_with('"git"').items()
        for node in nodes(tree)
        if isinstance(node, ast.Call) and any(map(is_git, node.args))
        and ast.unparse(node.func).rpartition(".")[2] in {"find_program", "spawn", "run", "Popen"}
    }  # fmt: skip
    assert callers == {"astedit/git.py"}


def is_git(node: ast.expr) -> bool:
    """Whether an argument is the word git, or a list that begins with it."""
    first = node.elts[0] if isinstance(node, ast.List | ast.Tuple) and node.elts else node
    return isinstance(first, ast.Constant) and first.value == "git"


def test_a_start_is_seen_in_each_of_its_forms() -> None:
    for line in (
        "import subprocess", "from subprocess import run", "import os\nos.execvp('git', [])",
        "from os import posix_spawn", "import shutil\nshutil.which('git')", "os.system('x')",
        "import asyncio\nasyncio.create_subprocess_exec('x')", "import multiprocessing.pool",
    ):  # fmt: skip
        assert starts(ast.parse(line)), line
    assert not starts(ast.parse("import os\nos.stat('x')\n"))
