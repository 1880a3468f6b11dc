"""A module or package goes to another place, and everything that imports it follows."""

from pathlib import Path

import pytest

from astedit.engine.run_context import Run
from astedit.errors import PreconditionError
from astedit.model.plan import Plan
from astedit.staging.preview import preview
from astedit.text.splice import splice
from astedit.workspace.root import Workspace
from tests.support.moving import tree_of
from tests.support.requests import request_of

TREE = {
    "p/__init__.py": "from .a import f\n\nv = 1\n",
    "p/a.py": "from . import c\nfrom .c import y\nimport p.c\n\n\ndef f(*_):\n"
    "    return c, y, p.c.y\n",
    "p/c.py": "y = 1\n",
    "p/d.py": "from . import a\nfrom .a import f\na.f(f)\n",
    "p/s/__init__.py": "",
    "p/s/e.py": "def k():\n    from ..a import f\n    from .. import a\n    return a, f\n",
    "p/data.txt": "no code\n",
    "q/__init__.py": "",
    "u1.py": "import p.a\np.a.f(p.v)\n",
    "u2.py": "import p.a as x\nx.f()\n",
    "u3.py": "from p import a\na.f()\n",
    "u4.py": "from p import a as x, c\nx.f(c)\n",
    "u5.py": "from p.a import *\nf()\n",
    "u6.py": "import p\np.a.f()\n",
    "u7.py": "patch('p.a.f')\n",
}
RENAMED = {
    "p/__init__.py": "from .b import f\n\nv = 1\n",
    "p/d.py": "from . import b as a\nfrom .b import f\na.f(f)\n",
    "p/s/e.py": "def k():\n    from ..b import f\n    from .. import b as a\n    return a, f\n",
    "u1.py": "import p.b\np.b.f(p.v)\n",
    "u2.py": "import p.b as x\nx.f()\n",
    "u3.py": "from p import b as a\na.f()\n",
    "u4.py": "from p import b as x, c\nx.f(c)\n",
    "u5.py": "from p.b import *\nf()\n",
    "u6.py": "import p\nimport p.b\np.b.f()\n",
}
BELOW = {
    "q/p/a.py": "from . import c\nfrom .c import y\nimport q.p.c\n\n\ndef f(*_):\n"
    "    return c, y, q.p.c.y\n",
    "u1.py": "import q.p.a\nq.p.a.f(q.p.v)\n",
    "u2.py": "import q.p.a as x\nx.f()\n",
    "u3.py": "from q.p import a\na.f()\n",
    "u4.py": "from q.p import a as x, c\nx.f(c)\n",
    "u5.py": "from q.p.a import *\nf()\n",
    "u6.py": "import q.p as p\np.a.f()\n",
}


def planned(root: Path, source: str, dest: str) -> Plan:
    with Workspace(root) as workspace:
        return preview(
            request_of("move_module", workspace, source, dest), workspace, Run(inline=True)
        )


def after(root: Path, plan: Plan) -> dict[str, str]:
    files = {str(path.relative_to(root)): path for path in root.rglob("*.*")}
    result = {name: path.read_bytes() for name, path in files.items()}
    texts = {file.path: splice(result[file.read_from], file.changes) for file in plan.files}
    for file in plan.files:
        del result[file.read_from]
    return {name: text.decode() for name, text in (result | texts).items()}


def test_a_file_gets_another_name(tmp_path: Path) -> None:
    plan = planned(tree_of(tmp_path, TREE), "p/a.py", "p/b.py")
    kept = {path: text for path, text in TREE.items() if path != "p/a.py"}
    assert after(tmp_path, plan) == kept | RENAMED | {"p/b.py": TREE["p/a.py"]}
    assert plan.hints[0].startswith("1 possible use of 'p.a' not changed")
    assert "u7.py:1" in plan.hints[1]


def test_a_package_goes_below_another_and_back(tmp_path: Path) -> None:
    plan = planned(tree_of(tmp_path / "there", TREE), "p", "q")
    there = after(tmp_path / "there", plan)
    moves = {path: f"q/{path}" if path.startswith("p/") else path for path in TREE}
    assert there == {moves[path]: text for path, text in TREE.items()} | BELOW
    plan = planned(tree_of(tmp_path / "back", there), "q/p", "p")
    assert after(tmp_path / "back", plan) == TREE


# why, code, what the message says, what moves, DEST, the files
CASES = [
    ("a circle", "import_cycle", "q/a.py:1 -> p/__init__.py:1 -> q/a.py", "p/a.py", "q/a.py", TREE),
    ("into itself", "same_place", "is there already", "p", "p/x", TREE),
    ("a place that is taken", "exists", "exists already", "p/a.py", "p/c.py", TREE),
    ("a package by its file", "not_movable", "name the directory", "p/__init__.py", "x.py", TREE),
    ("no module", "no_module", "is no Python module", "nowhere.py", "x.py", TREE),
    ("no package", "no_module", "is no package", "p/a.py", "nowhere.a", TREE),
    (
        "a name that means something else", "collision", "u.py:2: the name q means", "p/a.py",
        "q/a.py",
        {
            "p/__init__.py": "", "p/a.py": "def f(x): ...\n", "q/__init__.py": "",
            "u.py": "import p.a\ndef k(q): p.a.f(q)\n",
        },
    ),
]  # fmt: skip


@pytest.mark.parametrize(("code", "message", "source", "dest", "files"), [c[1:] for c in CASES],
                         ids=[c[0] for c in CASES])  # fmt: skip
def test_a_move_is_refused(
    tmp_path: Path, code: str, message: str, source: str, dest: str, files: dict[str, str]
) -> None:
    with pytest.raises(PreconditionError) as refusal:
        planned(tree_of(tmp_path, files), source, dest)
    assert refusal.value.code == code
    assert message in str(refusal.value)
