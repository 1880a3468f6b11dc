"""The architecture, read off the imports: arrows point down, one place writes."""

import ast
import re
from collections.abc import Iterator
from functools import cache

import pytest
from hypothesis import HealthCheck, settings

from astedit.operations import PRODUCERS, kinds, operation
from tests.support import REPOSITORY
from tests.support.sources import nodes, texts, trees

# Every row may import the rows above it here, which are below it in the house, and itself.
# What stands in one row does not import each other.
ROWS = """
    version
    errors
    limits
    text
    json_model
    model
    programs resident
    workers git
    workspace
    discover
    sandbox
    transaction
    language
    facts python
    embedded
    pattern
    rule
    packs
    rewrite
    engine
    explanation
    testing
    semantic
    locating
    review
    operations
    staging
    page
    landing proving producers
    draft learning
    campaign interface
    agents
    loopback
    mcp adapters terminal web hook
    lsp
    cli
    __main__ __init__
"""
LEVELS = {name: level for level, row in enumerate(ROWS.split("\n")) for name in row.split()}
# The same within packages that have parts of their own: `*` is every other module of it.
PARTS = {
    "astedit.cli": "output * commands main warm",
    "astedit.language": "* traits",
    "astedit.semantic": "inference * rename remove move signature extract inline script",
    "astedit.locating": "frameworks inventory *",
}
# Who may import `resolve`: what stages, and what stands above it.
GATED = {
    "staging",
    "landing",
    "proving",
    "campaign",
    "interface",
    "agents",
    "mcp",
    "adapters",
    "terminal",
    "web",
    "hook",
    "learning",
    "lsp",
    "cli",
}
# What makes text safe to show is for all: it knows nothing of the gate.
SAFE_TEXT = "resolve.visible"
# Who names a module of ours in a text, to import it later: entry points of workers, commands,
# operations, public names. These are no arrows, since nothing is imported with the module.
BY_NAME = {
    "astedit": "agents.loop engine.resident errors interface.functions interface.operations"
    " interface.work locating.result model.edit model.explanation model.plan"
    " model.request version",
    "astedit.campaign.task": "campaign.task",
    "astedit.cli.main": "cli.commands",
    "astedit.cli.warm": "cli.commands",
    "astedit.cli.output.formats": "cli.output",
    "astedit.engine.known_edits": "engine.known_edits",
    "astedit.engine.run.jobs": "engine.files.file",
    "astedit.language.traits": "language.traits",
    "astedit.locating.inventory.inventory": "locating.inventory.read_file",
    "astedit.semantic": "semantic.imports.edits",
    "astedit.semantic.codemod": "semantic.codemod",
    "astedit.semantic.imports.edits": "semantic.imports",
    "astedit.semantic.library": "python.reader",
    "resolve.handlers": "handlers",  # the group of entry points, of the module's own name
    "resolve": "abort actions errors handlers loops.choice loops.custom loops.gate"
    " fold results session store tool",
}
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
    "astedit/__main__.py": {"os.O_RDWR"},  # /dev/null in the place of a closed stream
    "astedit/workers/worker.py": {"os.write"},
    "astedit/workers/worker_main.py": {"os.write"},
    "astedit/programs.py": {"os.write", "tempfile.TemporaryFile"},
    "astedit/hook/program.py": {  # the call and the answer
        *("os.ftruncate", "os.write", "tempfile.TemporaryFile")
    },
    "astedit/cli/output/streams.py": {"os.O_WRONLY"},
    "astedit/mcp/http.py": {"open ['w']", "os.O_CREAT", "os.O_WRONLY"},  # in the state
    # Namespaces of its own, and what is written in a sandbox or beside the state for one.
    "astedit/sandbox/namespace.py": {"open ['wb', 0]", "os.write"},
    "astedit/sandbox/contained_command.py": {"os.O_RDWR", "os.write"},
    "astedit/sandbox/overlay.py": {
        *("os.chmod", "os.chown", "os.makedirs", "os.removexattr", "os.setxattr")
    },
    "astedit/sandbox/tree_copy.py": {
        *("open ['xb']", "os.mkdir", "os.symlink"),
        *("shutil.copyfileobj", "shutil.copystat"),
    },
    "astedit/sandbox/supervisor.py": {
        *("open ['w']", "open ['wb']", "os.O_CREAT", "os.O_WRONLY", "os.fchmod"),
        *("os.ftruncate", "os.mkdir", "os.unlink", "os.utime", "unlink"),
    },
    "astedit/sandbox/locked_directory.py": {
        *("os.mkdir", "tempfile.mkdtemp", "os.chmod", "os.fchmod", "os.rename", "os.rmdir"),
        *("os.unlink", "unlink", "rmdir"),
    },
    "astedit/draft/draft.py": {  # beside the state
        *("open ['w', 'ascii']", "os.rename", "os.unlink", "unlink")
    },
    # Nameless files, sockets and the streams of those who asked.
    "astedit/resident/client.py": {"os.O_RDWR"},
    "astedit/resident/host.py": {  # the socket, its lock, and the streams of a fork
        *("fdopen [False]", "os.O_CREAT", "os.O_RDWR", "os.mkdir", "os.unlink", "unlink")
    },
    "astedit/packs/lock.py": {  # the user's cache
        *("open ['wb']", "os.makedirs", "os.replace", "tempfile.TemporaryDirectory")
    },
    "astedit/packs/source.py": {"tempfile.TemporaryDirectory"},  # git lays out a pack there
    "astedit/testing/verdict.py": {"open ['wb']", "os.makedirs"},  # laid out for its tests
    "astedit/landing/git_objects.py": {"open ['wb']"},  # beside the state
    "astedit/landing/commit_steps.py": {  # in a sandbox
        *("open ['w']", "open ['wb']", "os.chmod", "os.makedirs", "os.unlink", "unlink"),
        "tempfile.TemporaryFile",
    },
    "astedit/campaign/land.py": {  # the same
        *("open ['w', 'utf-8', 'surrogateescape']", "os.chmod", "os.makedirs")
    },
    "astedit/cli/terminal_approval.py": {"os.O_RDWR", "os.write"},  # the terminal
}


