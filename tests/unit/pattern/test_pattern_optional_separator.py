"""Where a separator of a pattern may be missing, at each strictness."""

import pytest

from astedit.language import load, named
from astedit.model.request import STRICTNESS
from astedit.pattern.compile import compile_pattern
from astedit.pattern.find import Finder

ALL = set(STRICTNESS)


def levels(pattern: str, code: str) -> set[str]:
    """The strictness levels at which a pattern matches this code."""
    row = named("javascript")
    assert row is not None
    grammar, data = load(row), code.encode()
    root = grammar.parser().parse(data).root_node
    return {
        level
        for level in STRICTNESS
        if Finder(compile_pattern(pattern, row, grammar, strictness=level)).find(root, data)
    }


@pytest.mark.parametrize(
    ("pattern", "code", "expected"),
    [
        ("f($A, $$$B)", "f(1)", ALL - {"cst"}),
        ("f($A, $$$B)", "f(1, 2)", ALL),
        ("f($$$A,)", "f(1)", ALL - {"cst"}),
        ("f($$$A,)", "f(1,)", ALL),
        ("f($A, $B)", "f(1)", set()),
        ("f($A, x)", "f(1)", set()),
    ],
)
def test_a_comma_may_be_missing_beside_an_empty_many_hole(
    pattern: str, code: str, expected: set[str]
) -> None:
    assert levels(pattern, code) == expected
