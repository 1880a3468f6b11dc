"""Real source to compare on: a few files of our own, and published packages.

The packages are fetched into `tests/.corpora`, or where `ASTEDIT_CORPORA` says.
"""

import re
from dataclasses import dataclass
from functools import cache

from benchmarks.packages import Package, unpacked
from benchmarks.packages import cache as cache_directory
from tests.support import REPOSITORY

HERE = REPOSITORY / "tests" / "differential"
CACHE = cache_directory("ASTEDIT_CORPORA", HERE.parent / ".corpora")
LARGEST = 262_144  # bytes; one amalgamated file would outweigh all the others


@dataclass(frozen=True, slots=True)
class Corpus:
    """A package's files of one language: those whose path, with `/`, matches `wanted`."""

    language: str
    package: Package
    wanted: str


CORPORA = (
    Corpus("python", Package("Django", "5.1.7", "wheel"), r"^django/.*\.py$"),
    Corpus("typescript", Package("rxjs", "7.8.2", "npm"), r"^package/src/.*\.ts$"),
    Corpus(
        "javascript", Package("three", "0.170.0", "npm"), r"^package/(src|examples/jsm)/.*\.js$"
    ),
    Corpus("javascript", Package("lodash", "4.17.21", "npm"), r"^package/(_\w+|fp/.*)\.js$"),
    Corpus("rust", Package("cryptography", "42.0.8", "sdist"), r"\.rs$"),
    Corpus("rust", Package("zstandard", "0.22.0", "sdist"), r"\.rs$"),
    Corpus("java", Package("react-native", "0.72.17", "npm"), r"\.java$"),
    Corpus("go", Package("feast", "0.31.1", "sdist"), r"\.go$"),
    Corpus("c", Package("zstandard", "0.22.0", "sdist"), r"\.[ch]$"),
    Corpus("c", Package("tree-sitter", "0.21.1", "npm"), r"/lib/.*\.[ch]$"),
)
LANGUAGES = tuple(dict.fromkeys(corpus.language for corpus in CORPORA))


@dataclass(frozen=True, slots=True)
class File:
    """One file of a corpus; `name` is what a failure calls it."""

    name: str
    language: str
    source: bytes


def bundled(language: str) -> list[File]:
    """The files of ours in one language."""
    paths = sorted((HERE / "bundled" / language).iterdir())
    return [File(f"{language}/{path.name}", language, path.read_bytes()) for path in paths]


@cache
def packaged(corpus: Corpus) -> tuple[File, ...]:
    """The files of a package that are UTF-8 and not oversized, in the order of their paths.

    Raises `Unavailable` when the package cannot be fetched.
    """
    root = unpacked(corpus.package, CACHE)
    wanted = re.compile(corpus.wanted)
    files = []
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if wanted.search(name) and path.is_file() and path.stat().st_size <= LARGEST:
            source = path.read_bytes()
            if _is_utf8(source):
                files.append(File(f"{corpus.package.folder}/{name}", corpus.language, source))
    return tuple(files)


def _is_utf8(source: bytes) -> bool:
    try:
        source.decode()
    except UnicodeDecodeError:
        return False
    return True
