"""The architecture, read off the imports: arrows point down, one place writes."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parent.parent.parent
# Every row may import what stands in it and above it here, which is below it in the house.
ROWS = """
    version errors limits jsonform request model explanation shapes sketch
    beneath storage sibling authored
    source edit diff lines gitignore toml
    workspace policy config
    language
    embedded
    pattern
    rule
    engine
    testing
    semantic
    names
    approval choice operation payload progress staleness swap transaction
    tool undo foreseen toolset reading redraw handover
    campaign
    api cli mcp adapters review __main__ __init__
"""
LEVELS = {name: level for level, row in enumerate(ROWS.split("\n")) for name in row.split()}
GATED = {
    "approval",
    "campaign",
    "staleness",
    "tool",
    "undo",
    "foreseen",
    "toolset",
    "reading",
    "api",
    "cli",
    "mcp",
    "adapters",
    "review",
}  # who may import `resolve`
PLACE = re.compile(r"((?:astedit|resolve)(?:\.\w+)+)(?::\w+)?")
NAMELESS = {"utils", "util", "helpers", "helper", "common", "base", "manager", "misc", "core"}
WRITES = """
    write writev pwrite rename renames replace link symlink unlink remove removedirs rmdir mkdir
    makedirs mkfifo mknod truncate ftruncate posix_fallocate chmod fchmod lchmod chown fchown
    lchown utime setxattr removexattr sendfile copy_file_range fsync fdatasync write_bytes
    write_text symlink_to hardlink_to touch O_WRONLY O_RDWR O_CREAT O_TRUNC O_APPEND O_TMPFILE
""".split()  # noqa: SIM905
METHODS = {"write_bytes", "write_text", "symlink_to", "hardlink_to", "touch", "unlink", "rmdir"}
# Writes that reach no file of a workspace: pipes and nameless files of workers, /dev/null.
HARMLESS = {
    "astedit/engine/worker.py": {"os.write"},
    "astedit/engine/worker_process.py": {"os.write"},
    "astedit/engine/child.py": {"os.write", "tempfile.TemporaryFile"},
    "astedit/cli/streams.py": {"os.O_WRONLY"},
    "astedit/cli/approve.py": {"os.O_RDWR", "os.write"},  # the terminal
}
TREES = {
    str(path.relative_to(REPOSITORY)): ast.parse(path.read_text())
    for package in ("astedit", "resolve")
    for path in sorted((REPOSITORY / package).rglob("*.py"))
}


def imported(tree: ast.AST) -> Iterator[str]:
    """The modules a file imports, wherever in it; `from a import b` may read `a.b`.

    A text that names one of ours, or `module:name` in it, can be imported as well.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant):
            place = PLACE.fullmatch(str(node.value))
            if place and (REPOSITORY / place[1].replace(".", "/")).with_suffix(".py").exists():
                yield place[1]
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                file = REPOSITORY / name.replace(".", "/")
                is_module = file.with_suffix(".py").exists() or file.is_dir()
                yield name if is_module else str(node.module)


def unit(name: str) -> str:
    """What of the table a module is, or is in: the second part of its dotted name."""
    return [*name.removesuffix(".py").replace("/", ".").split("."), "__init__"][1]


def test_arrows_point_down() -> None:
    wrong = []
    for path, tree in TREES.items():
        for name in imported(tree):
            package = name.partition(".")[0]
            if path.startswith("resolve/"):
                allowed = package != "astedit"
            elif package == "resolve":
                allowed = unit(path) in GATED
            else:
                allowed = package != "astedit" or LEVELS[unit(name)] <= LEVELS[unit(path)]
            if not allowed:
                wrong.append(f"{path} imports {name}")
    assert wrong == []


@pytest.mark.parametrize(
    "text",
    [
        "import astedit.semantic.names", "from astedit.semantic import names",
        "from astedit.semantic.names import PythonNames",
        "import_module('astedit.semantic.names')", "A = 'astedit.semantic.names:PythonNames'",
    ],
)  # fmt: skip
def test_every_way_to_import_is_seen(text: str) -> None:
    assert list(imported(ast.parse(text))) == ["astedit.semantic.names"]


def written(tree: ast.AST) -> Iterator[str]:
    """What could write: functions that do, flags and modes to open with."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            module = node.value.id
            if module in ("shutil", "tempfile") or (module == "os" and node.attr in WRITES):
                yield f"{module}.{node.attr}"
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", None) or getattr(node.func, "id", "")
            if name in METHODS and not isinstance(node.func, ast.Name):
                yield name
            values = [*node.args, *(keyword.value for keyword in node.keywords)]
            modes = [v.value for v in values if isinstance(v, ast.Constant)]
            if name in ("open", "fdopen") and any(set(str(mode)) & set("wax+") for mode in modes):
                yield f"{name} {modes}"


def test_only_storage_writes() -> None:
    found = {path: set(written(tree)) for path, tree in TREES.items() if path.startswith("astedit")}
    assert len(found.pop("astedit/storage.py")) > 3
    assert {path: names for path, names in found.items() if names} == HARMLESS


@pytest.mark.parametrize(
    "text",
    [
        "os.rename(a, b)", "open(a, 'wb')", "open(a, mode='a')", "path.write_text('x')",
        "os.open(a, os.O_RDWR)", "path.open('r+')", "shutil.copy(a, b)", "os.fdopen(3, 'w')",
        "path.unlink()", "tempfile.mkstemp()",
    ],
)  # fmt: skip
def test_every_way_to_write_is_seen(text: str) -> None:
    assert list(written(ast.parse(text)))


def test_only_language_names_a_grammar() -> None:
    texts = {path: (REPOSITORY / path).read_text() for path in TREES}
    named = {path for path, text in texts.items() if "tree_sitter_" in text}
    assert named == {"astedit/language/provider.py", "astedit/language/table.py"} & named
    assert named


def test_names_say_something_and_modules_are_short() -> None:
    assert [path for path in TREES if NAMELESS & set(path.removesuffix(".py").split("/"))] == []
    sizes = {path: len((REPOSITORY / path).read_text().splitlines()) for path in TREES}
    assert {path: size for path, size in sizes.items() if size > 400} == {}
