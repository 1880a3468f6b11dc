"""`astedit show`: every form of every action, whatever became of it."""

import pytest

from tests.support.project import Project

EDIT = ("edit", "-p", "f($A)", "-r", "g($A)")


@pytest.fixture
def staged(project: Project) -> Project:
    project.write(a_py="f(1)\nx = 2\nf(3)\n", sub__b_py="h(f(2))\n")
    assert project(*EDIT).code == 0
    return project


def resolve(project: Project, verb: str = "apply", *args: str) -> None:
    project("resolve", verb, "--reason", "r", *args)


def test_shapes_say_how_many_edits_are_alike_and_which_are_not(project: Project) -> None:
    project.write(a_py="f(1)\nf(x, y)\nf(f(2))\n", b_py="f()\n", c_py="f(3)\n")
    project("edit", "-p", "f($$$A)", "-r", "g($$$A)")
    assert project("show", "--format", "shapes").text.splitlines() == [
        "5 edits in 3 files = 2 shapes",
        "      4  f($$$A) → g($$$A)  (3 files)  shape:1",
        "         a.py:1: f(1) -> g(1)",
        "1 outlier:",
        "      1  a.py:3: f(f(2)) -> g(g(2))  shape:2",
    ]


@pytest.mark.parametrize("end", ["applied", "discarded", "superseded", "undone"])
def test_an_ended_edit_shows_as_it_did(staged: Project, end: str) -> None:
    action = staged.newest()
    before = {form: staged("show", action, "--format", form).out for form in ("stat", "shapes")}
    patch = staged("show", action, "--format", "patch").out
    plan = staged("show", action, "--format", "plan").json
    if end == "discarded":
        resolve(staged, "discard")
    elif end == "superseded":
        resolve(staged, "apply", "--refresh")
    elif end in ("applied", "undone"):
        resolve(staged)
    if end == "undone":
        assert staged("undo").code == 0
        resolve(staged)
    assert staged("show", action, "--json").json["state"] == end
    for form, shown in before.items():
        assert staged("show", action, "--format", form).out == shown
    assert staged("show", action, "--format", "patch").out == patch
    assert staged("show", action, "--format", "plan").json == plan | {"applied": end == "applied"}


def test_an_undo_shows_its_diff_before_and_after_it_is_applied(staged: Project) -> None:
    resolve(staged)
    printed = staged("undo").out
    undo = staged.newest()
    assert staged("show", "--format", "patch").out == printed
    assert staged("show").out == printed
    assert staged("show", "--format", "stat").text == " a.py | restored\n sub/b.py | restored\n"
    document = staged("show", "--json").json
    assert (document["id"], document["kind"]) == (undo, "undo")
    assert [file["path"] for file in document["files"]] == ["a.py", "sub/b.py"]
    for form in ("plan", "shapes"):
        assert staged("show", "--format", form).code == 3
    resolve(staged)
    assert staged("show", undo, "--format", "patch").out == printed
    assert staged("show", undo, "--json").json["state"] == "applied"


def test_an_undo_of_a_file_that_was_edited_since_still_shows_from_images(staged: Project) -> None:
    resolve(staged)
    printed = staged("undo").out
    undo = staged.newest()
    resolve(staged)
    staged.put("a.py", "other\n")
    shown = staged("show", undo, "--format", "patch")
    assert (shown.code, shown.out) == (0, printed)


def test_a_pending_undo_of_an_edited_file_says_that_no_diff_can_be_made(staged: Project) -> None:
    resolve(staged)
    staged("undo")
    staged.put("a.py", "other\n")
    shown = staged("show")
    assert (shown.code, shown.out) == (3, b"")
    assert "a.py was edited since" in shown.err


def test_html_is_one_page_of_a_plan_and_nothing_of_an_undo(staged: Project) -> None:
    action = staged.newest()
    page = staged("show", "--format", "html")
    assert page.text.startswith("<!doctype html>") and page.text.endswith("</html>\n")
    assert f"<code>{action}</code>" in page.text and "a.py:1" in page.text
    resolve(staged)
    after = staged("show", action, "--format", "html").text
    assert after.partition("<main")[2] == page.text.partition("<main")[2]
    staged("undo")
    assert staged("show", "--format", "html").code == 3
