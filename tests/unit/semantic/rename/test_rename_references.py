"""Which places a rename changes, and which it must leave."""

import os
from pathlib import Path

import pytest

from astedit import operations
from astedit.engine.run_context import Run
from astedit.errors import AstEditError, StaleError
from astedit.workspace.root import Workspace
from tests.support.refactoring import expected, planned, result, tree_of
from tests.support.requests import request_of

Files = dict[str, str]


REFUSED: list[tuple[str, str, str, Files]] = [
    ("collision", "m.py::A.x", "y", {"m.py": "class A:\n    x = 1\n    y = 2\n"}),
    ("collision", "m.py::f", "g", {"m.py": "def f(): ...\ng = 1\n"}),
    ("collision", "m.py::f", "g", {"m.py": "def f(): ...\n", "n.py": "from m import f\ng = 1\n"}),
    ("collision", "m.py::f", "g", {"m.py": "def f(): ...\ndef h(g):\n    return f, g\n"}),
    ("collision", "m.py::f", "len", {"m.py": "def f(): ...\ndef h(a):\n    return len(a)\n"}),
    ("collision", "m.py::A.x", "y", {"m.py": "class A:\n    x = 1\n",
                                     "n.py": "import m\nclass B(m.A):\n    y = 2\n"}),
    ("collision", "m.py::f.a", "b", {"m.py": "b = 1\ndef f(a):\n    return a + b\n"}),
    ("collision", "m.py::f", "g",
     {"m.py": "def f(): ...\n", "n.py": "from m import *\ng = 1\nf()\n"}),
    ("bad_name", "m.py::f", "class", {"m.py": "def f(): ...\n"}),
    ("bad_name", "m.py::f", "2x", {"m.py": "def f(): ...\n"}),
    ("bad_name", "m.py::f", "a.b", {"m.py": "def f(): ...\n"}),
    ("same_name", "m.py::f", "f", {"m.py": "def f(): ...\n"}),
    ("special_name", "m.py::A.__init__", "setup",
     {"m.py": "class A:\n    def __init__(self): ...\n"}),
    ("generated", "m.py::f", "g", {"m.py": "def f(): ...\n",
                                   "n.py": "# @generated\nfrom m import f\n"}),
]  # fmt: skip


@pytest.mark.parametrize("code, identifier, new, files", REFUSED)
def test_refused(tmp_path: Path, code: str, identifier: str, new: str, files: Files) -> None:
    with pytest.raises(AstEditError) as refused:
        planned(tree_of(tmp_path, files), "rename", identifier, new)
    assert refused.value.code == code


def test_an_outer_name_may_be_hidden_where_nobody_needs_it(tmp_path: Path) -> None:
    files = {"m.py": "b = 1\ndef f(«a»):\n    return «a»\n"}
    assert result(
        tmp_path, planned(tree_of(tmp_path, files), "rename", "m.py::f.a", "b")
    ) == expected(files, "b")


def test_what_may_be_a_reference_is_listed_and_left(tmp_path: Path) -> None:
    files = {
        "m.py": "class A:\n    def «run»(self): ...\n",
        "n.py": 'def f(x):\n    x.run()\n    getattr(x, "run")\n    patch("m.A.run")\n'
        "class T:\n    made = None\n    def t(self):\n        self.made.run()\n",
    }
    plan = planned(tree_of(tmp_path, files), "rename", "m.py::A.run", "go")
    assert result(tmp_path, plan) == expected(files, "go")
    head, *each = plan.hints
    assert head.startswith("4 possible uses of 'run' not changed; look at each before you apply (")
    assert "--also-all" in head
    assert [hint.split(": ")[1] for hint in each] == [f"n.py:{line}" for line in (2, 3, 4, 8)]


def test_a_base_class_from_elsewhere_is_named(tmp_path: Path) -> None:
    files = {"m.py": "import lib, abc\nclass A(lib.Base, abc.ABC):\n    def «go»(self): ...\n"}
    plan = planned(tree_of(tmp_path, files), "rename", "m.py::A.go", "run")
    assert plan.hints == ["lib.Base: a base class outside the workspace may define it too"]


