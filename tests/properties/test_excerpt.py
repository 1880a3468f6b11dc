"""What statements alone are said to be right is right in all of the text. (rule F12)"""

import re
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from astedit.language import load, named
from astedit.language.traits import traits
from astedit.rewrite.prove import verify as verifying
from astedit.rewrite.prove.compiled import Excerpt, excerpt_of
from astedit.rewrite.prove.fault import Put
from astedit.rewrite.prove.verify import Verification
from astedit.text.indent import Text
from astedit.text.splice import Lines

ROW = named("python")
assert ROW is not None
GRAMMAR, KNOWN = load(ROW), traits("python")
SOURCE = b'''import os

@wraps(f(0))
class A(f(1)):
    """A text."""

    x = f(2)  # why

    def g(self, a=f(3)):
        if f(4) and not a:  # when
            return f(5)
        elif f(6): y = f(7); z = f(8)
        else:
            with f(9) as b, \\
                    f(10):
                b[f(11)] += [one for one in f(12)]
        for c in f(13):

            self.h(
                f(14),  # kept
                "%s" % f(15),
            )
        del a[f(16)]
        raise f(17) from f(18)

    assert f(19), f(20)
    async def i(self): await f(21)

while f(22):
    print(f(23)) ; f(24)
f(25)'''
CALLS = [found.span() for found in re.finditer(rb"f\(\d+\)", SOURCE)]
WORDS = [
    "f(0)", "x", "(", ")", ",", ":", "\n", "\n    ", "\\\n", '"', '"""', "#", "=", " if ", " else ",
    "lambda: ", ";", "return ", "await ", "*", "[", "]", ".y", " == ", " for z in ", "pass",
]  # fmt: skip


def faults(places: Sequence[int], new: bytes) -> Any:
    puts = [Put(*CALLS[place], Text(new), is_node=True) for place in places]
    tree = GRAMMAR.parser().parse(SOURCE)
    known = (KNOWN.compiler, KNOWN.brackets)
    lines = Lines(SOURCE)
    verification = Verification(GRAMMAR, KNOWN.facts, tree, SOURCE, lines, puts, *known)
    return verification.fault(range(len(puts)))


@settings(max_examples=300, deadline=None)
@given(
    places=st.sets(st.integers(0, len(CALLS) - 1), min_size=1, max_size=4),
    words=st.lists(st.sampled_from(WORDS), max_size=5),
)
def test_an_excerpt_says_what_the_whole_text_says(places: set[int], words: list[str]) -> None:
    new = "".join(words).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("astedit.rewrite.prove.compiled._SPARSE", 0)
        short = faults(sorted(places), new)
        patch.setattr(verifying, "excerpt_of", lambda *_: None)
        assert short == faults(sorted(places), new)


def excerpts(places: Sequence[int]) -> Excerpt | None:
    text = SOURCE + b"\n# the rest" * 200
    root = GRAMMAR.parser().parse(text).root_node
    return excerpt_of(root, text, [CALLS[place] for place in places], KNOWN.facts)


def test_an_excerpt_holds_heads_and_simple_statements_alone() -> None:
    excerpt = excerpts([0, 1, 2, 3, 4, 5])
    assert excerpt is not None
    assert excerpt.source.decode().splitlines() == [
        "@wraps(f(0))",
        "class A(f(1)):",
        "    pass",
        "x = f(2)  # why",
        "def g(self, a=f(3)):",
        "        pass",
        "if f(4) and not a:  # when",
        "            pass",
        "return f(5)",
    ]
    assert excerpt.is_read_alike(GRAMMAR.parser().parse(excerpt.source).root_node)


@pytest.mark.parametrize("place", [6, 7, 8, 24])
def test_there_is_none_where_a_statement_shares_its_line_or_its_head(place: int) -> None:
    assert excerpts([place]) is None
