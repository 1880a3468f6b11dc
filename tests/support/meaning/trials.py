"""One trial: a template, a text with calls, what the engine makes of it, and the verdict."""

import ast
import io
import re
import textwrap
import tokenize
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, field
from itertools import accumulate
from random import Random
from typing import NamedTuple

from astedit.engine.compile_ops import compile_ops
from astedit.engine.files.edits import Editing
from astedit.engine.files.outcome import FileData
from astedit.engine.request import request_of
from astedit.language import named
from astedit.text.source import Source, splice
from tests.support.meaning.real_code import CALL, Context, Pool, compiles, is_call, parsed, shape
from tests.support.meaning.templates import (
    HOLES,
    MANY,
    Replaced,
    many_template,
    statement_template,
    template,
)

_FUNCTION = re.compile(r"^(?=(?:async )?def w\d+\()", re.MULTILINE)
_SPREADS = "Starred"


@dataclass
class Tally:
    """How many edits came out right, were blocked, or mean something else.

    `refused` are those blocked that no text could have stood for, such as `*a + 1`;
    `lost` are those blocked for a comment that would have stood beside other code.
    """

    right: int = 0
    refused: int = 0
    lost: int = 0
    blocked: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    @property
    def edits(self) -> int:
        return self.right + self.refused + self.lost + len(self.blocked) + len(self.wrong)

    def __str__(self) -> str:
        return (
            f"{self.edits} edits: {self.right} right, {self.refused} cannot be written, "
            f"{self.lost} kept for a comment, {len(self.blocked)} blocked, {len(self.wrong)} wrong"
        )


@dataclass
class Trial:
    """One template and a text with several calls to put it in the place of."""

    pattern: str
    out: str
    text: str
    expected: list[ast.AST]


class Written(NamedTuple):
    """What became of a trial's text, and what was blocked: where, and why."""

    text: str
    blocked: list[tuple[int, str, str]]


def trial(pool: Pool, random: Random, count: int) -> Trial | None:
    """A random trial; None where Python refuses what was made up."""
    chance = random.random()
    is_statement, many = chance < 0.2, chance > 0.8
    depth = random.choice([1, 1, 2])
    if many:
        made: ast.AST = many_template(random)
    else:
        made = (statement_template if is_statement else template)(random, depth)
    out = ast.unparse(ast.fix_missing_locations(made))
    if isinstance(made, ast.Tuple) and random.random() < 0.5:
        out = out[1:-1]  # a tuple is one without its brackets, too
    holes = (MANY,) if many else HOLES
    if not any(re.search(rf"\b{hole}\b", out) for hole in holes) or parsed(out) is None:
        return None
    functions: list[str] = []
    while len(functions) < count:
        text = _function(pool, random, len(functions), is_statement, many)
        if text is not None and compiles(text):
            functions.append(text)
    expected = []
    for text in functions:
        tree = Replaced(out, is_statement, many).visit(ast.parse(text))
        expected.append(ast.fix_missing_locations(tree))
    slots = re.sub(r"\b([AB])\b", r"$\1", re.sub(r"\bM\b", r"$$$M", out))
    pattern = f"{CALL}($$$M)" if many else f"{CALL}($A, $B)"
    return Trial(pattern, slots, "".join(functions), expected)


def _function(
    pool: Pool, random: Random, number: int, is_statement: bool, many: bool
) -> str | None:
    contexts = pool.statements if random.random() < 0.7 else pool.calls
    context = random.choice(contexts)
    if is_statement and not context.whole:
        context = random.choice([one for one in contexts if one.whole])
    arguments = context.arguments
    if not arguments:
        most = random.choice([0, 1, 2, 3]) if many else len(HOLES)
        arguments = _arguments([_argument(pool, random) for _ in range(most)], random)
    elif not many and context.count != len(HOLES):
        return None
    body = f"{context.before}{CALL}{arguments}{context.behind}"
    if random.random() < 0.1:
        body = f"if k:\n{textwrap.indent(body, '    ', lambda _: True)}"
    body = textwrap.indent(body, "    ", lambda _: True)
    text = f"{random.choice(['', 'async '])}def w{number}():\n{body}\n"
    tree = parsed(text)
    return text if tree is not None and _fits(tree, context, many) else None


def _fits(tree: ast.Module, context: Context, many: bool) -> bool:
    """Is it still one call with the arguments, and can the pattern see all of them?"""
    calls = [node for node in ast.walk(tree) if is_call(node)]
    if len(calls) != 1 or not isinstance(calls[0], ast.Call):
        return False
    (call,) = calls
    if not many:
        return len(call.args) == len(HOLES) and not call.keywords
    alone = len(call.args) == 1 and isinstance(call.args[0], ast.GeneratorExp)
    return not alone or bool(call.keywords)  # those brackets hold no arguments


