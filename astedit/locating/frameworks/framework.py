"""What is known of a framework before a file is parsed: its name, and its marks.

A mark is a text that stands in every file in which the framework can be read. Marks are
looked for one by one: that is ten times faster than one pattern of them all.
"""

import re
from collections.abc import Callable, Iterable
from typing import ClassVar, NamedTuple


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
