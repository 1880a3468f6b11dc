"""`astedit draft`: a program works in a view of the tree, and what differs becomes a plan."""

import fcntl
import json
import os
import random
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from astedit.workspace.confined_open import closed_after
from tests.support import REPOSITORY
from tests.support.patched_trees import git
from tests.support.patience import LAST, until
from tests.support.project import Outcome, Project

WAYS = ("overlay", "copy")
INSIDE = f"{sys.executable} -m astedit"


@pytest.fixture
def tree(project: Project) -> Project:
    """A repository of a few files, all of it tracked."""
    project.put("pkg/a.py", "old_name(1)\nkept(2)\n")
    project.put("pkg/b.py", "x = 1\n")
    project.put("t.txt", "one\ntwo\nthree\n")
    project.put("run.sh", "echo\n")
    project.put(".gitignore", "*.log\n")
    git(project.root, "init", "-q")
    git(project.root, "add", "-A")
    project.git("commit", "-qm", "first")
    return project


def real(project: Project, *args: str, **more: Any) -> Outcome:
    """The real command: a draft has the streams of a process of its own."""
    environment = os.environ | {"PYTHONPATH": str(REPOSITORY)}
    done = subprocess.run(
        project.process_command(*args), cwd=project.root, env=environment, capture_output=True,
        timeout=LAST, stdin=subprocess.DEVNULL, **more,
    )  # fmt: skip
    return Outcome(done.returncode, done.stdout, done.stderr.decode())


def draft(project: Project, script: str, *flags: str) -> Outcome:
    return real(project, "draft", *flags, "--", "sh", "-c", script)


@pytest.mark.parametrize("closed", ["<&-", ">&-", "<&- >&- 2>&-"])
def test_what_the_caller_closed_is_no_file_of_the_sandbox(tree: Project, closed: str) -> None:
    line = shlex.join(tree.process_command("draft", "--", "touch", "new.txt"))
    environment = os.environ | {"PYTHONPATH": str(REPOSITORY)}
    assert (
        subprocess.run(f"{line} {closed}", shell=True, cwd=tree.root, env=environment).returncode
        == 0
    )


@pytest.mark.parametrize("way", WAYS)
def test_what_a_program_changed_is_a_plan_and_lands_by_an_apply_alone(
    tree: Project, way: str
) -> None:
    before = tree.files()
    script = (
        "sed -i s/old/new/ pkg/a.py; rm pkg/b.py; mkdir n; echo z > n/z.txt; chmod +x run.sh;"
        " printf 'a\\0b' > bin; ln -s t.txt link; echo x > a.log; git add -A;"
        " echo '*.py' >> .gitignore;"
        " git -c user.name=t -c user.email=t@t commit -qm inside; exit 7"
    )
    assert draft(tree, script, "--name", "one", "--sandbox", way).code == 7
    assert tree.files() == before and tree.git("status", "--porcelain") == b""
    plan = tree("draft", "plan", "--json").json
    assert {file["path"]: file["operation"] for file in plan["files"]} == {
        "bin": "create", "n/z.txt": "create", "pkg/a.py": "modify", "pkg/b.py": "delete",
        "run.sh": "modify", ".gitignore": "modify",
    }  # fmt: skip
    assert tree("draft", "list", "--json").json["drafts"][0]["changes"] == len(plan["files"])
    assert "left out: 1 ignored file, a.log" in plan["hints"]
    assert "left out: 1 link or device, link" in plan["hints"]
    assert any("of git's own, .git/COMMIT_EDITMSG" in hint for hint in plan["hints"])
    assert tree("resolve", "apply", "--reason", "r").code == 0
    assert tree.read("pkg/a.py") == "new_name(1)\nkept(2)\n"
    assert os.access(tree.root / "run.sh", os.X_OK) and not (tree.root / "pkg/b.py").exists()
    assert tree("draft", "plan", "one", "--json").json["totalReplacements"] == 0
    assert tree("undo", "--apply", "--reason", "r").code == 0
    assert tree.files() == before and not os.access(tree.root / "run.sh", os.X_OK)
    assert tree("draft", "plan", "one", "--json").json["totalReplacements"] == 6


