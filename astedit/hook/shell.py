"""Shell commands that write files, as far as one can tell by reading them.

It reads the command's tree: redirections, programs that write, and commands within commands.
It does not see what a script or a compiler writes, and says so to whoever asks.
"""

import os
import re
import shlex
import tomllib
from functools import cache

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
_APART = ("_assignment", "_redirect")
_STRINGS = ("command", "string", "raw_string", "heredoc_body")  # what may say what to do
_MOST_CALLS = 30  # of programs by programs, in one command
_NEVER = re.compile(r"(?!)")


@cache
def _table() -> dict[str, dict[str, re.Pattern[str]]]:
    """By what they are for, and by a program's name, the expressions of the file beside this."""
    with open(os.path.join(os.path.dirname(__file__), "shell.toml"), "rb") as file:
        return {
            kind: {key: re.compile(row, re.M) for keys, row in rows.items() for key in keys.split()}
            for kind, rows in tomllib.load(file).items()
        }


def writes(command: str, *, powershell: bool = False) -> str | None:
    """Which part of a command writes files, quoted; None where none is recognised."""
    if len(command) > _LONGEST or "\0" in command:
        return _UNREAD
    if powershell:
        match = _table()["writing"]["pwsh"].search(command)
        return _shown(match[0]) if match else None
    texts, left = [command], _MOST  # texts that shells are given are read as it is
    with parsing_within(INLINE_SECONDS):
        for text in texts:
            strings, start, left = [], len(texts), left - 1_000  # for each, however short
            for node in walk(root_of("bash", text.encode("utf-8", "replace"))):
                if node.type == "file_redirect" and not _HARMLESS.fullmatch(_text(node)):
                    return _shown(_text(node))
                if node.type not in _STRINGS:
                    continue
                left -= node.end_byte - node.start_byte
                if left <= 0:
                    return _UNREAD
                strings.append(_text(node))
                if node.type == "command":
                    strings[-1] = strings[-1].partition(" ")[2]
                    words = [
                        _word(word) for word in node.children if not word.type.endswith(_APART)
                    ]
                    if part := _of_words(words, texts):
                        return part
            if "" in texts[start:]:
                texts += strings
    return None


def _of_words(words: list[str], texts: list[str]) -> str | None:
    """What of a command line writes; what a shell in it is told to do is added to `texts`.

    An empty text stands for what it is told on its standard input.
    """
    calls, table = [words], _table()
    for program, *rest in filter(None, calls):
        texts += [program] * (" " in program)  # of `env -S`
        name = os.path.basename(program).partition("@")[0].rstrip(".0123456789")
        lines = "\n".join(word.replace("\n", "\r") for word in rest)
        options = f"\n{lines}".partition("\n--\n")[0][1:]
        if any(table["reading"].get(key, _NEVER).search(options) for key in (name, "*")):
            continue
        matches = {kind: rows.get(name, _NEVER).finditer(lines) for kind, rows in table.items()}
        for match in matches["writing"]:
            return _shown(f"{name} {match[0]}".strip().replace("\n", " ").replace("git-", "git "))
        for match in matches["carrying"]:
            if len(calls) > _MOST_CALLS:
                return _UNREAD
            inner = rest[lines.count("\n", 0, match.end()) :]
            calls.append([f"git-{inner[0]}", *inner[1:]] if name == "git" and inner else inner)
        for match in matches["scripts"]:
            script = match[match.lastindex] if match.lastindex else ""
            texts.append(script.replace("\n", " ").replace("\r", "\n"))
    return None


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
