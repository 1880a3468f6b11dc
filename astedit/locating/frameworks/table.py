"""Which frameworks are read in which language, and by which marks before a file is parsed.

Each framework is a file here, and one word below. The files of a language are loaded when
the first file in it is looked at: the table costs a command nothing for languages that its
tree does not have.
"""

import functools
import re
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any, ClassVar, NamedTuple

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


class Framework:
    """What every framework of every language has; its file adds how it is read.

    `route_marks` are those of files with routes, `client_marks` those of files that call a
    service. A framework has both only if it has both.
    """

    name: ClassVar[str] = ""
    route_marks: ClassVar[tuple[FrameworkMark, ...]] = ()
    client_marks: ClassVar[tuple[FrameworkMark, ...]] = ()


def marks(*texts: bytes) -> tuple[FrameworkMark, ...]:
    """Texts that mean the framework wherever they stand."""
    return tuple(FrameworkMark(text) for text in texts)


def word(text: bytes) -> FrameworkMark:
    """A text that is also a part of other words: it is looked at with what is around it."""
    return FrameworkMark(text, re.compile(rb"(?<![A-Za-z])" + text + rb"(?![a-z])").search)


def any_mark(every: Iterable[FrameworkMark], raw: bytes) -> bool:
    """Whether one of these marks is in a file, and is meant."""
    return any(text in raw and (is_meant is None or is_meant(raw)) for text, is_meant in every)


# By language: the file that reads it, and the frameworks it asks, in this order.
_TABLE = {
    "python": ("python_file", "flask fastapi starlette django python_clients"),
    "javascript": ("javascript_file", "express koa javascript_clients"),
    "java": ("java_file", "spring feign java_clients"),
}
_LIKE = {"typescript": "javascript", "tsx": "javascript"}  # languages that are read alike


def is_known(language: str) -> bool:
    """Whether routes or clients are looked for in this language at all."""
    return _LIKE.get(language, language) in _TABLE


def may_say(language: str, raw: bytes) -> bool:
    """False only if the file says nothing about routes or clients."""
    return any_mark(_marks(language, "route_marks"), raw) or may_call(language, raw)


def may_call(language: str, raw: bytes) -> bool:
    """False only if the file calls no client."""
    return any_mark(_marks(language, "client_marks"), raw)


def web_facts(root: Node, source: Source, language: str) -> tuple[Any, ...]:
    """`WebFacts` of a parsed file, written by `workers.plain`; empty in an unknown language."""
    if not is_known(language):
        return plain(WebFacts())
    file = _module(_TABLE[_LIKE.get(language, language)][0]).FILE
    return plain(file(root, source.text, language, frameworks(language)).read())


@functools.cache
def frameworks(language: str) -> tuple[type[Framework], ...]:
    """The frameworks of a language that is known."""
    names = _TABLE[_LIKE.get(language, language)][1].split()
    return tuple(_module(name).FRAMEWORK for name in names)


def _module(name: str) -> Any:
    return import_module(f"{__package__}.{name}")


@functools.cache
def _marks(language: str, name: str) -> tuple[FrameworkMark, ...]:
    """What the frameworks of a language have for `route_marks`, or for `client_marks`."""
    kinds = frameworks(language) if is_known(language) else ()
    return tuple(dict.fromkeys(mark for kind in kinds for mark in getattr(kind, name)))