def dotted(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


@cache
def modules() -> dict[str, ast.Module]:
    return {dotted(path): tree for path, tree in trees().items()}


def imported(tree: ast.AST) -> Iterator[str]:
    """The modules a file imports, wherever in it; `from a import b` may read `a.b`."""
    for node in nodes(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                yield name if name in modules() else str(node.module)


def named(tree: ast.AST) -> Iterator[str]:
    """The modules of ours that a text in a file names, also as `module:name`.

    A text that is put together, as `f"package.{name}"`, names the package.
    """
    for node in nodes(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            place = PLACE.fullmatch(node.value.removesuffix("."))
            if place and place[1] in modules():
                yield place[1]


@cache
def arrows() -> dict[str, set[str]]:
    """What each module imports of ours."""
    return {name: set(imported(tree)) & modules().keys() for name, tree in modules().items()}


def unit(name: str) -> str:
    """What of the table a module is, or is in: the second part of its dotted name."""
    return [*name.split("."), "__init__"][1]


def part(package: str, name: str) -> int:
    """Which part of a package a module is in, from below."""
    parts = PARTS[package].split()
    word = name.removeprefix(package + ".").partition(".")[0]
    return parts.index(word if word in parts else "*")


def test_arrows_point_down() -> None:
    wrong = []
    for name, others in arrows().items():
        for other in others:
            if name.startswith("resolve"):
                allowed = other.startswith("resolve")
            elif other.startswith("resolve"):
                allowed = unit(name) in GATED or other == SAFE_TEXT
            else:
                own, level = LEVELS[unit(name)], LEVELS[unit(other)]
                allowed = level < own or unit(name) == unit(other)
            if not allowed:
                wrong.append(f"{name} imports {other}")
    assert wrong == []


@pytest.mark.parametrize("package", sorted(PARTS))
def test_arrows_within_a_package_point_down(package: str) -> None:
    inside = [name for name in arrows() if name.startswith(package + ".")]
    assert [
        f"{name} imports {other}"
        for name in inside
        for other in arrows()[name]
        if other in inside and part(package, other) > part(package, name)
    ] == []


def test_no_command_imports_another() -> None:
    commands = {name for name in arrows() if name.startswith("astedit.cli.commands.")}
    assert len(commands) > 20
    assert {(name, other) for name in commands for other in arrows()[name] & commands} == set()


def test_every_surface_comes_to_a_plan_by_the_same_way() -> None:
    """Who starts a run by itself forgets what the configuration says."""
    assert {
        name
        for name, tree in modules().items()
        for node in nodes(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "Start"
    } == {"astedit.staging.preview"}


def circles(arrows: dict[str, set[str]]) -> list[set[str]]:
    """The modules that import each other, by whatever way round: what no order can sort."""
    left = {name: set(others) - {name} for name, others in arrows.items()}
    while loose := {name for name, others in left.items() if not others & left.keys()}:
        left = {name: others for name, others in left.items() if name not in loose}
    found: list[set[str]] = []
    for name in left:
        if not any(name in circle for circle in found):
            circle = {other for other in _from(name, left) if name in _from(other, left)}
            found += [circle] if circle else []
    return found


def _from(name: str, arrows: dict[str, set[str]]) -> set[str]:
    """Every module that importing this one leads to."""
    seen: set[str] = set()
    waiting = [name]
    while waiting:
        new = (arrows.get(waiting.pop(), set()) & arrows.keys()) - seen
        seen |= new
        waiting += new
    return seen


def test_nothing_goes_in_a_circle() -> None:
    assert [sorted(circle) for circle in circles(arrows())] == []


def test_a_circle_is_seen() -> None:
    arrows = {"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set(), "e": {"a"}}
    assert circles(arrows) == [{"b", "c"}]
    assert circles({"a": {"b"}, "b": {"a"}, "c": {"d"}, "d": {"c"}}) == [{"a", "b"}, {"c", "d"}]


def test_modules_that_a_text_names_are_known() -> None:
    """A text is imported later, if at all: only those of the table may be, and all exist."""
    found = {name: set(named(tree)) for name, tree in modules().items()}
    expected = {
        name: {f"{name.partition('.')[0]}.{other}" for other in others.split()}
        for name, others in BY_NAME.items()
    }
    expected["astedit.operations"] = {*PRODUCERS.values(), "astedit.semantic.script"}
    for kind in kinds():
        expected[f"astedit.operations.{kind}"] = {operation(kind).planner}
    assert {name: others for name, others in found.items() if others} == expected


@pytest.mark.parametrize(
    "name", [*PRODUCERS.values(), *(operation(kind).planner for kind in kinds())]
)
def test_a_module_of_an_operation_plans(name: str) -> None:
    """What an operation names as its planner plans, and is no other code."""
    functions = [node for node in nodes(modules()[name]) if isinstance(node, ast.FunctionDef)]
    assert "plan" in {function.name for function in functions}


@pytest.mark.parametrize(
    "text",
    [
        "import astedit.semantic.codemod", "from astedit.semantic import codemod",
        "from astedit.semantic.codemod import PythonNames",
        "def late():\n    import astedit.semantic.codemod",
        "if TYPE_CHECKING:\n    from astedit.semantic.codemod import PythonNames",
    ],
)  # fmt: skip
def test_every_way_to_import_is_seen(text: str) -> None:
    assert list(imported(ast.parse(text))) == ["astedit.semantic.codemod"]


@pytest.mark.parametrize(
    "text",
    [
        "import_module('astedit.semantic.codemod')", "A = 'astedit.semantic.codemod:PythonNames'",
        "import_module(f'astedit.semantic.codemod.{name}')",
    ],
)  # fmt: skip
def test_every_way_to_name_a_module_is_seen(text: str) -> None:
    assert list(named(ast.parse(text))) == ["astedit.semantic.codemod"]


def written(tree: ast.AST) -> Iterator[str]:
    """What could write: functions that do, flags and modes to open with."""
    for node in nodes(tree):
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
    found = {
        path: set(written(tree)) for path, tree in trees().items() if path.startswith("astedit")
    }
    assert len(found.pop("astedit/transaction/disk.py")) > 3
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
    naming = {path for path, text in texts().items() if "tree_sitter_" in text}
    assert naming
    assert {path for path in naming if not path.startswith("astedit/language/")} == set()


def test_names_say_something_and_modules_are_short() -> None:
    assert [path for path in texts() if NAMELESS & set(path.removesuffix(".py").split("/"))] == []
    sizes = {path: len(text.splitlines()) for path, text in texts().items()}
    assert {path: size for path, size in sizes.items() if size > 400} == {}


def test_no_drawn_example_fails_by_the_load_of_the_machine() -> None:
    """Hypothesis gives an example 200 ms by itself, which other work can take from it."""
    assert settings.default is not None and settings.default.deadline is None
    assert HealthCheck.too_slow in settings.default.suppress_health_check
    wrong = re.compile(r"settings\([^)]*deadline=(?!None)")
    tests = (REPOSITORY / "tests").rglob("test_*.py")
    assert [str(path) for path in tests if wrong.search(path.read_text())] == []
