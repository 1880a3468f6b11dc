"""Rules with anything anywhere: they run, or are refused; nothing else comes of them."""

import json
from copy import deepcopy
from random import Random
from typing import Any

import pytest

from astedit.engine.request import rule_request
from astedit.engine.run.plan import plan_buffer, scan_buffer
from astedit.errors import AstEditError
from astedit.language import named
from astedit.rule import read_rules
from astedit.rule.compile import RULE_KEYS
from astedit.rule.document import KEYS
from astedit.rule.fixes.fix import POSITIONS
from astedit.rule.fixes.transform import OPERATIONS

WHOLE: dict[str, Any] = {
    "id": "r",
    "language": "js",
    "rule": {"any": [{"pattern": "f($A)"}, {"kind": "number", "inside": {"kind": "arguments"}}]},
    "constraints": {"A": {"not": {"regex": "^x"}}},
    "utils": {"u": {"has": {"kind": "number", "stopBy": "end", "field": "arguments"}}},
    "transform": {"T": {"replace": {"source": "$A", "replace": "a", "by": "b"}}},
    "rewriters": [{"id": "w", "rule": {"kind": "number"}, "fix": "x"}],
    "fix": [
        {"title": "one", "template": "g($A)", "expandEnd": {"regex": ",", "stopBy": "end"}},
        {"title": "two", "edits": [{"target": "$A", "position": "before", "template": "x"}]},
    ],
    "message": "m $A $T",
    "labels": {"A": {"style": "primary", "message": "here"}},
    "files": ["*.js", {"glob": "a/*", "caseInsensitive": True}],
    "severity": "error",
}
NAMES = [
    *KEYS,
    *(key.name for key in RULE_KEYS),
    *OPERATIONS,
    *POSITIONS,
    "stopBy",
    "field",
    "template",
    "A",
    "B",
    "u",
]
VALUES: list[Any] = [
    *(None, True, 0, -1, 3.5, 10**17, "", "$A", "$$$A", "$B", "f($A)", "f($$$A)", "number", "end"),
    *("js", ["js", "ts"], "(", "[a", "2n+1", "u", "x $A", "trim($A,)", "cst", "off", ":is(number)"),
    *(
        "number > number",
        "number:has(",
        "é\U0001f600",
        "\u2028",
        "*.js",
        "wrap",
        "${A}",
        {},
        [],
        [{}],
    ),
]
SOURCE = b"f(1); f(a, 2);\nx = f(\n  3);\n"


def _changed(by: Random, value: Any) -> Any:
    """The value, with one thing in it put in the place of another, or beside it."""
    if isinstance(value, dict) and value and by.random() < 0.8:
        key = by.choice(list(value))
        if by.random() < 0.3:
            return {**value, by.choice(NAMES): deepcopy(by.choice(VALUES))}
        return {**value, key: _changed(by, value[key])}
    if isinstance(value, list) and value and by.random() < 0.8:
        at = by.randrange(len(value))
        return [*value[:at], _changed(by, value[at]), *value[at + 1 :]]
    return deepcopy(by.choice(VALUES))


def _made(seed: int) -> dict[str, Any]:
    by = Random(seed)
    kept = {"id", "language", "rule"}
    made = {key: value for key, value in WHOLE.items() if key in kept or by.random() < 0.6}
    for _ in range(by.randrange(1, 4)):
        made = _changed(by, made) or made
    return made


@pytest.mark.parametrize("start", range(0, 1_200, 300))
def test_a_rule_runs_or_is_refused(start: int) -> None:
    row = named("js")
    assert row is not None
    ran = 0
    for seed in range(start, start + 300):
        try:
            request = rule_request(read_rules(json.dumps(_made(seed)).encode()))
            scan_buffer(request, "a.js", row, SOURCE)
            plan_buffer(request, "a.js", row, SOURCE)
            ran += 1
        except AstEditError as error:
            assert error.message, seed
    assert 20 < ran < 280
