"""A rule that is searched for, or is an op: what of its document is checked."""

from pathlib import Path
from typing import Any

import pytest

from astedit import ast_edit, search
from astedit.errors import RequestError

RULE: dict[str, Any] = {"id": "r", "language": "js", "rule": {"pattern": "f($A)"}}
LABELS = {"A": {"style": "primary"}}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "a.js").write_text("f(1)\n")
    return tmp_path


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"labels": {"B": {"style": "primary"}}}, r"labels.B: the rule captures no \$B"),
        ({"labels": {"A": {"style": "loud"}}}, "labels.A.style: unknown style 'loud'"),
        ({"fix": "g($B)"}, r"fix.template: The rewrite uses \$B"),
    ],
)
def test_a_search_refuses_of_a_rule_what_a_scan_refuses(
    root: Path, more: dict[str, Any], problem: str
) -> None:
    with pytest.raises(RequestError, match=problem):
        search(rule=RULE | more, root=root)


def test_a_search_leaves_aside_what_reports_and_writes(root: Path) -> None:
    more = {"labels": LABELS, "fix": "g($A)", "message": "m", "url": "u", "severity": "off"}
    assert [match.text for match in search(rule=RULE | more, root=root).matches] == ["f(1)"]


def test_labels_of_an_op_s_rule_are_checked_and_left_aside(root: Path) -> None:
    op = {"rule": {"rule": {"pattern": "f($A)"}, "labels": LABELS}, "out": "g($A)", "lang": "js"}
    (file,) = ast_edit(root=root, ops=[op]).files
    assert [edit.new for edit in file.edits] == [b"g"]
    op["rule"] = {"rule": {"pattern": "f($A)"}, "labels": {"B": {"style": "primary"}}}
    with pytest.raises(RequestError, match=r"labels.B: the rule captures no \$B"):
        ast_edit(root=root, ops=[op])


def test_the_fix_of_an_op_s_rule_is_refused(root: Path) -> None:
    op = {"rule": {"rule": {"pattern": "f($A)"}, "fix": "h"}, "out": "g", "lang": "js"}
    with pytest.raises(RequestError, match="unknown key 'fix'"):
        ast_edit(root=root, ops=[op])
