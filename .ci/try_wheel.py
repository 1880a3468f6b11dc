"""Builds the sdist and the wheel, and uses the wheel as a stranger would who installs it.

The wheel is built from the sdist, installed with nothing but what it requires into a new
environment, and runs the demo there, from a copy that does not stand beside the sources. Then
every extra is installed, and one command that needs it runs. A table says how large each
installation is and how long it took, with the network's part.

    python .ci/try_wheel.py            # any interpreter with the package `build`
"""

import json
import os
import pty
import select
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
import urllib.request
from collections.abc import Callable
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
CAMPAIGN = "repositories: [shop]\nops:\n  - pat: print($$$A)\n    out: log($$$A)\n"
PROGRAM = """
import astedit
with astedit.Resident() as resident:
    calls = (astedit.search("print($$$A)", resident=resident) for _ in range(2))
    first, second = (len(result.matches) for result in calls)
    assert first == second > 0, (first, second)
"""

SERVER = """
from lsprotocol import types
from pygls.lsp.server import LanguageServer
server = LanguageServer("tidy", "1")
@server.feature(types.TEXT_DOCUMENT_CODE_ACTION)
def actions(params: types.CodeActionParams) -> list[types.CodeAction]:
    return [types.CodeAction(title="Tidy up")]
server.start_io()
"""