def test_from_inside_the_process_outside_answers_and_the_gate_inside_is_another(
    tree: Project,
) -> None:
    script = (
        f"echo 'f(3)' >> pkg/a.py; {INSIDE} draft plan -q >&2; {INSIDE} pending;"
        f" {INSIDE} edit -p 'kept($A)' -r 'more($A)' --apply --reason inside -q >&2;"
        f" {INSIDE} draft list --json; {INSIDE} draft plan --apply --reason no; echo $?;"
        f" {INSIDE} draft discard $ASTEDIT_DRAFT; echo $?; cat pkg/a.py"
    )
    listed, rest = draft(tree, script).text.rsplit("}\n", 1)
    assert json.loads(listed + "}")["drafts"][0]["running"] is True
    assert rest == "3\n3\nold_name(1)\nmore(2)\nf(3)\n"
    assert tree.read("pkg/a.py") == "old_name(1)\nkept(2)\n"
    (pending,) = tree("pending", "--json").json
    assert pending["label"] == "draft: d1, 1 replacement in 1 file"
    tree("draft", "plan", "-q", "--title", "rename it")  # takes the place of the one before
    (newer,) = tree("pending", "--json").json
    assert newer["id"] != pending["id"] and "2 replacements in 1 file" in newer["label"]
    assert newer["title"] == "rename it"


def test_the_real_state_refuses_a_root_that_is_not_its_own(tree: Project) -> None:
    assert tree("edit", "-p", "kept($A)", "-r", "more($A)", "-q").code == 0
    state = os.environ["ASTEDIT_STATE_DIR"]
    done = draft(tree, f"{INSIDE} resolve apply --state-dir {state} --reason r")
    assert done.code == 3 and "is not the directory that it was" in done.err
    assert "kept(2)" in tree.read("pkg/a.py")


@pytest.mark.parametrize("way", WAYS)
def test_what_the_tree_changed_meanwhile_is_a_conflict_or_comes_by_a_pull(
    tree: Project, way: str
) -> None:
    script = "echo mine >> t.txt; chmod +x run.sh; rm pkg/b.py; echo '#' >> .gitignore"
    draft(tree, script, "--sandbox", way)
    os.utime(tree.root / ".gitignore")  # which is no change
    tree.put("t.txt", "theirs\n")
    tree.put("run.sh", "theirs\n")
    tree.put("pkg/a.py", "theirs(1)\n")
    tree.put("later/x.txt", "x\n")
    assert (done := tree("draft", "plan")).code == 3 and "t.txt was changed in" in done.err
    pulled = tree("draft", "pull", "--json")
    assert (pulled.code, pulled.json["conflicts"]) == (1, ["run.sh", "t.txt"])
    assert {"pkg/a.py", "later/x.txt"} <= set(pulled.json["pulled"])
    pull = ("draft", "pull", "--keep", "t.txt", "--take")
    assert [tree(*pull, path).code for path in ("t.txt", "run.sh")] == [2, 0]
    plan = tree("draft", "plan", "--json", "--stage").json
    assert {file["path"]: file["operation"] for file in plan["files"]} == {
        ".gitignore": "modify", "t.txt": "modify", "pkg/b.py": "delete",
    }  # fmt: skip
    shown = real(tree, "draft", "enter", "d1", "--", "cat", "run.sh", "pkg/a.py", "later/x.txt")
    assert shown.text == "theirs\ntheirs(1)\nx\n"


def test_what_cannot_be_noted_leaves_nothing(tree: Project, monkeypatch: Any) -> None:
    draft(tree, "echo 1 >> t.txt")
    tree("draft", "list")
    monkeypatch.setattr(os, "rename", os.symlink)  # refuses, as a full disk does
    assert tree("draft", "list").code == 0
    assert len(list(tree.state.glob("*/drafts/d1/*.json*"))) == 3


def test_one_that_cannot_be_read_is_kept_until_it_is_discarded(tree: Project) -> None:
    draft(tree, "echo precious > work.txt")
    (record,) = tree.state.glob("*/drafts/d1/draft.json")
    record.write_text(json.dumps({**json.loads(record.read_text()), "later": 1}))
    assert len(tree("draft", "list", "--json").json["drafts"]) == 1
    record.write_text("{")
    assert "the draft d1 cannot be read" in tree("draft", "list").err
    assert "draft: d2 " in draft(tree, "true").err
    assert "d1 that cannot be read" in draft(tree, "true", "--name", "d1").err
    assert (record.parent / "upper/work.txt").read_text() == "precious\n"
    assert tree("draft", "discard", "d1").code == 0 and not record.parent.exists()
    assert tree("draft", "discard", "d1").err.startswith("error: There is no draft d1.")
    (drafts := record.parent.parent).rename(tree.state / "away")
    drafts.symlink_to(drafts)  # nobody can read it, not even root
    assert tree("draft", "list").code == 5


