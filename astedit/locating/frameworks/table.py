"""Which frameworks are read in which language, and by which marks before a file is parsed.

The file of a language is loaded when the first file in it is looked at: the table costs a
command nothing for languages that its tree does not have.
"""

import functools
import re
from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

from tree_sitter import Node

from astedit.locating.frameworks.web_facts import WebFacts
from astedit.text.source import Source
from astedit.workers.plain import plain


class FrameworkMark(NamedTuple):
    """A text, and what tells whether it is the framework or only a word.

    `is_meant` sees the bytes of a file that holds the text; None stands for "always".
    """

    text: bytes
    is_meant: Callable[[bytes], object] | None = None


def marks(*texts: bytes) -> tuple[FrameworkMark, ...]:
    """Texts that mean the framework wherever they stand."""
    return tuple(FrameworkMark(text) for text in texts)


def word(text: bytes) -> FrameworkMark:
    """A text that is also a part of other words: it is looked at with what is around it."""
    return FrameworkMark(text, re.compile(rb"(?<![A-Za-z])" + text + rb"(?![a-z])").search)


# By language: the module that reads it. That has `ROUTE_MARKS`, of files with routes,
# `CLIENT_MARKS`, of files that call a service, and `read`, from a tree to `WebFacts`.
_MODULES = {
    "python": "python",
    "javascript": "javascript",
    "typescript": "javascript",
    "tsx": "javascript",
    "java": "java",
}


def is_known(language: str) -> bool:
    """Whether routes or clients are looked for in this language at all."""
    return language in _MODULES


def may_say(language: str, raw: bytes) -> bool:
    """False only if the file says nothing about routes or clients."""
    return _has_mark(language, "ROUTE_MARKS", raw) or may_call(language, raw)


def may_call(language: str, raw: bytes) -> bool:
    """False only if the file calls no client."""
    return _has_mark(language, "CLIENT_MARKS", raw)


def _has_mark(language: str, name: str, raw: bytes) -> bool:
    """Whether one of the marks is in a file, and is meant."""
    every = _marks(language, name)
    return any(text in raw and (is_meant is None or is_meant(raw)) for text, is_meant in every)


def web_facts(root: Node, source: Source, language: str) -> tuple[Any, ...]:
    """`WebFacts` of a parsed file, written by `workers.plain`; empty in an unknown language."""
    known = is_known(language)
    return plain(_module(language).read(root, source.text, language) if known else WebFacts())


def _module(language: str) -> Any:
    return import_module(f"{__package__}.{_MODULES[language]}")


@functools.cache
def _marks(language: str, name: str) -> tuple[FrameworkMark, ...]:
    """The marks of a language, each once."""
    return tuple(dict.fromkeys(getattr(_module(language), name))) if is_known(language) else ()
