"""`--layout template` writes what ast-grep writes, over real code.

As ast-grep's it takes the template's own indentation (`--reindent exact`). What remains are
deviations that are documented: blank lines are not padded and the inside of strings stays
(F8), an empty capture takes its comma with it (M-8), lines behind a comment on the first
one are indented by their own line (F7), and a tuple without brackets stays one item (F12).
"""

import ast
import json
import subprocess
import sysconfig
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from astedit.model.edit import Edit
from tests.support.lists import rows
from tests.support.trees import plan_of, write

ROWS = rows(Path(__file__).with_suffix(".txt"))

AST_GREP = Path(sysconfig.get_path("scripts")) / "ast-grep"
LIBRARY = Path(sysconfig.get_path("stdlib"))
OPS = ROWS["ops"]


def theirs(root: Path, pat: str, out: str) -> dict[tuple[str, int, int], str]:
    """What ast-grep would put there, by file and range of the match."""
    command = [AST_GREP, "run", "-p", pat, "-r", out, "--json=compact", "."]
    matches = json.loads(subprocess.run(command, cwd=root, capture_output=True).stdout)
    spans = [(one["file"].removeprefix("./"), one["range"]["byteOffset"]) for one in matches]
    return {
        (path, span["start"], span["end"]): one["replacement"]
        for (path, span), one in zip(spans, matches, strict=True)
    }


def difference(edit: Edit, theirs: str) -> str | None:
    """Which deviation explains it; None if it is the same text, `unknown` if none does."""
    ours = edit.whole_after
    if ours == theirs:
        return None
    if [line.rstrip(" ") for line in ours.split("\n")] == [
        x.rstrip(" ") for x in theirs.split("\n")
    ]:
        return "F8 blank lines"
    if ours.split() == theirs.split() and any(quote in ours for quote in ('"""', "'''", "\\\n")):
        return "F8 strings"
    if ours.split() == theirs.split() and "(  #" in edit.whole_before.split("\n")[0]:
        return "F7"
    if _bare(ours) == _bare(theirs) and _tuples(ours) == _tuples(theirs) + 1:
        return "F12"
    return "M-8" if ours.split() == theirs.replace(",", "", 1).split() else "unknown"


def _bare(text: str) -> list[str]:
    return text.replace("(", " ").replace(")", " ").split()


def _tuples(text: str) -> int:
    return sum(isinstance(node, ast.Tuple) for node in ast.walk(ast.parse(text)))


def compare(root: Path, files: Mapping[str, bytes], pat: str, out: str) -> Counter[str | None]:
    """The edits of single matches, by how they differ from ast-grep's."""
    options: dict[str, Any] = {"layout": "template", "reindent": "exact", "allow_loss": True}
    plan = plan_of(write(root, files), [{"pat": pat, "out": out}], **options)
    other = theirs(root, pat, out)
    return Counter(
        difference(edit, other[file.path, edit.match.start, edit.match.end])
        for file in plan.files
        for edit in file.edits
        if edit.matches == 1 and edit.match is not None
    )


@pytest.mark.parametrize(("pat", "out"), OPS)
def test_the_text_is_that_of_ast_grep(tmp_path: Path, pat: str, out: str) -> None:
    paths = sorted((LIBRARY / "email").glob("[g-i]*.py"))
    counts = compare(tmp_path, {path.name: path.read_bytes() for path in paths}, pat, out)
    assert counts[None] > 2
    assert not counts["unknown"]


@pytest.mark.slow
@pytest.mark.parametrize(("pat", "out"), OPS)
def test_the_text_over_more_files_is_that_of_ast_grep(tmp_path: Path, pat: str, out: str) -> None:
    paths = [path for name in ("asyncio", "unittest", "http", "json", "xml/dom", "email")
             for path in sorted((LIBRARY / name).glob("*.py"))]  # fmt: skip
    files = {f"{path.parent.name}_{path.name}": path.read_bytes() for path in paths}
    counts = compare(tmp_path, files, pat, out)
    assert counts[None] > 0.6 * counts.total() > 50
    assert not counts["unknown"]
