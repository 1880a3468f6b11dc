"""Shell commands that write files, as far as one can tell by reading them.

It reads the command's tree: redirections, programs that write, and commands within commands.
It does not see what a script or a compiler writes, and says so to whoever asks.
"""

import os
import re
import shlex
import tomllib
from collections.abc import Sequence
from functools import cache
from itertools import dropwhile, pairwise
from typing import Any

from tree_sitter import Node

from astedit.language import root_of
from astedit.limits import INLINE_SECONDS, parsing_within
from astedit.pattern.listed import walk
from resolve.visible import one_line

_LONGEST = 100_000  # characters of a command that are read
_MOST = 1_000_000  # bytes of the commands in it, each with those within it
_UNREAD = "it is too long to be read"
# Redirections that write no file: those that read, and those to what is no file.
_HARMLESS = re.compile(
    r"[^>]*|\d*>&\s*(?:\d+-?|-)|\d*&?>[>|&]?\s*['\"]?/dev/(?:null|stdout|stderr|tty|fd/\d+)['\"]?"
)
# Options, settings, spans of time, and verbs of `uv`, `pnpm` or `python`, before a program.
_LEADING = re.compile(r"-|[^=]*=|(?:[\d.]+[smhd]?|run|exec|dlx)\Z")
_APART = ("_assignment", "_redirect")
_RUNS = ("-exec", "-execdir", "-ok", "-okdir")  # what `find` runs stands behind


@cache
def _table() -> dict[str, Any]:
    with open(os.path.join(os.path.dirname(__file__), "shell.toml"), "rb") as file:
        table = tomllib.load(file)
    words = {key: frozenset(text.split()) for key, text in table.items() if isinstance(text, str)}
    flags = {name: re.compile(text) for name, text in table["flagged"].items()}
    return {**words, "flagged": flags, "powershell": re.compile(table["powershell"])}


def writes(command: str, *, powershell: bool = False) -> str | None:
    """Which part of a command writes files, quoted; None where none is recognised."""
    if len(command) > _LONGEST or "\0" in command:
        return _UNREAD
    if powershell:
        match = _table()["powershell"].search(command)
        return _shown(match[0]) if match else None
    texts, left = [command], _MOST  # texts that shells are given are read as it is
    with parsing_within(INLINE_SECONDS):
        for text in texts:
            for node in walk(root_of("bash", text.encode("utf-8", "replace"))):
                if node.type == "file_redirect" and not _HARMLESS.fullmatch(_text(node)):
                    return _shown(_text(node))
                if node.type != "command":
                    continue
                left -= node.end_byte - node.start_byte
                words = [_word(child) for child in node.children if not child.type.endswith(_APART)]
                if part := _of_words(words, texts) if left > 0 else _UNREAD:
                    return part
    return None


def _of_words(words: Sequence[str], texts: list[str]) -> str | None:
    """What of a command line writes; what a shell in it is told to do is added to `texts`."""
    table, name = _table(), ""
    while words and (name := os.path.basename(words[0]).rstrip(".0123456789")) in table["before"]:
        words = _behind(words[1:])
    rest = words[1:]
    texts += [word for word in words[:1] if " " in word]  # of `env -S`
    if name in ("eval", "trap"):
        texts.append(" ".join(_behind(rest)))
    elif name in table["shells"]:
        of_text = dropwhile(lambda word: not re.fullmatch("-[a-z]*c", word), rest)
        texts.extend([word for word in of_text if not word.startswith("-")][:1])
    elif name == "git" and (rest := _behind(rest)):
        name, rest = f"git-{rest[0]}", rest[1:]
    options = rest[: rest.index("--")] if "--" in rest else rest
    looks = {f"{name}:{word}" for word in options if word.startswith("-") or word is options[0]}
    if not table["dry"].isdisjoint(looks.union(options)) and table["wet"].isdisjoint(options):
        return None
    if name in table["writing"]:
        return _shown(name.replace("git-", "git "))
    runs = [at for at, word in enumerate(rest) if name == "find" and word in _RUNS]
    texts += [shlex.join(rest[start + 1 : end]) for start, end in pairwise([*runs, len(rest)])]
    flag = table["flagged"].get(name)
    match = next((word for word in rest if flag and flag.fullmatch(word)), None)
    return None if match is None else _shown(f"{name} {match}")


def _behind(words: Sequence[str]) -> Sequence[str]:
    """The words behind a program's own options, and behind what it sets in the environment."""
    while words and _LEADING.match(words[0]):
        words = words[1 + (words[0] in _table()["valued"]) :]
    return words


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
