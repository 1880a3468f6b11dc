"""Trees of files, random changes of them, and the patch that git makes of a change."""

import os
import shutil
import subprocess
from pathlib import Path
from random import Random

Files = dict[str, tuple[bytes, bool]]
"""By path: the content, and whether the owner may execute the file."""

_NAMES = ("a.py", "b.py", "src/c.py", "src/deep/d.cfg", "notes.txt", "größe.py", "with space.md")
_MORE = (
    "new.py",
    "src/new.py",
    "other/place/e.py",
    "run.sh",
    "data.bin",
    'quo"te.txt',
    "tab\t.txt",
)
# Each is Python on its own: what does not parse is blocked, and would be no difference.
_LINES = ("def f(a): return a\n", "x = f(1)\n", "\n", "# größe\n", "y = [1, 2]\n", "f(y)\n")


def git(root: Path, *words: str, given: bytes | None = None) -> bytes:
    """What git prints; no configuration of this machine counts."""
    alone = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    command = ["git", "-c", "core.autocrlf=false", "-c", "core.quotePath=true", *words]
    done = subprocess.run(
        command, cwd=root, env=os.environ | alone, input=given, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def files_of(root: Path) -> Files:
    """Every file below a root, but for git's own."""
    places = (place for place in sorted(root.rglob("*")) if place.is_file())
    return {
        str(place.relative_to(root)): (place.read_bytes(), os.access(place, os.X_OK))
        for place in places
        if ".git" not in place.relative_to(root).parts
    }


def write_files(root: Path, files: Files) -> None:
    """Makes the tree hold these files, and no others."""
    for place in root.iterdir():
        if place.name != ".git":
            shutil.rmtree(place) if place.is_dir() else place.unlink()
    for path, (content, executable) in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
        place.chmod(0o755 if executable else 0o644)


def some_files(by: Random) -> Files:
    chosen = by.sample(_NAMES, by.randint(3, len(_NAMES)))
    return {path: (_content(by), by.random() < 0.2) for path in chosen}


def changed_files(by: Random, files: Files) -> Files:
    """The same with some files edited, moved (and edited), deleted, and some new ones."""
    after: Files = {}
    free = by.sample(_MORE, len(_MORE))
    for path, (content, executable) in files.items():
        kind = by.choice(("kept", "edited", "edited", "moved", "deleted"))
        if kind == "deleted":
            continue
        text = _edited(by, content) if kind == "edited" or by.random() < 0.2 else content
        executable ^= text != content and by.random() < 0.2
        after[free.pop() if kind == "moved" else path] = (text, executable)
    for _ in range(by.randint(0, 2)):
        after[free.pop()] = (_content(by), by.random() < 0.3)
    return after


def patch_between(root: Path, before: Files, after: Files, *options: str) -> bytes:
    """The patch that git makes of the change; the tree holds what was there before."""
    names = []
    for files in (after, before):
        write_files(root, files)
        git(root, "add", "-A", "-f")
        names.append(git(root, "write-tree").decode().strip())
    return git(root, "diff", *options, names[1], names[0])


def _content(by: Random) -> bytes:
    kind = by.random()
    if kind < 0.1:
        return by.randbytes(by.randint(1, 400)) + b"\0"
    if kind < 0.2:
        return b""
    text = "".join(by.choice(_LINES) for _ in range(by.randint(1, 30))).encode()
    if by.random() < 0.2:
        text = text.rstrip(b"\n")
    return text.replace(b"\n", b"\r\n") if by.random() < 0.15 else text


def _edited(by: Random, content: bytes) -> bytes:
    if b"\0" in content:
        at = by.randrange(len(content))
        return content[:at] + by.randbytes(3) + content[at + 1 :]
    lines = [line.rstrip(b"\n") + b"\n" for line in content.splitlines(keepends=True)]
    for _ in range(by.randint(1, 3)):
        at = by.randint(0, len(lines))
        lines[at : at + by.randint(0, 2)] = [by.choice(_LINES).encode()] * by.randint(0, 2)
    return b"".join(lines)
