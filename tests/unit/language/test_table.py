"""The table says what ast-grep says: names, suffixes, stand-ins, trees."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from ast_grep_py import SgNode, SgRoot

from astedit.language import for_path, load, named, rows
from tests.support import lists
from tests.support.differential.oracle import LANGUAGES
from tests.support.samples import SAMPLES

ROWS = lists.rows(Path(__file__).with_suffix(".txt"))

AST_GREP = str(Path(sys.executable).with_name("ast-grep"))
OURS_ALONE = {row.name for row in rows()} - LANGUAGES
# The published wheels hold other grammars than ast-grep's for these two.
OTHER_GRAMMAR = {"dart", "kotlin"}
SHARED = [row for row in rows() if row.name not in OURS_ALONE]


def test_every_language_is_there_once_and_in_order():
    names = [row.name for row in rows()]
    assert names == sorted(names)
    assert {*LANGUAGES, "sql", "toml"} <= set(names)
    words = [word for row in rows() for word in (row.name, *row.aliases)]
    suffixes = [suffix for row in rows() for suffix in row.suffixes]
    assert len(words) == len(set(words))
    assert len(suffixes) == len(set(suffixes))


def test_data_and_markup_languages_are_marked():
    marked = {row.name for row in rows() if row.markup}
    assert marked == {"css", "html", "json", "markdown", "toml", "yaml"}


@pytest.mark.parametrize(("name", "expected"), ROWS["named ignores case"])
def test_named_ignores_case(name, expected):
    row = named(name)
    assert (row and row.name) == expected


@pytest.mark.parametrize(("path", "expected"), ROWS["for path looks at the last suffix only"])
def test_for_path_looks_at_the_last_suffix_only(path, expected):
    row = for_path(path)
    assert (row and row.name) == expected


def test_suffixes_and_labels_are_those_of_ast_grep(tmp_path):
    more = "h++ hxx lhs mdx vue svelte rake jsonc csx inc pyx zon sass less luau star py x"
    suffixes = {suffix for row in rows() for suffix in row.suffixes} | set(more.split())
    for suffix in suffixes - OURS_ALONE:
        (tmp_path / f"f.{suffix}").write_text("x")
    rules = "\n---\n".join(
        f"id: {row.name}\nlanguage: {row.name}\nrule: {{kind: ERROR}}" for row in SHARED
    )
    found = subprocess.run(
        [AST_GREP, "scan", "--inspect", "entity", "--inline-rules", rules, str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
    )
    ours = {path.name: row.label for path in tmp_path.iterdir() if (row := for_path(path.name))}
    assert dict(_languages(found.stderr)) == ours


def _languages(report: str) -> Iterator[tuple[str, str]]:
    """The `file|<path>: language=<label>,...` lines of ast-grep's report."""
    for line in report.splitlines():
        path, _, language = line.partition(": language=")
        if language:
            yield path.rpartition("/")[2], language.partition(",")[0]


@pytest.mark.parametrize("row", SHARED, ids=lambda row: row.name)
def test_names_and_stand_ins_are_those_of_ast_grep(row):
    for name in (row.name, *row.aliases):
        assert SgRoot("", name).root().kind()
    holes = {char for char in "µ_z\U00010000" if _is_hole(row, f"{char}A")}
    assert holes == ({row.stand_in} - {"$"})


def _is_hole(row, pattern: str) -> bool:
    """True when ast-grep takes `pattern` as a hole: it then matches any sample."""
    try:
        return SgRoot(SAMPLES[row.name], row.name).root().find(pattern=pattern) is not None
    except RuntimeError:  # several nodes: the character cannot stand there at all
        return False


@pytest.mark.parametrize(
    "row", [row for row in SHARED if row.name not in OTHER_GRAMMAR], ids=lambda row: row.name
)
def test_trees_are_those_of_ast_grep(row):
    source = SAMPLES[row.name]
    assert source.isascii(), "ast-grep-py counts characters, we count bytes"
    ours = load(row).parser().parse(source.encode()).root_node
    assert _tree(SgRoot(source, row.name).root()) == _own_tree(ours)


def _tree(node: SgNode):
    span = node.range()
    children = [_tree(child) for child in node.children()]
    return (node.kind(), span.start.index, span.end.index, children)


def _own_tree(node):
    return (node.type, node.start_byte, node.end_byte, [_own_tree(c) for c in node.children])


def test_php_takes_patterns_without_an_opening_tag_and_whole_files():
    parser = load(named("php")).parser()
    for source in (b"echo 1;", b"<?php\necho 1;\n"):
        assert not parser.parse(source).root_node.has_error


@pytest.mark.parametrize("row", rows(), ids=lambda row: row.name)
def test_a_stand_in_parses_as_part_of_a_name(row):
    """`foo(<hole>)` and its like keep the hole in one node that holds nothing else."""
    hole = f"{row.stand_in}A"
    tree = load(row).parser().parse(_with_hole(row.name, hole).encode())
    assert hole in set(_leaf_texts(tree.root_node))


def _with_hole(language: str, hole: str) -> str:
    special = {
        "css": f"a {{ color: {hole}; }}",
        "html": f"<p>{hole}</p>",
        "json": f'["{hole}"]',
        "markdown": f"# {hole}\n",
        "hcl": f"a = foo({hole})",
        "nix": f"a + {hole}",
        "sql": f"SELECT {hole} FROM t;",
        "toml": f"{hole} = 1",
        "yaml": f"a: {hole}",
        "bash": f"echo {hole}",
    }
    return special.get(language, f"foo({hole})")


def _leaf_texts(node) -> Iterator[str]:
    # Bash and PHP spell a variable with `$`: the smallest node that is all hole counts.
    yield node.text.decode()
    for child in node.children:
        yield from _leaf_texts(child)


def test_the_documentation_has_every_row():
    text = (Path(__file__).parents[3] / "docs" / "languages.md").read_text()
    for row in rows():
        stand_in = "U+10000" if row.stand_in == "\U00010000" else f"`{row.stand_in}`"
        suffixes = " ".join(f".{suffix}" for suffix in row.suffixes)
        cells = (row.name, " ".join(row.aliases), suffixes, row.distribution, stand_in)
        assert f"| {' | '.join(cells)} |" in text
    lacking = ", ".join(row.name for row in rows() if row.legacy is None)
    assert f"({lacking})" in text
