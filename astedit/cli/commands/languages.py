"""`astedit languages`: what can be parsed here."""

import platform
import re
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version

from astedit.cli import options
from astedit.cli.output import streams
from astedit.language import LEGACY, languages
from astedit.model.plan import Language
from astedit.version import __version__

_REQUIREMENT = re.compile(r"""([\w.-]+)[^;]*;.*\bextra == ["']([\w-]+)["']""")
_BESIDE = ("tree-sitter", "libcst", "pydantic")
_FOR_DEVELOPERS = "dev"


def lines() -> Iterator[str]:
    """The versions of astedit and of what it stands on, its grammars, and its extras."""
    yield f"astedit {__version__}"
    beside = [f"{name} {version(name)}" for name in _BESIDE]
    yield ", ".join([f"Python {platform.python_version()}", *beside])
    yield from _grammars()
    yield f"extras: {_extras()}"


def _grammars() -> Iterator[str]:
    """A line a set of grammars, with its languages and versions; last, what cannot be used."""
    known = languages()
    legacy = [row for row in known if row.provider == LEGACY]
    wheels = [row for row in known if row.provider not in (None, LEGACY)]
    for name, rows in (("wheels", wheels), (LEGACY, legacy)):
        if rows:
            versions = ", ".join(f"{row.name} {row.version}" for row in rows)
            yield f"grammars of {name}: {versions}"
    if missing := [row.name for row in known if row.problem]:
        yield f"no grammar: {', '.join(missing)}"


def _extras() -> str:
    """Which extras have all that they require, and which do not."""
    needed: dict[str, bool] = {}
    for requirement in requires("astedit") or ():
        if match := _REQUIREMENT.match(requirement):
            needed[match[2]] = needed.get(match[2], True) and _installed(match[1])
    needed.pop(_FOR_DEVELOPERS, None)
    there = [extra for extra, complete in needed.items() if complete]
    absent = [extra for extra, complete in needed.items() if not complete]
    without = f"; not installed: {', '.join(absent)}" if absent else ""
    return f"{', '.join(there) or 'none'}{without}"


def _installed(distribution: str) -> bool:
    try:
        version(distribution)
    except PackageNotFoundError:
        return False
    return True


@options.command("languages --json")
@options.pager
@options.as_json
@options.any_root
def command(as_json: bool) -> int:
    """List the languages and where their grammars come from."""
    known = languages()
    streams.answer([row.to_json() for row in known], _lines(known), as_json=as_json)
    return 0


def _lines(known: list[Language]) -> Iterator[str]:
    for one in known:
        names = ", ".join([one.name, *one.aliases])
        suffixes = " ".join(f".{suffix}" for suffix in one.suffixes)
        origin = one.problem or f"{one.provider} {one.version}"
        yield f"{names:<30} {suffixes:<40} {origin}"