def test_what_has_no_place_in_the_draft_is_left_and_no_plan_deletes_it(tree: Project) -> None:
    draft(tree, "rm -r pkg")
    tree.put("pkg/new.txt", "important\n")
    taken = tree("draft", "pull", "--take", "pkg/new.txt", "--json")
    assert (taken.code, taken.json["conflicts"]) == (1, ["pkg/new.txt"])
    assert "was changed in the tree, too" in tree("draft", "plan").err
    assert tree("draft", "discard", "d1").code == 0
    draft(tree, "true", "--sandbox", "copy")
    (tree.root / "pkg/b.py").unlink()
    tree.put("pkg/b.py/in", "x")
    os.chmod(tree.root / "t.txt", 0o755)
    pulled = tree("draft", "pull", "--json").json
    assert (pulled["pulled"], pulled["left"]) == (["t.txt"], ["pkg/b.py", "pkg/b.py/in"])
    assert tree("draft", "plan", "--json").json["files"] == []


def test_nobody_inside_answers_the_question_of_the_gate(tree: Project) -> None:
    tree.put("yes.py", (
        "import os, pty, sys, time\npid, door = pty.fork()\n"
        f"pid or os.execvp({sys.executable!r}, {[*INSIDE.split(), 'draft', 'plan']!r})\n"
        "os.write(door, b'y\\n' * 3)\n"
        "while True:\n    sys.stdout.write(os.read(door, 99).decode())\n"
    ))  # fmt: skip
    done = draft(tree, f"echo evil >> run.sh; {sys.executable} yes.py")
    assert "Staged as" in done.text and tree.read("run.sh") == "echo\n"


def test_a_part_that_was_applied_is_no_conflict(tree: Project) -> None:
    draft(tree, "sed -i 's/old/new/; s/kept/more/' pkg/a.py")
    first = tree("draft", "plan", "--json").json["files"][0]["edits"][0]["id"]
    assert tree("resolve", "apply", "--only", first, "--reason", "r").code == 0
    left = tree("draft", "plan", "--json").json
    assert [edit["after"] for edit in left["files"][0]["edits"]] == ["more"]


def test_a_pull_reaches_a_program_that_runs(tree: Project) -> None:
    script = (
        "cat pkg/a.py > seen; until test -e later && grep -q theirs pkg/a.py; do sleep 0.05; done;"
        " cat pkg/a.py later; rm seen"
    )
    running = tree.process("draft", "--name", "r", "--", "sh", "-c", script)
    until(lambda: list(tree.state.glob("*/drafts/r/upper/seen")))
    (tree.root / "new").write_text("theirs()\n")
    os.rename(tree.root / "new", tree.root / "pkg/a.py")  # another file, as editors save
    tree.put("later", "new\n")
    assert tree("draft", "pull", "r").text == "newer: later\nnewer: pkg/a.py\n"
    assert running.communicate(timeout=LAST)[0] == b"theirs()\nnew\n"
    assert tree("draft", "plan", "r", "--json").json["files"] == []
    (record,) = tree.state.glob("*/drafts/r/draft.json")
    record.write_text(json.dumps(json.loads(record.read_text()) | {"process": os.getpid()}))
    with closed_after(os.open(record.parent, os.O_RDONLY)) as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # one that has not mounted anything yet
        assert "is just beginning" in tree("draft", "pull", "r").err


def test_several_at_once_tell_where_they_overlap(tree: Project) -> None:
    draft(tree, "echo 1 >> t.txt; echo 1 > one", "--name", "one")
    draft(tree, "echo 2 >> t.txt", "--name", "two")
    one, two = tree("draft", "list", "--json").json["drafts"]
    assert (one["changes"], two["changes"]) == (2, 1)
    assert one["overlaps"] == [{"name": "two", "paths": ["t.txt"]}]
    assert two["overlaps"] == [{"name": "one", "paths": ["t.txt"]}]
    assert "several drafts: one, two" in tree("draft", "plan").err
    assert tree("draft", "discard", "one").code == 0
    begun = [tree.process("draft", "--", "true") for _ in range(3)]
    assert [(process.communicate(), process.returncode)[1] for process in begun] == [0, 0, 0]
    names = {row["name"] for row in tree("draft", "list", "--json").json["drafts"]}
    assert names == {"two", "d1", "d2", "d3"}


