"""Migrations of published packages, each as a person would type it, held against other programs.

What compiled or passed its tests before does so after, the patch applies with git, and what
changed is what was asked for by the word of a parser that is not ours.
"""

import ast
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.packages import Package
from tests.support.migration import PAGE, Migration, Result

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]
_PYTHON = (sys.executable, "-m")
TORNADO = Package("tornado", "6.5.2", "sdist"), "tornado-6.5.2"


def trees_agree(result: Result, canonical: Callable[[ast.Module], ast.Module]) -> None:
    """What a transformation makes of both trees is the same, but for imports."""
    for path, before in result.before.items():
        old, new = (canonical(ast.parse(text)) for text in (before, result.after[path]))
        assert ast.dump(_without_imports(old)) == ast.dump(_without_imports(new)), path


def _without_imports(tree: ast.Module) -> ast.Module:
    tree.body = [n for n in tree.body if not isinstance(n, ast.Import | ast.ImportFrom)]
    return tree


def names_resolve(migration: Migration, result: Result, kept: str = " ") -> None:
    """ruff finds no name that is unbound, unused or bound twice which it did not find before.

    `kept` is one whose import stays where a string or another scope has the name too.
    """
    paths = [path for path in result.after if path.endswith(".py")]
    command = [*_PYTHON, "ruff", "check", "--isolated", "--exit-zero", "--output-format=json"]
    command += ["--select=F401,F811,F821", *paths]

    def findings() -> set[tuple[str, str]]:
        found = json.loads(migration.run(*command))
        about = ((one["filename"], one["message"]) for one in found)
        return {finding for finding in about if f"{kept}`" not in finding[1]}

    after = findings()
    migration.git("stash", "-q")
    assert after <= findings()
    migration.git("stash", "pop", "-q")


class Formatted(ast.NodeTransformer):
    """`%` with a literal that only has `%s` and `%r`, as the f-string that says the same."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        left, right = node.left, node.right
        if not isinstance(node.op, ast.Mod) or not isinstance(left, ast.Constant):
            return node
        if not isinstance(left.value, str) or isinstance(right, ast.Dict):
            return node
        values = right.elts if isinstance(right, ast.Tuple) else [right]
        pieces = re.split("(%[sr])", left.value)
        holes = pieces[1::2]
        if "%" in "".join(pieces[::2]) or len(holes) != len(values):
            return node
        parts: list[ast.expr] = []
        for at, text in enumerate(pieces[::2]):
            parts += [ast.Constant(text)] if text else []
            if at < len(holes):
                kind = ord("r") if holes[at] == "%r" else -1
                parts.append(ast.FormattedValue(values[at], kind))
        return ast.JoinedStr(parts)


def test_percent_to_f_string(tmp_path: Path) -> None:
    migration = Migration(Package("docutils", "0.23", "sdist"), "docutils-0.23", tmp_path)
    result = migration.follow("`%` to f-string")
    assert result.replacements > 130
    assert {*result.blocked} <= {"breaks_syntax"}  # where two kinds of quotes do not do
    trees_agree(result, lambda tree: Formatted().visit(tree))
    tests = (*_PYTHON, "pytest", "-q", "-p", "no:cacheprovider", "test")
    migration.run(*tests, PYTHONPATH=str(migration.root))


def test_url_to_path(tmp_path: Path) -> None:
    migration = Migration(Package("Django", "1.11.29", "sdist"), "Django-1.11.29", tmp_path)
    result = migration.follow("`url()` to `path()`")
    assert result.replacements > 650
    # one file has imported another `path`
    assert {item["path"] for item in result.plan["blocked"]} == {"tests/view_tests/urls.py"}
    assert {*result.blocked} == {"imports"}
    trees_agree(result, lambda tree: Routed().visit(tree))
    names_resolve(migration, result, kept="url")


class Routed(ast.NodeTransformer):
    """`path()` and `re_path()` as the `url()` that says the same."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.func, ast.Name) or node.func.id not in ("path", "re_path"):
            return node
        if node.func.id == "path" and isinstance(node.args[0], ast.Constant):
            node.args[0] = ast.Constant(f"^{node.args[0].value}$")
        return ast.Call(ast.Name("url", ast.Load()), node.args, node.keywords)


