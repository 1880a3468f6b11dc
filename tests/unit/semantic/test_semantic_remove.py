"""What `remove` takes away, what it leaves, and what it refuses to take."""

from pathlib import Path

import pytest

from astedit.errors import PreconditionError
from astedit.model.plan import Plan
from tests.support.cases import tree
from tests.support.lists import rows
from tests.support.refactoring import planned, result, tree_of

ROWS = rows(Path(__file__).with_suffix(".txt"))


def without(root: Path, files: dict[str, str], identifier: str, *, even_so: bool = True) -> Plan:
    return planned(tree_of(root, files), "remove", identifier, even_so=even_so)


MODULE = tree("remove")["m.py"]


def test_a_function_goes_with_all_that_belongs_to_it(tmp_path: Path) -> None:
    user = "from m import (\n    f,\n    g,\n)\n\ng()\n"
    named = "import m\nfrom m import os\ngetattr(m, 'f')\n"
    plan = without(tmp_path, {"m.py": MODULE, "n.py": user, "o.py": named}, "m.py::f")
    start, end = MODULE.index("# about f"), MODULE.index("def g")
    expected = MODULE[:start] + MODULE[end:]
    expected = expected.replace("json, re", "re").replace('("f", "g")', '("g",)')
    expected = expected.replace("from typing import (\n    overload,\n    Any,\n)\n", "")
    user = user.replace("    f,\n", "")
    assert result(tmp_path, plan) == {"m.py": expected, "n.py": user, "o.py": named}
    assert [hint for hint in plan.hints if "o.py:3: f may be this one (a string)" in hint]


@pytest.mark.parametrize(
    "name, before, after",
    [
        ("C.one", "    # first\n    def one(self): ...\n\n", ""),
        ("C.size", MODULE[MODULE.index("    @property") : MODULE.index("    @app")], ""),
        ("C.last", '\n    @app.route("/")\n    def last(self): ...\n', ""),
        ("D.only", "    def only(self): ...\n", "    pass\n"),
    ],
)
def test_members_leave_the_blank_lines_of_a_class(
    tmp_path: Path, name: str, before: str, after: str
) -> None:
    plan = without(tmp_path, {"m.py": MODULE}, f"m.py::{name}")
    assert result(tmp_path, plan)["m.py"] == MODULE.replace(before, after)
    assert bool(plan.hints) == (name == "C.last")  # its route may keep it


USED = {
    "m.py": "from dataclasses import dataclass\ndef f(): ...\nclass A:\n    def go(self): ...\n"
    "class B(A):\n    def go(self): ...\n@dataclass\nclass P:\n    x: int = 1\n"
    "a, b = 1, 2\nc = 1; d = 2\ndef outer(inner): ...\n",
    "pkg/__init__.py": "from m import f\n",
    "k.py": "from m import f as h\nh()\n",
}


@pytest.mark.parametrize("name, code, words", ROWS["used"])
def test_what_is_used_or_no_statement_of_its_own_stays(
    tmp_path: Path, name: str, code: str, words: str
) -> None:
    with pytest.raises(PreconditionError) as refused:
        without(tmp_path, USED, f"m.py::{name}")
    assert refused.value.code == code and words in refused.value.message


def test_an_import_that_another_module_takes_from_here_stays(tmp_path: Path) -> None:
    code = "import json\nimport os\n\n\ndef f():\n    json.dumps(os.sep)\n"
    plan = without(tmp_path, {"m.py": code, "n.py": "import m as k\nk.json\n"}, "m.py::f")
    assert result(tmp_path, plan)["m.py"] == "import json\n"


MODULES = {
    "shop/__init__.py": "",
    "shop/old.py": '"""shop.old: what it was."""\n\nOLD = 1\n',
    "shop/cart.py": "import os\n",
}


def test_a_module_goes_that_nothing_imports(tmp_path: Path) -> None:
    plan = without(tmp_path, MODULES, "shop/old.py")
    assert [(file.path, file.operation) for file in plan.files] == [("shop/old.py", "delete")]


@pytest.mark.parametrize("user, identifier, code", ROWS["modules"])
def test_a_module_stays_while_something_names_it(
    tmp_path: Path, user: str, identifier: str, code: str
) -> None:
    files = MODULES | {"shop/cart.py": user}
    with pytest.raises(PreconditionError) as raised:
        without(tmp_path, files, identifier, even_so=False)
    assert raised.value.code == code