@pytest.mark.parametrize(
    ("args", "code", "why"),
    [
        (("plan",), 3, "There is no draft."), (("enter", "x"), 3, "There is no draft."),
        (("discard",), 2, "Name the draft"), (("list", "--", "true"), 2, "starts no program"),
        (("--name", "../x", "--", "true"), 2, "cannot be the name"),
        (("--check", "--", "true"), 2, "--check does not go with"),
        (("--", "no-such-program"), 2, "cannot be started"), (("lost",), 2, "is not one of"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_said_and_nothing_begins(
    tree: Project, args: tuple[str, ...], code: int, why: str
) -> None:
    done = real(tree, "draft", *args)
    assert (done.code, why in done.err) == (code, True), done.err


def test_without_an_overlay_or_room_for_a_copy_nothing_starts(tree: Project) -> None:
    (tree.state.parent / "file").touch()
    done = real(tree, "draft", "--state-dir", str(tree.state.parent / "file/x"), "--", "touch", "x")
    assert done.code == 5 and "can be made" in done.err and not (tree.root / "x").exists()


def test_a_draft_does_not_hold_itself(tree: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ASTEDIT_STATE_DIR")
    monkeypatch.setenv("XDG_STATE_HOME", str(tree.root / "home"))
    done = real(tree, "draft", "--sandbox", "copy", "--", "touch", "x")
    assert done.code == 2 and "is inside the root" in done.err
    assert not list(tree.root.glob("home/astedit/*/drafts/*"))


def test_a_draft_that_is_used_is_entered_once_and_its_limit_ends_the_program(tree: Project) -> None:
    running = tree.process("draft", "--name", "x", "--", "sleep", "60")
    until(lambda: tree("draft", "list", "--json").json["drafts"][:1])
    until(lambda: tree("draft", "list", "--json").json["drafts"][0]["running"])
    for words in (("enter", "x", "--", "true"), ("discard", "x")):
        assert "A program runs in the draft x." in real(tree, "draft", *words).err
    running.kill()
    running.communicate()
    until(lambda: not tree("draft", "list", "--json").json["drafts"][0]["running"])
    full = draft(tree, "head -c 9000000 /dev/zero > big; sleep 60", "--name", "x",
                 "--max-bytes", "1M")  # fmt: skip
    assert full.code == 4 and "was ended at 1,048,576 bytes" in full.err
    assert tree("draft", "list", "--json").json["drafts"][0]["bytes"] > 1 << 20


def test_nothing_is_left_of_a_program_but_its_files(tree: Project) -> None:
    script = (
        "(setsid sleep 987 &); mount -t tmpfs none pkg 2>/dev/null; cp /bin/true suid;"
        " chmod 4755 suid; echo end"
    )
    assert draft(tree, script).text == "end\n"
    assert "987" not in subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout
    assert str(tree.root) not in Path("/proc/self/mountinfo").read_text()
    refused = tree("draft", "plan")
    assert refused.code == 3 and "suid would be setuid" in refused.err
    draft(tree, "echo '(' >> pkg/a.py; rm suid", "--name", "d1")
    assert "hint: Stage the rest with --allow-partial" in tree("draft", "plan").err
    assert tree("draft", "discard", "d1").code == 0
    assert list(tree.state.glob("*/drafts/*")) == []


def test_killed_anywhere_the_tree_is_as_it_was_and_the_draft_goes_on(tree: Project) -> None:
    before, chance = tree.files(), random.Random(4)
    script = "for i in 1 2 3 4 5 6 7 8 9; do echo $i >> t.txt; echo $i > n$i; done"
    for _ in range(12):
        running = tree.process("draft", "--name", "k", "--", "sh", "-c", script)
        time.sleep(chance.uniform(0, 0.7))
        running.send_signal(signal.SIGKILL)
        running.communicate()
        assert tree.files() == before
    until(lambda: draft(tree, "echo last > last", "--name", "k").code == 0)
    assert "last" in {file["path"] for file in tree("draft", "plan", "--json").json["files"]}


def test_the_plan_is_that_of_a_copy_in_which_the_same_ran(tree: Project, tmp_path: Path) -> None:
    script = (
        "mv t.txt moved.txt; sed -i s/one/1/ moved.txt; chmod +x run.sh; rm -r pkg; mkdir pkg;"
        " echo 'y = 2' > pkg/c.py; echo 'größe' > 'a b.txt'"
    )
    copy = tmp_path / "copy"
    shutil.copytree(tree.root, copy)
    subprocess.run(["sh", "-c", script], cwd=copy, check=True)
    git(copy, "add", "-A")
    draft(tree, script)
    patch = tree("draft", "plan", "--no-stage").out
    subprocess.run(["git", "apply", "--index", "-"], input=patch, cwd=tree.root, check=True)
    assert (
        tree.git("write-tree")
        == subprocess.run(["git", "write-tree"], cwd=copy, capture_output=True, check=True).stdout
    )
