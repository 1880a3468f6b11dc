"""Which files a run looks at, with git and without it."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from astedit.discover.discover import Discovery, Search, discover
from astedit.discover.walk import Walker
from astedit.errors import OutsideRootError, RequestError
from astedit.limits import Cancelled, Deadline
from astedit.workspace.root import Workspace, in_repository
from tests.support.forked_workers import children
from tests.support.lists import rows

ROWS = rows(Path(__file__).with_suffix(".txt"))


@pytest.fixture(autouse=True)
def plain_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the person who runs the tests has a say."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    directory = tmp_path / "root"
    directory.mkdir()
    return directory


def git(root: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    subprocess.run(["git", "-C", root, *identity, *arguments], check=True, capture_output=True)


def put(root: Path, *paths: str, text: str = "x = 1\n") -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)


def found(root: Path, *paths: str, **options: object) -> Discovery:
    with Workspace(root) as workspace:
        return discover(workspace, paths or ["."], **options)  # type: ignore[arg-type]


def files(root: Path, *paths: str, **options: object) -> list[str]:
    return found(root, *paths, **options).files


@pytest.fixture(params=["git", "no git"])
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Both ways of listing must agree; the second has no git on its PATH."""
    if request.param == "no git":
        assert shutil.which("git") is not None
        monkeypatch.setattr("astedit.git.find_program", lambda name, root: None)
    yield request.param


def test_everything_visible_is_found_once_and_in_byte_order(root: Path, kind: str) -> None:
    git(root, "init", "-q")
    put(root, "b.py", "a/z.py", "a.py", "a-b.py", "é.py", "Z.py", ".hid.py", ".h/x.py", "notes.txt")
    git(root, "add", "a.py", "a/z.py")
    assert files(root) == ["Z.py", "a-b.py", "a.py", "a/z.py", "b.py", "notes.txt", "é.py"]
    assert files(root, ".", "a", "a.py", "a/z.py", suffixes={"py"}) == files(root, suffixes={"py"})


def test_names_that_are_not_text_are_kept_as_bytes(root: Path, kind: str) -> None:
    git(root, "init", "-q")
    raw = [
        b"caf\xe9.py",
        b"new\nline.py",
        b"tab\t.py",
        b"\xf0\x9f\x98\x80.py",
        b'"q".py',
        b"\x1b.py",
    ]
    for name in raw:
        (root / os.fsdecode(name)).touch()
    git(root, "add", os.fsdecode(raw[2]))
    assert [os.fsencode(name) for name in files(root)] == sorted(raw)


def test_ignore_rules(root: Path, kind: str) -> None:
    git(root, "init", "-q")
    put(
        root, "a.py", "build/b.py", "src/gen.py", "src/keep.py", "excl.py", "deep/er/x.log", "x.log"
    )
    put(root, ".gitignore", text="build/\n*.log\n")
    put(root, "src/.gitignore", text="gen.py\n")
    put(root, "deep/.gitignore", text="!*.log\n")
    put(root, ".git/info/exclude", text="excl.py\n")
    assert files(root) == ["a.py", "deep/er/x.log", "src/keep.py"]


def test_tracked_files_are_found_although_ignored(root: Path) -> None:
    git(root, "init", "-q")
    put(root, ".gitignore", text="*.py\n")
    put(root, "a.py", "b.py")
    git(root, "add", "-f", "a.py")
    assert files(root) == ["a.py"]
    assert files(root, no_ignore=["exclude"]) == ["a.py"]


def test_ignore_files_of_ripgrep_apply_to_tracked_files_too(root: Path, kind: str) -> None:
    git(root, "init", "-q")
    put(root, "a.py", "b.py", "sub/c.py", "sub/d.py", "big/e.py")
    put(root, ".ignore", text="b.py\n/big\n")
    put(root, "sub/.ignore", text="d.py\n")
    git(root, "add", ".")
    assert files(root) == ["a.py", "sub/c.py"]
    assert files(root, no_ignore=["dot"]) == ["a.py", "b.py", "big/e.py", "sub/c.py", "sub/d.py"]


