"""What is said where -p was left out: most likely the pattern stands where a PATH would."""

import os
import shlex
from collections.abc import Sequence

from astedit.errors import RequestError


def required(command: str, pattern: str | None, words: Sequence[str]) -> str:
    """The pattern; raises the error that says what was meant if there is none."""
    if pattern is None:
        raise missing_pattern(command, words)
    return pattern


def missing_pattern(command: str, words: Sequence[str]) -> RequestError:
    """The error; `words` are what was taken for PATHS."""
    flags = [("-p", "PATTERN"), ("-r", "REWRITE")] if command == "edit" else [("-p", "PATTERN")]
    usual = " ".join(f"{flag} {what}" for flag, what in flags)
    hint = f"Give {usual}{', or --ops FILE' if command == 'edit' else ''}."
    if words and not os.path.lexists(words[0]):
        hint = f"Did you mean: {_meant(command, words, flags)}"
    return RequestError("No pattern.", hint=hint, code="usage")


def _meant(command: str, words: Sequence[str], flags: Sequence[tuple[str, str]]) -> str:
    """The words that are no files behind the flags that they lack."""
    rest = list(words)
    line = ["astedit", command]
    for flag, what in flags:
        is_text = rest and not os.path.lexists(rest[0])
        line += [flag, shlex.quote(rest.pop(0)) if is_text else what]
    return " ".join([*line, *map(shlex.quote, rest)])
