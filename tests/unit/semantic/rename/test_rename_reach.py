"""What a rename reaches by conventions of Python and pytest, and what it lists with a reason."""

from pathlib import Path

import pytest

from astedit.errors import AstEditError
from tests.support.refactoring import expected, planned, result, tree_of

FIXTURE = "import pytest\n@pytest.fixture\ndef «client»(): ...\n"


RUN = "def «run»(): ...\n"


def test_what_an_outside_base_has_is_not_listed(tmp_path: Path) -> None:
    files = {
        "m.py": "class A:\n    «args» = 1\nclass E(Exception): ...\nE().args\n"
        "class D(dict): ...\nD().args\n"
    }
    assert planned(tree_of(tmp_path, files), "rename", "m.py::A.args", "other").hints == []


def test_a_submodule_of_the_name_is_no_riddle(tmp_path: Path) -> None:
    files = {"m.py": RUN, "pkg/__init__.py": "", "pkg/run.py": "", "n.py": "from pkg import run\n"}
    plan = planned(tree_of(tmp_path, files), "rename", "m.py::run", "other")
    assert plan.hints == [] and result(tmp_path, plan) == expected(files, "other")


def test_a_fixture_gets_no_name_that_a_test_uses(tmp_path: Path) -> None:
    files = {"conftest.py": FIXTURE, "test_a.py": "def test_a(client, user):\n    client\n"}
    with pytest.raises(AstEditError) as refused:
        planned(tree_of(tmp_path, files), "rename", "conftest.py::client", "user")
    assert refused.value.code == "collision" and refused.value.path == "test_a.py"
