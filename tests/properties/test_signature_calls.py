"""Whatever changes of a signature: each argument reaches the parameter that it reached before."""

import inspect
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from astedit.errors import AstEditError
from tests.support.refactoring import planned, result, tree_of

Case = dict[str, Any]
KINDS = ("add", "remove", "rename", "reorder", "only")
FREE = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.data_too_large]


@st.composite
def signatures(draw: st.DrawFn) -> str:
    """The parameters of a function, markers and defaults as Python allows them."""
    names = ["a", "b", "c", "d"][: draw(st.integers(1, 4))]
    only, plain = draw(st.integers(0, 1)), draw(st.integers(1, 3))
    defaults = draw(st.integers(0, 4))
    texts = []
    for at, name in enumerate(names):
        if at == only + plain:
            texts.append(draw(st.sampled_from(["*", "*args"])))
        texts.append(name + (f": int = {90 + at}" if at >= defaults else ""))
        if at + 1 == only:
            texts.append("/")
    if "*" not in texts and "*args" not in texts and draw(st.booleans()):
        texts.append("*args")
    if draw(st.booleans()):
        texts.append("**kw")
    return ", ".join(texts)


@st.composite
def calls(draw: st.DrawFn, signature: inspect.Signature) -> list[str]:
    """Calls that fit, each of its arguments said by a number of its own."""
    made: list[str] = []
    for number in range(draw(st.integers(1, 3))):
        names = iter(range(10 * number + 1, 10 * number + 10))
        arguments = [f"v({next(names)})" for _ in range(draw(st.integers(0, 4)))]
        if draw(st.integers(0, 4)) == 0:
            arguments.append(f"*[v({next(names)})]")
        keywords = draw(st.lists(st.sampled_from("abcdz"), unique=True, max_size=3))
        if draw(st.integers(0, 4)) == 0 and keywords:
            key = keywords.pop()
            arguments += [f"{each}=v({next(names)})" for each in keywords]
            spread = draw(st.sampled_from(["**{'%s': v(%d)}", "**dict(%s=v(%d))"]))
            arguments.append(spread % (key, next(names)))
        else:
            arguments += [f"{each}=v({next(names)})" for each in keywords]
        text = ", ".join(arguments)
        try:
            eval(f"bind({text})", {"bind": signature.bind, "v": int})
        except TypeError:
            continue
        made.append(text)
    return made


@st.composite
def cases(draw: st.DrawFn) -> Case:
    parameters = draw(signatures())
    scope: Case = {}
    exec(f"def f({parameters}): ...", scope)
    signature = inspect.signature(scope["f"])
    names = [n for n, p in signature.parameters.items() if p.kind not in (2, 4)]
    asked: Case = {}
    kinds = draw(st.sets(st.sampled_from(KINDS), min_size=1))
    left = list(names)
    if "remove" in kinds:
        left.remove(gone := draw(st.sampled_from(left)))
        asked["remove"] = [gone]
    if "rename" in kinds and left:
        old = draw(st.sampled_from(left))
        left[left.index(old)] = "new"
        asked["rename"] = [f"{old}=new"]
    if "add" in kinds:
        asked["add"] = [draw(st.sampled_from(["t", "t: int = 7"]))]
        if asked["add"] == ["t"] or draw(st.booleans()):
            asked["default_for_callers"] = "8"
    if "only" in kinds and left:
        asked["keyword_only"] = [only := draw(st.sampled_from(left))]
        left.remove(only)
    if "reorder" in kinds:
        after = [n for n in left if _is_positional(signature, n, asked)]
        after += ["t"] if "t" in "".join(asked.get("add", ())) and draw(st.booleans()) else []
        asked["reorder"] = ",".join(draw(st.permutations(after)))
    return {"parameters": parameters, "calls": draw(calls(signature)), "asked": asked}


def _is_positional(signature: inspect.Signature, name: str, asked: Case) -> bool:
    old = name if name != "new" else asked["rename"][0].partition("=")[0]
    return signature.parameters[old].kind < 2


def source(case: Case) -> str:
    lines = [f"LOG.append((f({text}), seen()))" for text in case["calls"]]
    nested = [f"f({text})" for text in case["calls"][:1]]
    lines += [f"LOG.append(({each}, seen()))" for each in nested]
    return "\n".join([f"def f({case['parameters']}):\n    return locals()\n\n", *lines]) + "\n"


def outcome(code: str) -> list[tuple[Case, list[int]]]:
    """What each call binds, and which arguments were evaluated, in which order."""
    evaluated: list[int] = []
    log: list[tuple[Case, list[int]]] = []

    def v(number: int) -> int:
        evaluated.append(number)
        return number

    def seen() -> list[int]:
        now, evaluated[:] = list(evaluated), []
        return now

    exec(code, {"LOG": log, "v": v, "seen": seen})
    return log


def expected(bound: Case, asked: Case) -> Case:
    renames = dict(each.split("=") for each in asked.get("rename", ()))
    after = {renames.get(n, n): v for n, v in bound.items() if n not in asked.get("remove", ())}
    if "add" in asked:
        after["t"] = int(asked.get("default_for_callers", 7))
    return after


def hold(case: Case) -> None:
    text = source(case)
    before = outcome(text)
    with tempfile.TemporaryDirectory() as folder:
        root = tree_of(Path(folder), {"m.py": text})
        try:
            plan = planned(root, "signature", "m.py::f", **case["asked"])
        except AstEditError as error:
            assert error.code in ("bad_signature", "cannot_follow"), error
            event(error.code)
            return
        after = outcome(result(root, plan)["m.py"])
    event("changed")
    gone = set(case["asked"].get("remove", ()))
    for (bound, order), (now, new_order) in zip(before, after, strict=True):
        assert now == expected(bound, case["asked"])
        dropped = {value for name, value in bound.items() if name in gone}
        assert new_order == [each for each in order if each not in dropped]


@given(cases())
@settings(max_examples=3, suppress_health_check=FREE, deadline=None)
def test_each_argument_reaches_its_parameter(case: Case) -> None:
    hold(case)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@given(cases())
@settings(max_examples=1500, suppress_health_check=FREE, deadline=None)
def test_each_argument_reaches_its_parameter_of_many(case: Case) -> None:
    hold(case)
