"""What a repository brings along is never started, whatever PATH says."""

from pathlib import Path

import pytest

from astedit import programs as module
from astedit.programs import find_program, search_path
from tests.support.faults.mutate import replace
from tests.support.project import Project


def put(place: Path, text: str = "#!/bin/sh\n") -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)
    place.chmod(0o755)
    return place


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program outside of the root, at the end of PATH."""
    (tmp_path / "root").mkdir()
    monkeypatch.chdir(tmp_path / "root")
    return put(tmp_path / "bin" / "tool")


@pytest.mark.parametrize(
    "entry", ["", ".", "bin", "./bin", "../root", "{root}", "{root}/bin", "{link}"]
)
def test_an_entry_that_leads_into_the_root_is_passed_over(
    elsewhere: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entry: str
) -> None:
    root = tmp_path / "root"
    put(root / "tool"), put(root / "bin" / "tool")
    (tmp_path / "link").symlink_to(root / "bin")
    first = entry.format(root=root, link=tmp_path / "link")
    monkeypatch.setenv("PATH", f"{first}:{elsewhere.parent}")
    assert find_program("tool", str(root)) == str(elsewhere)
    assert search_path(str(root)) == [str(elsewhere.parent)]


def test_a_link_outside_that_leads_into_the_root_is_passed_over(
    elsewhere: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "first").mkdir()
    (tmp_path / "first" / "tool").symlink_to(put(tmp_path / "root" / "tool"))
    monkeypatch.setenv("PATH", f"{tmp_path / 'first'}:{elsewhere.parent}")
    assert find_program("tool", str(tmp_path / "root")) == str(elsewhere)


def test_what_a_person_typed_may_lie_in_the_root_but_not_in_a_relative_entry(
    elsewhere: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = put(tmp_path / "root" / ".venv" / "bin" / "tool")
    put(tmp_path / "root" / "tool")
    monkeypatch.setenv("PATH", f":.:{own.parent}:{elsewhere.parent}")
    assert find_program("tool", None) == str(own)


def test_what_is_no_program_is_passed_over(
    elsewhere: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / "a" / "tool").chmod(0o644)
    (tmp_path / "b" / "tool").mkdir(parents=True)
    monkeypatch.setenv("PATH", f"{tmp_path / 'a'}:{tmp_path / 'b'}:{elsewhere.parent}")
    assert find_program("tool", None) == str(elsewhere)
    monkeypatch.setenv("PATH", str(tmp_path / "a"))
    assert find_program("tool", None) is None


COMMANDS = [
    ("search", "-p", "f($A)"),
    ("edit", "-p", "f($A)", "-r", "g($A)", "--no-stage"),
    ("edit", "-p", "f($A)", "-r", "g($A)", "--no-stage", "--changed=HEAD"),
]


def trapped(project: Project, monkeypatch: pytest.MonkeyPatch, *command: str) -> bool:
    """Runs a command where a `git` of the repository comes first; whether that was started."""
    ran = project.root.parent / "ran"
    project.put("a.py", "f(1)\n")
    for words in ("init -q", "add .", "commit -qm first"):
        project.git(*words.split())
    for folder in ("", "bin/"):
        put(project.root / folder / "git", f"#!/bin/sh\ntouch {ran}\nexit 1\n")
    path = module.os.environ["PATH"]
    monkeypatch.setenv("PATH", f":.:bin:{project.root}/bin:{project.root}:{path}")
    monkeypatch.chdir(project.root)
    project(*command)
    return ran.exists()


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_starts_the_git_of_a_repository(
    project: Project, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    assert not trapped(project, monkeypatch, *command)


def test_without_the_check_it_would_be_started(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace(monkeypatch, search_path, "os.path.isabs(entry) and not _below(entry, root)", "entry")
    replace(monkeypatch, find_program, " and not _below(place, root)", "")
    assert trapped(project, monkeypatch, *COMMANDS[0])


@pytest.mark.parametrize("entry", ["", ".", "bin"])
@pytest.mark.parametrize(
    "command", [("prove", "--sandbox", "copy", "--", "tool"), ("capture", "--", "tool")]
)
def test_no_command_in_a_sandbox_is_a_tool_of_the_repository(
    project: Project, monkeypatch: pytest.MonkeyPatch, entry: str, command: tuple[str, ...]
) -> None:
    project.put("a.py", "f(1)\n")
    put(project.root / "tool", "#!/bin/sh\necho own > made.py\n")
    put(project.root / "bin/tool", "#!/bin/sh\necho own > made.py\n")
    monkeypatch.setenv("PATH", f"{entry}:{module.os.environ['PATH']}")
    monkeypatch.chdir(project.root)
    assert project("edit", "-p", "f($A)", "-r", "g($A)", "--quiet").code == 0
    done = project(*command)
    assert done.code != 0 and "cannot be started" in done.err, done
