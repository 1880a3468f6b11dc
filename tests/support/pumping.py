"""Inputs of up to 64 KiB that may be slow to compile: few pieces, repeated or nested.

Slow inputs are nearly always a small text many times over, so that is what is made here,
of patterns, rules, globs and configuration. `python -m tests.support.pumping` reads seeds
and says of each how many seconds of processor time it took, were the machine the usual one.
"""

import json
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from tests.support.patience import slowness

LARGEST = 65_536
_SOON = 1.0  # seconds that are in time on any machine
SIZES = (2_048, 16_384, LARGEST)
LANGUAGES = ["python", "javascript", "tsx", "rust", "go", "java", "c", "cpp", "ruby", "bash", "php"]
CODE = [
    *("$A", "$$A", "$$$", "$$$A", "$_", "$a", "${A}", "$OP", "x$A", "$A.", "$$$A,", "$A;", "a"),
    *("b.", "(", ")", "[", "]", "{", "}", "<", ">", ",", ";", ".", "..", "...", "::", ":", "?"),
    *("?.", "'", '"', "`", "\\", "\n", "\n  ", "\t", "/*", "*/", "//", "#", "=>", "->", "="),
    *("==", "+", "-", "*", "**", "!", "&&", "||", "@", "%", "~", "1", "0x", "\u00e9"),
    *("\U0001f600", "\u2028", " ", "  ", "if ", "else ", "for ", "function ", "class A "),
    *("def f", "return ", "lambda ", "async ", "await ", "case ", "<a>", "</a>", "f(", "f($A)"),
    *("x = ", "x: ", "in ", "not ", "f'{", "${", "$(", "<<E\n", "#if A\n", "#endif\n", "elif "),
    *("template<", "@A(", "import ", "from ", "let ", "`${"),
]
GLOBS = [
    *("*", "**", "**/", "/", "?", "[", "]", "[!a", "[a-z]", "[[:alpha:]]", "{", "}", ","),
    *("{a,b}", "!", "\\", "a", "b/", "*a", "\u00e9", " ", "#", "a*b", "{a,", "*/"),
]
REGEXES = [
    *("a", "(a", ")", "(a|b)", "a*", "a+?", "[a-z]", "[", "]", "{1,9}", "{99}", "(?i)", "\\d"),
    *("|", "^", "$", ".", ".*", "(?:", "(?P<a>", "\\b", "\\p{L}", "x?", "\\1", "(?="),
]
TOML = [
    *("ignore = [", '"a", ', "]\n", "[a]\n", "[[a]]\n", "a.", "a = ", "{", "}", '"'),
    *('"""', "'", "#", "\n", "1", "policy = 'agent'\n", "[tool.astedit]\n", "a={", "="),
    ".b",
]
YAML = [
    *("- ", "a: ", "{", "}", "[", "]", "\n", "  ", "&a ", "*a ", "? ", "!!str ", "|\n", ">\n"),
    *("'", '"', "# ", "---\n", "a", "[*a,", "rule: ", "any: [", "{matches: a}, "),
]
RELATIONS = ["inside", "has", "follows", "precedes"]


