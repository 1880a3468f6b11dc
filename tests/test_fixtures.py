"""Runs every text file below `fixtures/`: what goes in, and what must come out."""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import starmap
from pathlib import Path

import pytest

from astedit.engine.request import request_of
from astedit.engine.run.plan import check_limits, compute
from astedit.engine.run_context import Start
from astedit.errors import AstEditError
from astedit.language import for_path, named
from astedit.model.plan import Plan
from astedit.semantic import NAMES
from astedit.text.source import splice
from astedit.workspace.root import Workspace
from tests.support.cases import Case, accepted, all_cases, escape, read_case, unescape
from tests.support.differential.oracle import (
    LANGUAGES,
    Query,
    Refused,
    Subject,
    compiled,
    ours,
    theirs,
)
from tests.support.lists import rows

ROWS = rows(Path(__file__).with_suffix(".txt"))

CASES = all_cases()
QUERY_KEYS = ("selector", "context", "strictness")
OPTIONS = {"paths": ["."], "expect": None}

# Every rule id of the specification that this engine owes, each with a case of its own;
# `row` is a row of what ast-grep does today and must not happen here.
RULES = """
    V1 V2 V3 V4 V5 V6 V7 V8 V9 V10 P1 P2 P3 P4 P5 P6 P7 P8 P9 S1 S2 S3 S4 S5 S6 S7
    M-1 M-2 M-3 M-4 M-5 M-6 M-7 M-8 F1 F2 F3 F4 F5 F7 F8 F9 F10 F11 F12 F13 F14 F15 F16 G5
    K1 K2 K4 D1 D2 D3 row1 row2 row3 row4 row5 row8 row9 row10 row11 row12 row13 row14 row15 row16
    row17
    row18 row20 row23 row24
"""
# What a text file cannot say: a link and its target are one file.
ELSEWHERE = {"row26": "unit/engine/test_engine_plan.py"}
# What waits for YAML rules, for documents, and for the transaction.
WAITING = "F6 row6 row7 row19 row21 row22 row25"


def compute_plan(case: Case, root: Path) -> Plan:
    for name, data in case.before.items():
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    options = OPTIONS | case.options
    expect = options.pop("expect")
    with Workspace(root) as workspace:
        request = request_of({"ops": case.ops, **options})
        with Start(request, workspace, jobs=1, inline=True, names=NAMES) as start:
            plan, _ = compute(request, workspace, start)
        check_limits(plan, {"replacements": expect} if expect is not None else None)
    return plan


def results(case: Case, plan: Plan) -> dict[str, bytes]:
    """The files the plan changes, as they would be; its hashes and edits must agree."""
    after = {}
    for file in plan.files:
        raw = case.before[file.path]
        for edit in file.edits:
            assert edit.new != raw[edit.start : edit.end], "an edit that changes nothing"
        after[file.path] = splice(raw, [(e.start, e.end, e.new) for e in file.edits])
    return after


def texts(files: dict[str, bytes]) -> dict[str, str]:
    """For a readable difference when a test fails."""
    return {name: escape(data) for name, data in sorted(files.items())}


def check_counts(case: Case, plan: Plan) -> None:
    assert Counter(b.reason for b in plan.blocked) == case.counts("blocked"), plan.blocked
    assert Counter(d.reason for d in plan.displaced) == case.counts("displaced"), plan.displaced
    assert Counter(s.reason for s in plan.skipped) == case.counts("skipped"), plan.skipped
    lost = [one.text for blocked in plan.blocked for one in blocked.lost]
    assert "\n".join(lost) == case.expected.get("lost", "")
    comments = "\n".join(one.text for one in plan.dropped_comments)
    assert comments == case.expected.get("dropped_comments", "")
    if "detail" in case.expected:
        details = [one.detail for one in plan.blocked if one.readings is not None]
        assert "\n".join(map(str, details)) == case.expected["detail"]
    dropped = {use.name for use in plan.languages if use.dropped}
    assert dropped == set(case.expected.get("dropped", "").split())
    if "replacements" in case.expected:
        assert plan.total_replacements == int(case.expected["replacements"])


def run(case: Case, root: Path, accepting: bool) -> None:
    plan = compute_plan(case, root)
    after = results(case, plan)
    if accepting and case.folder != "noop":
        case.path.write_bytes(accepted(case, after).encode())
        return
    assert texts(after) == texts(case.after)
    check_counts(case, plan)


@pytest.mark.parametrize(
    "case", [c for c in CASES if c.folder != "refuse"], ids=lambda case: case.name
)
def test_case(case: Case, tmp_path: Path, pytestconfig: pytest.Config) -> None:
    run(case, tmp_path, pytestconfig.getoption("--accept"))


