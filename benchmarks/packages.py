"""Published packages at pinned versions, fetched by pip and npm and unpacked in a cache.

Real source to measure and compare on: nothing of it enters the repository.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Literal


@dataclass(frozen=True, slots=True)
class Package:
    """One release. `kind` says which client brings it, and in which form."""

    name: str
    version: str
    kind: Literal["wheel", "sdist", "npm"]

    @property
    def folder(self) -> str:
        """Its directory in a cache."""
        return f"{self.name.replace('/', '+')}-{self.version}-{self.kind}"


class Unavailable(Exception):
    """A package could not be fetched: no client, no network, or no such release."""


def unpacked(package: Package, cache: Path) -> Path:
    """The directory of a package's files below `cache`, fetched when it is not there yet.

    Raises `Unavailable` with the client's own words. A fetch that dies half-way leaves
    nothing that a later call would take for the package.
    """
    folder = cache / package.folder
    if folder.is_dir():
        return folder
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache, prefix="fetch-") as name:
        archive = _fetch(package, Path(name))
        tree = Path(name) / "tree"
        _unpack(archive, tree)
        _move(tree, folder)
    return folder


def _move(tree: Path, folder: Path) -> None:
    """Gives a finished tree its name; another process may have been quicker."""
    try:
        tree.rename(folder)
    except OSError:
        if not folder.is_dir():
            raise


def _fetch(package: Package, into: Path) -> Path:
    command = _npm(package) if package.kind == "npm" else _pip(package)
    done = subprocess.run(command, cwd=into, capture_output=True, text=True, check=False)
    files = [path for path in into.iterdir() if path.is_file()]
    if done.returncode or len(files) != 1:
        words = [line for line in done.stderr.splitlines() if line and "log of this" not in line]
        reason = words[-1] if words else "no archive"
        raise Unavailable(f"{package.name} {package.version}: {reason}")
    return files[0]


def _npm(package: Package) -> list[str]:
    npm = shutil.which("npm")
    if npm is None:
        raise Unavailable(f"{package.name} {package.version}: npm is not installed")
    return [npm, "pack", "--loglevel=error", f"{package.name}@{package.version}"]


def _pip(package: Package) -> list[str]:
    """A wheel's Python version does not matter here: its files are read, never run."""
    form = ["--only-binary", ":all:"] if package.kind == "wheel" else ["--no-binary", package.name]
    options = ["--quiet", "--no-deps", "--ignore-requires-python", *form]
    return [*_pip_command(package), "download", *options, f"{package.name}=={package.version}"]


def _pip_command(package: Package) -> list[str]:
    if find_spec("pip") is not None:
        return [sys.executable, "-m", "pip"]
    pip = shutil.which("pip") or shutil.which("pip3")
    if pip is None:
        raise Unavailable(f"{package.name} {package.version}: pip is not installed")
    return [pip]


def _unpack(archive: Path, into: Path) -> None:
    into.mkdir()
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            wheel.extractall(into)  # refuses names that lead outside
    else:
        with tarfile.open(archive) as tar:
            tar.extractall(into, filter="data")


def cache(variable: str, default: Path) -> Path:
    """The cache directory that an environment variable names, or the default one."""
    return Path(os.environ.get(variable) or default)