def test_an_ignore_file_of_ripgrep_can_include_what_git_ignores(root: Path, kind: str) -> None:
    git(root, "init", "-q")
    put(root, "a.py", "gen/b.py", "gen/c.py")
    put(root, ".gitignore", text="gen\n")
    put(root, ".ignore", text="!gen\ngen/c.py\n")
    assert files(root) == ["a.py", "gen/b.py"]


@pytest.mark.parametrize(("no_ignore", "also"), ROWS["each source of rules can be disregarded"])
def test_each_source_of_rules_can_be_disregarded(
    root: Path, kind: str, no_ignore: str, also: set[str]
) -> None:
    git(root, "init", "-q")
    put(root, "a.py", "listed.py", "excluded.py", "personal.py", "dot.py", ".hidden.py")
    put(root, ".gitignore", text="listed.py\n")
    put(root, ".git/info/exclude", text="excluded.py\n")
    put(Path(os.environ["HOME"]), ".config/git/ignore", text="personal.py\n")
    put(root, ".ignore", text="dot.py\n")
    assert set(files(root)) == {"a.py"}
    assert set(files(root, no_ignore=[no_ignore])) == {"a.py"} | also


def test_the_walk_takes_no_personal_rules_from_where_it_was_called(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A repository could bring them: the XDG specification has relative places ignored."""
    monkeypatch.setenv("PATH", os.devnull)
    monkeypatch.setenv("XDG_CONFIG_HOME", "config")
    monkeypatch.chdir(root)
    put(root, "a.py", "b.py")
    put(root, "config/git/ignore", text="a.py\n")
    assert files(root, suffixes=("py",)) == ["a.py", "b.py"]


def test_rules_above_the_root_count_unless_disregarded(root: Path, kind: str) -> None:
    git(root, "init", "-q")
    put(root, "sub/dir/a.py", "sub/dir/b.py", "sub/dir/c.py", "sub/dir/d.py")
    put(root, ".gitignore", text="/sub/dir/b.py\n")
    put(root, "sub/.gitignore", text="c.py\n")
    put(root, ".git/info/exclude", text="sub/dir/d.py\n")
    assert files(root / "sub" / "dir") == ["a.py"]
    assert files(root / "sub" / "dir", no_ignore=["parent"]) == ["a.py", "b.py", "c.py"]


def test_a_named_path_is_searched_whatever_rules_say(root: Path, kind: str) -> None:
    git(root, "init", "-q")
    put(
        root,
        "a.py",
        "build/b.py",
        "build/c.log",
        "build/.x.py",
        ".ci/run.py",
        ".ci/.y/z.py",
        "vendor/v.py",
    )
    put(root, ".gitignore", text="build\n*.log\n")
    put(root, ".ignore", text="vendor\n")
    assert files(root) == ["a.py"]
    assert files(root, "build", ".ci", "vendor") == [".ci/run.py", "build/b.py", "vendor/v.py"]
    assert files(root, ".", "build/c.log", "build/.x.py") == ["a.py", "build/.x.py", "build/c.log"]
    assert found(root, "build/c.log", suffixes={"py"}).explicit == {"build/c.log"}


def test_a_root_that_a_repository_around_it_ignores_is_searched(root: Path, kind: str) -> None:
    git(root, "init", "-q")
    put(root, ".gitignore", text="cache/\nbuild/\n")
    put(root, "cache/.gitignore", text="*_tmp.py\n")
    put(root, "cache/a.py", "cache/below/b.py", "cache/below/build/c.py", "cache/d_tmp.py")
    assert files(root / "cache") == ["a.py", "below/b.py"]
    assert files(root / "cache/below") == ["b.py"]


def test_links_are_reported_and_not_followed(root: Path, kind: str, tmp_path: Path) -> None:
    git(root, "init", "-q")
    put(root, "src/a.py", "was_link.py", "was_file.py")
    put(tmp_path, "outside/x.py")
    links = {"in.py": "src/a.py", "out.py": "../outside/x.py", "dir": "src", "far": "../outside",
             "loop.py": "loop.py", "gone.py": "nowhere", "tracked.py": "src/a.py"}  # fmt: skip
    for name, target in links.items():
        (root / name).symlink_to(target)
    git(root, "add", "tracked.py", "src")
    result = found(root, suffixes={"py"})
    assert result.files == ["src/a.py", "was_file.py", "was_link.py"]
    assert [(skip.path, skip.reason) for skip in result.skipped] == [
        (name, "symlink") for name in sorted(links)
    ]


def test_a_link_in_the_index_that_is_a_file_now_is_a_file(root: Path) -> None:
    git(root, "init", "-q")
    (root / "a.py").symlink_to("nowhere")
    git(root, "add", "a.py")
    (root / "a.py").unlink()
    put(root, "a.py")
    assert (files(root), found(root).skipped) == (["a.py"], [])


def test_a_named_link_is_followed_inside_the_root(root: Path, kind: str) -> None:
    git(root, "init", "-q")
    put(root, "src/real.py", "other/b.py")
    (root / "a.py").symlink_to("src/real.py")
    (root / "lib").symlink_to("other")
    result = found(root, "a.py", "lib", "src/real.py")
    assert result.files == ["other/b.py", "src/real.py"]
    assert result.links == {"a.py": "src/real.py", "lib": "other"}
    assert result.explicit == {"src/real.py"}


def test_a_named_link_that_leaves_the_root_is_refused(root: Path, tmp_path: Path) -> None:
    put(tmp_path, "outside.py")
    (root / "a.py").symlink_to("../outside.py")
    with pytest.raises(OutsideRootError):
        found(root, "a.py")


def test_a_path_that_does_not_exist_is_named(root: Path) -> None:
    with pytest.raises(RequestError, match="'missing'") as raised:
        found(root, ".", "missing")
    assert (raised.value.path, raised.value.exit_code) == ("missing", 2)


def test_an_unknown_kind_is_named(root: Path) -> None:
    with pytest.raises(RequestError, match="'everything'"):
        found(root, no_ignore=["everything"])


def test_submodules_and_nested_repositories_are_left_out_unless_named(
    root: Path, kind: str
) -> None:
    git(root, "init", "-q")
    put(root, "a.py", "nested/b.py", "nested/in/c.py")
    git(root / "nested", "init", "-q")
    put(root, "nested/.gitignore", text="skip.py\n")
    put(root, "nested/skip.py")
    assert files(root) == ["a.py"]
    assert files(root, "nested") == ["nested/b.py", "nested/in/c.py"]
    assert files(root, "nested/in") == ["nested/in/c.py"]


def test_repositories_below_a_plain_root_are_searched(root: Path) -> None:
    put(root, "one/a.py", "two/b.py", "two/.gitignore", text="ignored.py\n")
    put(root, "two/ignored.py")
    git(root / "one", "init", "-q")
    assert files(root) == ["one/a.py", "two/b.py"]


def test_a_tracked_submodule_is_left_out(root: Path) -> None:
    git(root, "init", "-q")
    put(root, "a.py")
    commit = "1" * 40
    git(root, "update-index", "--add", "--cacheinfo", f"160000,{commit},sub.py")
    assert files(root, suffixes={"py"}) == ["a.py"]


def test_globs_and_the_configuration_s_patterns(root: Path, kind: str) -> None:
    git(root, "init", "-q")
    put(root, "a.py", "b.ts", "src/c.py", "src/gen/d.py")
    assert files(root, globs=["*.py", "!gen/"]) == ["a.py", "src/c.py"]
    assert files(root, ignore=["/src", "!src/gen"]) == ["a.py", "b.ts", "src/gen/d.py"]
    assert files(root, ".", "b.ts", ignore=["*.ts"]) == ["a.py", "b.ts", "src/c.py", "src/gen/d.py"]
    assert files(root, "b.ts", globs=["!*.ts"]) == []


def test_suffixes_are_compared_exactly(root: Path, kind: str) -> None:
    git(root, "init", "-q")
    put(root, "a.py", "b.PY", "c.pyi", "py", "d.py.txt", "e.d/py", ".py")
    assert files(root, suffixes={"py"}, no_ignore=["hidden"]) == ["a.py"]


def test_the_default_state_inside_the_root_is_not_searched(
    root: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(root, "init", "-q")
    monkeypatch.setenv("XDG_STATE_HOME", str(root / "state"))
    put(root, "state/astedit/x.py", "state/other/y.py", "a.py")
    assert files(root) == ["a.py", "state/other/y.py"]


def test_no_program_of_a_hostile_repository_is_started(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(root, "init", "-q")
    put(root, "a.py", "b.py")
    git(root, "add", "a.py")
    canary = tmp_path / "canary"
    program = tmp_path / "evil"
    program.write_text(f"#!/bin/sh\necho \"$0 $*\" >> '{canary}'\n")
    program.chmod(0o755)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for hook in ("post-index-change", "fsmonitor-watchman", "query-watchman"):
        shutil.copy(program, hooks / hook)
    for setting, value in {
        "core.fsmonitor": program, "core.hooksPath": hooks, "core.untrackedCache": "true",
        "core.sshCommand": program, "core.pager": program, "pager.ls-files": "true",
    }.items():  # fmt: skip
        git(root, "config", setting, str(value))
    subprocess.run(["git", "ls-files", "-co"], cwd=root, capture_output=True)
    assert canary.exists(), "the trap does not bite: a plain git must run it"
    canary.unlink()
    (root / "git").write_text(program.read_text())
    (root / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f".:{os.environ['PATH']}")
    monkeypatch.chdir(root)
    assert files(root) == ["a.py", "b.py", "git"]
    assert files(root, ".", "b.py") == ["a.py", "b.py", "git"]
    assert not canary.exists()


def test_git_s_environment_has_no_say(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(root, "init", "-q")
    put(root, ".gitignore", text="b.py\n")
    put(root, "a.py", "b.py")
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_CEILING_DIRECTORIES"):
        monkeypatch.setenv(name, "/nowhere")
    monkeypatch.setenv("GIT_LITERAL_PATHSPECS", "nonsense")
    with Workspace(root) as workspace, Search(workspace, ["."]) as search:
        assert search.finish().files == ["a.py"]


def test_a_git_that_refuses_is_replaced_by_a_walk(root: Path) -> None:
    put(root, "a.py", "b.py", ".gitignore", text="b.py\n")
    (root / ".git").write_text("gitdir: /nowhere\n")
    assert files(root) == ["a.py"]


def test_listing_writes_nothing(root: Path) -> None:
    git(root, "init", "-q")
    put(root, "a.py", "b/c.py")
    git(root, "add", ".")
    os.utime(root / "a.py", (1, 1))

    def state() -> list[tuple[str, float, float]]:
        paths = sorted(root.rglob("*"))
        return [(str(p), p.lstat().st_mtime_ns, p.lstat().st_ctime_ns) for p in paths]

    before = state()
    found(root)
    found(root, "b")
    assert state() == before


def test_git_does_not_outlive_a_cancelled_run(root: Path) -> None:
    class Set:
        aborted = True

    git(root, "init", "-q")
    before = set(os.listdir("/proc/self/fd"))
    with pytest.raises(Cancelled):
        found(root, deadline=Deadline(signal=Set()))
    assert set(os.listdir("/proc/self/fd")) == before
    assert children() == set()


def test_a_tree_deeper_than_python_recurses_is_no_problem(root: Path, kind: str) -> None:
    git(root, "init", "-q")
    put(root, ".ignore", text="nothing\n")
    deep = ["/".join(["d"] * depth) for depth in range(1, 1_101)]
    for directory in deep:
        (root / directory).mkdir()
    put(root, f"{deep[-1]}/a.py")
    assert files(root, globs=["*.py"]) == [f"{deep[-1]}/a.py"]
    assert not in_repository(str(root), deep[-1], {})
    (root / deep[-1] / "a.py").unlink()
    for directory in reversed(deep):  # pytest's own clean-up recurses
        (root / directory).rmdir()


def test_a_path_too_long_for_the_system_is_listed(root: Path, kind: str) -> None:
    """Nobody can open it by its path; what can be is found whatever the root's own length."""
    git(root, "init", "-q")
    name, open_directories = "d" * 250, [os.open(root, os.O_RDONLY)]
    for _ in range(18):
        os.mkdir(name, dir_fd=open_directories[-1])
        open_directories.append(os.open(name, os.O_RDONLY, dir_fd=open_directories[-1]))
        os.close(os.open("a.py", os.O_CREAT, dir_fd=open_directories[-1]))
    try:
        listed = found(root, globs=["*.py"])
        assert [len(path) for path in listed.files] == [251 * n + 4 for n in range(1, 17)]
        (skip,) = listed.skipped
        assert (len(skip.path), skip.reason) == (251 * 17 - 1, "unreadable")
    finally:
        while (directory := open_directories.pop()) and open_directories:  # pytest cannot
            os.unlink("a.py", dir_fd=directory)
            os.close(directory)
            os.rmdir(name, dir_fd=open_directories[-1])
        os.close(directory)


def test_an_unreadable_directory_ends_nothing(root: Path, kind: str) -> None:
    if os.geteuid() == 0:
        pytest.skip("root reads everything")
    put(root, "a.py", "shut/b.py")
    (root / "shut").chmod(0)
    assert files(root) == ["a.py"]


NAMES = st.sampled_from(["a", "b", "c.py", "d.py", "e.log"])
TREES = st.lists(st.lists(NAMES, min_size=1, max_size=4).map("/".join), min_size=1, max_size=8)
RULES = st.sampled_from(
    [
        "*.py",
        "!c.py",
        "a/",
        "/a",
        "b",
        "!b",
        "a/b",
        "**/c.py",
        "a/**",
        "!a/",
        "*.log",
        "!d.py",
        "/*",
        "!/b/",
    ]
)
PLACES = st.sampled_from(["", "a/", "b/", "a/b/"])


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    paths=TREES, rules=st.dictionaries(PLACES, st.lists(RULES, min_size=1, max_size=4), max_size=3)
)
def test_the_walk_lists_what_git_lists(
    tmp_path_factory: pytest.TempPathFactory, paths: list[str], rules: dict[str, list[str]]
) -> None:
    root = tmp_path_factory.mktemp("tree")
    git(root, "init", "-q")
    for path in paths:
        try:
            put(root, path)
        except (NotADirectoryError, FileExistsError, IsADirectoryError):
            continue  # a name that is a file already
    for place, lines in rules.items():
        if (root / place).is_dir():
            put(root, f"{place}.gitignore", text="\n".join(lines))
    command = ["git", "ls-files", "-z", "-co", "--exclude-standard"]
    listed = subprocess.run(command, cwd=root, capture_output=True, check=True).stdout.decode()
    expected = sorted(p for p in listed.split("\0")[:-1] if not p.endswith(".gitignore"))
    with Workspace(root) as workspace:
        walker = Walker(workspace, (), str(root), Deadline())
        walker.walk(".")
    assert sorted(walker.files) == expected
    assert files(root) == expected


def test_a_long_list_is_looked_at_in_parts(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [f"d{number % 7}/a{number}.py" for number in range(60)]
    put(root, *paths, "other.txt", "new/b.py")
    git(root, "init", "--quiet")
    git(root, "add", ".")
    git(root, "reset", "--quiet", "new")
    (root / "link.py").symlink_to("d0/a0.py")
    git(root, "add", "link.py")
    whole = found(root, suffixes=["py"])
    monkeypatch.setattr("astedit.discover.listing._BLOCK", 64)
    assert found(root, suffixes=["py"]) == whole
    assert whole.files == sorted([*paths, "new/b.py"])
    assert [skip.path for skip in whole.skipped] == ["link.py"]