class Joined(ast.NodeTransformer):
    """Paths of pathlib as the call of os.path that says the same."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        inner = node.args[0] if len(node.args) == 1 else None
        if isinstance(node.func, ast.Name) and node.func.id == "str" and inner is not None:
            return self._join(inner) or node
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("open", "exists"):
            joined = self._join(node.func.value)
            name = {"open": "open", "exists": "os.path.exists"}[node.func.attr]
            if joined is not None:
                called = ast.parse(name, mode="eval").body
                return ast.Call(called, [joined, *node.args], node.keywords)
        return node

    def _join(self, value: ast.expr) -> ast.Call | None:
        if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Div):
            parts = [*self._parts(value.left), value.right]
        else:
            parts = self._parts(value)
        joined = ast.parse("os.path.join", mode="eval").body
        return ast.Call(joined, parts, []) if len(parts) > 1 else None

    def _parts(self, value: ast.expr) -> list[ast.expr]:
        is_path = isinstance(value, ast.Call) and ast.unparse(value.func) == "Path"
        return value.args if is_path and isinstance(value, ast.Call) else []


def test_os_path_to_pathlib(tmp_path: Path) -> None:
    migration = Migration(Package("mlflow-skinny", "2.16.0", "wheel"), ".", tmp_path)
    result = migration.follow("`os.path` to `pathlib`")
    assert result.replacements > 300
    assert {*result.blocked} <= {"changes_structure"}  # `os.path.join(a, *b)`
    trees_agree(result, lambda tree: Joined().visit(tree))
    names_resolve(migration, result)


OPERATORS = {
    "assertEqual": ast.Eq, "assertNotEqual": ast.NotEq, "assertIs": ast.Is,
    "assertIn": ast.In, "assertNotIn": ast.NotIn,
}  # fmt: skip
ENDS = {"assertIsNone": ast.Is, "assertIsNotNone": ast.IsNot}


class Asserted(ast.NodeTransformer):
    """Assertions of unittest, as the statement that says the same."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        call = node.value
        name = ast.unparse(call.func).removeprefix("self.") if isinstance(call, ast.Call) else ""
        if not isinstance(call, ast.Call) or call.keywords or not call.args:
            return node
        first, *rest = call.args
        if name in OPERATORS and len(rest) in ((1, 2) if name == "assertEqual" else (1,)):
            test: ast.expr = ast.Compare(first, [OPERATORS[name]()], rest[:1])
            rest = rest[1:]
        elif name in ENDS and not rest:
            test = ast.Compare(first, [ENDS[name]()], [ast.Constant(None)])
        elif name == "assertIsInstance" and len(rest) == 1:
            test, rest = ast.Call(ast.Name("isinstance", ast.Load()), [first, *rest], []), []
        elif name == "assertTrue" and len(rest) < 2:
            test = first
        elif name == "assertFalse" and not rest:
            test = ast.UnaryOp(ast.Not(), first)
        else:
            return node
        return ast.Assert(test, rest[0] if rest else None)


def test_unittest_to_pytest(tmp_path: Path) -> None:
    result = Migration(*TORNADO, tmp_path).follow("unittest to pytest")
    assert result.replacements > 1_500
    assert result.blocked.total() < 10
    trees_agree(result, lambda tree: Asserted().visit(tree))


