"""The ways a pattern can be read: its text, put into each usual place of its language.

A reading is only returned once it has been compiled from the very context and selector it
recommends, and gave the intended node, without an error node, with every hole a hole.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tree_sitter import Node

from astedit.language import Grammar, Row
from astedit.language.facts import PLACE, contexts
from astedit.language.traits import traits
from astedit.pattern.compile import (
    CLOSERS,
    ERROR_KIND,
    Goal,
    Pattern,
    PatternError,
    Tag,
    compile_pattern,
    goals_of,
)
from astedit.pattern.listed import flaws
from astedit.pattern.template import PatternText, stand_in

LONGEST = 4_096  # characters of a pattern that is tried in other places and spellings

# Each looks at a run of `$` from its beginning only: from each of 32,000 it takes half a minute.
HOLE = re.compile(r"(?<!\$)\$+[A-Z_][A-Z0-9_]*")

# What looks like a metavariable and is plain text: `$a`, `$Name`, `${A}`.
PLAIN = re.compile(r"(?<!\$)\$+(?:\{(\w+)\}|([a-z]\w*|[A-Z_][A-Z0-9_]*[a-z]\w*))")
_WORD = re.compile(r"(?<![\w$])(?=[\w$]*\$[A-Z_])[\w$]+")
_BARE = re.compile(r'(?<!["$\w])(\$[A-Z_][A-Z0-9_]*)(?!["\w])')
_QUOTED = re.compile(r"""(["'`])((?=[^"'`]*\$[A-Z_])[^"'`]*)\1""")
_TWO_MANY = re.compile(r"(\$\$\$\w*)[\s,;]*\$\$\$\w*")
_ARGUMENTS = re.compile(r"\((?!\s*\))[^()]*\)$")
_CALL = re.compile(r"(?:([\w$]+)\.)?([^\W\d]\w*\(.*\))$", re.DOTALL)
_MOST_TRIED = 16_384  # characters of guesses at one pattern: each is parsed in many places
_OPERATORS = ("+", "==", "=", "&&")
_BETWEEN = re.compile(r"(?<=[\w)\]] )\$+[A-Z_][A-Z0-9_]*(?= [\w$(])")  # `a $OP b`
_QUOTES = "\"'`"
_PAIRS = {"(": ")", "[": "]", "{": "}", '"': '"', "'": "'", "`": "`"}
_UNFINISHED = ("+", "-", "*", "/", "=", "<", "&", "|", ".", ",", "(")
_NAME_IT = "A hole cannot stand for a variable that is declared or assigned: name it"

Variants = Callable[[str, Row], Iterator[tuple[str, str]]]


@dataclass(slots=True)
class PatternSpelling:
    """A text that compiles, and why it is worth a try.

    `context` and `selector` are None where it needs none.
    """

    reason: str
    text: str
    pattern: Pattern
    context: str | None = None
    selector: str | None = None


def readings(text: str, row: Row, grammar: Grammar, strictness: str) -> list[PatternSpelling]:
    """Every place where `text` parses as one node, each shape once, likeliest first."""
    text = text.strip()
    if len(text) > LONGEST:
        return []
    found: dict[object, PatternSpelling] = {}
    for title, template in contexts(traits(row.name).contexts):
        before, after = template.split(PLACE)
        if text.endswith(";") and after.startswith(";"):
            continue
        reading = _read(title, text, before, after, row, grammar, strictness)
        if reading is not None:
            found.setdefault(shape(reading.pattern.goal), reading)
    likely = sorted(found.values(), key=_unlikely)
    return [one for one in likely if _unlikely(one)[1] <= _unlikely(likely[0])[1]]


def _unlikely(reading: PatternSpelling) -> tuple[int, int]:
    """`catch (e) {}` also reads as a method called `catch`: hardly what anyone means."""
    return errors(reading.pattern), _keywords_as_names(reading.pattern)


def _read(
    title: str, text: str, before: str, after: str, row: Row, grammar: Grammar, strictness: str
) -> PatternSpelling | None:
    context = before + text + after
    written = PatternText.of(context, row, grammar)
    start, end = len(before.encode()), len(written.source) - len(after.encode())
    for node in flaws(written.root):
        is_made_up = node.is_missing and (node.type in CLOSERS or node.start_byte >= end)
        if (node.is_error or is_made_up) and written.read(node)[1] is None:  # and is no hole
            return None
    for node in _spanning(written.root, start, end):
        try:
            pattern = compile_pattern(
                text, row, grammar, selector=node.type, context=context, strictness=strictness
            )
        except PatternError:
            continue
        if pattern.goal.text == node.text and sound(pattern, text):
            reason = f"In {row.label} as {title} ({node.type})"
            return PatternSpelling(reason, text, pattern, context, node.type)
    return None


def _spanning(root: Node, start: int, end: int) -> list[Node]:
    """The named nodes that span exactly these bytes: the effective one, then outward."""
    node = root.descendant_for_byte_range(start, end)
    chain: list[Node] = []
    while node is not None and (node.start_byte, node.end_byte) == (start, end):
        if node.is_named:
            chain.append(node)
        node = node.parent
    return chain


def sound(pattern: Pattern, text: str) -> bool:
    """True when nothing was made up for the pattern and all its metavariables are holes."""
    made_up = any(flaw.startswith("MISSING") for flaw in pattern.flaws)
    if made_up or flawed(pattern.goal):
        return False
    holes = sum(leaf.hole is not None for leaf in pattern.leaves)
    return len(stand_in(text, pattern.row.stand_in)[1]) == holes


def errors(pattern: Pattern) -> int:
    """How many ERROR nodes the parsed pattern holds, those that are holes included."""
    root = pattern.grammar.parser().parse(pattern.source, requested=True).root_node
    return sum(node.is_error for node in flaws(root))


def flawed(goal: Goal) -> bool:
    """True when part of the goal is an ERROR node that is not simply a hole."""
    return any(one.kind == ERROR_KIND for one in goals_of(goal))


def shape(goal: Goal) -> object:
    """A goal as plain data: two goals of one shape match the same nodes."""
    if goal.hole is not None:
        return (goal.tag, goal.hole)
    text = goal.text if goal.tag == Tag.TERMINAL else b""
    return (goal.kind, text, tuple(map(shape, goal.children)))


def _keywords_as_names(pattern: Pattern) -> int:
    """How many names in the pattern are spelled like a keyword of the language."""
    language = pattern.grammar.language
    words = [leaf.text.decode("utf-8", "replace") for leaf in pattern.leaves if leaf.named]
    return sum(
        language.id_for_node_kind(word, False) is not None for word in words if word.isalpha()
    )


def spellings(
    guesses: tuple[Variants, ...], text: str, row: Row, grammar: Grammar, strictness: str
) -> Iterator[PatternSpelling]:
    """Those of the guesses at other texts that compile, each text once."""
    seen, left = {text}, _MOST_TRIED
    for variants in guesses if len(text) <= LONGEST else ():
        for reason, other in variants(text, row):
            if other not in seen and left > 0:
                seen.add(other)
                left -= len(other)
                if spelling := _verified(reason, other, row, grammar, strictness):
                    yield spelling


def _verified(
    reason: str, text: str, row: Row, grammar: Grammar, strictness: str
) -> PatternSpelling | None:
    """The spelling if `text` compiles on its own, or else in a usual place of the language."""
    try:
        plain = compile_pattern(text, row, grammar, strictness=strictness)
    except PatternError:
        plain = None
    if plain and not sound(plain, text):
        plain = None
    if plain and not errors(plain):
        return PatternSpelling(reason, text, plain)
    for found in readings(text, row, grammar, strictness)[:1]:
        if plain is None or not errors(found.pattern):
            return PatternSpelling(reason, text, found.pattern, found.context, found.selector)
    return PatternSpelling(reason, text, plain) if plain else None


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


def _single(text: str, row: Row) -> Iterator[tuple[str, str]]:
    if text.strip().startswith("$$$"):
        yield "One node", "$" + (text.strip().lstrip("$") or "NODE")


def _named_variables(text: str, row: Row) -> Iterator[tuple[str, str]]:
    if traits(row.name).spelling.named_variables:
        for hole in reversed(list(HOLE.finditer(text))):
            name = "$" + hole[0].lstrip("$").lower()
            yield _NAME_IT, text[: hole.start()] + name + text[hole.end() :]


def _in_quotes(text: str, row: Row) -> Iterator[tuple[str, str]]:
    if (name := traits(row.name).spelling.quotes) is not None:
        reason = f"{name} has no bare words, so a hole stands inside quotes"
        yield reason, _BARE.sub(r'"\1"', text)


def _replaced(reason: str, before: re.Pattern[str], after: str) -> Variants:
    """Replaces what an expression finds; a text in which that is nothing is no guess."""
    return lambda text, row: iter([(reason, before.sub(after, text))])


TERMINATED: tuple[Variants, ...] = (_terminated,)
"""The pattern with a `;`, or without the one it has, where the language ends nodes so."""
REPAIRS: tuple[Variants, ...] = (
    _single,
    _replaced("One many-hole takes all of them", _TWO_MANY, r"\1"),
    _operators,
    _upper_case,
    _whole_nodes,
    _closed,
    _in_quotes,
    _terminated,
    _named_variables,
    _with_body,
)
"""For a pattern that does not parse."""


def _other_quotes(text: str, row: Row) -> Iterator[tuple[str, str]]:
    """The pattern with its other kind of quotes, which `smart` tells apart."""
    for one, two in (("'", '"'), ('"', "'")):
        if one in text and two not in text:
            yield f"The files use {two} for quotes", text.replace(one, two)


def _wider(text: str, row: Row) -> Iterator[tuple[str, str]]:
    for change in traits(row.name).spelling.wider:
        yield change.reason, re.sub(change.before, change.after, text, count=1)


def _on_anything(text: str, row: Row) -> Iterator[tuple[str, str]]:
    found = _CALL.match(text)
    if found and found[1] != "$ON":
        yield "Called on anything", f"$ON.{found[2]}"
    if found and found[1]:
        yield "Called by its name alone", found[2]


WIDENINGS: tuple[Variants, ...] = (
    _other_quotes,
    _replaced("With any arguments", _ARGUMENTS, "($$$ARGS)"),
    _wider,
    _terminated,
    _on_anything,
)
"""For a pattern that parses and matches nothing; whether they do, the files say."""
