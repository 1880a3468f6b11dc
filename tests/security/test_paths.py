"""Paths that lie: git's own directories under any name, long chains, magic links, mounts."""

import os
import shutil
import subprocess

import pytest

from tests.support.project import Project

EDIT = ("edit", "-p", "f($A)", "-r", "g($A)", "--json", "--no-stage")


def touched(project: Project, *args: str) -> list[str]:
    """The files that an edit of this tree would write."""
    done = project(*EDIT, *args)
    assert done.code in (0, 1, 3), done.err
    return [file["path"] for file in done.json.get("files", [])]


def blocked(project: Project, *args: str) -> set[str]:
    return {one["path"] for one in project(*EDIT, *args).json["blocked"]}


def test_git_s_own_directory_is_known_whatever_it_is_called(project: Project) -> None:
    project.git("init", "-q", "--separate-git-dir=store")
    project.put("a.py", "f(1)\n")
    project.put("store/hooks/evil.py", "f(1)\n")
    project.put("store/deep/er/evil.py", "f(1)\n")
    hidden = ("store/hooks/evil.py", "store/deep/er/evil.py")
    assert touched(project, "--allow-protected", "a.py", *hidden) == ["a.py"]
    assert blocked(project, "--allow-protected", "a.py", *hidden) == set(hidden)


def test_a_bare_repository_is_git_s_own_and_a_worktree_in_it_is_not(project: Project) -> None:
    project.git("init", "-q", "--bare", "bare")
    project.git("init", "-q", "bare/main")
    project.put("bare/main/a.py", "f(1)\n")
    project.put("bare/hooks/a.py", "f(1)\n")
    assert touched(project, *("bare/main/a.py", "bare/hooks/a.py")) == ["bare/main/a.py"]


def test_a_worktree_and_a_submodule_reach_no_directory_of_git(project: Project) -> None:
    project.git("init", "-q")
    project.put("a.py", "f(1)\n")
    project.git("add", "a.py")
    project.git("commit", "-qm", "one")
    project.git("worktree", "add", "-q", "tree")
    project.put(".git/worktrees/tree/evil.py", "f(1)\n")
    paths = (".git/worktrees/tree/evil.py", "tree/a.py")
    assert touched(project, "--allow-protected", *paths) == ["tree/a.py"]
    assert touched(project, "--allow-protected", "--root", ".git/worktrees/tree") == []


def test_names_that_differ_by_case_or_form_are_two_files(project: Project) -> None:
    names = ["caf\u00e9.py", "cafe\u0301.py", "A.py", "a.py"]
    for name in names:
        project.put(name, "f(1)\n")
    if len(project.files()) < len(names) + 1:
        pytest.skip("this file system folds names")
    assert sorted(touched(project)) == sorted(names)


def test_a_chain_of_links_longer_than_any_path_is_refused(project: Project) -> None:
    """17 directories of 247 bytes behind links of one letter each: 63 bytes become 4,245."""
    here = os.open(project.root, os.O_RDONLY)
    for letter in "abcdefghijklmnopq":
        os.mkdir(letter * 247, dir_fd=here)
        os.symlink(letter * 247, letter, dir_fd=here)
        below = os.open(letter * 247, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    file = os.open("a.py", os.O_WRONLY | os.O_CREAT, 0o644, dir_fd=here)
    os.write(file, b"f(1)\n")
    os.close(file)
    os.close(here)
    done = project(*EDIT, "/".join("abcdefghijklmnopq") + "/a.py")
    assert done.code in (2, 3) and "Traceback" not in done.err, done
    assert done.json["error"]["message"]
    assert project(*EDIT).code in (0, 1), "the walk meets it and goes on"
    assert project("search", "-p", "f($A)").code in (0, 1)
    shutil.rmtree(project.root / ("a" * 247), ignore_errors=True)


@pytest.mark.parametrize(
    "target", ["/proc/self/fd", "/dev/fd", "/proc/self/root", "/proc/self/cwd"]
)
def test_magic_links_lead_nowhere(project: Project, target: str) -> None:
    (project.root / "magic").symlink_to(target)
    (project.root / "number.py").symlink_to(f"{target}/0")
    project.put("a.py", "f(1)\n")
    assert touched(project) == ["a.py"]
    for path in ("magic/0", "number.py"):
        assert project(*EDIT, path).code in (2, 3)


def mounted(project: Project, mount: str, *commands: list[str]) -> list[int]:
    """Exit codes of commands in a mount namespace of their own, behind a shell's `mount …`."""
    words = [
        "unshare",
        "-m",
        "sh",
        "-ec",
        f"{mount}\nset +e\nfor one; do $one; echo $?; done",
        "sh",
    ]
    if subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode:
        pytest.skip("mounts need privileges that are not here")
    shell = [" ".join(command) for command in commands]
    done = subprocess.run([*words, *shell], cwd=project.root, capture_output=True, text=True)
    assert done.stdout.split(), done.stderr
    return [int(line) for line in done.stdout.splitlines() if line.isdigit()]


def test_a_mount_below_the_root_is_edited_like_any_directory(project: Project) -> None:
    project.put("sub/a.py", "f(1)\n")
    project.put("b.py", "f(1)\n")
    (project.root.parent / "other").mkdir()
    (project.root.parent / "other/a.py").write_text("f(2)\n")
    edit = project.process_command("edit", "-p", "f($A)", "-r", "g($A)", "--quiet")
    apply = project.process_command("resolve", "apply", "--reason", "t")
    assert mounted(project, "mount --bind ../other sub", edit, apply) == [0, 0]
    assert (project.root.parent / "other/a.py").read_text() == "g(2)\n"
    assert (project.read("sub/a.py"), project.read("b.py")) == ("f(1)\n", "g(1)\n")


def test_on_a_read_only_mount_a_preview_works_and_an_apply_changes_nothing(
    project: Project,
) -> None:
    project.put("sub/a.py", "f(1)\n")
    project.put("a.py", "f(1)\n")
    edit = project.process_command("edit", "-p", "f($A)", "-r", "g($A)", "--quiet")
    apply = project.process_command("resolve", "apply", "--reason", "t")
    read_only = "mount --bind sub sub; mount -o remount,bind,ro sub"
    assert mounted(project, read_only, edit, apply) == [0, 3]
    assert (project.read("sub/a.py"), project.read("a.py")) == ("f(1)\n", "f(1)\n")
    assert mounted(project, "mount --bind . .; mount -o remount,bind,ro .; cd $PWD", edit) == [0]
    assert not list(project.root.rglob(".astedit-*"))