class United(ast.NodeTransformer):
    """`Optional[A]` as `A | None`, but of what is quoted."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        quoted = isinstance(node.slice, ast.Constant)
        if ast.unparse(node.value) != "Optional" or quoted:
            return node
        return ast.BinOp(node.slice, ast.BitOr(), ast.Constant(None))


def test_optional_to_none(tmp_path: Path) -> None:
    migration = Migration(Package("mlflow-skinny", "2.16.0", "wheel"), ".", tmp_path)
    result = migration.follow("`Optional` to `| None`")
    assert result.replacements > 20
    assert not result.blocked
    trees_agree(result, lambda tree: United().visit(tree))
    names_resolve(migration, result)


def test_every_migration_of_the_page_is_run_here() -> None:
    text = Path(__file__).read_text()
    headings = re.findall("^### (.*)$", PAGE.read_text(), re.MULTILINE)
    assert len(headings) == 8
    assert [heading for heading in headings if f'.follow("{heading}")' not in text] == []


class Fetched(ast.NodeTransformer):
    """Calls of `self.fetch` without the argument."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if ast.unparse(node.func) == "self.fetch":
            node.keywords = [
                key for key in node.keywords if ast.unparse(key) != "raise_error=False"
            ]
        return node


def test_add_a_keyword_argument(tmp_path: Path) -> None:
    migration = Migration(*TORNADO, tmp_path)
    words = ("-p", "self.fetch($$$A)", "-r", "self.fetch($$$A, raise_error=False)")
    result = migration.edit("edit", *words, "tornado/test")
    assert result.replacements > 300
    assert {*result.blocked} == {"breaks_syntax"}  # those that have it
    trees_agree(result, lambda tree: Fetched().visit(tree))
    for path, before in result.before.items():
        kept = {line for line in before.split(b"\n") if b"fetch(" not in line}
        lost = kept - {*result.after[path].split(b"\n")}
        assert all(b"=" in line or b'"' in line for line in lost), path  # one-line arguments
    for path, text in result.after.items():
        compile(text, path, "exec")