def _argument(pool: Pool, random: Random) -> str:
    while True:
        kind = random.choice(sorted(pool.expressions))
        if kind == _SPREADS and random.random() < 0.8:
            continue
        if some := pool.expressions[kind]:
            return random.choice(some)


def _arguments(items: list[str], random: Random) -> str:
    """The brackets of a call, laid out in one of the ways people do it."""
    comma = random.choice(["", ","]) if items else ""
    style = random.choice(["plain"] * 6 + ["comma", "spaced", "lines", "lines", "hanging", "told"])
    if style == "plain":
        return f"({', '.join(items)})"
    if style == "comma":
        return f"({', '.join(items)}{comma})"
    if style == "spaced":
        return f" ( {' , '.join(items)} )"
    if style == "hanging":
        return f"({(',' + chr(10) + ' ' * 8).join(items)}{comma})"
    told = ["  # one", "  # two", "  # three"] if style == "told" else ["", "", ""]
    lines = [f"    {item},{note}\n" for item, note in zip(items, told, strict=False)]
    if lines and not comma:
        lines[-1] = lines[-1].replace(f",{told[len(items) - 1]}\n", f"{told[len(items) - 1]}\n")
    opened = "  # first" if style == "told" and random.random() < 0.3 else ""
    return f"({opened}\n{''.join(lines)})"


def rewritten(trial: Trial, language: str = "python") -> Written:
    """What the engine makes of a trial's text."""
    request = request_of({"ops": [{"pat": trial.pattern, "out": trial.out}], "paths": ["."]})
    row = named(language)
    assert row is not None
    program = compile_ops(request, row, rewriting=True)
    source, data = Source(trial.text.encode()), FileData()
    tree = program.grammar.parser().parse(source.text)
    Editing("a", source, program, request, False, data).run(tree)
    blocked = [(one.span.start, one.reason, one.detail or "") for one in data.blocked]
    return Written(splice(source.raw, [edit.change for edit in data.edits]).decode(), blocked)


def judge(trial: Trial, after: Written, tally: Tally) -> None:
    """Compares function by function."""
    parts = _FUNCTION.split(after.text)[1:]
    before = _FUNCTION.split(trial.text)[1:]
    if len(parts) != len(before):
        tally.wrong += [f"{trial.out}\n{trial.text}\n=>\n{after.text}"] * len(before)
        return
    ends = list(accumulate(len(text.encode()) for text in before))
    reasons = {bisect_right(ends, start): f"{why}: {what}" for start, why, what in after.blocked}
    for place, old in enumerate(before):
        _judge(trial, old, parts[place], trial.expected[place], reasons.get(place), tally)


def _judge(
    trial: Trial, old: str, new: str, expected: ast.AST, reason: str | None, tally: Tally
) -> None:
    if reason is not None and reason.startswith("loss"):
        tally.lost += 1
    elif reason is not None and not _can_be_written(expected):
        tally.refused += 1
    elif reason is not None or (old == new and shape(ast.parse(old)) != shape(expected)):
        tally.blocked.append(f"{trial.out}\n{old}\n=> {reason}\n{ast.unparse(expected)}")
    elif not compiles(new):
        tally.wrong.append(f"DOES NOT COMPILE {trial.out}\n{old}\n=>\n{new}")
    elif shape(ast.parse(new)) != shape(expected):
        tally.wrong.append(f"{trial.out}\n{old}\n=>\n{new}")
    elif _loses_comment(trial, old, new):
        tally.wrong.append(f"LOSES A COMMENT {trial.out}\n{old}\n=>\n{new}")
    else:
        tally.right += 1


def _loses_comment(trial: Trial, old: str, new: str) -> bool:
    """Is a comment gone? One in an argument that the template drops may be."""
    drops = MANY not in trial.out and any(f"${hole}" not in trial.out for hole in HOLES)
    if drops or "#" not in old:
        return False
    return bool(_comments(old) - _comments(new))


def _comments(text: str) -> Counter[str]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return Counter(token.string for token in tokens if token.type == tokenize.COMMENT)


def _can_be_written(tree: ast.AST) -> bool:
    try:
        text = ast.unparse(tree)
    except ValueError:  # a backslash within the braces of a text
        return False
    again = parsed(text)
    return again is not None and compiles(text) and shape(again) == shape(tree)
