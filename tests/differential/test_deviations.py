"""Each documented deviation, shown on one input: what ast-grep does, and what we do.

`docs/deviations.md` is the list for people; it and these cases name the same ids.
"""

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from astedit import search
from astedit.errors import AstEditError
from tests.support.differential.explain import SAME, explain
from tests.support.differential.oracle import Query, Subject, compiled, ours
from tests.support.lists import rows
from tests.support.trees import plan_of, read, write

REPOSITORY = Path(__file__).parents[2]
TABLE = REPOSITORY / "docs" / "deviations.md"
AST_GREP = shutil.which("ast-grep", path=str(Path(sys.executable).parent)) or "ast-grep"


@dataclass(frozen=True)
class Rewrite:
    """One rewrite of one file. `ours` is the text, a reason to block, or an error's code."""

    file: str
    source: str
    pat: str
    out: str
    theirs: str
    ours: str


CASES = rows(Path(__file__).with_suffix(".txt"))
REWRITES = {name: Rewrite(*values) for name, *values in CASES["rewrites"]} | {
    "F8 newlines": Rewrite(
        "a.py", "f(1)\r\n", "f($A)", "g(\n  $A)", "g(\n  1)\r\n", "g(\r\n  1)\r\n"
    )
}

SEARCHES = {
    name: (Query(language, pattern), source, explanation)
    for name, language, pattern, source, explanation in CASES["searches"]
}


def their_rewrite(root: Path, case: Rewrite) -> str:
    """What the file is after ast-grep."""
    command = [AST_GREP, "run", "-p", case.pat, "-r", case.out, "--update-all", "."]
    subprocess.run(command, cwd=root, capture_output=True, check=False)
    return (root / case.file).read_bytes().decode()


def our_rewrite(root: Path, case: Rewrite) -> str:
    """What the file is after our patch; else why nothing would be changed."""
    try:
        plan = plan_of(root, [{"pat": case.pat, "out": case.out}])
    except AstEditError as error:
        return error.code
    if plan.blocked:
        return plan.blocked[0].reason
    if not plan.files:
        return (root / case.file).read_bytes().decode()
    command = ["git", "apply", "--whitespace=nowarn", "-"]
    subprocess.run(command, cwd=root, input=plan.patch(), capture_output=True, check=True)
    return (root / case.file).read_bytes().decode()


@pytest.mark.parametrize("key", REWRITES)
def test_rewrites(tmp_path: Path, key: str) -> None:
    case = REWRITES[key]
    tree = {case.file: case.source.encode()}
    theirs, ours = tmp_path / "theirs", tmp_path / "ours"
    theirs.mkdir()
    ours.mkdir()
    assert our_rewrite(write(ours, tree), case) == case.ours
    assert their_rewrite(write(theirs, tree), case) == case.theirs


@pytest.mark.parametrize("key", SEARCHES)
def test_searches(key: str) -> None:
    query, source, expected = SEARCHES[key]
    assert explain(query, Subject(query.language, source.encode())) == expected


def test_a_context_leaves_nothing_to_recover() -> None:
    """The way on from R-1."""
    query = Query("rust", "a path", selector="scoped_identifier", context="fn f() { Vec::$F; }")
    subject = Subject("rust", b"fn f() { Vec::new() }")
    assert explain(query, subject) == SAME
    assert len(ours(compiled(query), subject)) == 1


def test_r3_a_grammar_of_a_wheel_may_lack_a_kind(tmp_path: Path) -> None:
    """Whoever sees this fail has a newer grammar of Dart: the row can go."""
    rule = "{id: r, language: dart, rule: {kind: call_expression}}"
    command = [AST_GREP, "scan", "--inline-rules", rule, "--json"]
    write(tmp_path, {"a.dart": b"void main() {\n  print(1);\n}\n"})
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)
    assert b'"text": "print(1)"' in done.stdout
    with pytest.raises(AstEditError, match="there is no node kind 'call_expression'"):
        search(rule=rule, root=tmp_path, lang="dart")
    context = "void f() { print($A); }"
    statement = search("print($A);", root=tmp_path, lang="dart", context=context,
                       selector="expression_statement")  # fmt: skip
    assert [match.text for match in statement.matches] == ["print(1);"]


def test_d4_tracked_files_are_searched_whatever_is_ignored(tmp_path: Path) -> None:
    write(tmp_path, {".gitignore": b"b.py\n", "a.py": b"f(1)\n", "b.py": b"f(1)\n"})
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run(["git", "add", "-f", "."], cwd=tmp_path, check=True)
    plan = plan_of(tmp_path, [{"pat": "f($A)", "out": "g($A)"}])
    assert [file.path for file in plan.files] == ["a.py", "b.py"]
    command = [AST_GREP, "run", "-p", "f($A)", "-r", "g($A)", "--update-all", "."]
    subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)
    assert read(tmp_path)["a.py"] == b"g(1)\n"
    assert read(tmp_path)["b.py"] == b"f(1)\n"


def test_what_is_left_out_is_said(tmp_path: Path) -> None:
    tree = {
        "latin.py": "f('ö')\n".encode("latin-1"),
        "made.py": b"# @generated\nf(1)\n",
        "vendor/a.py": b"f(1)\n",
    }
    assert {
        skip.path: skip.reason
        for skip in plan_of(write(tmp_path, tree), [{"pat": "f($A)", "out": "g($A)"}]).skipped
    } == {"latin.py": "not_utf8", "made.py": "generated", "vendor/a.py": "vendored"}
    command = [AST_GREP, "run", "-p", "f($A)", "-r", "g($A)", "--update-all", "."]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)
    after = read(tmp_path)
    assert after["latin.py"] == tree["latin.py"]
    assert b"latin" not in done.stdout + done.stderr
    assert after["made.py"] != tree["made.py"]
    assert after["vendor/a.py"] != tree["vendor/a.py"]


# the table ------------------------------------------------------------------------------


def rows() -> list[list[str]]:
    """The cells of the table's rows."""
    lines = [line for line in TABLE.read_text().splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[1:]]


def test_the_table_has_every_deviation_once() -> None:
    ids = [row[0] for row in rows()]
    assert len(ids) == len(set(ids))
    assert {key.partition(" ")[0] for key in (*REWRITES, *SEARCHES)} <= set(ids)


def test_every_row_names_tests_that_exist() -> None:
    for row in rows():
        named = re.findall(r"`([^`]+)`", row[-1])
        assert named, row
        for name in named:
            assert _exists(name), name


def _exists(name: str) -> bool:
    path, _, test = name.partition("::")
    place = REPOSITORY / path
    if not test:
        return place.is_file() and path.startswith("fixtures/")
    function, _, key = test.partition("[")
    if function in ("test_rewrites", "test_searches"):
        known = REWRITES if function == "test_rewrites" else SEARCHES
        return key.rstrip("]") in known
    return place.is_file() and f"def {function}(" in place.read_text()
