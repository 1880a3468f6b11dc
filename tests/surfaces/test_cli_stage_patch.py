"""`astedit stage --patch`: staged wholly, or refused with every part that does not fit."""

import os
import shutil
import subprocess

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
    assert plan["title"] == "patch a.py and 1 more"
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
        (EDIT.format("a.py").replace("x = 1", "y = 1"), "line 1 is not 'y = 1'\n| x = 1\n"),
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
        ("hello\n", "not a patch that can be taken"),
        (b"\xff\xfe\x00-\x00-\x00", "not a patch that can be taken"),
    ],
)
def test_what_does_not_fit_is_named_and_nothing_is_staged(
    project: Project, patch: str | bytes, why: str
) -> None:
    more = NEW.format("beside.py") if "not a patch" not in why else ""
    done = stage(project, patch + more.encode() if isinstance(patch, bytes) else patch + more)
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


HUNK = "@@ -1 +1 @@\n-x = 1\n+x = 2\n"
NEW_FILE = "new file mode 100644\n--- /dev/null\n+++ b/{0}\n@@ -0,0 +1 @@\n+y\n"


def new(path: str) -> str:
    return f"diff --git a/{path} b/{path}\n{NEW_FILE.format(path)}"


REFUSED = {
    "another name above": f"diff --git a/a.py b/a.py\n--- a/b.py\n+++ b/b.py\n{HUNK}",
    "another name below": f"diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/b.py\n{HUNK}",
    "a rename to another": "diff --git a/a.py b/c.py\nrename from a.py\nrename to c.py\n"
    f"--- a/a.py\n+++ b/d.py\n{HUNK}",
    "a new file that was there": "diff --git a/n b/n\nnew file mode 100644\n"
    "--- a/n\n+++ b/n\n@@ -0,0 +1 @@\n+y\n",
    "a line of 5,000 digits": f"--- a/a.py\n+++ b/a.py\n@@ -{'9' * 5000} +1 @@\n-x = 1\n+x = 2\n",
    "3,000 components": new("n/" * 3_000 + "n"),
    "a point": new("n/./n"),
    "two slashes": new("n//n"),
    "a slash at the end": new("n/"),
    "a name of 256 bytes": new("n" * 256),
    "a name of 256 bytes in characters of two": new("é" * 128),
    "a file and a directory": new("n") + new("n/x"),
    "a directory and a file": new("n/x/y") + new("n"),
    "a file that is there and a directory": new("a.py/x"),
}


# Where git itself takes one of two names, or a number that has run over.
GUESSED = {"another name above", "another name below", "a line of 5,000 digits"}


@pytest.mark.parametrize("name", REFUSED)
def test_what_git_apply_refuses_is_refused(project: Project, name: str) -> None:
    project.write(a_py="x = 1\n", b_py="x = 1\n")
    patch = REFUSED[name].encode()
    copy = shutil.copytree(project.root, project.root.parent / "copy")
    applied = subprocess.run(
        ["git", "apply"], cwd=copy, input=patch, capture_output=True, check=False
    )
    assert (applied.returncode == 0) == (name in GUESSED), applied.stderr
    place = project.root.parent / "a.patch"
    place.write_bytes(patch)
    refused = project("stage", "--patch", str(place), "--json")
    assert refused.code in (2, 3), refused
    assert refused.json["error"]["code"] in ("bad_patch", "patch_does_not_fit"), refused.text
    assert project("pending", "--json").json == []


def test_a_patch_is_stale_where_its_file_has_changed(project: Project) -> None:
    assert stage(project, EDIT.format("a.py")).code == 0
    project.put("a.py", "x = 9\n")
    stale = project("resolve", "apply", "--reason", "t", "--json").json["error"]
    assert stale["code"] == "stale" and "a.py" in stale["message"]
