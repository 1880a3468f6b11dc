"""The doctor: what is wrong with a pattern, and what to write instead.

`diagnose` looks at the pattern alone; `unmatched.py` tries its suggestions on files, and
`reading.py` shows the result to a person. Whatever is suggested has been compiled.
(rules V3, V4, P5, P7)
"""

import re
import shlex
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Unpack

from astedit.explanation.difference import clip
from astedit.explanation.spellings import (
    HOLE,
    PLAIN,
    REPAIRS,
    TERMINATED,
    PatternSpelling,
    errors,
    readings,
    shape,
    sound,
    spellings,
)
from astedit.language import Grammar, Row
from astedit.language.traits import traits
from astedit.model.explanation import PatternWarning, Suggestion
from astedit.pattern.compile import CLOSERS, Pattern, PatternError, PatternOptions, compile_pattern
from astedit.pattern.listed import flaws, walk
from astedit.pattern.template import PatternText

SUGGESTIONS = 3  # of one language
_BURIED = 10  # metavariables of one pattern that are warned of
_NEAR = 40  # characters of the word around each that are shown on either side
_BREAK = r"[\s(),;\[\]{}]"


@dataclass(slots=True)
class Diagnosis:
    """What the doctor found about one pattern in one language.

    `pattern` is None when it does not compile; `refused` then says why. `healthy` means
    that it parses with every metavariable a hole; suggestions are then other readings.
    `readings` are those in which it would match other nodes.
    """

    row: Row
    pattern: Pattern | None
    refused: PatternError | None
    healthy: bool
    warnings: list[PatternWarning] = field(default_factory=list)
    suggestions: list[Suggestion] = field(default_factory=list)
    readings: list[PatternSpelling] = field(default_factory=list)


def diagnose(text: str, row: Row, grammar: Grammar, **options: Unpack[PatternOptions]) -> Diagnosis:
    """Examines a pattern in one language; never raises for a bad pattern."""
    selector, context = options.get("selector"), options.get("context")
    pattern, refused = None, None
    try:
        pattern = compile_pattern(text, row, grammar, **options)
    except PatternError as error:
        refused = error
    healthy = pattern is not None and sound(pattern, context or text)
    diagnosis = Diagnosis(row, pattern, refused, healthy)
    other = []
    if context is None and selector is None:
        other = readings(text, row, grammar, options.get("strictness", "smart"))
    confirmed = healthy and _confirmed(pattern, other)
    own = shape(pattern.goal) if pattern is not None else None
    diagnosis.readings = [one for one in other if shape(one.pattern.goal) != own]
    diagnosis.warnings.extend(_warnings(diagnosis, context or text, confirmed))
    if refused is not None and refused.code in {"invalid_kind", "selector_not_found"}:
        diagnosis.suggestions.extend(_selectors(text, row, grammar, selector or "", context))
    elif context is None and selector is None:
        diagnosis.suggestions.extend(_suggest(diagnosis, confirmed, text, grammar))
    return diagnosis


def _confirmed(pattern: Pattern | None, other: list[PatternSpelling]) -> bool:
    """True when the pattern also reads so in a whole file, without any error around it."""
    if pattern is None or not errors(pattern):
        return pattern is not None
    own = shape(pattern.goal)
    return any(shape(r.pattern.goal) == own and not errors(r.pattern) for r in other)


# warnings ---------------------------------------------------------------------------------


def _warnings(diagnosis: Diagnosis, text: str, confirmed: bool) -> Iterator[PatternWarning]:
    label = diagnosis.row.label
    if diagnosis.refused is not None:
        place = "" if label in diagnosis.refused.message else f"In {label}: "
        hint = f" {diagnosis.refused.hint}" if diagnosis.refused.hint else ""
        yield PatternWarning(diagnosis.refused.code, place + diagnosis.refused.message + hint)
    if diagnosis.pattern is not None:
        if not confirmed:
            yield from _damage(diagnosis.pattern, text)
        yield from _text_holes(diagnosis.pattern, text)
    plain = PLAIN.search(text)
    # `${a}` is an interpolation in many languages, and only a mistake where nothing parses.
    sigils = traits(diagnosis.row.name).spelling.sigils
    if plain and not sigils and not (plain[1] and diagnosis.healthy):
        yield PatternWarning(
            "plain_text",
            f"{plain[0]} is plain text, not a metavariable: those are upper-case, as $A or "
            f"$$$ARGS.",
        )


