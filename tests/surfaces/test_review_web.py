"""`astedit review --web` as a process: where its link goes, and how it ends."""

import fcntl
import os
import pty
import signal
import subprocess
import termios

import pytest

from tests.support.patience import LAST
from tests.support.project import Project

pytestmark = pytest.mark.slow


def staged(project: Project, policy: str) -> None:
    project.write(a_py="f(1)\n")
    project.put("astedit.toml", f'policy = "{policy}"\n')
    assert project("edit", "-q", "-p", "f($A)", "-r", "g($A)").code == 0


def test_an_agent_s_link_is_on_standard_output_and_ctrl_c_ends_the_page(project: Project) -> None:
    staged(project, "agent")
    process = project.process("review", "--web", start_new_session=True)
    assert process.stdout is not None and process.stderr is not None
    link = process.stdout.readline().decode()
    assert link.startswith("http://127.0.0.1:") and "/enter?token=" in link
    process.send_signal(signal.SIGINT)
    assert process.wait(LAST) == 0
    assert b"Decisions are kept" in process.stderr.read()
    process.stdout.close()
    process.stderr.close()


def test_without_a_terminal_nobody_gets_the_link_of_a_plan_that_a_person_decides(
    project: Project,
) -> None:
    staged(project, "human")
    process = project.process("review", "--web", start_new_session=True)
    out, err = process.communicate(timeout=LAST)
    assert process.returncode == 3
    assert out == b"" and b"/enter" not in err and b"no terminal" in err


def test_where_a_person_decides_the_link_goes_to_the_terminal_alone(project: Project) -> None:
    staged(project, "human")
    ours, theirs = pty.openpty()

    def control() -> None:
        os.setsid()
        fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)

    process = project.process("review", "--web", preexec_fn=control, pass_fds=(theirs,))
    os.close(theirs)
    seen = b""
    while b"/enter?token=" not in seen:
        seen += os.read(ours, 4096)
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=LAST)
    os.close(ours)
    assert b"/enter?token=" in seen
    assert out == b"" and b"/enter" not in err


def test_it_ends_when_its_plan_is_applied_elsewhere(project: Project) -> None:
    staged(project, "agent")
    with project.process("review", "--web", stderr=subprocess.STDOUT) as process:
        assert process.stdout is not None
        while b"/enter" not in process.stdout.readline():
            pass
        assert project("resolve", "apply", "--reason", "r").code == 0
        assert process.wait(LAST) == 0
        assert b"no longer pending" in process.stdout.read()
