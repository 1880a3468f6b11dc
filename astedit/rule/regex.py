"""Regular expressions of rules: RE2, so that none takes exponential time. (rule A3)"""

import re
import warnings
from collections.abc import Iterable
from functools import lru_cache
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

from astedit.pattern.required_text import Folded
from astedit.rule.match.node import MAX_ALTERNATIVES, NO_LITERALS, Literals, both

_BEGIN, _END = (sre.AT, sre.AT_BEGINNING), (sre.AT, sre.AT_END)
_NAMED_CLASS = re.compile(r"(?<!\\)\[:\^?[a-z]+:\]")
_LONGEST = 32_768  # characters of an expression: RE2 takes 1.4 s to read twice as many of \\pL
_MEMORY = 4 << 20  # bytes of a compiled one, half of what RE2 takes by itself
_LONGEST_RUN = 32  # characters of a repeated one that are looked for


def compile_regex(expression: str) -> Any:
    """A compiled RE2 expression; raises ValueError with RE2's own words."""
    if len(expression) > _LONGEST:
        raise ValueError(f"an expression of more than {_LONGEST} characters")
    compiled, problem = _tried(expression)
    if problem is not None:
        raise ValueError(f"{expression!r} is no RE2 expression: {problem}")
    return compiled


@lru_cache(maxsize=128)
def _tried(expression: str) -> tuple[Any, str | None]:
    """The compiled expression, or what RE2 says; each is asked for once a language, or oftener."""
    import re2  # type: ignore[import-untyped]

    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MEMORY
    try:
        return re2.compile(expression, options), None
    except re2.error as error:
        reason = error.args[0] if error.args else error
        return None, reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)


def regex_literals(expression: str) -> Literals:
    """What every text that the expression finds itself in must hold, as alternatives."""
    parsed = _parsed(expression)
    if parsed is None:
        return NO_LITERALS
    try:
        return _sequence(parsed, bool(parsed.state.flags & re.IGNORECASE))
    except RecursionError:  # groups in groups, by the hundred
        return NO_LITERALS


def exact_texts(expression: str) -> tuple[bytes, ...] | None:
    """The whole texts that an expression like `^(one|two)$` stands for; None for others."""
    if (parsed := _parsed(expression)) is None:
        return None
    items = list(parsed)
    if parsed.state.flags & ~re.UNICODE or items[:1] != [_BEGIN] or items[-1:] != [_END]:
        return None
    try:
        words = [one.encode() for one in _spelled(items[1:-1]) or [""]]
    except (UnicodeEncodeError, RecursionError):
        return None
    return tuple(words) if all(word.strip() for word in words) else None


@lru_cache(maxsize=8)
def _parsed(expression: str) -> Any:
    """As Python's parser reads it; None for what that refuses, or would take for another thing.

    To Python `[[:alpha:]]` is a set of characters and a bracket behind it, and it warns of
    brackets in sets, which are nothing special to RE2.
    """
    known = _NAMED_CLASS.sub(r"\\d", expression)  # one class does as well as another
    if "[:" in known:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        try:
            return _parser.parse(known)
        except (re.error, OverflowError, RecursionError):
            return None


def _spelled(items: Iterable[tuple[Any, Any]]) -> list[str] | None:
    """Every text that items one after another spell, if only literals and choices do."""
    texts = [""]
    for kind, value in items:
        ends = _ends(kind, value)
        if ends is None or len(texts) * len(ends) > MAX_ALTERNATIVES:
            return None
        texts = [text + end for text in texts for end in ends]
    return texts


def _ends(kind: Any, value: Any) -> list[str] | None:
    if kind is sre.LITERAL:
        return [chr(value)]
    if kind is sre.SUBPATTERN:
        _, added, removed, inner = value
        return None if added or removed else _spelled(inner)
    if kind is sre.BRANCH:
        every = [_spelled(branch) for branch in value[1]]
        return None if None in every else [text for each in every for text in each or ()]
    if kind is sre.IN and all(one is sre.LITERAL for one, _ in value):
        return [chr(code) for _, code in value]
    return None


def _sequence(items: Iterable[tuple[Any, Any]], folds: bool) -> Literals:
    """The literals of items in a row: characters side by side are one literal.

    With `folds`, the case of letters does not count.
    """
    parts: list[Literals] = []
    run = ""
    for kind, value in items:
        if kind is sre.LITERAL:
            run += chr(value)
            continue
        if kind is sre.AT:
            continue
        repeated = _repeated(kind, value)
        parts.append(_run(run + repeated, folds))
        run = repeated
        if not repeated:
            parts.append(_item(kind, value, folds))
    return both([*parts, _run(run, folds)])


def _repeated(kind: Any, value: Any) -> str:
    """The characters that `={3,}` has at least; "" for anything but one that is repeated."""
    if kind is not sre.MAX_REPEAT and kind is not sre.MIN_REPEAT:
        return ""
    least, _, inner = value
    if len(inner) != 1 or inner[0][0] is not sre.LITERAL:
        return ""
    count: int = min(least, _LONGEST_RUN)
    return chr(inner[0][1]) * count


def _item(kind: Any, value: Any, folds: bool) -> Literals:
    if kind is sre.SUBPATTERN:
        _, added, removed, inner = value
        folds = bool(added & re.IGNORECASE) or (folds and not removed & re.IGNORECASE)
        return _sequence(inner, folds)
    if kind in (sre.MAX_REPEAT, sre.MIN_REPEAT):
        least, _, inner = value
        return _sequence(inner, folds) if least else NO_LITERALS
    if kind is sre.BRANCH:
        made = {one for branch in value[1] for one in _sequence(branch, folds)}
        return tuple(made) if len(made) <= MAX_ALTERNATIVES else NO_LITERALS
    return NO_LITERALS


def _run(text: str, folds: bool) -> Literals:
    if folds:
        words = re.findall(r"[\x00-\x7f]+", text)  # RE2 knows how other letters fold
        return (frozenset(Folded(word.lower().encode()) for word in words),)
    try:
        return (frozenset({text.encode()}),) if text else NO_LITERALS
    except UnicodeEncodeError:
        return NO_LITERALS
