"""Compilers that say whether files of a language can be read, many at a time."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.support.compiling.real_files import includes
from tests.support.patience import LAST

HERE = Path(__file__).parent
_MOST = 100  # files in one command


class Compiler(NamedTuple):
    """How to ask one: `refused` says what it has against which files of a folder, by name."""

    programs: tuple[str, ...]
    suffix: str
    refused: Callable[[Path, Sequence[str]], dict[str, str]]
    npm: tuple[str, ...] = ()  # packages that the folder needs
    known: str = "(?!)"  # errors about what names and values are, which no tree says
    deciding: str = "(?!)"  # lines of which the value, and no more, decides what is compiled


def _run(command: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=LAST
    )


def _errors(pattern: str, text: str) -> dict[str, str]:
    """The first error of each file."""
    errors: dict[str, str] = {}
    for found in re.finditer(pattern, text, re.MULTILINE):
        errors.setdefault(found[1].removeprefix("./"), found[2])
    return errors


def _script(command: Sequence[str]) -> Callable[[Path, Sequence[str]], dict[str, str]]:
    """A script of ours that prints an object of errors by file."""

    def refused(folder: Path, names: Sequence[str]) -> dict[str, str]:
        done = _run([*command, *names], folder)
        assert done.returncode == 0, done.stderr[-500:]
        errors: dict[str, str] = json.loads(done.stdout)
        return errors

    return refused


def _printed(
    command: Sequence[str], pattern: str
) -> Callable[[Path, Sequence[str]], dict[str, str]]:
    """A compiler that prints errors with the file that each is in."""

    def refused(folder: Path, names: Sequence[str]) -> dict[str, str]:
        done = _run([*command, *names], folder)
        return _errors(pattern, done.stderr + done.stdout)

    return refused


def _each(command: Sequence[str], pattern: str) -> Callable[[Path, Sequence[str]], dict[str, str]]:
    """A compiler that takes one file at a time."""
    one = _printed(command, pattern)

    def refused(folder: Path, names: Sequence[str]) -> dict[str, str]:
        return {name: error for each in names for name, error in one(folder, [each]).items()}

    return refused


def _gcc(folder: Path, names: Sequence[str]) -> dict[str, str]:
    """What gcc cannot read, as far as it finds what a file includes."""
    command = ["gcc", "-fsyntax-only", "-w", *(f"-I{path}" for path in includes())]
    return _each(command, r"^(\S+\.c):.*?error: (expected.*|stray.*|missing.*|.*No such file.*)")(
        folder, names
    )


COMPILERS: Mapping[str, Compiler] = {
    "javascript": Compiler(
        ("node",),
        ".js",
        _script(["node", "--experimental-vm-modules", "--no-warnings", str(HERE / "scripts.js")]),
        known="is not defined in module|already been declared|'super' keyword",
    ),
    "typescript": Compiler(
        ("node", "npm"), ".ts", _script(["node", str(HERE / "typescript.js")]), ("typescript@5",)
    ),
    "go": Compiler(("gofmt",), ".go", _printed(["gofmt", "-e", "-l"], r"^(\S+\.go):\d+:\d+: (.*)")),
    "java": Compiler(
        ("javac",),
        ".java",
        _printed(
            [
                "javac",
                "-proc:none",
                "-XDshould-stop.ifNoError=PARSE",
                "-XDshould-stop.ifError=PARSE",
                "-Xmaxerrs",
                "10000",
                "-d",
                ".",
            ],
            r"^(\S+\.java):\d+: error: (.*)",
        ),
    ),
    "ruby": Compiler(("ruby",), ".rb", _script(["ruby", str(HERE / "syntax.rb")])),
    "php": Compiler(
        ("php",),
        ".php",
        _each(["php", "-l"], r"^(?:PHP )?(?:Parse|Fatal) error: +(?=.* in (\S+) on line)(.*)"),
        known=r"Cannot (redeclare|re-assign|acquire reference to \$GLOBALS)|Illegal (class|offset)",
    ),
    "c": Compiler(
        ("gcc",),
        ".c",
        _gcc,
        known="expected expression before ‘|binary operator",
        deciding=r"[ \t]*#[ \t]*(el)?if\b",
    ),
}


def missing(compiler: Compiler) -> list[str]:
    """The programs that are not installed."""
    return [name for name in compiler.programs if shutil.which(name) is None]


def refused(compiler: Compiler, folder: Path, files: Mapping[str, bytes]) -> dict[str, str]:
    """The files, by their names, that the compiler does not read, each with its first error."""
    errors: dict[str, str] = {}
    for names in _portions(list(files)):
        for name in names:
            (folder / name).write_bytes(files[name])
        errors |= compiler.refused(folder, names)
        for name in names:
            (folder / name).unlink()
    return {name: error for name, error in errors.items() if name in files}


def _portions(names: Sequence[str]) -> Iterable[Sequence[str]]:
    for start in range(0, len(names), _MOST):
        yield names[start : start + _MOST]
