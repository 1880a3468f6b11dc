"""Shapes of a pattern's edits are called by the pattern, and no two alike."""

from pathlib import Path

import pytest

import astedit


def labels(root: Path, code: str, *ops: tuple[str, str]) -> list[tuple[int, str]]:
    (root / "a.py").write_text(code)
    asked = [{"pat": pattern, "out": template} for pattern, template in ops]
    return [(shape.count, shape.label) for shape in astedit.ast_edit(asked, root=root).shapes]


ASSERTS = ("self.assertEqual($A, $B)", "assert $A == $B")
SAID = "self.assertEqual($A, $B) → assert $A == $B"


@pytest.mark.parametrize(
    ("code", "op", "found"),
    [
        # One shape is called as the user wrote it.
        ("p(1)\np(x)\n", ("p($A)", "q($A)"), [(2, "p($A) → q($A)")]),
        ("p(1)\np(2)\n", ("p($$$A)", ""), [(2, "p($$$A) → (nothing)")]),
        # What is special about a smaller one is said of the captures.
        (
            "self.assertEqual(a, 1)\nself.assertEqual(b, 2)\nself.assertEqual(c, {'k': 1})\n",
            ASSERTS,
            [(2, SAID), (1, f"{SAID} ($B is a dict or set)")],
        ),
        # Spreads and keywords go elsewhere than items in order.
        (
            "f(1)\nf(2)\nf(3, *a)\n",
            ("f($$$A)", "g($$$A)"),
            [(2, "f($$$A) → g($$$A)"), (1, "f($$$A) → g($$$A) (2 items, with *)")],
        ),
        # Matches in a match are told.
        ("f(1)\nf(2)\nf(f(3))\n", ("f($A)", "g($A)"), [
            (2, "f($A) → g($A)"), (1, "f($A) → g($A) ($A is a call, with matches inside)"),
        ]),
    ],
)  # fmt: skip
def test_a_shape_reads_like_the_code_that_was_asked_for(
    tmp_path: Path, code: str, op: tuple[str, str], found: list[tuple[int, str]]
) -> None:
    assert labels(tmp_path, code, op) == found


def test_no_two_shapes_print_the_same(tmp_path: Path) -> None:
    code = "".join(
        f"return_({text})\n" for text in ("-1", "(1, 2)", "[]", "()", "a or b", "x", "y")
    )
    shown = labels(tmp_path, code, ("return_($A)", "give($A)"), ("return_($B)", "no($B)"))
    assert len({label for _, label in shown}) == len(shown)
