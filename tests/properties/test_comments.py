"""No comment goes unsaid: what Python's `tokenize` misses after an edit, the plan lists. (F13)"""

import io
import sysconfig
import tokenize
from collections import Counter
from pathlib import Path

import pytest

from astedit.text.splice import splice
from tests.support.trees import plan_of, write

LIBRARY = Path(sysconfig.get_path("stdlib"))
DROPPING = [
    ("$F($A, $$$B)", "$F($$$B)"),
    ("$F($$$A)", "$F()"),
    ("[$$$A]", "[]"),
    ("{$$$A}", "dict()"),
    ("if $C:\n    $$$B", "if $C:\n    pass"),
    ("if $C:\n    $$$B\nelse:\n    $$$D", "if $C:\n    $$$B"),
    ("def $F($$$P):\n    $$$B", "def $F($$$P):\n    ..."),
    ("try:\n    $$$B\nexcept $E:\n    $$$H", "$$$B"),
    ("for $A in $B:\n    $$$C", ""),
    ("$A = $B", ""),
    ("$A = $B", "$A = None"),
    ("return $A", "return"),
    ("$A and $B", "$B and $A"),
    ("import $A", ""),
]


def comments(text: bytes) -> Counter[str]:
    tokens = tokenize.tokenize(io.BytesIO(text).readline)
    return Counter(token.string.strip() for token in tokens if token.type == tokenize.COMMENT)


def check(root: Path, paths: list[Path], pat: str, out: str, **options: object) -> int:
    """How many comments one rewrite of all these files drops; each of them is listed."""
    sources = {f"{place}.py": path.read_bytes() for place, path in enumerate(paths)}
    plan = plan_of(write(root, sources), [{"pat": pat, "out": out}], **options)
    listed: dict[str, Counter[str]] = {}
    for one in plan.dropped_comments:
        listed.setdefault(one.path, Counter())[one.text.strip()] += 1
        assert sources[one.path][one.range.start : one.range.end].decode() == one.text
    for file in plan.files:
        source = sources[file.path]
        after = splice(source, [(e.start, e.end, e.new) for e in file.edits])
        assert comments(source) - comments(after) == listed.pop(file.path, Counter()), file.path
        assert not comments(after) - comments(source), file.path
    assert not listed
    return len(plan.dropped_comments)


def corpus(*folders: str) -> list[Path]:
    return [path for folder in folders for path in sorted((LIBRARY / folder).glob("*.py"))]


def test_each_comment_that_goes_is_listed(tmp_path: Path) -> None:
    paths = corpus("email/mime") + corpus("email")[6:12]
    counts = [check(tmp_path / str(at), paths, *op) for at, op in enumerate(DROPPING)]
    assert sum(counts) > 50


def test_a_comment_that_goes_in_a_later_turn_is_listed(tmp_path: Path) -> None:
    source = tmp_path / "source.py"
    source.write_text("f(1, [2,  # why\n      3], 4)\ng(5, 6)  # stays\n")
    op = ("$F($A, $$$B)", "$F($$$B)")
    counts = [check(tmp_path / str(turns), [source], *op, fixpoint=turns) for turns in (1, 2, 3)]
    assert counts == [0, 1, 1]


@pytest.mark.slow
@pytest.mark.parametrize(("pat", "out"), DROPPING)
@pytest.mark.parametrize("layout", ["keep", "template"])
def test_each_comment_of_the_library_that_goes_is_listed(
    tmp_path: Path, pat: str, out: str, layout: str
) -> None:
    paths = [
        path
        for path in sorted(LIBRARY.rglob("*.py"))
        if not {"site-packages", "test", "lib2to3"} & set(path.parts)
    ]
    check(tmp_path, paths, pat, out, layout=layout, allow_loss=layout == "template")