@pytest.mark.parametrize(
    "case", [c for c in CASES if c.folder == "refuse"], ids=lambda case: case.name
)
def test_refused(case: Case, tmp_path: Path) -> None:
    with pytest.raises(AstEditError) as caught:
        compute_plan(case, tmp_path)
    error = caught.value
    assert error.code == case.expected["error"], error.message
    assert case.expected["hint"] in f"{error.message} {error.hint}"


def queries(case: Case) -> Iterator[tuple[Query, bytes]]:
    """Every op of a case in the language of every file that it is for."""
    for op in case.ops:
        given = {**case.options, **op}
        for path, source in case.before.items():
            row = for_path(path)
            lang = given.get("lang")
            if row is None or row.name not in LANGUAGES or (row.markup and not lang):
                continue
            if not lang or named(lang) is row:
                options = {key: given[key] for key in QUERY_KEYS if given.get(key)}
                yield Query(row.name, op["pat"], **options), source


def difference(query: Query, source: bytes) -> str:
    """Where a pattern matches or captures otherwise than in ast-grep; empty if nowhere."""
    subject = Subject(query.language, source)
    try:
        pattern = compiled(query)
    except Refused:
        return ""  # only a rewrite in this language would have been one
    try:
        expected = theirs(query, list(pattern.captures), subject)
    except Refused as refusal:
        return f"{query}: ast-grep says {refusal}"
    found = ours(pattern, subject)
    return "" if found == expected else f"{query}: {found} is not {expected}"


@pytest.mark.parametrize(
    "case", [c for c in CASES if c.folder in ("noop", "rewrite")], ids=lambda case: case.name
)
def test_matches_are_those_of_ast_grep(case: Case) -> None:
    found = [text for text in starmap(difference, queries(case)) if text]
    if "deviates" in case.expected:
        assert found, "no longer a deviation: delete the header"
    else:
        assert not found, "\n".join(found)


def test_every_rule_has_a_case() -> None:
    named_by_cases = {rule for case in CASES for rule in case.rules}
    assert named_by_cases == set(RULES.split())
    assert not named_by_cases & {*ELSEWHERE, *WAITING.split()}
    for rule, path in ELSEWHERE.items():
        assert rule in (Path(__file__).parent / path).read_text()


def test_noop_cases_change_nothing_and_the_others_do() -> None:
    wrong = [c.name for c in CASES if c.after and c.folder in ("noop", "refuse")]
    wrong += [c.name for c in CASES if c.folder == "rewrite" and not c.after]
    assert not wrong


def test_reasons_are_sentences_and_differ() -> None:
    assert [r for r, count in Counter(case.reason for case in CASES).items() if count > 1] == []
    assert [c.name for c in CASES if not c.reason.endswith((".", ". "))] == []


def test_escapes_carry_every_byte() -> None:
    data = bytes(range(256)) + b"\r\n\\n\n\n"
    assert unescape(escape(data)) == data


@pytest.mark.parametrize(
    "case", [c for c in CASES if c.folder in ("rewrite", "preserve")], ids=lambda case: case.name
)
def test_accepting_what_is_expected_changes_no_fixture(case: Case) -> None:
    text = accepted(case, case.after)
    if case.folder != "preserve":  # where a byte has several spellings
        assert text == case.path.read_text()
    assert read_case(case.path, text).after == case.after


def test_accepting_writes_what_the_engine_does(tmp_path: Path) -> None:
    case = next(c for c in CASES if c.name == "rewrite/javascript/first-files")
    again = read_case(case.path, accepted(case, {"a.js": b"new();\n", "b.js": b"newer();\n"}))
    assert again.after == {"a.js": b"new();\n", "b.js": b"newer();\n"}
    assert (again.before, again.expected) == (case.before, case.expected)


@pytest.mark.parametrize(("name", "key", "value"), ROWS["a wrong expectation fails"])
def test_a_wrong_expectation_fails(name: str, key: str, value: str, tmp_path: Path) -> None:
    case = next(c for c in CASES if c.name == name)
    wrong = replace(case, expected=case.expected | {key: value})
    with pytest.raises(AssertionError):
        run(wrong, tmp_path, accepting=False)


def test_a_wrong_result_fails(tmp_path: Path) -> None:
    case = next(c for c in CASES if c.name == "rewrite/javascript/compose-nested")
    with pytest.raises(AssertionError):
        run(replace(case, after={}), tmp_path, accepting=False)


@pytest.mark.slow
def test_accepting_is_refused_where_ci_is_set() -> None:
    command = [sys.executable, "-m", "pytest", "--accept", "--collect-only", "-q", __file__]
    done = subprocess.run(command, env=os.environ | {"CI": "1"}, capture_output=True, text=True)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "--accept" in done.stderr
