"""`astedit land`: commits out of a plan, in real repositories."""

import json
import random
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from tests.support.lists import rows
from tests.support.patched_trees import changed_files, files_of, patch_between, some_files
from tests.support.project import Project

ROWS = rows(Path(__file__).with_suffix(".txt"))

EDIT = ("edit", "-q", "-p", "old($A)", "-r", "new($A)")
WHO = ("-c", "user.name=t", "-c", "user.email=t@example.org")


@pytest.fixture
def repository(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Three files of two owners, committed, with a plan of four edits."""
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", f"the {who.lower()}")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "who@example.org")
    project.write(a_py="old(1)\nold(2)\n", sub__b_py="old(3)\n", sub__c_py="x = old('4')\n")
    project.put("CODEOWNERS", "* @one\n/sub/c.py @two @three\n")
    committed(project)
    project(*EDIT)
    return project


def committed(project: Project) -> None:
    project.git("init", "-q", "-b", "main")
    project.git("add", ".")
    project.git("commit", "-qm", "Base")


def state_of(project: Project) -> tuple[object, ...]:
    """What landing must leave as it is."""
    names = sorted(path for path in project.root.rglob("*") if ".git" not in path.parts)
    files = [(str(path), path.stat().st_mtime_ns) for path in names]
    index = (project.root / ".git/index").read_bytes()
    return files, index, (project.root / ".git/HEAD").read_bytes(), project.git("rev-parse", "main")


def subjects(project: Project, branch: str) -> list[str]:
    return project.git("log", "--reverse", "--format=%s", f"main..{branch}").decode().splitlines()


def test_commits_are_made_and_nothing_else_changes(repository: Project) -> None:
    before = state_of(repository)
    landed = repository("land", "--by", "file", "--branch", "work", "--reason", "why not")
    assert landed.code == 0 and landed.text.startswith("Landed a")
    assert state_of(repository) == before
    assert subjects(repository, "work") == [
        "a.py: old($A) → new($A)", "sub/b.py: old($A) → new($A)", "sub/c.py: old($A) → new($A)",
    ]  # fmt: skip
    shown = repository.git("log", "-1", "--format=%an|%cn|%B", "work").decode()
    plan = repository("log", "--json").json[0]
    assert shown.startswith("the author|the committer|sub/c.py: ")
    assert f"1 edit in 1 file. why not\n\nAstedit-Plan: {plan['actionId']}\n" in shown
    assert plan["outcome"] == "landed"
    assert repository.git("show", "work:a.py") == b"new(1)\nnew(2)\n"
    repository.git("checkout", "-q", "work")
    assert repository("undo", plan["actionId"]).code == 3
    assert "git revert" in repository("undo", plan["actionId"]).err


def test_a_plan_is_one_commit_whose_subject_is_the_reason(repository: Project) -> None:
    reason = "Call new, since old goes away with the next release, which everybody waits for"
    landed = repository("land", "--branch", "fix/größe#1", "--reason", reason)
    assert landed.text.startswith("Landed a") and ": 1 commit on fix/größe#1." in landed.text
    (subject,) = subjects(repository, "fix/größe#1")
    assert len(subject) == 72 and reason.startswith(subject[:-1]) and subject[-1] == "…"
    body = repository.git("log", "-1", "--format=%b", "fix/größe#1").decode()
    assert body.startswith(
        f"{reason}\n\nold($A) → new($A)\n\n4 edits in 3 files.\n\nAstedit-Plan: "
    )


def test_without_a_reason_the_commit_says_what_the_plan_does(repository: Project) -> None:
    assert repository("land", "--branch", "work").code == 0
    body = repository.git("log", "-1", "--format=%B", "work").decode()
    assert body.startswith("old($A) → new($A)\n\n4 edits in 3 files.\n\nAstedit-Plan: ")
    assert repository("log", "--json").json[0]["reason"] == "old($A) → new($A)"


def test_what_was_accepted_lands_alone(repository: Project) -> None:
    first = repository("show", "--json").json["files"][0]["edits"][0]["id"]
    document = repository("review", "--export", "-").json
    for row in document["edits"]:
        row["decision"] = "accept" if row["id"] == first else "reject"
    decisions = repository.root.parent / "review.json"
    decisions.write_text(json.dumps(document))
    repository("review", "--import", str(decisions))
    landed = repository("land", "--reviewed", "--branch", "work", "--reason", "r")
    assert landed.code == 0, landed.err
    assert repository.git("show", "work:a.py") == b"new(1)\nold(2)\n"
    assert subjects(repository, "work") == ["r"]


def test_a_branch_for_each_owner_holds_what_is_theirs_alone(repository: Project) -> None:
    rows = repository(
        "land", "--by", "owner", "--branch", "fix/{owner}", "--reason", "r", "--json"
    ).json["details"]["sourceResultDetails"]["commits"]
    assert [(row["branch"], row["edits"]) for row in rows] == [("fix/one", 3), ("fix/two-three", 1)]
    assert repository.git("show", "fix/two-three:a.py") == b"old(1)\nold(2)\n"
    assert repository.git("show", "fix/two-three:sub/c.py") == b"x = new('4')\n"
    assert repository.git("rev-parse", "fix/two-three^") == repository.git("rev-parse", "main")


@pytest.mark.slow
def test_groups_with_which_the_tests_fail_are_joined_with_the_next(repository: Project) -> None:
    repository.put("check", "grep -q new sub/b.py || ! grep -q new a.py")
    landed = repository(
        "land", "--by", "file", "--branch", "w", "--reason", "r", "--prove", "sh check"
    )
    assert landed.code == 0, landed.err
    assert [line.partition(":")[0] for line in subjects(repository, "w")] == [
        "a.py and sub/b.py",
        "sub/c.py",
    ]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--branch", "main"), "git"), (("--branch", "a..b"), "branch"),
        (("--branch", "x/{nothing}"), "bad_request"), (("--message", "{0}"), "bad_request"),
        (("--branch", "main", "--force-with-lease", "0" * 39 + "1"), "branch_checked_out"),
        (("--branch", "HEAD"), "bad_branch"), (("--branch=-x",), "bad_branch"),
        (("--prove", "false"), "baseline"), (("--prove", "grep old a.py"), "not_proven"),
        (("--prove", "no-such"), "no_command"),
    ],
)  # fmt: skip
def test_what_cannot_be_landed_is_refused_and_stays_pending(
    repository: Project, arguments: tuple[str, ...], code: str
) -> None:
    before = state_of(repository)
    error = repository("land", "--reason", "r", "--json", *arguments).json["error"]
    assert (error["code"], code == "git" and not error["hint"]) == (code, False)
    assert state_of(repository) == before
    assert repository.git("for-each-ref").count(b"\n") == 1
    assert len(repository("pending", "--json").json) == 1
    assert [path for path in repository.state.rglob("*") if path.parent.name == "landing"] == []


def test_killed_before_the_record_the_next_landing_ends_it(
    repository: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("resolve.handlers.Context.record_landed", killed)
        repository("land", "--by", "file", "--branch", "w", "--reason", "r")
    tip = repository.git("rev-parse", "w").decode().strip()
    assert len(repository("pending", "--json").json) == 1
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2001-01-01T00:00:00")
    other = ("land", "--by", "file", "--branch", "w", "--json", "--reason")
    assert repository(*other, "another").json["error"]["code"] == "git"
    rows = repository(*other, "r").json["details"]["sourceResultDetails"]["commits"]
    assert [row["commit"] for row in rows][-1] == tip
    assert repository.git("rev-parse", "w").decode().strip() == tip
    assert repository("pending", "--json").json == []


def test_a_part_is_landed_and_what_did_not_run_is_said(repository: Project) -> None:
    hook = repository.root / ".git/hooks/pre-commit"
    hook.write_text("#!/bin/sh\ntouch ran\n")
    hook.chmod(0o755)
    repository.git("config", "commit.gpgSign", "true")
    landed = repository("land", "--only", "a.py", "--branch", "w", "--reason", "r")
    assert landed.text.endswith("\nDid not run: pre-commit, signing.\n"), landed.text
    assert not (repository.root / "ran").exists()
    assert repository.git("show", "w:a.py") == b"new(1)\nnew(2)\n"
    assert repository.git("show", "w:sub/b.py") == b"old(3)\n"
    shown = repository("show", repository("log", "--json").json[0]["actionId"], "--json").json
    assert [file["path"] for file in shown["files"]] == ["a.py"]


def test_what_was_proved_is_landed(repository: Project) -> None:
    assert repository("prove", "--", "sh", "-c", "! grep -q 'new(3' sub/b.py").code == 1
    assert repository("land", "--proven", "--only", "a.py", "--reason", "r").code == 2
    assert repository("land", "--proven", "--branch", "w", "--reason", "r").code == 0
    assert repository.git("diff", "--name-only", "main", "w") == b"a.py\nsub/c.py\n"


def test_a_sparse_checkout_and_a_submodule_stay_as_they_are(repository: Project) -> None:
    inner = repository.root.parent / "inner"
    repository.git("init", "-q", str(inner))
    repository.git("-C", str(inner), "commit", "-qm", "x", "--allow-empty")
    added = ("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "lib")
    repository.git(*added)
    repository.git("commit", "-qm", "A submodule")
    repository.git("sparse-checkout", "set", "--no-cone", "/*", "!/sub/c.py")
    repository(*EDIT)
    assert repository("land", "--branch", "w", "--reason", "r").code == 0
    assert repository.git("diff", "--name-only", "main", "w") == b"a.py\nsub/b.py\n"
    assert repository.git("ls-tree", "w", "lib") == repository.git("ls-tree", "main", "lib")


def test_what_is_not_committed_is_refused(repository: Project) -> None:
    repository.put("a.py", "old(5)\n")
    repository(*EDIT)
    refused = repository("land", "--reason", "r", "--json").json["error"]
    assert (refused["code"], refused["message"]) == (
        "not_committed",
        "Not as in the commit HEAD: a.py.",
    )


def test_filters_are_refused(repository: Project) -> None:
    repository.put(".gitattributes", "a.py filter=lfs\n")
    assert repository("land", "--reason", "r", "--json").json["error"]["code"] == "filtered"


def test_landing_goes_through_the_gate(
    repository: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASTEDIT_POLICY", "human")
    assert repository("land", "--reason", "r", "--json").json["error"]["code"] == "approval_missing"


def test_without_a_commit_or_a_repository_it_says_so(project: Project) -> None:
    project.write(a_py="old(1)\n")
    project(*EDIT)
    for prepare in ([], [project.git("init", "-q")]):
        assert prepare in ([], [b""])
        assert project("land", "--reason", "r", "--json").json["error"]["code"] == "no_commit"


def test_below_the_top_on_a_detached_head_in_another_work_tree(
    repository: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = repository.root.parent / "other"
    repository.git("worktree", "add", "-q", "--detach", str(other), "main")
    (other / "sub/astedit.toml").touch()
    monkeypatch.chdir(other / "sub")
    assert repository(*EDIT).code == 0
    assert repository("land", "--branch", "w", "--reason", "r").code == 0
    assert repository.git("show", "w:sub/b.py") == b"new(3)\n"
    assert repository.git("show", "w:a.py") == b"old(1)\nold(2)\n"


def landed_patch(repository: Project, seed: int) -> None:
    """A patch of files that come, go and move becomes commits that sum up to it."""
    by = random.Random(seed)
    before = some_files(by)
    after = changed_files(by, before)
    if before == after:
        return
    repository.git("checkout", "-q", "--detach")
    for path in list(repository.root.iterdir()):
        if path.name != ".git":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    patch = patch_between(repository.root, before, after, "--binary", "-M")
    repository.git("commit", "-qm", "Before")
    (repository.root.parent / "p.diff").write_bytes(patch)
    staged = repository("stage", "--patch", str(repository.root.parent / "p.diff"), "-q")
    assert staged.code == 0, staged.err
    kind = by.choice(("shape", "file", "dir"))
    landed = repository("land", "--by", kind, "--branch", f"p{seed}", "--reason", "r")
    assert landed.code == 0, landed.err
    assert files_of(repository.root) == before
    repository.git("checkout", "-q", f"p{seed}")
    assert files_of(repository.root) == after


def test_files_that_come_go_and_move_are_landed(repository: Project) -> None:
    landed_patch(repository, 5)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_many_patches_are_landed_as_git_would_apply_them(repository: Project) -> None:
    for seed in range(100):
        landed_patch(repository, seed)


def random_project(project: Project, seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(rng.randrange(1, 6)):
        lines = [f"x = {rng.choice(['old', 'f'])}({rng.choice(['1', 'a', 'old(2)', 'g(b)'])})\n"
                 for _ in range(rng.randrange(1, 8))]  # fmt: skip
        folder = rng.choice(["", "p/", "p/q/"])
        project.put(f"{folder}m{rng.randrange(9)}.py", "".join(lines) + "y = old(0)\n")


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_commits_sum_up_to_the_plan(repository: Project) -> None:
    for seed in range(200):
        for path in list(repository.root.rglob("*.py")):
            path.unlink()
        random_project(repository, seed)
        repository.git("add", "-A")
        repository.git("commit", "-qm", "Base", "--allow-empty")
        repository(*EDIT, "--add-import", "import z") if seed % 3 == 0 else repository(*EDIT)
        by = ("shape", "rule", "file", "dir", "owner", "op")[seed % 6]
        landed = repository("land", "--by", by, "--branch", f"b{seed}", "--reason", "r")
        assert landed.code == 0, landed.err
        before = repository.files()
        repository(
            "edit", "-q", *EDIT[2:], *(["--add-import", "import z"] if seed % 3 == 0 else [])
        )
        assert repository("resolve", "apply", "--reason", "r").code == 0
        assert repository.files() != before
        assert repository.git("diff", "--stat", f"b{seed}", "--", ".") == b""
        repository.git("checkout", "-q", ".")


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_killed_at_any_moment_the_branch_is_whole_or_not_there(repository: Project) -> None:
    rng, seen = random.Random(1), set()
    started = time.monotonic()
    repository.process("land", "--branch", "whole", "--reason", "r").communicate()
    most = 1.2 * (time.monotonic() - started)
    for number in range(60):
        repository(*EDIT)
        before = state_of(repository)
        process = repository.process(
            "land", "--by", "file", "--branch", f"b{number}", "--reason", "r"
        )
        if number:  # the first comes to its end, the second hardly begins
            time.sleep(rng.uniform(0.1, most) if number > 1 else 0)
            process.kill()
        process.communicate()
        assert state_of(repository) == before
        if made := repository.git("for-each-ref", f"refs/heads/b{number}"):
            assert len(subjects(repository, f"b{number}")) == 3
            assert repository.git("show", f"b{number}:sub/c.py") == b"x = new('4')\n"
        assert repository.git("fsck", "--strict", "--no-dangling") == b""
        seen.add(bool(made))
        repository("resolve", "discard", "--all", "--reason", "r")
    assert seen == {True, False}


HOOKED = ("land", "--by", "file", "--branch", "work", "--reason", "r", "--run-hooks")


def hook(repository: Project, name: str, *lines: str) -> None:
    place = repository.root / ".git/hooks" / name
    place.write_text("\n".join(["#!/bin/sh", *lines, ""]))
    place.chmod(0o755)


def test_hooks_and_signing_run_in_a_sandbox_when_asked(repository: Project) -> None:
    key = repository.root.parent / "key"
    subprocess.run(["ssh-keygen", "-qt", "ed25519", "-N", "", "-f", key], check=True)
    allowed = repository.root.parent / "allowed"
    allowed.write_text(f"who@example.org {key.with_suffix('.pub').read_text()}")
    settings = {"gpg.format": "ssh", "user.signingKey": key, "commit.gpgSign": "true"}
    for name, value in (settings | {"gpg.ssh.allowedSignersFile": allowed}).items():
        repository.git("config", name, str(value))
    hook(repository, "pre-commit", "git rev-parse --abbrev-ref HEAD >> seen", "rm -f a.py")
    hook(repository, "commit-msg", 'echo "Change-Id: I5" >> "$1"')
    before = state_of(repository)
    landed = repository(*HOOKED)
    assert landed.code == 0 and "Did not run" not in landed.text, landed.err
    assert state_of(repository) == before and not (repository.root / "seen").exists()
    assert len(subjects(repository, "work")) == 3
    for commit in repository.git("rev-list", "main..work").decode().split():
        repository.git("verify-commit", commit)
        assert b"Astedit-Fingerprint: " in (body := repository.git("show", "-s", commit))
        assert b"Change-Id: I5" in body
    assert repository.git("show", "work:a.py") == b"new(1)\nnew(2)\n"
    assert repository.git("show", "work:sub/b.py") == b"new(3)\n"


@pytest.mark.parametrize(("name", "lines", "code", "words"), ROWS["hooks"])
def test_a_hook_that_refuses_or_changes_a_commit_lands_nothing(
    repository: Project, name: str, lines: tuple[str, ...], code: str, words: str
) -> None:
    hook(repository, name, *lines)
    before = state_of(repository)
    error = repository(*HOOKED, "--json").json["error"]
    assert words in error["message"] and error["code"] == code
    assert state_of(repository) == before and not (repository.root / "other").exists()
    assert repository.git("for-each-ref").count(b"\n") == 1
    assert len(repository("pending", "--json").json) == 1


@pytest.mark.slow
def test_what_a_hook_leaves_running_does_not_hold_up_the_landing(repository: Project) -> None:
    hook(repository, "pre-commit", "sleep 3600 &")
    assert repository(*HOOKED).code == 0


def test_filters_run_in_a_sandbox_when_asked(project: Project) -> None:
    """What git keeps is the form that the filter makes; read back it is what was previewed."""
    project.git("init", "-q", "-b", "main")
    for who, does in (("clean", "tr a-z A-Z"), ("smudge", "tr A-Z a-z")):
        project.git("config", f"filter.upper.{who}", does)
    project.write(a_py="old(1)\n")
    project.put(".gitattributes", "*.py filter=upper\n")
    project.git("add", ".")
    project.git(*WHO, "commit", "-qm", "Base")
    project(*EDIT)
    assert project("land", "--branch", "w", "--reason", "r", "--json").json["error"] == {
        "code": "filtered",
        "message": "Filters of git, such as LFS, do not run here: a.py.",
        "hint": "--run-hooks runs them in a sandbox.",
        "path": None,
    }
    assert project("land", "--branch", "w", "--reason", "r", "--run-hooks").code == 0
    assert project.git("show", "w:a.py") == b"NEW(1)\n"
    project.git("checkout", "-q", "w")
    assert project.read("a.py") == "old(1)\n" or project.read("a.py") == "new(1)\n"


def test_a_work_tree_whose_git_lies_elsewhere_runs_no_hooks(repository: Project) -> None:
    tree = repository.root.parent / "tree"
    repository.git("worktree", "add", "-q", str(tree))
    place = ("--root", str(tree))
    assert repository(*EDIT, *place).code == 0
    refused = repository("land", "--reason", "r", "--run-hooks", "--json", *place)
    assert refused.json["error"]["code"] == "git_outside"
    assert repository("land", "--reason", "r", "--branch", "w", *place).code == 0
