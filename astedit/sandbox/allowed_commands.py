"""Which commands a person has allowed others to run."""

import shlex
from collections.abc import Sequence
from fnmatch import fnmatchcase

ANY = ("*",)  # of a person's own command line


def allowed(words: Sequence[str], patterns: Sequence[str]) -> bool:
    """Whether a command fits one of the patterns, word by word.

    It has no more words than the pattern, unless that ends in `*`: then the last word of the
    pattern fits by itself, and whatever follows is allowed.
    """
    return any(_fits(words, shlex.split(pattern)) for pattern in patterns)


def _fits(words: Sequence[str], pattern: Sequence[str]) -> bool:
    if len(words) < len(pattern) or not pattern:
        return False
    if len(words) > len(pattern) and not pattern[-1].endswith("*"):
        return False
    return all(map(fnmatchcase, words, pattern))