def test_every_possible_reference_is_listed(tmp_path: Path) -> None:
    files = {"m.py": "class A:\n    def run(self): ...\ndef f(x):\n" + "    x.run()\n" * 50}
    plan = planned(tree_of(tmp_path, files), "rename", "m.py::A.run", "go")
    assert [hint.split(": ")[1] for hint in plan.hints[1:]] == [f"m.py:{n}" for n in range(4, 54)]


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    files = {"m.py": "def «f»(): ...\n", "broken.py": "from m import f\ndef (:\n"}
    plan = planned(tree_of(tmp_path, files), "rename", "m.py::f", "g")
    assert [(skip.path, skip.reason) for skip in plan.skipped] == [("broken.py", "parse_error")]


def test_what_is_not_looked_at_is_told_or_not_ours(tmp_path: Path) -> None:
    files = {
        "m.py": "def «f»(): ...\n",
        "big.py": "from m import f\n" + "#" * 2_100_000,
        "vendor/lib.py": "from m import f\n",
    }
    (tmp_path / "raw.py").write_bytes(b"from m import f  # \xff\n")
    plan = planned(tree_of(tmp_path, files), "rename", "m.py::f", "g")
    assert [(file.path, len(file.edits)) for file in plan.files] == [("m.py", 1)]
    assert {skip.path: skip.reason for skip in plan.skipped} == {
        "big.py": "too_large",
        "raw.py": "not_utf8",
    }


def test_the_definition_is_the_one_that_was_located(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text("def f(): ...\n")
    with Workspace(tmp_path) as workspace:
        request = request_of("rename", workspace, "m.py::f", "g")
        (tmp_path / "m.py").write_text("def f(): ...\nf()\n")
        with pytest.raises(StaleError) as refused:
            operations.plan(request, workspace, Run(inline=True))
    assert refused.value.path == "m.py"


class Racing(Workspace):
    """One in which somebody saves `n.py` right after it was read for the first time."""

    def read(self, path: str, limit: int) -> tuple[bytes, os.stat_result]:
        content = super().read(path, limit)
        if path == "n.py" and b"saved" not in content[0]:
            (Path(self.root) / path).write_bytes(b"# saved\n" + content[0])
        return content


def test_a_reference_that_moves_meanwhile_is_not_cut_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text("def f(): ...\n")
    (tmp_path / "n.py").write_text("from m import f\n")
    with Racing(tmp_path) as workspace:
        request = request_of("rename", workspace, "m.py::f", "g")
        (tmp_path / "n.py").write_text("from m import f\n")
        with pytest.raises(StaleError) as refused:
            operations.plan(request, workspace, Run(inline=True))
    assert refused.value.path == "n.py"


def test_hostile_files_cost_themselves_and_cycles_end(tmp_path: Path) -> None:
    files = {
        "m.py": "def «f»(): ...\nclass A(A): ...\nclass B(C): ...\nclass C(B): ...\n",
        "a.py": "from b import f\nfrom a import *\nf()\n",
        "b.py": "from a import f\n",
        "c.py": "from d import *\nfrom m import «f»\n",
        "d.py": "from c import *\n«f»()\n",
        "deep.py": "f" + "(" * 1500 + ")" * 1500 + "\n",
        "chain.py": "f" + ".f" * 1500 + "\n",
    }
    plan = planned(tree_of(tmp_path, files), "rename", "m.py::f", "g")
    assert result(tmp_path, plan) == expected(files, "g")
    assert {skip.path: skip.reason for skip in plan.skipped} == {
        "chain.py": "parse_error",
        "deep.py": "too_deep",
    }


@pytest.mark.parametrize(
    "text", ["\ufeffdef «f»(): ...\r\n«f»()  # ü\r\n«f»()", "# é\n\n\f\ndef «f»():\n\tpass\n«f»()"]
)
def test_bytes_beside_the_name_stay(tmp_path: Path, text: str) -> None:
    files = {"m.py": text}
    assert result(
        tmp_path, planned(tree_of(tmp_path, files), "rename", "m.py::f", "gg")
    ) == expected(files, "gg")


def test_an_encoding_that_the_file_declares_is_kept(tmp_path: Path) -> None:
    text = '# coding: latin-1\nx = "é"\ndef f(): ...\nf()\n'
    (tmp_path / "m.py").write_bytes(text.encode("latin-1"))
    plan = planned(tree_of(tmp_path, {}), "rename", "m.py::f", "gg")
    assert [(edit.start, edit.new) for edit in plan.files[0].edits] == [(30, b"gg"), (39, b"gg")]
