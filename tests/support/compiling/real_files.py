"""Real files of seven languages: of published packages, and of what Debian installs."""

import subprocess
from functools import cache
from pathlib import Path

from benchmarks.packages import unpacked
from tests.support.differential.corpora import CACHE, CORPORA, packaged

_SMALLEST, _LARGEST = 400, 60_000  # bytes
_INSTALLED = {
    "ruby": ["ruby", "-e", 'require "rbconfig"; print RbConfig::CONFIG["rubylibdir"]'],
    "php": ["php", "-r", "print get_include_path();"],
}


def files_of(language: str, suffix: str) -> list[bytes]:
    """The texts of a language, neither tiny nor huge; raises `Unavailable`."""
    found = _installed(language, suffix) if language in _INSTALLED else _packaged(language)
    return [text for text in found if _SMALLEST < len(text) < _LARGEST]


def _packaged(language: str) -> list[bytes]:
    corpora = [corpus for corpus in CORPORA if corpus.language == language]
    return [file.source for corpus in corpora for file in packaged(corpus)]


@cache
def includes() -> tuple[Path, ...]:
    """The folders of the packages in C that hold headers."""
    roots = [unpacked(one.package, CACHE) for one in CORPORA if one.language == "c"]
    return tuple(sorted({path.parent for root in roots for path in root.rglob("*.h")}))


def _installed(language: str, suffix: str) -> list[bytes]:
    done = subprocess.run(_INSTALLED[language], capture_output=True, text=True, check=True)
    folders = [Path(name) for name in done.stdout.split(":") if name not in ("", ".")]
    paths = sorted(path for folder in folders for path in folder.rglob(f"*{suffix}"))
    texts = []
    for path in paths:
        try:
            text = path.read_bytes()
            text.decode()
        except (OSError, UnicodeDecodeError):
            continue
        texts.append(text)
    return texts
