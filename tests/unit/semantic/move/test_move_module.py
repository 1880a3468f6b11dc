"""A module or package goes to another place, and everything that imports it follows."""

from pathlib import Path

import pytest

from astedit.errors import PreconditionError
from tests.support.cases import FIXTURES, bare_case
from tests.support.lists import rows
from tests.support.refactoring import planned, result, tree_of

ROWS = rows(Path(__file__).with_suffix(".txt"))

CASE, _ = bare_case(FIXTURES / "refactor/move_module/a-file-gets-another-name.txt")
TREE = {path: text.decode() for path, text in CASE.before.items()}
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


def test_a_package_goes_below_another_and_back(tmp_path: Path) -> None:
    plan = planned(tree_of(tmp_path / "there", TREE), "move_module", "p", "q")
    there = result(tmp_path / "there", plan)
    moves = {path: f"q/{path}" if path.startswith("p/") else path for path in TREE}
    assert there == {moves[path]: text for path, text in TREE.items()} | BELOW
    plan = planned(tree_of(tmp_path / "back", there), "move_module", "q/p", "p")
    assert result(tmp_path / "back", plan) == TREE


# why, code, what the message says, what moves, DEST
CASES = ROWS["cases"]


@pytest.mark.parametrize("why, code, message, source, dest", CASES, ids=[c[0] for c in CASES])
def test_a_move_is_refused(
    tmp_path: Path, why: str, code: str, message: str, source: str, dest: str
) -> None:
    with pytest.raises(PreconditionError) as refusal:
        planned(tree_of(tmp_path, TREE), "move_module", source, dest)
    assert refusal.value.code == code
    assert message in str(refusal.value)
