"""What came close is told of files that were not parsed, too."""

from pathlib import Path

import pytest

import astedit

CODE = "def f():\n    assert foo(1)\n    self.hass.go(2)\n"


def hints(root: Path, pattern: str) -> set[str]:
    """Those of a search and of an edit, which are the same."""
    found = astedit.search(pattern, root=root, lang="python")
    assert not found.matches and found.stats.parsed == 0
    plan = astedit.ast_edit([{"pat": pattern, "out": "x", "lang": "python"}], root=root)
    assert plan.stats.parsed == 0
    assert found.hints == plan.hints
    return set(found.hints)


@pytest.mark.parametrize(
    ("pattern", "line"),
    [
        ("await foo($A)", "a.py:2: `foo(1)`: this is a call, the pattern is an await"),
        ("foo($A) == $B", "a.py:2: `foo(1)`: this is a call, the pattern is a comparison_operator"),
        (
            "hass.go($A)",
            "a.py:3: `self.hass.go(2)`: this is an attribute, the pattern is an identifier",
        ),
    ],
)
def test_a_keyword_a_sign_or_a_dot_may_be_what_is_wrong(
    tmp_path: Path, pattern: str, line: str
) -> None:
    (tmp_path / "a.py").write_text(CODE)
    (found,) = hints(tmp_path, pattern)
    assert found.startswith(f"Near miss: {line}")


def test_what_no_file_holds_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(CODE)
    (tmp_path / "binary.py").write_bytes(b"nowhere\0(1)")
    assert hints(tmp_path, "lambda: nowhere($A)") == {"No file of the 2 searched holds `nowhere`."}
