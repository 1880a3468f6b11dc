"""What need not be parsed again: names in the place of names, and nothing else."""

from random import Random

import pytest
from tree_sitter import Node

from astedit.language import load, named
from astedit.language.traits import traits
from astedit.rewrite.prove import verify as verifying
from astedit.rewrite.prove.verify import only_names
from astedit.text.indent import Text
from astedit.text.source import Change, splice
from benchmarks.packages import Unavailable
from tests.support.differential.corpora import CORPORA, Corpus, bundled, packaged
from tests.support.differential.explain import preorder

PYTHON = named("python")
assert PYTHON is not None
GRAMMAR = load(PYTHON)
NAMES = (b"a", b"other_name", b"_x", b"matched", b"cls", b"f", b"rb", b"type_", b"None_", b"x" * 90)


def root_of(source: bytes) -> Node:
    return GRAMMAR.parser().parse(source).root_node


def answer(source: bytes, old: bytes, new: bytes) -> bool:
    at = source.index(old)
    changes: list[Change] = [(at, at + len(old), new)]
    return only_names(GRAMMAR, traits("python").facts, root_of(source), source, changes)


@pytest.mark.parametrize(
    ("source", "old", "new", "expected"),
    [
        (b"f(1)\n", b"f", b"g", True),
        (b"a.f(1)\n", b"a.f(1)", b"b.g(1)", True),
        (b"x = f(a, [b])\n", b"f(a, [b])", b"g(a, [c])", True),
        (b'f"{x!r}"\n', b"x", b"yy", True),
        (b"f(a, match=b)\n", b"a", b"c", True),
        (b"f(1)\n", b"f", b"None", False),
        (b"f(1)\n", b"f", b"print", False),
        (b"match(x)\n", b"match", b"f", False),
        (b"f(1)\n", b"f", b"lambda", False),
        (b"f(1)\n", b"f", b"_", False),
        (b"f(1)\n", b"f(1)", b"f(2)", False),
        (b"f(1)\n", b"f(1)", b"f( 1)", False),
        (b"f(1)\n", b"f", b"a.f", False),
        (b"f(1)\n", b"f", b"2", False),
        (b"f(1)\n", b"f", "ß".encode(), False),
        (b"x = 'f'\n", b"f", b"g", False),
        (b"x = 1 # f\n", b"f", b"g", False),
        (b"f(1\n", b"f", b"g", False),
        (b"x = r'a'\n", b"r", b"g", False),
    ],
)
def test_names_for_names_and_nothing_else(
    source: bytes, old: bytes, new: bytes, expected: bool
) -> None:
    assert answer(source, old, new) is expected


def test_no_other_language() -> None:
    """`union` is a name in Rust until it is not, and its grammar does not say so."""
    row = named("rust")
    assert row is not None
    grammar = load(row)
    root = grammar.parser().parse(b"fn f() { g(); }").root_node
    assert not only_names(grammar, traits("rust").facts, root, b"fn f() { g(); }", [(9, 10, b"h")])


def shape(root: Node) -> list[tuple[str, int]]:
    return [(node.type, node.child_count) for node in preorder(root)]


def renamed(random: Random, source: bytes) -> list[Change]:
    """Some identifiers, called otherwise."""
    nodes = [node for node in preorder(root_of(source)) if node.type == "identifier"]
    chosen = random.sample(nodes, min(len(nodes), 40))
    chosen.sort(key=lambda node: node.start_byte)
    words = (*NAMES, *(node.text or b"" for node in chosen))
    return [(node.start_byte, node.end_byte, random.choice(words)) for node in chosen]


def check(random: Random, source: bytes) -> bool:
    """Whether it was said that the tree stays the same; if so, it does."""
    changes = renamed(random, source)
    root = root_of(source)
    if not only_names(GRAMMAR, traits("python").facts, root, source, changes):
        return False
    assert shape(root_of(splice(source, changes))) == shape(root)
    return True


@pytest.mark.parametrize("seed", range(40))
def test_the_tree_is_the_same(seed: int) -> None:
    random = Random(seed)
    sources = [file.source for file in bundled("python")]
    assert any(check(random, random.choice(sources)) for _ in range(20))


@pytest.mark.slow
@pytest.mark.parametrize("corpus", [one for one in CORPORA if one.language == "python"])
def test_the_tree_is_the_same_in_packages(corpus: Corpus) -> None:
    try:
        files = packaged(corpus)
    except Unavailable as reason:
        pytest.skip(str(reason))
    said = sum(check(Random(number), file.source) for number, file in enumerate(files))
    assert said > len(files) / 4


def test_a_rename_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is counted to tell flaws from, which is what comes before parsing again."""
    source = b"f(1)\n"
    tree = GRAMMAR.parser().parse(source)
    monkeypatch.setattr(verifying, "count_flaws", None)
    args = (GRAMMAR, traits("python"), tree, source, verifying.Lines(source))
    puts = [verifying.Put(0, 1, Text(name)) for name in (b"g", b"print")]
    assert verifying.Verification(*args, puts[:1]).fault([0]) is None
    with pytest.raises(TypeError):
        verifying.Verification(*args, puts[1:]).fault([0])
