"""Methods that become functions: the program does the same, or the move is refused."""

import subprocess
import sys
from pathlib import Path

import pytest

from astedit.errors import AstEditError
from tests.support.cases import tree
from tests.support.lists import rows
from tests.support.refactoring import moved, planned, tree_of

ROWS = rows(Path(__file__).with_suffix(".txt"))

SHOP = tree("shop")


def output(root: Path) -> str:
    done = subprocess.run(
        [sys.executable, "use.py"], cwd=root, capture_output=True, text=True, check=False
    )
    assert not done.returncode, done.stderr
    return done.stdout


@pytest.mark.parametrize("dest", ["shop.py", "tools.py"])
@pytest.mark.parametrize("method", ["total", "parse", "empty", "plain"])
def test_the_program_prints_the_same(tmp_path: Path, method: str, dest: str) -> None:
    before = output(tree_of(tmp_path / "before", SHOP))
    if (method, dest) == ("total", "tools.py"):  # its default is the old module's
        with pytest.raises(AstEditError) as caught:
            moved(tmp_path / "before", [f"shop.py::Cart.{method}"], dest)
        assert caught.value.code == "import_cycle"
        tree_of(tmp_path / "before", {"shop.py": SHOP["shop.py"].replace("rate=RATE", "rate=2")})
    after = moved(tmp_path / "before", [f"shop.py::Cart.{method}"], dest)
    assert output(tree_of(tmp_path / "after", after)) == before
    assert f"def {method}(" in after[dest]
    assert f"    def {method}(" not in after["shop.py"]


def test_what_comes_and_what_stays(tmp_path: Path) -> None:
    tree_of(tmp_path, SHOP)
    after = moved(tmp_path, ["shop.py::Cart.total"], "shop.py")
    assert (
        "RATE = 2\n\n\n# What the items cost.\ndef total(self, rate=RATE, *rest):\n"
        '    """Sum of all.\n\n    >>> 1\n    """\n'
        '    return sum(self.items) * rate + len(rest) + len("""\n    kept as it is""")\n\n\nclass'
    ) in after["shop.py"]
    assert "return total(self, 3, 1, 2), self.plain" in after["shop.py"]
    assert "return total(self), super().plain" in after["shop.py"]
    assert after["use.py"].startswith("from shop import Big, Cart, total\n")
    assert "return total(cart), cart.plain(7), total(cart, 9)" in after["use.py"]


def test_several_methods_move_at_once(tmp_path: Path) -> None:
    tree_of(tmp_path, SHOP)
    before = output(tmp_path)
    after = moved(tmp_path, ["shop.py::Cart.plain", "shop.py::Cart.empty"], "tools.py")
    assert "def plain(a, b=1):" in after["tools.py"]
    assert "def empty(cls" in after["tools.py"]
    assert output(tree_of(tmp_path / "after", after)) == before


@pytest.mark.parametrize(("dest", "first"), [("shop.py", 'cls: "type[Cart]"'), ("t.py", "cls")])
def test_a_class_keeps_its_type_where_it_can_be_named(
    tmp_path: Path, dest: str, first: str
) -> None:
    code = SHOP["shop.py"].replace('empty(cls, note="")', 'empty(cls, note: str = "")')
    tree_of(tmp_path, {"shop.py": code})
    after = moved(tmp_path, ["shop.py::Cart.empty"], dest)
    assert f"def empty({first}, note: str = " in after[dest]


BODY = "class A:\n    x = 1\n\n    def m(self, a=0):\n        return a\n"
ABSTRACT = "class B:\n    @abstractmethod\n    def m(self): ...\n"
REFUSED = [
    ("not_movable", "m", "class A:\n    x = 1\n    def m(self, a=x):\n        return a\n"),
    ("not_movable", "m", "class A:\n    @property\n    def m(self):\n        return 1\n"),
    ("not_movable", "m", "class A:\n    def m(self):\n        return self.__x\n"),
    ("not_movable", "m", "class A:\n    def m(self):\n        return super().m()\n"),
    ("not_movable", "m", "class A:\n    def m(*args):\n        return args\n"),
    ("not_movable", "m", f"{ABSTRACT}class A(B):\n    def m(self): ...\n"),
    ("special_name", "__len__", "class A:\n    def __len__(self):\n        return 1\n"),
    ("collision", "m", f"m = 1\n{BODY}"),
    ("collision", "len", "class A:\n    def len(self):\n        return len('')\n"),
    ("cannot_follow", "m", f"{BODY}    n = m\n"),
    ("cannot_follow", "m", f"{BODY}A().m(1)\n"),
    ("cannot_follow", "m", f"{BODY}def f(m, a: A):\n    return a.m(m)\n"),
    (
        "cannot_follow", "m",
        "class A:\n    def m(self):\n        return self\n    def n(self):\n"
        "        return self.m\n",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("code", "method", "text"), REFUSED)
def test_what_would_not_do_the_same_is_refused(
    tmp_path: Path, code: str, method: str, text: str
) -> None:
    tree_of(tmp_path, {"m.py": text})
    with pytest.raises(AstEditError) as caught:
        planned(tmp_path, "move", [f"m.py::A.{method}"], "m.py")
    assert caught.value.code == code


def test_what_may_go_another_way_is_listed(tmp_path: Path) -> None:
    text = f"{BODY}class B(A):\n    def m(self, a=0):\n        return 2\ndef f(x):\n    x.m()\n"
    tree_of(tmp_path, {"m.py": text.replace("    def m", "    @app.route\n    def m", 1)})
    hints = planned(tmp_path, "move", ["m.py::A.m"], "m.py").hints
    assert [hint.partition(" may be this one ")[2] for hint in hints[1:]] == [
        "(its decorator app.route may keep it)",
        "(B has it as well: calls on objects of both do not choose any more)",
        "(the object's class is not evident)",
    ]


@pytest.mark.parametrize(
    "names", [["Order.discount"], ["Order.greeting"], ["loud"], ["Order.reply"]]
)
def test_what_a_class_is_passed_to_becomes_its_method(tmp_path: Path, names: list[str]) -> None:
    before = output(tree_of(tmp_path / "before", tree("orders")))
    identifiers = [f"orders.py::{name}" for name in names]
    after = moved(tmp_path / "before", identifiers, "people.py::Customer")
    assert output(tree_of(tmp_path / "after", after)) == before
    name = names[0].rpartition(".")[2]
    assert f"    def {name}(self" in after["people.py"]
    assert f"def {name}" not in after["orders.py"]
    assert "import loud" not in after["use.py"] or name != "loud"


@pytest.mark.parametrize(("code", "text"), ROWS["what is no method of a class is refused"])
def test_what_is_no_method_of_a_class_is_refused(tmp_path: Path, code: str, text: str) -> None:
    tree_of(tmp_path, {"m.py": text})
    with pytest.raises(AstEditError) as caught:
        planned(tmp_path, "move", ["m.py::f"], "m.py::A")
    assert caught.value.code == code
