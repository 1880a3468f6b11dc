"""A resident answers as a process of its own would, or is not heard."""

import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

import pytest

from astedit.cli import warm
from astedit.operations import kinds
from astedit.resident import client, host
from tests.support import REPOSITORY
from tests.support.patience import LAST, until
from tests.support.project import Outcome, Project

SEARCH = ("search", "-p", "old_name($A)")
EDIT = ("edit", "-p", "old_name($A)", "-r", "new_name($A)")
# Real commands, but for their patience: on a busy machine they, too, wait for an answer.
PATIENT = [
    sys.executable,
    "-c",
    f"from astedit.resident import client; client.PATIENCE = {LAST}\n"
    "from astedit.__main__ import command; command()",
]
HURRIED = [sys.executable, "-m", "astedit"]


class Resident:
    """A resident of this test alone, and real commands that may ask it."""

    def __init__(self, project: Project, runtime: Path) -> None:
        self.project, self.place = project, runtime / "astedit"
        self._runtime = runtime
        self._asked = 0  # for its status, which it counts as well

    def __call__(
        self, *args: str, alone: bool = False, by: Sequence[str] = PATIENT, **more: Any
    ) -> Outcome:
        """The real command; `alone` without the resident."""
        variables = more.pop("env", {})
        settings: dict[str, Any] = {"cwd": self.project.root, "stdin": subprocess.DEVNULL} | more
        if "input" in settings:
            del settings["stdin"]
        environment = os.environ | {
            "PYTHONPATH": str(REPOSITORY), "XDG_RUNTIME_DIR": str(self._runtime),
            "ASTEDIT_RESIDENT": "0" if alone else "1", **variables,
        }  # fmt: skip
        done = subprocess.run(
            [*by, *args], executable=sys.executable,
            env=environment, capture_output=True, timeout=LAST, **settings,
        )  # fmt: skip
        return Outcome(done.returncode, done.stdout, done.stderr.decode())

    def begun(self, *args: str) -> "subprocess.Popen[bytes]":
        """A real command that goes on."""
        environment = {
            "PYTHONPATH": str(REPOSITORY), "XDG_RUNTIME_DIR": str(self._runtime),
            "ASTEDIT_RESIDENT": "1",
        }  # fmt: skip
        return subprocess.Popen(
            [*PATIENT, *args], executable=sys.executable, cwd=self.project.root,
            env=os.environ | environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    @property
    def rows(self) -> list[dict[str, Any]]:
        self._asked += 1
        rows: list[dict[str, Any]] = self("resident", "status", "--json").json["residents"]
        return rows

    @property
    def _row(self) -> dict[str, Any]:
        """What one says of itself, which may be late on a busy machine."""
        row: dict[str, Any] = until(lambda: self.rows)[0]
        return row

    @property
    def pid(self) -> int:
        return int(self._row["pid"])

    @property
    def answered(self) -> int:
        """How many command lines it was asked for, those that ask for its status aside."""
        return int(self._row["answered"]) - self._asked


@pytest.fixture
def near(project: Project, tmp_path: Path) -> Iterator[Resident]:
    """A resident that has started."""
    project.put("a.py", "old_name(1)\nold_name(2)\n")
    project.put("d/b.py", "x = old_name(3)\n")
    project.put("rule.yml", "id: r\nlanguage: python\nrule: {pattern: old_name($A)}\n")
    runtime = tmp_path / "runtime"
    runtime.mkdir(mode=0o700)
    made = Resident(project, runtime)
    assert made("resident", "start").code == 0
    yield made
    made("resident", "stop")


LINES: list[tuple[tuple[str, ...], dict[str, Any]]] = [
    (SEARCH, {}), ((*SEARCH, "--json"), {}), ((*SEARCH, "d"), {}), ((*SEARCH, "nowhere"), {}),
    (("search", "-p", "nothing($A)"), {}), (("search", "-p", "f(("), {}),
    (("search", "--no-such"), {}), ((*EDIT, "--no-stage"), {}), ((*EDIT, "--check"), {}),
    ((*EDIT, "--no-stage", "--json"), {}),
    ((*EDIT, "--stdin", "-l", "python"), {"input": b"old_name(4)"}),
    (("scan", "-r", "rule.yml"), {}), (("pending",), {}), (("show",), {}),
    (("rename", "sym:nowhere", "x"), {}), (SEARCH, {"env": {"FORCE_COLOR": "1"}}),
    (SEARCH, {"env": {"FORCE_COLOR": "1", "NO_COLOR": "1"}}), (SEARCH, {"cwd": "d"}),
    (SEARCH, {"env": {"PYTHONIOENCODING": "ascii"}}), (("--no-resident", *SEARCH), {}),
    (("search", "--no-resident", "-p", "old_name($A)"), {}), (("edit",), {}), ((), {}),
]  # fmt: skip


@pytest.mark.parametrize("lines", [LINES[::3], pytest.param(LINES, marks=pytest.mark.slow)])
def test_it_says_what_a_process_of_its_own_says(near: Resident, lines: Any) -> None:
    before = near.answered
    for args, more in lines:
        if "cwd" in more:
            more = {**more, "cwd": near.project.root / more["cwd"]}
        both = [near(*args, alone=alone, **more) for alone in (False, True)]
        for done in both:  # how long it took
            done.out = re.sub(rb": [0-9.]+[0-9e-]+(?=,?\n)", b"", done.out)
        assert both[0] == both[1], args
    assert near.answered - before >= len(lines) - 3


def test_no_answer_is_older_than_the_files(near: Resident) -> None:
    for number in range(10):
        near.project.put("a.py", f"old_name({number})\n" * number)
        assert near(*SEARCH, "a.py").text.count("\n") == number
    near.project.put("astedit.toml", 'ignore = ["a.py"]\n')
    assert "a.py" not in near(*SEARCH).text


def test_inside_a_draft_it_does_not_answer_from_the_tree_outside(near: Resident) -> None:
    script = (
        f"echo 'old_name(99)' > a.py; {sys.executable} -m astedit search -p 'old_name($A)' a.py"
    )
    assert near("draft", "--", "sh", "-c", script).text == "a.py:1:old_name(99)\n"
    assert near(*SEARCH, "a.py").text == "a.py:1:old_name(1)\na.py:2:old_name(2)\n"


@pytest.mark.parametrize("answer", [b"c\7", b"zz"])
def test_what_is_answered_before_the_client_goes_on_is_not_run_again(answer: bytes) -> None:
    door, other = socket.socketpair()
    keys = [KeyboardInterrupt]

    class Interrupted(socket.socket):
        def recv(self, size: int, flags: int = 0) -> bytes:
            if size == len(answer) and keys:
                raise keys.pop()
            return super().recv(size, flags)

        def sendmsg(self, *message: Any) -> int:
            sent = super().sendmsg(*message)
            with other:
                other.recv(sent)
                other.send(answer)
            return sent

    other.send(b"a".ljust(client.HEARD))
    with pytest.raises(OSError, match="ended") if answer == b"zz" else nullcontext():
        assert client.hand_over(Interrupted(fileno=door.detach()), SEARCH) == answer[1]


def test_it_stages_and_neither_applies_nor_asks(near: Resident) -> None:
    before = near.answered
    assert near(*EDIT, "-q").code == 0
    assert "old_name" in near.project.read("a.py") and near.answered > before
    before = near.answered
    for line in ((*EDIT, "--apply", "--reason", "r"), (*EDIT, "-i"), (*EDIT, "-qi")):
        near(*line)
    assert near.answered == before
    assert "new_name" in near.project.read("a.py")


@pytest.mark.parametrize("args", [("resolve", "apply"), ("edit", "--apply"), ("edit", "-qi"), ()])
def test_a_resident_refuses_what_asks_or_applies(args: tuple[str, ...]) -> None:
    assert not warm.accepts(list(args))


def test_every_operation_is_answered() -> None:
    assert all(warm.accepts([kind.replace("_", "-"), "x"]) for kind in kinds())


def test_one_that_hangs_is_not_waited_for(near: Resident) -> None:
    alone, pid = near(*SEARCH, alone=True), near.pid
    os.kill(pid, signal.SIGSTOP)
    try:
        door = client.connect(str(near.place), next(iter(sockets(near))))
        assert door is not None and client.hand_over(door, SEARCH) is None
        assert near(*SEARCH, by=HURRIED) == alone
    finally:
        os.kill(pid, signal.SIGCONT)


def sockets(near: Resident) -> list[str]:
    return [name for name in os.listdir(near.place) if not name.startswith(".")]


@pytest.mark.parametrize("kills", [2, pytest.param(20, marks=pytest.mark.slow)])
def test_killed_at_any_moment_the_answer_is_the_same(near: Resident, kills: int) -> None:
    alone, chance = near(*SEARCH, alone=True), random.Random(7)
    for _ in range(kills):
        pid = near.pid
        timer = threading.Timer(chance.uniform(0, 0.25), os.kill, (pid, signal.SIGKILL))
        timer.start()
        assert near(*SEARCH) == alone
        timer.join()
        assert near(*SEARCH) == alone  # what is left of it is a socket that nobody hears
        assert near("resident", "start").code == 0


def test_a_fork_that_is_killed_is_an_error_and_not_a_second_run(near: Resident) -> None:
    near.project.put("big.py", "old_name(1)\n" * 40_000)
    pid = near.pid
    until(lambda: not children(pid))
    running = near.begun(*EDIT)
    os.kill(until(lambda: command_fork(pid, near.project.root)), signal.SIGKILL)
    _, errors = running.communicate(timeout=LAST)
    assert running.returncode == 5 and b"ended before the command did" in errors
    assert near("pending", "--json").json == []


def children(pid: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def command_fork(pid: int, root: Path) -> int | None:
    """The fork that runs a command there, from when it has begun."""
    for fork in children(pid):
        with suppress(OSError):  # one that only looked at something is gone again
            if os.readlink(f"/proc/{fork}/cwd") == str(root):
                return fork
    return None


def test_ctrl_c_goes_on_to_it(near: Resident) -> None:
    for number in range(200):
        near.project.put(f"many/{number}.py", "old_name(1)\n" * 500)
    pid = near.pid
    until(lambda: not children(pid))
    running = near.begun(*EDIT)
    until(lambda: command_fork(pid, near.project.root))
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=LAST)
    assert running.returncode == 130
    until(lambda: not children(pid))
    assert near("pending", "--json").json == []


def test_nobody_who_says_nothing_or_nonsense_keeps_others_waiting(near: Resident) -> None:
    (name,) = sockets(near)
    doors = []
    for number in range(host._MOST + 20):
        door = socket.socket(socket.AF_UNIX)
        door.connect(os.path.join(os.path.relpath(near.place), name))
        if number % 2:
            door.send(os.urandom(64))
        doors.append(door)
    assert near(*SEARCH).code == 0
    for door in doors:
        door.close()
    pid = near.pid  # once: who is asked for it has a child for that
    until(lambda: not children(pid))
    assert near._row["memory"] < 300 << 20


def test_a_directory_that_others_may_enter_or_own_is_not_used(near: Resident) -> None:
    (name,) = sockets(near)
    near.place.chmod(0o755)
    assert client.connect(str(near.place), name) is None
    near.place.chmod(0o700)
    link = near.place.parent / "link"
    link.symlink_to(near.place)
    assert client.connect(str(link), name) is None
    if os.geteuid() == 0:
        os.chown(near.place, 12345, 0)
        assert client.connect(str(near.place), name) is None
        assert near(*SEARCH) == near(*SEARCH, alone=True)
        os.chown(near.place, 0, 0)
    door = client.connect(str(near.place), name)
    assert door is not None
    door.close()


def test_none_is_started_where_it_could_not_listen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[object] = []
    monkeypatch.setattr(os, "posix_spawn", lambda *args, **_: begun.append(args))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    (tmp_path / "astedit").mkdir()
    (tmp_path / "astedit").chmod(0o755)
    client.start()
    assert begun == []
    (tmp_path / "astedit").chmod(0o700)
    client.start()
    assert len(begun) == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")
def test_another_user_is_not_answered(near: Resident) -> None:
    (name,) = sockets(near)
    for place in (near.place, *near.place.parents):
        if place.stat().st_uid == 0 and "/pytest-of-" in str(place):
            place.chmod(0o755)
    (near.place / name).chmod(0o777)
    code = (
        f"import os, socket; os.setgid(12345); os.setuid(12345); os.chdir({str(near.place)!r});"
        f"s = socket.socket(socket.AF_UNIX); s.connect({name!r}); s.settimeout(9);"
        "s.send(b'x' * 8); print(s.recv(9))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=LAST
    )
    refused = ("ConnectionResetError", "BrokenPipeError")  # as it closes before or after
    assert done.stdout == "b''\n" or any(error in done.stderr for error in refused), done
    near.place.chmod(0o700)


def test_one_whose_files_are_others_by_now_does_not_answer() -> None:
    now, own = time.time(), [host.__file__]
    assert warm.is_current(own, now) and not warm.is_current(own, 0.0)
    with pytest.raises(FileNotFoundError):
        warm.is_current(["/nowhere"], now)
    assert host.__file__ in warm._files()


def test_one_that_is_idle_or_replaced_ends(tmp_path: Path) -> None:
    place = tmp_path / "deep" / ("x" * 150)
    place.parent.mkdir()
    with host.bound(str(place), "s") as (listener, lock):
        with pytest.raises(BlockingIOError), host.bound(str(place), "s"):
            pass
        host.Host(listener, lock, lambda _: 0, lambda _: True).serve(lambda idle: idle < 0.1, 0.01)
    assert [path.name for path in place.iterdir()] == [".s"]


def test_the_client_imports_nothing_of_ours() -> None:
    code = (
        "import sys; before = set(sys.modules); from astedit.resident import client;"
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          cwd=REPOSITORY, check=True)  # fmt: skip
    ours = {name for name in done.stdout.split() if name.startswith(("astedit", "resolve"))}
    assert ours == {"astedit", "astedit.resident", "astedit.resident.client"}
    assert not {"socket", "json", "subprocess"} & set(done.stdout.split())
