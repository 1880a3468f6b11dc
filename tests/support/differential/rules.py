"""What a rule finds in a text, by our reading and by `ast-grep scan`."""

import json
import subprocess
import sys
from pathlib import Path

from astedit.language import load
from astedit.rule import compile_document, read_rules

AST_GREP = Path(sys.executable).parent / "ast-grep"
SUFFIXES = {"javascript": "js", "python": "py", "go": "go"}


def document(language: str, text: str) -> str:
    return f"id: case\nlanguage: {language}\n{text}\n"


def described(source: bytes, span: tuple[int, int], captures: dict[str, tuple[int, int]]) -> str:
    """A match in one line: its text, and the captures by name, empty ones left out."""
    words = [source[slice(*span)].decode()]
    words += [f"{name}={source[slice(*at)].decode()}" for name, at in sorted(captures.items())]
    return " ".join(words)


def ours(language: str, text: str, source: bytes) -> list[str]:
    rule = read_rules(document(language, text).encode())[0]
    finder = compile_document(rule, rule.languages[0])
    matches = finder.find(load(rule.languages[0]).parser().parse(source).root_node, source)
    assert finder.may_match(source) or not matches
    found = []
    for match in matches:
        captures = {name: (n.start_byte, n.end_byte) for name, n in match.single.items()}
        for name, nodes in match.multi.items():
            if nodes:
                captures[name] = nodes[0].start_byte, nodes[-1].end_byte
        found.append(described(source, (match.node.start_byte, match.node.end_byte), captures))
    return found


def scan(
    folder: Path, language: str, text: str | None, source: bytes
) -> subprocess.CompletedProcess[str]:
    """By `ast-grep scan`; without a rule by those of the project there."""
    file = folder / f"case.{SUFFIXES[language]}"
    file.write_bytes(source)
    rules = [] if text is None else ["--inline-rules", document(language, text)]
    command = [AST_GREP, "scan", *rules, "--json", file.name]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def theirs(folder: Path, language: str, text: str | None, source: bytes) -> list[str]:
    def span(entry: dict[str, dict[str, dict[str, int]]]) -> tuple[int, int]:
        return entry["range"]["byteOffset"]["start"], entry["range"]["byteOffset"]["end"]

    done = scan(folder, language, text, source)
    assert done.stdout, done.stderr
    found = []
    for match in json.loads(done.stdout):
        variables = match.get("metaVariables") or {"single": {}, "multi": {}}
        captures = {name: span(one) for name, one in variables["single"].items()}
        for name, items in variables["multi"].items():
            if items and name != "secondary":  # where ast-grep keeps what relations found
                captures[name] = span(items[0])[0], span(items[-1])[1]
        found.append(described(source, span(match), captures))
    return found
