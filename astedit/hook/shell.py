"""Shell commands that write files, as far as one can tell by reading them.

It reads the command's tree: redirections, programs that write, and commands within commands.
It does not see what a script or a compiler writes, and says so to whoever asks.
"""

import os
import re
import shlex
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from tree_sitter import Node

from astedit.language import root_of
from astedit.limits import INLINE_SECONDS, parsing_within
from astedit.pattern.listed import walk
from resolve.visible import one_line

_LONGEST = 100_000  # characters of a command that are read
_DEEP = 16  # commands within commands
# Redirections that write no file: those that read, and those to what is no file.
_HARMLESS = re.compile(
    r"[^>]*|\d*>&\s*(?:\d+-?|-)|\d*&?>[>|&]?\s*['\"]?/dev/(?:null|stdout|stderr|tty|fd/\d+)['\"]?"
)
_APART = ("_assignment", "_redirect")
_RUNS = ("-exec", "-execdir", "-ok")  # what `find` runs stands behind


@cache
def _table() -> dict[str, Any]:
    with open(os.path.join(os.path.dirname(__file__), "shell.toml"), "rb") as file:
        table = tomllib.load(file)
    words = {key: frozenset(text.split()) for key, text in table.items() if isinstance(text, str)}
    flags = {name: re.compile(text) for name, text in table["flagged"].items()}
    return {**words, "flagged": flags, "powershell": re.compile(table["powershell"])}


def writes(command: str, *, powershell: bool = False, depth: int = 0) -> str | None:
    """Which part of a command writes files, quoted; None where none is recognised."""
    if len(command) > _LONGEST or depth > _DEEP or "\0" in command:
        return "it is too long to be read"
    if powershell:
        match = _table()["powershell"].search(command)
        return _shown(match[0]) if match else None
    with parsing_within(INLINE_SECONDS):
        root = root_of("bash", command.encode("utf-8", "replace"))
    return next(_parts(root, depth), None)


def _parts(root: Node, depth: int) -> Iterator[str]:
    for node in walk(root):
        if node.type == "file_redirect" and not _HARMLESS.fullmatch(_text(node)):
            yield _shown(_text(node))
        elif node.type == "command":
            words = [_word(child) for child in node.children if not child.type.endswith(_APART)]
            if part := _of_words(words, depth):
                yield part


def _of_words(words: Sequence[str], depth: int) -> str | None:
    """What of a command line writes: the program behind `sudo`, `npx` and their like counts."""
    if not words or depth > _DEEP:
        return None
    table, name, rest = _table(), words[0].rpartition("/")[2], words[1:]
    if name in table["shells"]:
        inner = [word for word in rest if not word.startswith("-")]
        if name != "eval" and not any(re.fullmatch(r"-[a-z]*c", word) for word in rest):
            return None  # a script: nothing of it is seen
        return writes(" ".join(inner if name == "eval" else inner[:1]), depth=depth + 1)
    if name in table["before"]:
        return _of_words(_behind([w for w in rest if w not in ("run", "exec", "-m")]), depth + 1)
    if name == "find" and (runs := [at for at, word in enumerate(rest) if word in _RUNS]):
        return _of_words(rest[runs[0] + 1 :], depth + 1)
    if name == "git":
        rest = _behind(rest)
        is_writing = rest and rest[0] in table["git"] and table["looking"].isdisjoint(rest[1:])
        return _shown(f"git {rest[0]}") if is_writing else None
    if not table["dry"].isdisjoint(rest):
        return None
    if (flag := table["flagged"].get(name)) is not None:
        match = next((word for word in rest if flag.fullmatch(word)), None)
        return None if match is None else _shown(f"{name} {match}")
    return _shown(name) if name in table["writing"] else None


def _behind(words: Sequence[str]) -> list[str]:
    """The words behind a program's own options, and behind what it sets in the environment."""
    left = list(words)
    while left and (left[0].startswith("-") or "=" in left[0] or left[0].rstrip("smh").isdecimal()):
        if left.pop(0) in _table()["valued"] and left:
            left.pop(0)
    return left


def _word(node: Node) -> str:
    """A word as the shell reads it, as far as it is written out."""
    try:
        return " ".join(shlex.split(_text(node)))
    except ValueError:  # a quote that does not end
        return _text(node)


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def _shown(text: str) -> str:
    text = one_line(text).replace("`", "'")
    return f"`{text if len(text) <= 60 else text[:60] + '…'}`"
