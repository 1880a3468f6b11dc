"""`astedit stage --patch`: staged wholly, or refused with every part that does not fit."""

import os

import pytest

from tests.support.project import Outcome, Project

EDIT = "--- a/{0}\n+++ b/{0}\n@@ -1 +1 @@\n-x = 1\n+x = 2\n"
NEW = "--- /dev/null\n+++ b/{0}\n@@ -0,0 +1 @@\n+x = 2\n"


@pytest.fixture(autouse=True)
def _file(project: Project) -> None:
    project.put("a.py", "x = 1\n")


def stage(project: Project, patch: str | bytes, *flags: str) -> Outcome:
    content = patch.encode() if isinstance(patch, str) else patch
    (project.root.parent / "p.diff").write_bytes(content)
    return project("stage", "--patch", str(project.root.parent / "p.diff"), *flags)


def staged(project: Project) -> int:
    return len(project("pending", "--json").json)


def test_it_is_shown_staged_applied_and_undone(project: Project) -> None:
    done = stage(project, EDIT.format("a.py") + NEW.format("new/c.py"), "--json")
    plan = done.json
    assert done.code == 0 and plan["totalReplacements"] == 2 and plan["actionId"]
    operations = {file["path"]: file["operation"] for file in plan["files"]}
    assert operations == {"a.py": "modify", "new/c.py": "create"}
    assert not (project.root / "new").exists()
    assert project("resolve", "apply", "--reason", "t").code == 0
    assert (project.root / "new/c.py").read_text() == "x = 2\n"
    project("undo")
    assert project("resolve", "apply", "--reason", "t").code == 0
    assert not (project.root / "new").exists()
    assert (project.root / "a.py").read_text() == "x = 1\n"


def test_what_is_made_meanwhile_is_kept(project: Project) -> None:
    stage(project, NEW.format("c.py"))
    (project.root / "c.py").write_text("mine\n")
    done = project("resolve", "apply", "--reason", "t")
    assert done.code == 3 and "c.py" in done.err
    assert (project.root / "c.py").read_text() == "mine\n"


def test_a_plan_document_carries_it(project: Project) -> None:
    stage(project, EDIT.format("a.py") + NEW.format("c.py"))
    document = project("show", "--format", "plan").out
    project("resolve", "discard", "--reason", "t")
    (project.root.parent / "plan.json").write_bytes(document)
    assert project("stage", str(project.root.parent / "plan.json"), "--quiet").code == 0
    assert project("resolve", "apply", "--reason", "t").code == 0
    assert (project.root / "c.py").read_text() == "x = 2\n"


@pytest.mark.parametrize(
    ("patch", "why"),
    [
        (EDIT.format("a.py").replace("x = 1", "y = 1"), "line 1 is 'x = 1', not 'y = 1'"),
        (EDIT.format("nosuch.py"), "nosuch.py"),
        (NEW.format("a.py"), "exists already"),
        (NEW.format("A.py"), "is like a.py, but for its case"),
        (NEW.format("a.py/b.py"), "a.py is a file"),
        (EDIT.format("../a.py"), "not a path below the root"),
        (NEW.format("/etc/x"), "not a path below the root"),
        (NEW.format(".git/hooks/pre-commit"), "is protected"),
        (NEW.format(".github/workflows/x.yml"), "is protected"),
        (EDIT.format("a.py") * 2, "changes a.py twice"),
        ("new file mode 120000\n".join(["diff --git a/l b/l\n", NEW.format("l")]), "is a link"),
        (EDIT.format("a.py").replace("x = 2", "x = = 2"), "would not parse any more"),
        ("hello\n", "no patch that can be taken"),
        (b"\xff\xfe\x00-\x00-\x00", "no patch that can be taken"),
    ],
)
def test_what_does_not_fit_is_named_and_nothing_is_staged(
    project: Project, patch: str | bytes, why: str
) -> None:
    more = NEW.format("beside.py") if "no patch" not in why else ""
    text = patch + more.encode() if isinstance(patch, bytes) else patch + more
    done = stage(project, text)
    assert done.code in (2, 3) and why in done.err, done.err
    assert staged(project) == 0


def test_the_parts_that_fit_are_staged_when_asked(project: Project) -> None:
    done = stage(project, EDIT.format("nosuch.py") + NEW.format("c.py"), "--allow-partial")
    assert done.code == 0 and "left out: nosuch.py" in done.err
    assert staged(project) == 1


def test_no_link_is_followed(project: Project) -> None:
    (project.root.parent / "out").mkdir()
    (project.root.parent / "out/d.py").write_text("x = 1\n")
    os.symlink("../out", project.root / "link")
    for patch in (NEW.format("link/c.py"), EDIT.format("link/d.py")):
        done = stage(project, patch)
        assert done.code == 3, done.err
    assert os.listdir(project.root.parent / "out") == ["d.py"]


def test_a_plan_and_a_patch_exclude_one_another(project: Project) -> None:
    assert project("stage").code == 2
    assert project("stage", "plan.json", "--patch", "p.diff").code == 2


def test_files_that_take_one_another_s_places(project: Project) -> None:
    for name in "abc":
        project.put(f"{name}.txt", f"{name} = 1\n")
    circle = "".join(
        f"diff --git a/{old}.txt b/{new}.txt\nrename from {old}.txt\nrename to {new}.txt\n"
        for old, new in ("ab", "bc", "ca")
    )
    before = project.files()
    assert stage(project, circle).code == 0
    assert project("resolve", "apply", "--reason", "t").code == 0
    assert [project.read(f"{name}.txt") for name in "abc"] == ["c = 1\n", "a = 1\n", "b = 1\n"]
    project("undo")
    assert project("resolve", "apply", "--reason", "t").code == 0
    assert project.files() == before
