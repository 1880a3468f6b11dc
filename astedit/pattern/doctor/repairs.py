"""Other spellings of a pattern that does not parse, or does not mean what it seems to.

Each repair is a guess at what the author left out or wrote otherwise. None is offered
before it has been compiled: on its own, or in one of the language's usual places.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from astedit.language import Grammar, Row
from astedit.language.traits import traits
from astedit.pattern.compile import Pattern, PatternError, compile_pattern
from astedit.pattern.doctor.readings import LONGEST, errors, readings, sound

# Each looks at a run of `$` from its beginning only: from each of 32,000 it takes half a minute.
HOLE = re.compile(r"(?<!\$)\$+[A-Z_][A-Z0-9_]*")
# What looks like a metavariable and is plain text: `$a`, `$Name`, `${A}`.
PLAIN = re.compile(r"(?<!\$)\$+(?:\{(\w+)\}|([a-z]\w*|[A-Z_][A-Z0-9_]*[a-z]\w*))")
_WORD = re.compile(r"(?<![\w$])(?=[\w$]*\$[A-Z_])[\w$]+")
_QUOTED = re.compile(r"""(["'`])((?=[^"'`]*\$[A-Z_])[^"'`]*)\1""")
_TWO_MANY = re.compile(r"(\$\$\$\w*)[\s,;]*\$\$\$\w*")
_ARGUMENTS = re.compile(r"\((?!\s*\))[^()]*\)$")
_MOST_TRIED = 16_384  # characters of guesses at one pattern: each is parsed in many places
_OPERATORS = ("+", "==", "=", "&&")
_BETWEEN = re.compile(r"(?<=[\w)\]] )\$+[A-Z_][A-Z0-9_]*(?= [\w$(])")  # `a $OP b`
_QUOTES = "\"'`"
_PAIRS = {"(": ")", "[": "]", "{": "}", '"': '"', "'": "'", "`": "`"}
_UNFINISHED = ("+", "-", "*", "/", "=", "<", "&", "|", ".", ",", "(")
_NAME_IT = "A hole cannot stand for a variable that is declared or assigned: name it"


@dataclass(slots=True)
class Repair:
    """A spelling that compiles; `context` and `selector` are None where it needs none."""

    reason: str
    text: str
    pattern: Pattern
    context: str | None = None
    selector: str | None = None


Variants = Callable[[str, Row], Iterator[tuple[str, str]]]


def repairs(text: str, row: Row, grammar: Grammar, strictness: str) -> Iterator[Repair]:
    """Spellings for a pattern that does not parse: those that do, each text once."""
    return _compiled(_VARIANTS, text, row, grammar, strictness)


def widenings(text: str, row: Row, grammar: Grammar, strictness: str) -> Iterator[Repair]:
    """Spellings for a pattern that parses and matches nothing; whether they do, the files say."""
    return _compiled(_WIDENINGS, text, row, grammar, strictness)


def terminated(text: str, row: Row, grammar: Grammar, strictness: str) -> Iterator[Repair]:
    """The pattern with a `;`, or without the one it has, where the language ends nodes so."""
    return _compiled((_terminated,), text, row, grammar, strictness)


def _compiled(
    guesses: tuple[Variants, ...], text: str, row: Row, grammar: Grammar, strictness: str
) -> Iterator[Repair]:
    seen, left = {text}, _MOST_TRIED
    for variants in guesses if len(text) <= LONGEST else ():
        for reason, other in variants(text, row):
            if other not in seen and left > 0:
                seen.add(other)
                left -= len(other)
                if repair := verified(reason, other, row, grammar, strictness):
                    yield repair


def verified(reason: str, text: str, row: Row, grammar: Grammar, strictness: str) -> Repair | None:
    """The repair if `text` compiles on its own, or else in a usual place of the language."""
    try:
        plain = compile_pattern(text, row, grammar, strictness=strictness)
    except PatternError:
        plain = None
    if plain and not sound(plain, text):
        plain = None
    if plain and not errors(plain):
        return Repair(reason, text, plain)
    for found in readings(text, row, grammar, strictness)[:1]:
        if plain is None or not errors(found.pattern):
            return Repair(reason, text, found.pattern, found.context, found.selector)
    return Repair(reason, text, plain) if plain else None


def _closed(text: str, row: Row) -> Iterator[tuple[str, str]]:
    opened: list[str] = []
    for char in text:
        if opened and char == opened[-1]:
            opened.pop()
        elif (char in _PAIRS) and not (opened and opened[-1] in _QUOTES):
            opened.append(_PAIRS[char])
    if opened:
        closers = "".join(reversed(opened))
        yield f"The closing {closers} is missing", text.rstrip() + closers


def _terminated(text: str, row: Row) -> Iterator[tuple[str, str]]:
    if not traits(row.name).spelling.semicolons:
        return
    stripped = text.rstrip()
    if stripped.endswith((";", ",")):
        yield f"The node ends before the {stripped[-1]}", stripped[:-1]
    elif not stripped.endswith((*_UNFINISHED, ":")):
        yield "The node ends with a ;", stripped + ";"


def _with_body(text: str, row: Row) -> Iterator[tuple[str, str]]:
    if text.rstrip().endswith(_UNFINISHED):
        return
    for body in traits(row.name).spelling.bodies:
        yield "Its body is missing", text.rstrip().removesuffix("{").rstrip() + body


def _operators(text: str, row: Row) -> Iterator[tuple[str, str]]:
    for hole in _BETWEEN.finditer(text):
        for operator in _OPERATORS:
            other = text[: hole.start()] + operator + text[hole.end() :]
            yield f"A hole is a named node and cannot be an operator, as {hole[0]} is", other


def _upper_case(text: str, row: Row) -> Iterator[tuple[str, str]]:
    if found := PLAIN.search(text):
        other = PLAIN.sub(lambda match: "$" + (match[1] or match[2]).upper(), text)
        yield f"{found[0]} is plain text: metavariables are upper-case", other


def _whole_nodes(text: str, row: Row) -> Iterator[tuple[str, str]]:
    reason = "A hole must be a whole node"
    yield reason, _WORD.sub(lambda word: _only_hole(word[0]), text)
    yield reason, _QUOTED.sub(lambda quoted: f"{quoted[1]}{_only_hole(quoted[2])}{quoted[1]}", text)
    yield reason, _QUOTED.sub(lambda quoted: _only_hole(quoted[2]), text)


def _only_hole(text: str) -> str:
    found = HOLE.search(text)
    return found[0] if found else text


def _one_many(text: str, row: Row) -> Iterator[tuple[str, str]]:
    yield "One many-hole takes all of them", _TWO_MANY.sub(r"\1", text)


def _single(text: str, row: Row) -> Iterator[tuple[str, str]]:
    if text.strip().startswith("$$$"):
        yield "One node", "$" + (text.strip().lstrip("$") or "NODE")


def _named_variables(text: str, row: Row) -> Iterator[tuple[str, str]]:
    if traits(row.name).spelling.named_variables:
        for hole in reversed(list(HOLE.finditer(text))):
            name = "$" + hole[0].lstrip("$").lower()
            yield _NAME_IT, text[: hole.start()] + name + text[hole.end() :]


def _required(text: str, row: Row) -> Iterator[tuple[str, str]]:
    for change in traits(row.name).spelling.required:
        yield change.reason, re.sub(change.before, change.after, text)


_VARIANTS: tuple[Variants, ...] = (
    _single,
    _one_many,
    _operators,
    _upper_case,
    _whole_nodes,
    _closed,
    _required,
    _terminated,
    _named_variables,
    _with_body,
)


def _other_quotes(text: str, row: Row) -> Iterator[tuple[str, str]]:
    """The pattern with its other kind of quotes, which `smart` tells apart."""
    for one, two in (("'", '"'), ('"', "'")):
        if one in text and two not in text:
            yield f"The files use {two} for quotes", text.replace(one, two)


def _any_arguments(text: str, row: Row) -> Iterator[tuple[str, str]]:
    if _ARGUMENTS.search(text):
        yield "With any arguments", _ARGUMENTS.sub("($$$ARGS)", text)


def _wider(text: str, row: Row) -> Iterator[tuple[str, str]]:
    for change in traits(row.name).spelling.wider:
        yield change.reason, re.sub(change.before, change.after, text, count=1)


_WIDENINGS: tuple[Variants, ...] = (_other_quotes, _any_arguments, _wider, _terminated)
