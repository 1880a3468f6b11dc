"""Each fact about a grammar has a source text that shows it, with both providers."""

from pathlib import Path

import pytest

from astedit.language import from_legacy, from_wheel, named, rows
from astedit.language.traits import traits
from tests.support import lists
from tests.support.legacy_grammars import legacy

# MARK stands on a line of its own inside a literal.
LITERALS = lists.lists(Path(__file__).with_suffix(".txt"))
NOT_IN_LEGACY = {  # grammars of early 2024 that lack the syntax, or place it differently
    "f\n__END__\n  MARK\n",
    'var s = """\n  MARK\n  """;\n',
    "cat <<'EOF' | wc\n  MARK\nEOF\n",
    's = #"""\n  MARK\n  """#\n',
}


def _literals():
    for language, sources in LITERALS.items():
        for source in sources:
            yield pytest.param(from_wheel, language, source)
            if named(language).legacy and source not in NOT_IN_LEGACY:
                yield pytest.param(from_legacy, language, source, marks=legacy)


def _root(provide, language, source):
    return provide(named(language)).parser().parse(source).root_node


@pytest.mark.parametrize(("provide", "language", "source"), list(_literals()))
def test_the_lines_inside_a_literal_are_known(provide, language, source):
    root = _root(provide, language, source.encode())
    assert not root.has_error, str(root)
    place = source.encode().index(b"MARK")
    line_start = source.encode().rindex(b"\n", 0, place) + 1
    node = root.descendant_for_byte_range(place, place + 4)
    inside = False
    while node is not None:
        inside |= node.type in traits(language).facts.literals and node.start_byte < line_start
        node = node.parent
    assert inside, str(root)


@pytest.mark.parametrize(
    "source", ["x = [\n  MARK,\n]\n", "# a\n  # MARK\n", "f(\n  MARK)\n", "x = ('a'\n  'MARK')\n"]
)
def test_code_is_no_literal(source):
    root = _root(from_wheel, "python", source.encode())
    place = source.index("MARK")
    node = root.descendant_for_byte_range(place, place + 4)
    line_start = source.rindex("\n", 0, place) + 1
    while node is not None:
        assert node.type not in traits("python").facts.literals or node.start_byte >= line_start
        node = node.parent


@legacy
@pytest.mark.parametrize("row", rows(), ids=lambda row: row.name)
def test_every_kind_is_one_of_a_grammar(row):
    known = set()
    for provide in (from_wheel, from_legacy) if row.legacy else (from_wheel,):
        language = provide(row).language
        known |= {language.node_kind_for_id(i) for i in range(language.node_kind_count)}
    facts = traits(row.name).facts
    keywords = facts.keywords or {}
    assert facts.literals | facts.blocks | facts.statements | keywords.keys() <= known
    assert {word for words in keywords.values() for word in words} <= known


LINE_COMMENTS = {
    "#": "bash elixir hcl nix php python ruby toml yaml",
    "//": "c cpp csharp css dart go hcl java javascript json kotlin php rust scala solidity "
    "swift tsx typescript zig",
    "--": "haskell lua sql",
    "<!--": "javascript",
    "///": "csharp dart java swift zig",
    "-- |": "haskell",
}
BLOCK_COMMENTS = {
    "/* x */": "c cpp csharp css dart go hcl java javascript json kotlin nix php rust scala "
    "solidity sql swift tsx typescript",
    "--[[ x ]]": "lua",
    "--[==[ x ]==]": "lua",
    "{- x -}": "haskell",
    "=begin\nx\n=end": "ruby",
    "<!-- x -->": "html",
}


def _comments(table):
    return [(name, text) for text, names in table.items() for name in names.split()]


@pytest.mark.parametrize(("language", "prefix"), _comments(LINE_COMMENTS))
def test_a_line_comment_ends_with_its_line(language, prefix):
    text = f"{prefix} x".encode()
    first = _root(from_wheel, language, text + b"\n\n").children[0]
    assert first.is_extra
    assert first.text == text
    assert traits(language).facts.ends_line(first.text)


@pytest.mark.parametrize(("language", "text"), _comments(BLOCK_COMMENTS))
def test_a_block_comment_does_not(language, text):
    first = _root(from_wheel, language, text.encode() + b"\n\n").children[0]
    assert first.is_extra
    assert not traits(language).facts.ends_line(first.text)


def test_rust_doc_comments_bring_their_newline():
    first = _root(from_wheel, "rust", b"/// x\nfn f() {}\n").children[0]
    assert first.text == b"/// x\n"
    assert not traits("rust").facts.ends_line(first.text)


SOLE = lists.rows(Path(__file__).with_name("sole_statements.txt"))["sole"]


@pytest.mark.parametrize(("language", "source", "expected"), SOLE)
def test_sole_statement(language, source, expected):
    source = source.replace("STATEMENT", "statement")
    root = _root(from_wheel, language, source.encode())
    assert not root.has_error, str(root)
    place = source.index("statement")
    node = root.descendant_for_byte_range(place, place + len("statement"))
    blocks = traits(language).facts.blocks
    while node.parent and node.parent.type not in blocks and node.parent.text == node.text:
        node = node.parent
    assert (node.id in traits(language).facts.sole_statements(node.parent, {node.id})) is expected
    assert (traits(language).facts.placeholder is not None) == bool(blocks)


def test_sole_statement_counts_what_goes_along():
    root = _root(from_wheel, "python", b"if a:\n    b\n    c\n    d\n")
    first, second, third = root.children[0].child_by_field_name("consequence").children
    sole = traits("python").facts.sole_statements
    assert sole(first.parent, {first.id, second.id}) == set()
    assert sole(first.parent, {node.id for node in (first, second, third)}) >= {first.id}