class Installed:
    """An environment of its own in `folder`, and an empty directory to work in."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.work = folder / "work"
        self.work.mkdir()
        shutil.copytree(REPOSITORY / "fixtures/demo", folder / "demo")
        shutil.copytree(REPOSITORY / "fixtures/demo/shop", self.work / "shop")
        subprocess.run([sys.executable, "-m", "venv", folder / "env"], check=True)
        self.bin = folder / "env/bin"

    @property
    def environment(self) -> dict[str, str]:
        """The variables for a command, with state of its own."""
        state = {"ASTEDIT_STATE_DIR": str(self.folder / "state")}
        return {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | state

    def run(self, *command: str | Path, **options: object) -> str:
        """Standard output of a command of the environment; fails as the command does."""
        words = [self.bin / command[0], *command[1:]]
        options = {"stdin": subprocess.DEVNULL, "timeout": 300} | options
        done = subprocess.run(
            words,
            cwd=self.work,
            env=self.environment,
            stdout=subprocess.PIPE,
            check=True,
            **options,
        )
        return done.stdout.decode()

    def install(self, name: str, requirement: str) -> None:
        """Installs, and prints a row of the table."""
        start = time.monotonic()
        self.run("python", "-m", "pip", "install", "-q", "--disable-pip-version-check", requirement)
        seconds = time.monotonic() - start
        size = sum(
            path.lstat().st_size for path in (self.folder / "env/lib").rglob("*") if path.is_file()
        )
        print(f"{name:16} {size / 1e6:6.0f} MB in all {seconds:6.1f} s", flush=True)


def lsp(installed: Installed) -> None:
    """Asks a language server what it offers."""
    (installed.work / "server.py").write_text(SERVER)
    server = shlex.join([str(installed.bin / "python"), "server.py"])
    shown = installed.run("astedit", "lsp-actions", "shop/cart.py:1:1", "--server", server)
    assert "Tidy up" in shown, shown


def mcp(installed: Installed) -> None:
    """A server whose client closes at once ends well."""
    installed.run("astedit", "mcp")


def pydantic_ai(installed: Installed) -> None:
    installed.run("python", "-c", "from astedit.adapters.pydantic_ai import AstEditToolset")


def legacy_grammars(installed: Installed) -> None:
    """Loads a grammar of the extra. It has no wheel for Python 3.13 and later."""
    if sys.version_info >= (3, 13):
        return
    command = ("astedit", "search", "-p", "print($$$A)", "--lang", "python", "shop")
    os.environ["ASTEDIT_GRAMMARS"] = "legacy"
    try:
        assert "print(" in installed.run(*command)
    finally:
        del os.environ["ASTEDIT_GRAMMARS"]


def resident(installed: Installed) -> None:
    installed.run("python", "-c", PROGRAM)


def cluster(installed: Installed) -> None:
    """A campaign whose repository is planned by a worker of Dask."""
    (installed.work / "rename.yml").write_text(CAMPAIGN)
    place = installed.work / "scheduler.json"
    quiet = {"cwd": installed.work, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    dask = [installed.bin / "python", "-m", "dask"]
    where = ["--scheduler-file", str(place)]
    local = ["--host", "127.0.0.1"]
    port = ["--port", "0", "--no-dashboard"]
    scheduler = subprocess.Popen([*dask, "scheduler", *local, *port, *where], **quiet)
    worker = None
    try:
        wait_for(place.exists)
        worker = subprocess.Popen([*dask, "worker", "--no-dashboard", *where], **quiet)
        address = json.loads(place.read_text())["address"]
        shown = installed.run("astedit", "campaign", "rename.yml", "--scheduler", address)
        assert " pending " in shown, shown
    finally:
        for process in (worker, scheduler):
            if process is not None:
                process.terminate()
                process.wait()


def staged(installed: Installed) -> None:
    installed.run("astedit", "edit", "-p", "print($$$A)", "-r", "log($$$A)", "-q", "shop")


def tui(installed: Installed) -> None:
    """The review on the whole screen of a terminal, left by its key."""
    staged(installed)
    code, screen = on_terminal(installed, ["astedit", "review"], b"q")
    assert code == 0 and b"shop/" in screen, (code, screen[-2_000:])


def web(installed: Installed) -> None:
    """The review page: its link answers."""
    staged(installed)
    command = [installed.bin / "astedit", "review", "--web"]
    with subprocess.Popen(
        command, cwd=installed.work, env=installed.environment, stdout=subprocess.PIPE, text=True
    ) as page:
        assert page.stdout is not None
        try:
            with urllib.request.urlopen(page.stdout.readline().strip(), timeout=60) as answer:
                assert answer.status == 200
        finally:
            page.terminate()


# Each is tried in turn; a new extra needs its row here.
EXTRAS: dict[str, Callable[[Installed], None]] = {
    "cluster": cluster,
    "lsp": lsp,
    "mcp": mcp,
    "pydantic-ai": pydantic_ai,
    "legacy-grammars": legacy_grammars,
    "resident": resident,
    "tui": tui,
    "web": web,
}


def on_terminal(installed: Installed, words: list[str], key: bytes) -> tuple[int, bytes]:
    """Runs a command on a terminal of its own; types the key once the screen is drawn."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(installed.work)
        os.environ.update(installed.environment | {"TERM": "xterm-256color"})
        os.execv(installed.bin / words[0], words)
    screen, end, typed = b"", time.monotonic() + 60, False
    while time.monotonic() < end:
        ready, _, _ = select.select([terminal], [], [], 2)
        try:
            screen += os.read(terminal, 65_536) if ready else b""
        except OSError:  # the command has ended
            break
        if not ready and b"shop/" in screen and not typed:
            typed = bool(os.write(terminal, key))
    else:
        os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), screen


def wait_for(ready: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > end:
            raise TimeoutError(f"nothing after {seconds} seconds")
        time.sleep(0.1)


def main() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    assert {*project["optional-dependencies"]} - {"dev"} == {*EXTRAS}, "an extra is not tried"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        build = [sys.executable, "-m", "build", "--outdir", folder / "dist", REPOSITORY]
        subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
        (wheel,) = (folder / "dist").glob("*.whl")
        (sdist,) = (folder / "dist").glob("*.tar.gz")
        print(f"{wheel.name}: {wheel.stat().st_size:,} bytes", flush=True)
        print(f"{sdist.name}: {sdist.stat().st_size:,} bytes", flush=True)
        installed = Installed(folder)
        installed.install("base", str(wheel))
        print(installed.run("astedit", "--version", "--verbose"), end="", flush=True)
        installed.run("python", folder / "demo/run.py")
        for extra, use in EXTRAS.items():
            installed.install(extra, f"{wheel}[{extra}]")
            use(installed)
    print("the wheel works, alone and with each extra")


if __name__ == "__main__":
    main()
