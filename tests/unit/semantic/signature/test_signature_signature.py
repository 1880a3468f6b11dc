"""What a changed signature reaches, how that is laid out, and what is refused with its place."""

import json
from pathlib import Path
from typing import Any

import pytest

from astedit.errors import AstEditError
from astedit.model.plan import Plan
from tests.support.cases import tree
from tests.support.lists import rows
from tests.support.refactoring import planned, result, tree_of

ROWS = rows(Path(__file__).with_suffix(".txt"))

TEXTS = tree("signature")
MODULE = TEXTS["m.py"]
USER = "from m import f as g, A as K\nimport m\ng(1, 2, 3)\nK(1, y=3)\nm.f(1, b=2)\n"


def changed(root: Path, files: dict[str, str], identifier: str, asked: dict[str, Any]) -> Plan:
    even_so = {"even_so": True} if asked.get("remove") else {}
    return planned(tree_of(root, files), "signature", identifier, **asked, **even_so)


@pytest.mark.parametrize(("name", "asked", "changes"), ROWS["every definition and call follows"])
def test_every_definition_and_call_follows(
    tmp_path: Path, name: str, asked: dict[str, Any], changes: list[str]
) -> None:
    files = {"m.py": MODULE, "n.py": USER}
    plan = changed(tmp_path, files, f"m.py::{name}", asked)
    for old, new in (change.split("|") for change in changes):
        files = {path: text.replace(old, new) for path, text in files.items()}
    assert result(tmp_path, plan) == files


def test_a_backslash_at_a_line_end_is_no_argument(tmp_path: Path) -> None:
    source = "def f(a, \\\n      b):\n    return a\n\n\nf(1, \\\n  2)\n"
    plan = changed(
        tmp_path, {"m.py": source}, "m.py::f", {"rename": ["b=c"], "keyword_only": ["c"]}
    )
    assert result(tmp_path, plan)["m.py"].endswith("f(1, \\\n  c=2)\n")


OTHERS = TEXTS["others.py"]
REFUSED = rows(Path(__file__).with_suffix(".txt"))["refused"]


@pytest.mark.parametrize("name, asked, code, words", REFUSED)
def test_what_cannot_follow_is_refused_with_its_place(
    tmp_path: Path, name: str, asked: str, code: str, words: str
) -> None:
    with pytest.raises(AstEditError) as refused:
        changed(tmp_path, {"m.py": OTHERS}, f"m.py::{name}", json.loads(asked))
    assert refused.value.code == code and words in refused.value.message


def test_what_is_no_call_and_what_tells_of_it_is_listed(tmp_path: Path) -> None:
    text = "def f(a, b=1):\n    'Adds b.'\ndef w(): ...\nmap(f, [1])\nf(1, w())\n"
    assert changed(tmp_path, {"m.py": text}, "m.py::f", {"remove": ["b"]}).hints == [
        "2 possible uses of 'f' not changed; look at each before you apply:",
        "not changed: m.py:2: f may be this one (the docstring mentions b)",
        "not changed: m.py:4: f may be this one (it is no call: who calls it is not evident)",
        "m.py:5: w() is not evaluated any more",
    ]


def test_a_base_class_outside_is_named_that_may_call_it(tmp_path: Path) -> None:
    text = "from datetime import tzinfo\nclass Z(tzinfo):\n    def dst(self, dt): return None\n"
    plan = changed(tmp_path, {"m.py": text}, "m.py::Z.dst", {"remove": ["dt"]})
    assert "datetime.tzinfo: a base class outside the workspace may call dst" in plan.hints
