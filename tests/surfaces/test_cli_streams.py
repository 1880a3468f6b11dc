"""Pipes that close, disks that are full, people that press Ctrl-C, names that lie."""

import os
import pty
import re
import signal
import subprocess
from pathlib import Path

import pytest

from tests.support.lists import rows
from tests.support.patience import LAST, until
from tests.support.project import Project, until_parsing
from tests.support.slowly import slow_after

ROWS = rows(Path(__file__).with_suffix(".txt"))

EDIT = ("edit", "-p", "f($A)", "-r", "g($A)")


def closed_pipe() -> int:
    """The writing end of a pipe that nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    return writer


@slow_after(
    1, "args", [EDIT, (*EDIT, "--json"), ("search", "-p", "f($A)"), ("--help",), ("languages",)]
)
def test_a_broken_pipe_is_quiet(project: Project, args: tuple[str, ...]) -> None:
    project.put("a.py", "f(1)\n" * 5000)
    process = project.process(*args, stdout=closed_pipe())
    err = process.communicate()[1].decode()
    assert process.returncode == 0
    assert "Traceback" not in err and "Broken" not in err and "error" not in err


@pytest.mark.slow
def test_a_preview_into_a_closed_pipe_is_staged(project: Project) -> None:
    project.put("a.py", "f(1)\n" * 5000)
    project.process(*EDIT, stdout=closed_pipe()).communicate()
    assert len(project("pending", "--json").json) == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("args", [EDIT, (*EDIT, "--json"), ("search", "-p", "f($A)")])
def test_a_full_disk_is_an_error(project: Project, args: tuple[str, ...]) -> None:
    project.put("a.py", "f(1)\n")
    with open("/dev/full", "wb") as full:
        process = project.process(*args, stdout=full)
        err = process.communicate()[1].decode()
    assert process.returncode == 5
    assert "Traceback" not in err
    assert "error: standard output: No space left on device\n" in err
    assert "Only the printing failed" in err


@pytest.mark.parametrize("stream, code", [("1", 5), ("2", 0), ("0", 0)])
def test_a_stream_closed_by_the_caller(project: Project, stream: str, code: int) -> None:
    project.put("a.py", "f(1)\n")
    command = ["sh", "-c", f'exec "$@" --json {stream}>&-', "sh", *project.process_command(*EDIT)]
    done = subprocess.run(command, cwd=project.root, capture_output=True)
    assert done.returncode == code
    assert b"Traceback" not in done.stderr
    assert project.read("a.py") == "f(1)\n"


def test_ctrl_c_exits_130_and_leaves_nothing(project: Project) -> None:
    for number in range(300):
        project.put(f"d/m{number}.py", "x = [f(1), f(2)]\n" * 400)
    before = project.files()
    process = project.process(*EDIT, start_new_session=True)
    until_parsing(process)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=LAST)
    assert (process.returncode, out) == (130, b""), err
    assert err.decode().splitlines()[-1] == "error: Interrupted."
    assert b"Traceback" not in err
    assert project.files() == before
    assert project("pending", "--json").json == []
    assert_gone(process.pid)


def assert_gone(session: int) -> None:
    """No process of the session is left, its workers included: they have groups of their own."""
    until(lambda: session not in map(session_of, Path("/proc").glob("[0-9]*")))


def session_of(process: Path) -> int:
    try:
        status = (process / "stat").read_text()
    except OSError:  # it has just ended
        return 0
    state, _, _, session = status.rpartition(")")[2].split()[:4]
    return 0 if state == "Z" else int(session)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_workers_end_with_a_command_that_is_killed(project: Project, number: int) -> None:
    for part in range(300):
        project.put(f"d/m{part}.py", "x = [f(1), f(2)]\n" * 400)
    process = project.process(*EDIT, start_new_session=True)
    until_parsing(process)
    process.send_signal(number)
    process.communicate(timeout=LAST)
    assert process.returncode == -number
    assert_gone(process.pid)


def on_a_terminal(project: Project, *args: str) -> tuple[int, str]:
    """Runs the command with a terminal as stdout and stderr; returns code and what is seen."""
    mine, theirs = pty.openpty()
    process = project.process(*args, stdout=theirs, stderr=theirs, stdin=theirs)
    os.close(theirs)
    seen = b""
    while True:
        try:
            part = os.read(mine, 65536)
        except OSError:  # Linux says EIO when the other end is closed
            break
        if not part:
            break
        seen += part
    os.close(mine)
    return process.wait(), seen.decode().replace("\r\n", "\n")


HOSTILE = "f('\x1b]52;c;ZXZpbA==\x07 \u202e x')\n"


def test_a_terminal_gets_colour_and_no_hidden_characters(project: Project) -> None:
    project.put("a\x1b[31m\n.py", HOSTILE)
    code, seen = on_a_terminal(project, *EDIT, "--stage")
    assert code == 0
    assert "\x1b[32m+" in seen
    assert "+g('\\x1b]52;c;ZXZpbA==\\x07 \\u202e x')" in re.sub(r"\x1b\[[0-9;]*m", "", seen)
    assert "\x1b]52" not in seen and "\u202e" not in seen and "\x1b[31m\n" not in seen
    assert "a\\033[31m\\n.py" in seen


def test_no_color_is_honoured(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    project.put("a.py", "f(1)\n")
    assert "\x1b[" not in on_a_terminal(project, *EDIT, "--stage")[1]


def test_force_color_colours_a_pipe(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    project.put("a.py", "f(1)\n")
    assert b"\x1b[32m+\x1b[0m\x1b[32;7mg\x1b[0m\x1b[32m(1)" in project(*EDIT).out


def test_a_program_gets_the_exact_bytes_and_a_warning(project: Project) -> None:
    project.put("a.py", HOSTILE)
    done = project(*EDIT, "--no-stage")
    assert f"+{HOSTILE.replace('f(', 'g(')}".encode() in done.out
    assert "warning: 6 hidden characters in this diff" in done.err


def test_a_name_that_mixes_scripts_brings_a_warning(project: Project) -> None:
    """Only in what is added: the first а of pаypal is Cyrillic."""
    project.put("a.py", "f(1, x_данные, naïve, µs)\nf(рaypal)\n")
    done = project("edit", "--no-stage", "-p", "f(1, $$$A)", "-r", "pаypal($$$A)")
    assert "warning: pаypal mixes letters of several scripts" in done.err
    assert done.err.count("warning:") == 1
    assert "warning:" not in project("edit", "--no-stage", "-p", "f(1, $$$A)", "-r", "g()").err


def test_show_diff_hides_nothing_even_in_a_pipe(project: Project) -> None:
    project.put("a.py", HOSTILE)
    project(*EDIT)
    assert b"\x1b" not in project("show").out
    assert HOSTILE.replace("f(", "g(").encode() in project("show", "--format", "patch").out


def test_search_text_hides_nothing(project: Project) -> None:
    project.put("a\n\x1b.py", HOSTILE)
    done = project("search", "-p", "f($A)")
    assert done.text == "a\\n\\x1b.py:1:f('\\x1b]52;c;ZXZpbA==\\x07 \\u202e x')\n"


def test_hostile_names_reach_every_list_escaped(project: Project) -> None:
    name = "x\n\x1b[2J\u202e'\" \\.py"
    project.put(name, "f(1)\n")
    (project.root / "caf\udce9.py").write_bytes(b"f(2)\n")
    for args in (EDIT, (*EDIT, "--stat"), ("pending",), ("show",), ("log",)):
        done = project(*args)
        assert done.code == 0
        assert "\x1b" not in done.err and "\u202e" not in done.err
        assert b"\x1b" not in done.out and "\u202e".encode() not in done.out
    assert {file["path"] for file in project(*EDIT, "--json").json["files"]} == {
        name,
        "caf\udce9.py",
    }
    project("resolve", "apply", "--reason", "brave")
    assert project.files()[name] == b"g(1)\n"
    assert project.files()["caf\udce9.py"] == b"g(2)\n"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file_is_skipped_and_named(project: Project) -> None:
    project.write(a_py="f(1)\n", b_py="f(1)\n")
    (project.root / "b.py").chmod(0)
    done = project(*EDIT)
    assert done.code == 0
    assert "Skipped: 1 unreadable\n  b.py: " in done.err


def test_a_root_that_is_gone(project: Project) -> None:
    assert project("pending", "--root", "missing").code == 2
    assert project(*EDIT, "--root", "astedit.toml", "--json").json["error"]["message"]


def test_a_progress_bar_appears_only_on_a_terminal_and_only_when_it_takes_long(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    from astedit.cli.output import streams

    bar = streams.Bar()
    bar(0, 10)
    assert not bar._text
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setattr(streams, "DELAY", 0.0)
    with streams.Bar() as bar:
        bar(0, 10)
        assert bar._text
        bar(5, 10)


@pytest.mark.parametrize(("args", "code", "told"), ROWS["a first try is told what to type"])
def test_a_first_try_is_told_what_to_type(
    project: Project, args: tuple[str, ...], code: int, told: str
) -> None:
    done = project(*args)
    assert (done.code, done.out) == (code, b"")
    assert done.err.startswith(told)
