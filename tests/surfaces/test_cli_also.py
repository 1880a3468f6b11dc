"""Listed uses: changed where a person names them, and refused for what removes."""

import pytest

from tests.support.cases import tree
from tests.support.project import Project

SHOP = tree("cli-also")["shop.py"]


@pytest.fixture
def shop(project: Project) -> Project:
    return project.write(shop_py=SHOP)


def test_what_a_rename_lists_is_in_the_json_and_can_be_taken_along(shop: Project) -> None:
    listed = shop("rename", "Cart.total", "sum_of", "--json", "--no-stage").json["listed"]
    assert {"path": "shop.py", "line": 7, "column": 18, "text": "return thing.total(1)"} in listed
    assert len(listed) == 2
    assert shop("rename", "Cart.total", "sum_of", "--also", "shop.py:7:18", "-y").code == 0
    text = shop.read("shop.py")
    assert "thing.sum_of(1)" in text and '"Cart.total"' in text


def test_all_of_it_can_be_taken_along_and_undone(shop: Project) -> None:
    done = shop("rename", "Cart.total", "sum_of", "--also-all", "-y")
    assert done.code == 0 and "total" not in shop.read("shop.py")
    assert shop("undo", "-y").code == 0 and shop.read("shop.py") == SHOP


@pytest.mark.parametrize("place", ["shop.py:1", "shop.py:7:3", "other.py:7", "nonsense"])
def test_what_is_not_listed_is_refused(shop: Project, place: str) -> None:
    refused = shop("rename", "Cart.total", "sum_of", "--also", place, "--json")
    assert refused.code == 2 and refused.json["error"]["code"] == "not_listed"
    assert shop("pending", "--json").json == []


def test_a_listed_call_follows_a_new_signature(shop: Project) -> None:
    arguments = ("signature", "Cart.total", "--add", "rate", "--default-for-callers", "2")
    assert shop(*arguments, "--also", "shop.py:7", "-y").code == 0
    assert "thing.total(1, rate=2)" in shop.read("shop.py")


def test_removing_waits_until_somebody_says_even_so(shop: Project) -> None:
    for command in (("remove", "Cart.total"), ("signature", "Cart.total", "--remove", "tax")):
        if command[0] == "signature":
            shop.put("shop.py", SHOP.replace("return tax", "return 0"))
        refused = shop(*command, "--json")
        assert refused.code == 3 and refused.json["error"]["code"] == "listed_uses"
        assert "shop.py:7" in refused.json["error"]["message"]
        assert shop(*command, "--even-so", "--check").code == 1
    assert shop("signature", "Cart.total", "--add", "x=1", "--even-so").code == 2


def test_a_move_takes_along_where_its_module_is_named(project: Project) -> None:
    project.write(shop_py="def total():\n    return 1\n", a_py='PATH = "shop.total"\n')
    assert project("move", "shop.py::total", "prices.py", "--also", "a.py:1", "-y").code == 0
    assert project.read("a.py") == 'PATH = "prices.total"\n'


def test_a_moved_module_takes_its_name_along(project: Project) -> None:
    for path, text in (("p/__init__.py", ""), ("p/a.py", "x = 1\n"), ("b.py", 'PATH = "p.a"\n')):
        project.put(path, text)
    listed = project("move", "p/a.py", "p/c.py", "--json", "--no-stage").json["listed"]
    assert [(each["path"], each["line"]) for each in listed] == [("b.py", 1)]
    assert project("move", "p/a.py", "p/c.py", "--also-all", "-y").code == 0
    assert project.read("b.py") == 'PATH = "p.c"\n'


def test_a_script_takes_along_what_it_lists(project: Project) -> None:
    project.write(
        a_js="export class Cart { total() {} }\n", b_js="export const f = (x) => x.total();\n"
    )
    listed = project("rename", "Cart.total", "sum_of", "--json", "--no-stage").json["listed"]
    assert [(each["path"], each["line"], each["column"]) for each in listed] == [("b.js", 1, 27)]
    assert project("rename", "Cart.total", "sum_of", "--also", "b.js:1:27", "-y").code == 0
    assert "x.sum_of()" in project.read("b.js")


def test_a_listed_call_follows_a_method_that_moves(shop: Project) -> None:
    assert shop("move", "Cart.total", "prices.py", "--also", "shop.py:7", "-y").code == 0
    assert "return total(1)" in shop.read("shop.py") and "total(tax)" in shop.read("prices.py")
    assert shop("undo", "-y").code == 0
    for place, code, error in (("shop.py:10", 3, "cannot_follow"), ("shop.py:9", 2, "not_listed")):
        refused = shop("move", "Cart.total", "prices.py", "--also", place, "--json")
        assert (refused.code, refused.json["error"]["code"]) == (code, error)