class Swapped(ast.NodeTransformer):
    """`assertEqual` with its arguments in one order."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if ast.unparse(node.func) == "self.assertEqual" and len(node.args) == 2:
            node.args.sort(key=ast.dump)
        if ast.unparse(node.func) == "self.fetch":
            node.keywords = [key for key in node.keywords if ast.unparse(key) != "method='GET'"]
        return node


def test_reorder_and_remove_arguments(tmp_path: Path) -> None:
    migration = Migration(*TORNADO, tmp_path)
    swap = ("-p", "self.assertEqual($A, $B)", "-r", "self.assertEqual($B, $A)")
    drop = ("-p", 'self.fetch($$$A, method="GET", $$$B)', "-r", "self.fetch($$$A, $$$B)")
    result = migration.edit("edit", *swap, *drop, "tornado/test")
    assert result.replacements > 1100
    assert {*result.blocked} <= {"loss"}  # comments between the arguments
    trees_agree(result, lambda tree: Swapped().visit(tree))
    assert all(
        re.sub(rb"\s", b"", old) != re.sub(rb"\s", b"", result.after[path])
        for path, old in result.before.items()
    )


def node(place: Path, *packages: str) -> None:
    """Installs npm packages where code below that place finds them."""
    if (npm := shutil.which("npm")) is None or shutil.which("node") is None:
        pytest.skip("node and npm are not installed")
    command = [npm, "install", "--silent", "--ignore-scripts", "--prefix", str(place), *packages]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode:
        pytest.skip(f"npm cannot install {packages}: {done.stderr[-200:]}")


MINIMIST = Package("minimist", "1.2.8", "npm"), "package"


def tape(migration: Migration) -> None:
    for test in sorted((migration.root / "test").glob("*.js")):
        migration.run("node", str(test))


def test_var_to_const_and_let(tmp_path: Path) -> None:
    node(tmp_path, "tape@5")
    migration = Migration(*MINIMIST, tmp_path)
    tape(migration)
    result = migration.follow("`var` to `const` and `let`")
    assert result.replacements > 130
    assert not result.blocked
    for path, old in result.before.items():
        new = re.sub(rb"\b(var|const)\b", b"let", result.after[path])
        assert re.sub(rb"\bvar\b", b"let", old) == new
        required = re.search(rb"^var \w+ = require\([^()]*\);", old, re.MULTILINE)
        assert (required is not None) <= (b"const " in result.after[path])
    tape(migration)


def test_require_to_import(tmp_path: Path) -> None:
    node(tmp_path, "tape@5")
    migration = Migration(*MINIMIST, tmp_path)
    result = migration.follow("`require` to `import`")
    assert (result.replacements, result.blocked.total()) == (31, 0)
    package = migration.root / "package.json"
    package.write_text(json.dumps(json.loads(package.read_text()) | {"type": "module"}))
    tape(migration)


def test_require_comes_and_goes(tmp_path: Path) -> None:
    """In modules of CommonJS: what is needed is required, in the way of the file."""
    node(tmp_path, "tape@5")
    migration = Migration(*MINIMIST, tmp_path)
    words = ("-p", "parse($$$A)", "-r", "util.types.isProxy(1) || parse($$$A)")
    result = migration.edit(
        "edit", *words, "-l", "js", "--add-import", 'import util from "util"', "test"
    )
    assert result.replacements > 60
    assert all(b"var util = require('util');" in text for text in result.after.values())
    tape(migration)
    migration.commit()
    proxy = ("-p", "util.types.isProxy(1) || $P", "-r", "$P")
    back = migration.edit("edit", *proxy, "-l", "js", "--prune-imports", "test")
    assert back.replacements == result.replacements
    assert not any(b"util" in text for text in back.after.values())
    tape(migration)


def test_any_to_unknown(tmp_path: Path) -> None:
    node(tmp_path, "typescript@5.9.3")
    migration = Migration(Package("rxjs", "7.8.2", "npm"), "package", tmp_path)
    words = [
        word
        for name in ("err", "error")
        for word in (
            *("-p", f"({name}: any) => void", "--context", f"type T = ({name}: any) => void;"),
            *("--selector", "function_type", "-r", f"({name}: unknown) => void"),
        )
    ]
    result = migration.edit("edit", *words, "src")
    assert (result.replacements, result.blocked.total()) == (16, 0)
    compiler = tmp_path / "node_modules/.bin/tsc"
    migration.run(str(compiler), "--noEmit", "-p", "src/tsconfig.base.json")


def java_parses(paths: list[Path]) -> None:
    """The compiler reads all of them; what they are of is not there."""
    command = ["javac", "-proc:none", "-XDshould-stop.ifNoError=PARSE", *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-2000:]


def test_java_value_of_and_lists(tmp_path: Path) -> None:
    if shutil.which("javac") is None:
        pytest.skip("javac is not installed")
    package = Package("react-native", "0.72.17", "npm")
    migration = Migration(package, "package/ReactAndroid/src/main/java", tmp_path)
    boxes = [
        word
        for name in ("Integer", "Long", "Boolean", "Double", "Float")
        for word in ("-p", f"new {name}($X)", "-r", f"{name}.valueOf($X)")
    ]
    lists = ("-p", "Arrays.asList($$$A)", "-r", "List.of($$$A)")
    imports = ("--add-import", "import java.util.List;", "--prune-imports")
    result = migration.edit("edit", *boxes, *lists, *imports)
    assert result.replacements > 5
    assert not result.blocked
    java_parses([migration.root / path for path in result.after])
    for text in result.after.values():
        assert text.count(b"import java.util.List;") <= 1
        assert (b"List.of(" in text) <= (b"import java.util.List;" in text)
        assert (b"import java.util.Arrays;" in text) <= (b"Arrays." in text)


def test_go_ioutil(tmp_path: Path) -> None:
    if shutil.which("gofmt") is None:
        pytest.skip("gofmt is not installed")
    migration = Migration(Package("feast", "0.31.1", "sdist"), "feast-0.31.1", tmp_path)
    result = migration.follow("`ioutil` to `os` and `io`")
    assert result.replacements
    assert not result.blocked
    for path, before in result.before.items():
        if subprocess.run(["gofmt"], input=before, capture_output=True).stdout == before:
            assert migration.run("gofmt", path) == result.after[path]
