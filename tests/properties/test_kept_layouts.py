"""A match that is laid out as another one of its shape was comes out as if it were laid out.

Real code says so in `test_kept_proofs`.
"""

import pytest

from astedit.rewrite.lay.layout import MatchLayout
from astedit.rewrite.make.overlap import Rewrite
from tests.support.engine_edit import edited


@pytest.mark.parametrize(
    ("pattern", "out", "text"),
    [
        ("f($A, $B)", "f($A, 1)", "f(x, 1)\nf(x, 2)\nf(y, 1)\n"),  # of which the first stays
        ("f($A, $B)", "f($B, $A)", "f(x, x)\nf(x, yy)\nf((a, b), f(c, d))\n"),
        ("f($$$A)", "g($$$A, 1)", "f()\nf(a)\nf(a,)\nf(a, b)\nf()\nf(a,)\nf(b)\n"),
        ("f($A)", "g($A)  # $A", 'f("#")\nf(a)\nf(b  # c\n)\n'),
        ("f($A, $A)", "f($A)", "f(a, a)\nf( b , b )\nf(c, c)\n"),
    ],
)
def test_what_a_shape_leaves_out_decides_nothing(
    pattern: str, out: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = [edited("python", text, (pattern, out))[0] for _ in range(2)]
    monkeypatch.setattr(Rewrite, "keeps_layouts", False)
    assert kept == [edited("python", text, (pattern, out))[0]] * 2


def test_of_one_shape_one_match_is_laid_out(monkeypatch: pytest.MonkeyPatch) -> None:
    op = ("f($A, k=$B)", "g($B, $A)")
    assert edited("python", "f(a, k=1)\n", op)[0] == "g(1, a)\n"
    monkeypatch.setattr(MatchLayout, "__init__", None)
    assert edited("python", "f(bb, k=22)\nf(c, k=3)\n", op)[0] == "g(22, bb)\ng(3, c)\n"
