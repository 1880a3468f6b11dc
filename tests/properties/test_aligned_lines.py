"""Lines that stand below what follows a bracket go with it: asked of `tokenize`. (F16)"""

import ast
import io
import subprocess
import sysconfig
import tokenize
from collections.abc import Iterator
from itertools import accumulate, pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from astedit.language import named
from astedit.language.traits import traits
from astedit.rewrite.make.piece import applied
from astedit.rewrite.make.render import Style
from astedit.rewrite.plan_edits import rewrite
from tests.support.engine_edit import edited, plan_of, program
from tests.support.lists import rows

ROWS = rows(Path(__file__).with_suffix(".txt"))

LIBRARY = Path(sysconfig.get_path("stdlib"))
RENAMES = ROWS["renames"]
SKIPPED = {tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT}


def below(text: str) -> Iterator[tuple[int, int]]:
    """The lines that begin below what follows the innermost bracket around them.

    Of each the number of its first token, and where that bracket is.
    """
    starts = [0, *accumulate(map(len, text.splitlines(keepends=True)))]
    opened: list[tuple[int, tuple[int, int]]] = []  # the bracket, and what follows it
    row = number = 0
    for token, following in pairwise(list(tokenize.generate_tokens(io.StringIO(text).readline))):
        if token.type in SKIPPED or token.type == tokenize.ENDMARKER:
            continue
        if token.start[0] > row and opened and token.string not in (")", "]", "}"):
            bracket, (first, column) = opened[-1]
            if starts[first - 1] <= bracket and token.start[1] == column:
                yield number, bracket
        row = token.end[0]
        number += 1
        if token.string in ("(", "[", "{"):
            opened.append((starts[token.start[0] - 1] + token.start[1], following.start))
        elif token.string in (")", "]", "}"):
            opened.pop()


def strings(text: str) -> list[str]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [token.string for token in tokens if token.type == tokenize.STRING]


def check_rename(text: str) -> int:
    """How many lines stand below a bracket before a renaming; they do so after it.

    But for those below a bracket with an edit before it on its line that is about other code.
    """
    ops = ("isinstance($$$A)", "is_one_of($$$A)"), ("$O.append($$$A)", "$O.add($$$A)")
    after, data = edited("python", text, *ops)
    spans = [edit.match for edit in data.edits if edit.match is not None]
    aligned = {
        number
        for number, bracket in below(text)
        if not any(text.rfind("\n", 0, bracket) < s.start and s.end <= bracket for s in spans)
    }
    assert aligned <= {number for number, _ in below(after)}
    assert strings(after) == strings(text)
    return len(aligned)


def files(*folders: str) -> list[Path]:
    return [path for folder in folders for path in sorted((LIBRARY / folder).glob("*.py"))]


def test_lines_of_renamed_calls_stand_where_they_stood() -> None:
    assert sum(check_rename(path.read_text()) for path in files("email")[6:14]) > 30


def test_moved_lines_change_nothing_else_and_git_takes_them(tmp_path: Path) -> None:
    source = (
        "if x:\n    f(a,\n      '''s\n      t''', [1,\n             2],\n      # why\n      b)\n"
    )
    plan = plan_of(tmp_path, {"a.py": source}, ("f($$$A)", "longer($$$A)"))
    for command in (["init", "-q"], ["apply", "-"]):
        subprocess.run(["git", *command], cwd=tmp_path, input=plan.patch(), check=True)
    after = (tmp_path / "a.py").read_text()
    assert after.split("\n")[1:] == [
        "    longer(a,",
        "           '''s",
        "      t''', [1,",
        "             2],",
        "           # why",
        "           b)",
        "",
    ]
    renamed = ast.dump(ast.parse(source)).replace("'f'", "'longer'")
    assert ast.dump(ast.parse(after)) == renamed


LINES = st.sampled_from(
    ["a", "b(1,\n{}2)", "[\n    c,\n{}]", "x + {}y", "'''s\n   t'''", "# why\n{}d", "g(\n{}e)", ""]
)


@given(st.lists(st.tuples(LINES, st.integers(0, 14)), min_size=1, max_size=6), st.data())
def test_the_pieces_of_an_edit_are_its_text(
    items: list[tuple[str, int]], data: st.DataObject
) -> None:
    indents = [" " * width for _, width in items]
    lines = [item.replace("{}", white) for (item, _), white in zip(items, indents, strict=True)]
    text = "foo(" + "".join(
        f"{line},\n{white}" for line, white in zip(lines, indents, strict=True) if line
    )
    source = f"if q:\n    {text})\n".encode()
    pat, out = data.draw(st.sampled_from([("foo($$$A)", "longer($$$A)"), *RENAMES]))
    compiled, _ = program("python", (pat, out), ("b($$$A)", "c($$$A, k)"))
    root = compiled.grammar.parser().parse(source).root_node
    row = named("python")
    assert row is not None
    style = Style(source, root, False, traits(row.name).facts)
    pairs = [(op.rewrite, found) for op, found in compiled.find(root, source, "a") if op.rewrite]
    for site in rewrite(pairs, style).sites:
        assert applied(site.pieces, site.start, site.end, source).data == site.text.data


@pytest.mark.slow
def test_lines_of_the_library_stand_where_they_stood() -> None:
    paths = [p for p in sorted(LIBRARY.rglob("*.py")) if "site-packages" not in p.parts]
    count = 0
    for path in paths[:: len(paths) // 250 or 1]:
        try:
            text = path.read_bytes().decode()
            ast.parse(text)
        except (UnicodeDecodeError, SyntaxError, ValueError):
            continue
        if text.isascii() and not {"\r", "\t", "\f"} & {*text}:
            count += check_rename(text)
    assert count > 600