def _damage(pattern: Pattern, text: str) -> Iterator[PatternWarning]:
    """The first node that the grammar could make nothing of, or had to invent (P5)."""
    label, char = pattern.row.label, pattern.row.stand_in
    written = PatternText.of(text, pattern.row, pattern.grammar)
    for node in flaws(written.root):
        if not node.is_error and not (node.is_missing and node.type in CLOSERS):
            continue
        place = f"at column {node.start_point[1] + 1} of line {node.start_point[0] + 1}"
        own, hole = written.read(node)
        shown = clip(_as_written(own, node.start_byte, written.sigils, char))
        if node.is_missing:
            message = f"In {label} a closing {node.type} is missing {place}."
            yield PatternWarning("missing_node", message)
        elif hole is not None:
            message = f"In {label} the grammar expects no name for {shown}; it works as a hole."
            yield PatternWarning("error_hole", message)
            continue
        else:
            message = f"In {label} the pattern does not parse: `{shown}` {place} is an error node."
            yield PatternWarning("error_node", message)
        return


def _as_written(text: bytes, start: int, sigils: dict[int, int], char: str) -> bytes:
    """A node's text with `$` where the stand-in took its place."""
    out, last = b"", 0
    for offset, count in sorted(sigils.items()):
        if start <= offset < start + len(text):
            out += text[last : offset - start] + b"$" * count
            last = offset - start + count * len(char.encode())
    return out + text[last:]


def _text_holes(pattern: Pattern, text: str) -> Iterator[PatternWarning]:
    """V3: metavariables that are a part of some node and therefore plain text.

    One warning for each spelling, at its first place, and for a few of them only.
    """
    written = Counter(hole[0] for hole in HOLE.finditer(text))
    holes = Counter(leaf.text for leaf in pattern.leaves if leaf.hole is not None)
    first: dict[str, re.Match[str]] = {}
    for hole in HOLE.finditer(text):
        if not PLAIN.match(text, hole.start()):
            first.setdefault(hole[0], hole)
    stand_in = pattern.row.stand_in  # as the grammar has read a sigil
    buried = (
        hole
        for spelling, hole in first.items()
        if holes[spelling.replace("$", stand_in).encode()] < written[spelling]
    )
    for hole in islice(buried, _BURIED):
        yield PatternWarning(
            "buried_hole",
            f"{hole[0]} is plain text here: in {pattern.row.label} it is only a part of "
            f"`{_word(text, hole.start(), hole.end())}`, and a hole must be a whole node.",
        )


def _word(text: str, start: int, end: int) -> str:
    """The word around a place; of a long one, what is near."""
    first, last = max(0, start - _NEAR), end + _NEAR
    before = re.split(_BREAK, text[first:start])[-1]
    return before + text[start:end] + re.split(_BREAK, text[end:last], maxsplit=1)[0]


# suggestions ------------------------------------------------------------------------------


def _suggest(
    diagnosis: Diagnosis, confirmed: bool, text: str, grammar: Grammar
) -> Iterator[Suggestion]:
    """Other readings; for a pattern that no whole file confirms, repairs as well."""
    row, pattern, other = diagnosis.row, diagnosis.pattern, diagnosis.readings
    if diagnosis.healthy and pattern is not None and errors(pattern):
        other = [reading for reading in other if not errors(reading.pattern)]
    offered = [suggestion(reading, text) for reading in other[:SUGGESTIONS]]
    if not confirmed:
        guesses = TERMINATED if offered or diagnosis.healthy else REPAIRS
        for repair in spellings(guesses, text, row, grammar, "smart"):
            if len(offered) < SUGGESTIONS and not (diagnosis.healthy and errors(repair.pattern)):
                offered.append(suggestion(repair, text))
    yield from offered


def suggestion(spelling: PatternSpelling, text: str) -> Suggestion:
    """Its message ends in the options to paste; `pat` is None where the pattern's text stays."""
    pat = None if spelling.text.strip() == text.strip() else spelling.text
    words = ["-p", pat or text]
    if spelling.context is not None:
        words += ["--context", spelling.context]
    if spelling.selector is not None:
        words += ["--selector", spelling.selector]
    message = f"{spelling.reason}: {shlex.join(words)}"
    name = spelling.pattern.row.name
    return Suggestion(name, message, spelling.context, spelling.selector, pat)


def _selectors(
    text: str, row: Row, grammar: Grammar, selector: str, context: str | None
) -> Iterator[Suggestion]:
    """Selectors that the context does hold: the kind meant, or what its tree is made of."""
    import difflib

    nodes = walk(PatternText.of(context or text, row, grammar).root)
    kinds = dict.fromkeys(node.type for node in nodes if node.is_named and not node.is_error)
    for kind in dict.fromkeys([*difflib.get_close_matches(selector, kinds, 2), *kinds]):
        try:
            pattern = compile_pattern(text, row, grammar, selector=kind, context=context)
        except PatternError:
            continue
        if sound(pattern, context or text):
            spelling = PatternSpelling(f"The context holds {kind}", text, pattern, context, kind)
            yield suggestion(spelling, text)
            return
