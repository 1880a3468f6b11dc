"""Which place to ask about, what an answer means, and where both are kept for later."""

import json
import math
import os
import secrets
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from astedit.errors import RequestError
from astedit.learning.conditions import MatchedPlace
from astedit.learning.learned_rule import LearnedRule
from resolve.visible import one_line

MOST = 20  # questions that may be asked
USUAL = 5
_DIRECTORY = "learn"  # in the state
_TOKEN = 12  # characters
_OLD = 30 * 24 * 3600.0  # seconds after which nobody goes on any more
ANSWERS = {
    "yes": "yes",
    "y": "yes",
    "no": "no",
    "n": "no",
    "yes-shape": "yes-shape",
    "no-shape": "no-shape",
    "skip": "skip",
    "stop": "stop",
}


@dataclass(frozen=True, slots=True)
class PlaceQuestion:
    """Whether a rule is meant for one place of the tree."""

    rule: str
    place: MatchedPlace


def next_question(
    rules: Sequence[LearnedRule], skipped: Sequence[MatchedPlace] = ()
) -> PlaceQuestion | None:
    """The place whose answer divides what could still be meant most evenly; None if none does."""
    best: tuple[float, PlaceQuestion] | None = None
    for rule in rules:
        beliefs = rule.beliefs()
        for place, belief in beliefs:
            if belief < 1.0 and place not in skipped:
                # The more places a rule has, the more an answer tells.
                value = (1 - abs(2 * belief - 1)) * math.log2(1 + len(beliefs))
                if best is None or value > best[0]:
                    best = value, PlaceQuestion(rule.id, place)
    return None if best is None else best[1]


def answer(rules: Sequence[LearnedRule], question: PlaceQuestion, reply: str) -> None:
    """Notes an answer at its place, or at all places of that shape."""
    if not reply.startswith(("yes", "no")):
        return
    rule = next(rule for rule in rules if rule.id == question.rule)
    shape = question.place.shape
    whole = reply.endswith("-shape")
    for place in rule.unknown:
        if place is question.place or (whole and place.shape == shape and place.sure is None):
            place.sure = reply.startswith("yes")


def keep(data: dict[str, Any], state: str, token: str) -> str:
    """Keeps data in the state directory, which there must be; returns their token."""
    from astedit.transaction import user_files

    content = json.dumps(data).encode()
    name = token or secrets.token_hex(_TOKEN // 2)
    path = f"{_DIRECTORY}/{name}.json"
    folder = os.open(state, os.O_RDONLY | os.O_DIRECTORY)
    try:
        if token:
            user_files.replace(folder, path, _read(state, token), content)
        else:
            user_files.create(folder, path, content)
        for file, old in _old(state):
            user_files.put(folder, f"{_DIRECTORY}/{file}", old, None)
    finally:
        os.close(folder)
    return name


def _old(state: str) -> Iterator[tuple[str, bytes]]:
    """What was kept too long ago, with its content."""
    directory = os.path.join(state, _DIRECTORY)
    for name in sorted(os.listdir(directory)):
        token = name.removesuffix(".json")
        if _is_token(token) and time.time() - os.stat(f"{directory}/{name}").st_mtime > _OLD:
            yield name, _read(state, token)


def kept(token: str, state: str, schema: str, root: str) -> dict[str, Any]:
    """What was kept under a token for a root; `RequestError` (`unknown_token`) without it."""
    try:
        data = json.loads(_read(state, token))
    except ValueError as error:
        raise _unknown(token) from error
    if not isinstance(data, dict) or (data.get("schema"), data.get("root")) != (schema, root):
        raise _unknown(token)
    return data


def _is_token(text: str) -> bool:
    return len(text) == _TOKEN and text.isalnum()


def _read(state: str, token: str) -> bytes:
    if not _is_token(token):
        raise _unknown(token)
    try:
        with open(os.path.join(state, _DIRECTORY, f"{token}.json"), "rb") as file:
            return file.read()
    except OSError as error:
        raise _unknown(token) from error


def _unknown(token: str) -> RequestError:
    return RequestError(
        f"There is nothing to go on with under {one_line(token)!r}.",
        hint="Start again: astedit learn.",
        code="unknown_token",
    )
