"""`make pictures`: the pictures of the pages, from real runs of today's version.

Everything runs on a copy of the example project in a temporary directory. A terminal becomes
an SVG, a page in the browser a PNG. `pictures.json` keeps what each picture says, so that a
test sees when a picture shows another version than today's.
"""

import asyncio
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path

import pexpect
import pyte
from rich.console import Console
from rich.text import Text

HERE = Path(__file__).resolve().parent
SHOP = HERE.parents[1] / "fixtures/demo/shop"
EDIT = ("edit", "-p", "print($$$ARGS)", "-r", "log($$$ARGS)", "--glob", "!log.py")
SEVERAL = (
    *EDIT[:5],
    "-p",
    "return $A",
    "-r",
    "return checked($A)",
    "-p",
    "len($A)",
    "-r",
    "size($A)",
)
_ID = re.compile(r"\ba[0-9a-z]{17}\b")
# An id on a terminal is the end of one.
_SHORT_ID = re.compile(r"\b(?<=Staged as )[0-9a-z]{4}\b|\b(?<=apply )[0-9a-z]{4}\b")
_FONT = re.compile(r"@font-face \{.*?\}", re.DOTALL)
_SECONDS = 60


class Project:
    """A copy of the example project, with a state and a home of its own."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        shutil.copytree(SHOP, self.root / "shop")
        self.environment = os.environ | {
            "HOME": str(folder),
            "XDG_CONFIG_HOME": str(folder / "config"),
            "XDG_STATE_HOME": str(folder / "state"),
            "PYTHONPATH": str(HERE.parents[1]),
            "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "TERM": "xterm-256color",
            "PAGER": "cat",
        }
        for name in ("NO_COLOR", "FORCE_COLOR", "ASTEDIT_STATE_DIR", "COLUMNS", "LINES"):
            self.environment.pop(name, None)
        tool = folder / "bin/astedit"
        tool.parent.mkdir()
        tool.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m astedit "$@"\n')
        tool.chmod(0o755)
        subprocess.run(["git", "init", "-q", str(self.root)], check=True)

    def run(self, *arguments: str) -> str:
        """What a command prints in a pipe."""
        command = ["astedit", *arguments]
        done = subprocess.run(
            command, cwd=self.root, env=self.environment, check=True, capture_output=True, text=True
        )
        return done.stdout

    @contextmanager
    def terminal(self, arguments: Sequence[str], rows: int, columns: int) -> Iterator["Terminal"]:
        """A command on a terminal, which is ended at the end."""
        child = pexpect.spawn(
            "astedit",
            list(arguments),
            cwd=str(self.root),
            env=self.environment,
            dimensions=(rows, columns),
            timeout=_SECONDS,
        )
        try:
            yield Terminal(child, shlex.join(["astedit", *arguments]), rows, columns)
        finally:
            child.close(force=True)


class Terminal:
    """What a person sees of a command, and the keys that they press."""

    def __init__(self, child: pexpect.spawn, command: str, rows: int, columns: int) -> None:
        self._child = child
        self._command = command
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)

    def until(self, words: str) -> None:
        """Reads until these words stand on the screen, and all that comes with them."""
        while words not in "\n".join(self._screen.display):
            self._stream.feed(self._child.read_nonblocking(65_536, _SECONDS))
        while True:
            try:
                self._stream.feed(self._child.read_nonblocking(65_536, 1))
            except (pexpect.TIMEOUT, pexpect.EOF):
                return

    def press(self, keys: str) -> None:
        """Types keys, as a person does."""
        self._child.send(keys)

    def svg(self, title: str, *, prompt: bool) -> tuple[bytes, str]:
        """The screen as a picture, and its text without the ids."""
        rows = [self._row(number) for number in range(self._screen.lines)]
        while rows and not rows[-1].plain.strip():
            rows.pop()
        if prompt:
            rows.insert(0, Text.assemble(("$ ", "bold green"), (self._command, "bold")))
        text = "\n".join(row.plain.rstrip() for row in rows)
        return _svg(title, rows, self._screen.columns), text

    def _row(self, number: int) -> Text:
        cells = (self._screen.buffer[number][column] for column in range(self._screen.columns))
        row = Text()
        for style, run in groupby(
            cells, _style
        ):  # a span a style, or the file is ten times as large
            row.append("".join(cell.data for cell in run), style=style)
        return row


def _svg(title: str, rows: Sequence[Text], columns: int) -> bytes:
    paper = Console(
        record=True,
        width=columns,
        file=io.StringIO(),
        color_system="truecolor",
        force_terminal=True,
    )
    for row in rows:
        paper.print(row, soft_wrap=False)
    # without the fonts of another host, which a page may not load
    return _FONT.sub("", paper.export_svg(title=title, unique_id="picture")).encode()


def _style(cell: pyte.screens.Char) -> str:
    words = [word for word, is_on in (("bold", cell.bold), ("reverse", cell.reverse)) if is_on]
    if cell.fg != "default":
        words.append(_colour(cell.fg))
    if cell.bg != "default":
        words.append(f"on {_colour(cell.bg)}")
    return " ".join(words)


def _colour(name: str) -> str:
    """A colour of the screen in the words of the picture."""
    if re.fullmatch(r"[0-9a-f]{6}", name):
        return f"#{name}"
    return {"brown": "yellow"}.get(name, re.sub(r"^bright", "bright_", name))


def edit(project: Project) -> tuple[bytes, str]:
    """A preview on a terminal, and the question under it."""
    with project.terminal(EDIT, 40, 88) as terminal:
        terminal.until("2 files")
        return terminal.svg("astedit edit", prompt=True)


def review(project: Project) -> tuple[bytes, str]:
    """The review on a terminal."""
    project.run(*SEVERAL, "-q")
    with project.terminal(["review"], 30, 120) as terminal:
        terminal.until("shape:")
        return terminal.svg("astedit review", prompt=False)


def agent(project: Project) -> tuple[bytes, str]:
    """What an agent reads of a preview, as the official client of the protocol gets it."""
    text = asyncio.run(_called(project))
    return _svg("ast_edit over MCP", [Text(line) for line in text.splitlines()], 100), text


async def _called(project: Project) -> str:
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client
    from mcp.types import TextContent

    server = StdioServerParameters(
        command="astedit", args=["mcp"], env=dict(project.environment), cwd=project.root
    )
    asked = {"ops": [{"pat": EDIT[2], "out": EDIT[4]}], "glob": ["!log.py"]}
    async with stdio_client(server) as (reader, writer), ClientSession(reader, writer) as session:
        await session.initialize()
        result = await session.call_tool("ast_edit", asked)
    call = f"ast_edit {json.dumps(asked)}"
    return "\n".join([call, "", *(p.text for p in result.content if isinstance(p, TextContent))])


def page(project: Project) -> tuple[bytes, str]:
    """The review in the browser."""
    project.run(*SEVERAL, "-q")
    arguments = ["review", "--web"]
    command = ["astedit", *arguments]
    with subprocess.Popen(
        command, cwd=project.root, env=project.environment, stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stdout is not None
            link = next(word for line in server.stdout for word in line.split() if "://" in word)
            return _photograph(link, "main")
        finally:
            server.terminate()


def report(project: Project) -> tuple[bytes, str]:
    """The report, which is a page in one file."""
    project.run(*SEVERAL, "-q")
    file = project.root.parent / "report.html"
    file.write_text(project.run("show", "--format", "html"))
    return _photograph(file.as_uri(), "body")


def _photograph(link: str, part: str) -> tuple[bytes, str]:
    from playwright.sync_api import sync_playwright

    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as playwright:
        window = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        shown = window.new_page(viewport={"width": 1100, "height": 640}, color_scheme="light")
        shown.goto(link)
        shown.wait_for_load_state("networkidle")
        return shown.screenshot(), shown.locator(part).inner_text()


TERMINALS = {"edit": edit, "review": review, "agent": agent}
PAGES = {"page": page, "report": report}


def picture(name: str) -> tuple[bytes, str]:
    """A picture of today's version, and what it says, less ids, times and addresses."""
    with tempfile.TemporaryDirectory() as folder:
        data, text = (TERMINALS | PAGES)[name](Project(Path(folder)))
    text = _ID.sub("<id>", text.replace(folder, ""))
    return data, _SHORT_ID.sub("<id>", text)


def main() -> int:
    """Makes all pictures anew."""
    said = {}
    for name in (*TERMINALS, *PAGES):
        data, said[name] = picture(name)
        (HERE / f"{name}.{'svg' if name in TERMINALS else 'png'}").write_bytes(data)
    (HERE / "pictures.json").write_text(json.dumps(said, indent=1, sort_keys=True) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
