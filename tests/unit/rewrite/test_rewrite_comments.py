"""Which comments new text does not have any more."""

import pytest

from astedit.language import load, rows
from astedit.language.table import Row
from astedit.rewrite.loss import comments_within, dropped, missing

COMMENTS = {
    "bash": ("x # c\n", "# c"),
    "css": ("a { /* c */ }", "/* c */"),
    "haskell": ("x = {- c -} 1\n", "{- c -}"),
    "html": ("<a><!-- c --></a>", "<!-- c -->"),
    "lua": ("x = 1 --[[ c ]]\n", "--[[ c ]]"),
    "nix": ("{ a = 1; /* c */ }", "/* c */"),
    "python": ("x = '# no'  # c\n", "# c"),
    "ruby": ("=begin\nc\n=end\nx\n", "=begin\nc\n=end"),
    "rust": ("/// c\nfn f() {}\n", "/// c"),
    "scala": ("val x = /* c */ 1\n", "/* c */"),
    "sql": ("SELECT a -- c\nFROM t;\n", "-- c"),
    "swift": ("/* c */ let x = 1\n", "/* c */"),
}
WITHOUT = {"markdown", "json"}


def parsed(row: Row, text: str):  # type: ignore[no-untyped-def]
    return load(row).parser().parse(text.encode()).root_node


@pytest.mark.parametrize("name", sorted({row.name for row in rows()} - WITHOUT))
def test_every_language_has_comments(name: str) -> None:
    row = next(row for row in rows() if row.name == name)
    hashes = {"bash", "elixir", "hcl", "nix", "python", "ruby", "toml", "yaml"}
    sign = "# c" if name in hashes else "// c"
    text, comment = COMMENTS.get(name, (f"{sign}\n", sign))
    root = parsed(row, text)
    whole = len(text.encode())
    nodes = list(comments_within(root, 0, whole))
    assert [(node.text or b"").decode().strip() for node in nodes] == [comment]
    assert dropped(root, text.encode(), [(0, whole, b"")]) == nodes


@pytest.mark.parametrize(
    ("new", "gone"),
    [
        (b"", ["# a", "# a b", "# a"]),
        (b"# a b", ["# a", "# a"]),
        (b"# a\n# a\n", ["# a b"]),
        (b"# a b\n# a", ["# a"]),
        (b"  # a\n# a  b\n# a", []),
    ],
)
def test_each_text_keeps_one_comment(new: bytes, gone: list[str]) -> None:
    row = next(row for row in rows() if row.name == "python")
    root = parsed(row, "x\n# a\n# a b\n# a\n")
    nodes = missing(comments_within(root, 0, 99), new)
    assert [(node.text or b"").decode() for node in nodes] == gone


def test_a_comment_of_several_lines_may_be_indented_otherwise() -> None:
    row = next(row for row in rows() if row.name == "javascript")
    text = "f(/* a\n   b */ 1);\n"
    root = parsed(row, text)
    assert dropped(root, text.encode(), [(0, 18, b"g(\n    /* a\n      b */ 1)")]) == []
    assert len(dropped(root, text.encode(), [(0, 18, b"g(/* a\n   c */ 1)")])) == 1