def pumped(by: Random, atoms: list[str], size: int | None = None) -> str:
    """A few pieces, one behind the other or one in the other, up to a size."""
    size = size or by.choice(SIZES)
    unit = "".join(by.choice(atoms) for _ in range(by.randint(1, 4)))
    head = "".join(by.choice(atoms) for _ in range(by.randint(0, 2)))
    tail = "".join(by.choice(atoms) for _ in range(by.randint(0, 2)))
    if by.random() < 0.6:
        close = "".join(by.choice(atoms) for _ in range(by.randint(0, 2)))
        count = size // max(1, len((unit + close).encode()))
        return _cut(head + unit * count + tail + close * count, size)
    if by.random() < 0.3:
        return _cut(
            "".join(f"{unit}{n}{tail}" for n in range(size // len(unit + tail + "0000"))), size
        )
    return _cut(head + unit * (size // len(unit.encode())) + tail, size)


def _cut(text: str, size: int) -> str:
    return text.encode()[:size].decode(errors="ignore")


class Vocabulary(NamedTuple):
    """What rules of one document may name: `same` about the same node, `every` elsewhere."""

    kinds: list[str]
    same: list[str]
    every: list[str]


def leaf_of(by: Random, words: Vocabulary) -> Any:
    leaves: list[Any] = [
        {"pattern": by.choice(["f($A)", "$A", "f($$$A)", "a", "x.y($A, $B)", "1"])},
        {"kind": by.choice(words.kinds)},
        {"regex": by.choice(["^a", "b|c", "[a-z]+x", "(?i)ab", "a{9}", "(ab|cd|ef)*g"])},
        {"nthChild": by.choice([1, "2n+1", {"position": "n", "ofRule": {"regex": "a"}}])},
    ]
    return by.choice(leaves + ([{"matches": by.choice(words.same)}] * 3 if words.same else []))


def rule_of(by: Random, words: Vocabulary, budget: int) -> Any:
    """A rule with about so many rules in it."""
    if budget <= 1:
        return leaf_of(by, words)
    shape = by.random()
    if shape < 0.4:
        count = by.choice([2, 3, min(budget, 50), budget])
        each = [rule_of(by, words, budget // count) for _ in range(count)]
        return {by.choice(["any", "all"]): each}
    if shape < 0.5:
        return {"not": rule_of(by, words, budget - 1 if budget < 60 else budget // 2)}
    free = words._replace(same=words.every)
    inner = rule_of(by, free, budget - 1 if budget < 60 else budget // 2)
    stop = by.choice(["end", "neighbor", {"matches": by.choice(words.every)}])
    return {**leaf_of(by, words), by.choice(RELATIONS): {**inner, "stopBy": stop}}


def expression_of(by: Random) -> str:
    """A regular expression; most are well-formed."""
    if by.random() < 0.3:
        return pumped(by, REGEXES)
    whole = ["a", "(a|b)", "a*", "[a-z]+?", "b{1,9}", "\\d", ".*", "(?:a|)", "x?", "\\pL", "(a*)*"]
    if by.random() < 0.3:
        depth = by.choice([10, 200, 3_000])
        return "(" * depth + by.choice(whole) + by.choice([")", ")*", "){2}", "|a)"]) * depth
    return pumped(by, whole)


def _kinds(language: str) -> list[str]:
    from astedit.language import load, named

    row = named(language)
    assert row is not None
    grammar = load(row).language
    ids = (id for id in range(grammar.node_kind_count) if grammar.node_kind_is_named(id))
    return sorted({name for id in ids if (name := grammar.node_kind_for_id(id))})


def document_of(by: Random) -> dict[str, Any]:
    """A rule document with many of one thing."""
    many = by.choice([5, 60, 400])
    names = [f"u{n}" for n in range(by.choice([1, 3, many]))]
    language = by.choice(LANGUAGES)
    words = Vocabulary(_kinds(language), names, names)
    small = max(1, by.choice([3, 12, 900 // len(names)]))
    raw: dict[str, Any] = {
        "id": "r",
        "language": language,
        "rule": rule_of(by, words, by.choice([1, 4, 40, 400])),
        "utils": {
            name: rule_of(by, words._replace(same=names[at + 1 :]), small)
            for at, name in enumerate(names)
        },
    }
    captured = [f"A{n}" for n in range(by.choice([1, 5, many]))]
    if by.random() < 0.5:
        raw["rule"] = {"pattern": f"f({', '.join('$' + one for one in captured)})"}
        raw["constraints"] = {one: rule_of(by, words, 3) for one in captured}
        raw["fix"] = " ".join(f"${one}" for one in captured) * by.choice([1, 3])
        raw["transform"] = {
            f"T{n}": {
                "replace": {"source": f"$T{n - 1}" if n else "$A0", "replace": "a", "by": "b"}
            }
            for n in range(by.choice([1, many]))
        }
    if by.random() < 0.2:
        raw["rewriters"] = [
            {"id": f"w{n}", "rule": rule_of(by, words, 4), "fix": "x"} for n in range(many)
        ]
    if by.random() < 0.2:
        raw["rule"] = {"regex": expression_of(by)}
    if by.random() < 0.2:
        raw["files"] = [pumped(by, GLOBS, 400) for _ in range(min(many, 100))]
    if by.random() < 0.1:
        raw["message"] = pumped(by, CODE)
    return raw


def compile_pattern(by: Random) -> None:
    request = {"pat": pumped(by, CODE), "out": by.choice(["", "$A", "g($$$A)"])}
    plan({"ops": [request]}, by.choice(LANGUAGES))


def compile_template(by: Random) -> None:
    pattern = by.choice(["f($A)", "f($$$A)", "$A = $B"])
    plan({"ops": [{"pat": pattern, "out": pumped(by, CODE)}]}, by.choice(LANGUAGES))


def compile_rule(by: Random) -> None:
    document = document_of(by)
    while len(json.dumps(document)) > LARGEST:
        document = document_of(by)
    plan({"rules": [document]}, document["language"])


def compile_where(by: Random) -> None:
    where = {"A": expression_of(by)}
    plan({"ops": [{"pat": "f($A)", "out": "$A", "where": where}]}, by.choice(LANGUAGES))


def compile_glob(by: Random) -> None:
    from astedit.workspace.gitignore import Globs, Ignore

    text = pumped(by, GLOBS)
    path = "/".join(pumped(by, ["a", "b", "ab", "é"], 40) for _ in range(20))
    shape = by.random()
    if shape < 0.3:
        Globs([text]).admits(path)
    elif shape < 0.7:
        Globs(text[at : at + 8] for at in range(0, len(text), 8)).admits(path)
    else:
        Ignore(text.split(by.choice([",", "/", "*", "a"]))).verdict(path)


def compile_text(by: Random) -> None:
    from astedit.rule import read_rules

    read_rules(pumped(by, YAML).encode())


def compile_configuration(by: Random) -> None:
    from astedit.workspace.config import load
    from astedit.workspace.root import Workspace

    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "astedit.toml").write_text(pumped(by, TOML))
        (Path(folder) / "pyproject.toml").write_text(pumped(by, TOML))
        with Workspace(folder) as workspace:
            load(workspace)


def plan(raw: dict[str, Any], language: str) -> None:
    """All that is done with a request in the process that asks, on a tree of one file."""
    from astedit.engine.request import request_of
    from astedit.engine.run_context import Run
    from astedit.language import named
    from astedit.staging.preview import preview
    from astedit.workspace.root import Workspace

    row = named(language)
    assert row is not None
    ops = {key: value for key, value in raw.items() if key == "ops"}
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / f"a.{row.suffixes[0]}").write_text("f(1);\n")
        request = request_of({**ops, "paths": ["."]}, rules=raw.get("rules"))
        with Workspace(folder) as workspace:
            preview(request, workspace, Run(inline=True, jobs=1))


WORK: dict[str, Callable[[Random], None]] = {
    "pattern": compile_pattern,
    "template": compile_template,
    "rule": compile_rule,
    "where": compile_where,
    "glob": compile_glob,
    "text": compile_text,
    "configuration": compile_configuration,
}


def seconds(kind: str, seed: int) -> float:
    """The processor time that an input takes, had this machine the usual speed.

    One that is refused is as good as another.
    """
    took = _seconds(kind, seed)
    return took if took < _SOON else min(took, _seconds(kind, seed)) / slowness()


def _seconds(kind: str, seed: int) -> float:
    from astedit.errors import AstEditError

    by = Random(f"{kind} {seed}")
    before = time.process_time()
    with suppress(AstEditError):
        WORK[kind](by)
    return time.process_time() - before


def main() -> None:
    for line in sys.stdin:
        kind, seed = line.split()
        print(f"{kind} {seed} {seconds(kind, int(seed)):.3f}", flush=True)


if __name__ == "__main__":
    main()
