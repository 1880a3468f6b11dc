"""No comment goes unsaid: what Python's `tokenize` misses after an edit, the plan lists. (F13)"""

import ast
import io
import sysconfig
import tokenize
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

from tests.support.engine_edit import edited
from tests.support.lists import rows

ROWS = rows(Path(__file__).with_suffix(".txt"))

LIBRARY = Path(sysconfig.get_path("stdlib"))
DROPPING = ROWS["dropping"]


def comments(text: bytes) -> Counter[str]:
    tokens = tokenize.tokenize(io.BytesIO(text).readline)
    return Counter(token.string.strip() for token in tokens if token.type == tokenize.COMMENT)


def check(text: str, *op: str, **options: object) -> int:
    """How many comments one rewrite of a text drops; each of them is listed."""
    after, data = edited("python", text, (op[0], op[1]), **options)
    listed = [comment for edit in data.edits for comment in edit.dropped]
    source = text.encode()
    assert all(source[one.span.start : one.span.end] == one.text for one in listed)
    gone = comments(source) - comments(after.encode())
    assert gone == Counter(one.text.decode().strip() for one in listed)
    assert not comments(after.encode()) - comments(source)
    return len(listed)


def test_each_comment_that_goes_is_listed() -> None:
    paths = sorted((LIBRARY / "email").glob("*.py"))[6:12]
    assert sum(check(path.read_text(), *op) for op in DROPPING for path in paths) > 300


def test_a_comment_that_goes_in_a_later_turn_is_listed() -> None:
    source = "f(1, [2,  # why\n      3], 4)\ng(5, 6)  # stays\n"
    op = ("$F($A, $$$B)", "$F($$$B)")
    assert [check(source, *op, fixpoint=turns) for turns in (1, 2, 3)] == [0, 1, 1]


@pytest.mark.slow
@pytest.mark.parametrize("op", DROPPING)
@pytest.mark.parametrize("options", [{}, {"layout": "template", "allow_loss": True}])
def test_each_comment_of_the_library_that_goes_is_listed(
    op: tuple[str, str], options: dict[str, object]
) -> None:
    for path in [p for p in sorted(LIBRARY.rglob("*.py")) if "site-packages" not in p.parts][::96]:
        text = path.read_bytes().decode("utf-8", "replace")
        with suppress(SyntaxError):  # tests of the library hold some
            ast.parse(text)
            check(text, *op, **options)
