"""Which commands a person has allowed others to run."""

import os
import shlex
from collections.abc import Sequence
from fnmatch import fnmatchcase

from astedit.programs import find_program

ANY = ("*",)  # of a person's own command line


def allowed(words: Sequence[str], patterns: Sequence[str]) -> bool:
    """Whether a command fits one of the patterns, word by word.

    It has no more words than the pattern, unless that ends in `*`: then the last word of the
    pattern fits by itself, and whatever follows is allowed. A `*` matches no `/`, but for one
    that is the last word. A program with a `/` fits only a pattern that has one, and that is
    compared with where the program lies. `*` alone allows everything.
    """
    return any(_fits(words, shlex.split(pattern)) for pattern in patterns)


def _fits(words: Sequence[str], pattern: Sequence[str]) -> bool:
    if tuple(pattern) == ANY:
        return True
    if len(words) < len(pattern) or not pattern:
        return False
    if len(words) > len(pattern) and not pattern[-1].endswith("*"):
        return False
    last = len(pattern) - 1
    others = range(1, last if pattern[last] == "*" else last + 1)
    return _is_program(words[0], pattern[0]) and all(_is_like(words[i], pattern[i]) for i in others)


def _is_program(word: str, pattern: str) -> bool:
    if "/" not in pattern:
        return "/" not in word and fnmatchcase(word, pattern)
    place = word if "/" in word else find_program(word, None)
    return place is not None and _is_like(os.path.normpath(place), os.path.normpath(pattern))


def _is_like(word: str, pattern: str) -> bool:
    parts, patterns = word.split("/"), pattern.split("/")
    return len(parts) == len(patterns) and all(map(fnmatchcase, parts, patterns))
