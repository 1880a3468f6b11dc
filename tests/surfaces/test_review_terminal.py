"""`astedit review` on a real terminal: tmux, and a pseudo-terminal that goes away."""

import json
import os
import pty
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest

from tests.support.guided_reviews import HOSTILE
from tests.support.patience import until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed"),
]
SERVERS = count()
ASTEDIT = [sys.executable, "-m", "astedit"]


def astedit(root: Path, *arguments: str) -> str:
    return subprocess.run(
        [*ASTEDIT, *arguments], cwd=root, capture_output=True, text=True, check=True
    ).stdout


def decided(root: Path) -> list[str | None]:
    return [edit["decision"] for edit in json.loads(astedit(root, "review", "--json"))["edits"]]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = tmp_path / "project"
    root.mkdir()
    (root / "a.py").write_text("".join(f"p(x{n})  # {HOSTILE}\n" for n in range(30)))
    astedit(root, "edit", "-p", "p($A)", "-r", "q($A)")
    return root


class Tmux:
    """One window of a server of its own."""

    def __init__(self, root: Path, columns: int, command: str) -> None:
        self._server = ["tmux", "-L", f"astedit-{os.getpid()}-{next(SERVERS)}", "-f", "/dev/null"]
        size = ["-x", str(columns), "-y", "24"]
        shell = f"cd {root} && {command}; echo ended with $?; sleep 60"
        self._run("new-session", "-d", "-s", "s", *size, shell)

    def _run(self, *arguments: str) -> str:
        return subprocess.run(
            [*self._server, *arguments], capture_output=True, text=True, check=True
        ).stdout

    def press(self, *keys: str) -> None:
        self._run("send-keys", "-t", "s", *keys)

    def resize(self, columns: int, rows: int) -> None:
        self._run("resize-window", "-t", "s", "-x", str(columns), "-y", str(rows))

    def screen(self, *options: str) -> str:
        return self._run("capture-pane", "-p", "-t", "s", *options)

    def wait(self, text: str) -> str:
        return eventually(self.screen, lambda screen: text in screen)

    def end(self) -> None:
        subprocess.run([*self._server, "kill-server"], capture_output=True, check=False)


def eventually(get: Callable[[], str], good: Callable[[str], bool]) -> str:
    return until(lambda: [value] if good(value := get()) else [])[0]


@pytest.fixture
def tmux(root: Path) -> Iterator[Callable[..., Tmux]]:
    windows: list[Tmux] = []

    def start(options: str = "", columns: int = 80, environment: str = "") -> Tmux:
        windows.append(Tmux(root, columns, f"{environment} {' '.join(ASTEDIT)} review {options}"))
        return windows[-1]

    yield start
    for window in windows:
        window.end()


def test_the_screen_keys_a_resize_and_ctrl_c(root: Path, tmux: Callable[..., Tmux]) -> None:
    window = tmux()
    window.wait("0 of 30 decided, 0 rejected")
    window.press("l", "j", "Space", "x")
    screen = window.wait("2 of 30 decided, 1 rejected")
    assert r"\x1b]0;owned\x07\u202e[red]" in screen.replace("\n", "").replace("│", "")
    window.resize(40, 15)
    eventually(window.screen, lambda screen: "│" not in screen and "2 of 30" in screen)
    window.press("C-c")
    screen = window.wait("ended with 0")
    assert "2 of 30 decided, 1 rejected." in screen
    assert sorted(filter(None, decided(root))) == ["accept", "reject"]


def test_what_is_accepted_is_applied_from_the_screen(root: Path, tmux: Callable[..., Tmux]) -> None:
    window = tmux()
    window.wait("0 of 30 decided")
    window.press("l", "j", "Space", "x", "A")
    window.wait("Apply 1 accepted edit: why?")
    window.press("Enter")
    assert "1 replacement in 1 file" in window.wait("ended with 0")
    assert (root / "a.py").read_text().count("q(x") == 1
    assert decided(root).count(None) == 28, "what is undecided is staged again"


def test_no_color_means_none(tmux: Callable[..., Tmux]) -> None:
    window = tmux(environment="env NO_COLOR=1")
    window.wait("0 of 30 decided")
    window.press("l", "j")
    screen = eventually(lambda: window.screen("-e"), lambda screen: "q" in screen)
    codes = [part.partition("m")[0] for part in screen.split("\x1b[")[1:]]
    colours = {code for each in codes for code in each.split(";") if code[:1] in "34" and code[1:]}
    assert colours <= {"39", "49"}  # those of the terminal
    assert any("7" in each.split(";") for each in codes)  # the row with the cursor


def test_questions_on_a_narrow_terminal(root: Path, tmux: Callable[..., Tmux]) -> None:
    window = tmux("--questions", columns=40)
    window.wait("Accept? [y,")
    window.press("y", "Enter", "n", "Enter")
    window.wait("2 of 30 decided, 1 rejected. Accept")
    window.press("C-c")
    window.wait("ended with 130")
    assert sorted(filter(None, decided(root))) == ["accept", "reject"]


def test_an_interactive_edit_is_staged_reviewed_and_applied(
    root: Path, tmux: Callable[..., Tmux]
) -> None:
    astedit(root, "resolve", "discard", "--reason", "another one")
    window = Tmux(root, 80, f"{' '.join(ASTEDIT)} edit -i -p 'p($A)' -r 'r($A)'")
    try:
        window.wait("0 of 30 decided")
        window.press("l", "j", "Space", "g", "x", "q")
        window.wait("ended with 0")
    finally:
        window.end()
    astedit(root, "resolve", "apply", "--reviewed", "--reason", "one of them")
    assert (root / "a.py").read_text().count("r(x") == 1


def test_a_rename_is_gone_through_as_an_edit_is(root: Path) -> None:
    (root / "b.py").write_text("def total():\n    return 1\n\n\nx = total()\n")
    window = Tmux(root, 80, f"{' '.join(ASTEDIT)} rename -i total count")
    try:
        window.wait("0 of 2 decided")
        window.press("Space", "q")
        window.wait("ended with 0")
    finally:
        window.end()
    assert decided(root) == ["accept", "accept"]


def test_no_review_outlives_its_terminal(root: Path, tmux: Callable[..., Tmux]) -> None:
    for _ in range(8):
        window = tmux(environment="env NO_COLOR=1")
        window.wait("0 of 30 decided")
        window.press("j")  # something is drawn while the terminal goes
        window.end()
    eventually(lambda: " ".join(running_in(root)), lambda left: left == "")


def running_in(root: Path) -> Iterator[str]:
    """The processes that have this as their directory."""
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (process / "cwd").readlink() == root:
                yield process.name


@pytest.mark.parametrize("options", [[], ["--questions"]])
def test_a_connection_that_is_closed_loses_nothing(root: Path, options: list[str]) -> None:
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(root)
        os.environ["TERM"] = "xterm-256color"
        os.execv(sys.executable, [*ASTEDIT, "review", *options])
    output = ""

    def read() -> str:
        nonlocal output
        output += os.read(terminal, 65536).decode("utf-8", "replace")
        return output

    eventually(read, lambda text: "0 of 30 decided" in text)
    os.write(terminal, b"y\n" if options else b"lj ")
    eventually(read, lambda text: "1 of 30 decided" in text)
    os.close(terminal)
    os.waitpid(child, 0)
    (root / "a.py").write_text("import os\n" + (root / "a.py").read_text())
    astedit(root, "review", "--refresh")  # what the edit stood in was kept, too
    assert decided(root).count("accept") == 1
