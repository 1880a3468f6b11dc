"""The trees that are measured: published packages, as git work trees."""

import shutil
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

from benchmarks.packages import Package, cache, unpacked

HOME_ASSISTANT = Package("homeassistant", "2025.4.4", "wheel")  # 7,978 Python files, 38.6 MB
DJANGO = Package("Django", "5.2", "wheel")
SYMPY = Package("sympy", "1.13.3", "wheel")
RXJS = Package("rxjs", "7.8.1", "npm")
THREE = Package("three", "0.170.0", "npm")
GRPC = Package("grpcio", "1.66.2", "sdist")  # 839 C, 1,489 C++ files, 2,041 headers

CACHE = cache("ASTEDIT_CORPORA", Path(__file__).parent / ".corpora")
_FUNCTION = "def f{0}(a, b):\n    x = [a, b, {0}]\n    return {1}(a, {0}, key=b)\n\n\n"
_ANYONE = ("-c", "user.name=benchmarks", "-c", "user.email=benchmarks@localhost")


def work_tree(package: Package) -> Path:
    """The package below the cache, committed to a git repository of its own.

    Raises `Unavailable` when it is not there and cannot be fetched.
    """
    return _committed(f"{package.folder}-tree", {"": package})


def joined_tree(name: str, packages: Iterable[Package]) -> Path:
    """Several packages as directories of one work tree. Raises as `work_tree`."""
    return _committed(name, {package.name: package for package in packages})


def _committed(name: str, packages: Mapping[str, Package]) -> Path:
    """A git repository with these packages below its directories.

    One of its own, since the ignore rules of that around the cache leave out all of it.
    """
    root = CACHE / name
    if not (root / ".git").is_dir():
        fresh = CACHE / f"{name}.new"
        shutil.rmtree(fresh, ignore_errors=True)
        for directory, package in packages.items():
            shutil.copytree(unpacked(package, CACHE), fresh / directory)
        _git(fresh, "init", "--quiet")
        _git(fresh, "config", "maintenance.auto", "false")  # it would run during a round
        _git(fresh, "add", "--all", "--force")
        _git(fresh, *_ANYONE, "commit", "--quiet", "--message", "as published")
        shutil.rmtree(root, ignore_errors=True)
        fresh.rename(root)
    return root


def generated(files: int, every: int = 10) -> Path:
    """A tree of so many small Python files; made once.

    Each has 20 calls: of `old_name` in `every` so manyth file, else of another function.
    """
    root = CACHE / f"generated-{files}-{every}"
    if not root.is_dir():
        fresh = CACHE / f"{root.name}.new"
        shutil.rmtree(fresh, ignore_errors=True)
        for number in range(files):
            place = fresh / f"pkg{number // 100}" / f"mod{number}.py"
            place.parent.mkdir(parents=True, exist_ok=True)
            name = "other_name" if number % every else "old_name"
            lines = range(number, number + 20)
            place.write_text("".join(_FUNCTION.format(line, name) for line in lines))
        _git(fresh, "init", "--quiet")
        _git(fresh, "config", "maintenance.auto", "false")
        _git(fresh, "add", "--all")
        fresh.rename(root)
    return root


def tiny_files(files: int) -> Path:
    """A tree of so many Python files of some 200 bytes, 50 a directory; made once.

    Every tenth calls `old_name`.
    """
    root = CACHE / f"tiny-{files}"
    if not root.is_dir():
        fresh = CACHE / f"{root.name}.new"
        shutil.rmtree(fresh, ignore_errors=True)
        for directory in range(files // 50):
            place = fresh / f"d{directory // 200}" / f"p{directory}"
            place.mkdir(parents=True)
            for number in range(50):
                text = _FUNCTION.format(number, "other_name" if number % 10 else "old_name")
                (place / f"m{number}.py").write_text(text * 3)
        _git(fresh, "init", "--quiet")
        _git(fresh, "config", "maintenance.auto", "false")
        _git(fresh, "add", "--all", "--intent-to-add")  # an index, and no million objects
        fresh.rename(root)
    return root


def _git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True)
