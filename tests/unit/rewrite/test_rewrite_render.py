"""Code that moves keeps its meaning: Python itself says whether it does."""

import ast
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.engine_edit import edited

LEAVES = st.sampled_from(
    ["1", "x.y", '"a"', '"""a\n  b\n\n c"""', "'''\n\t\n'''", 'f"""{x}\n    {y}"""', 'b"a\\\n  b"']
)
GAPS = st.sampled_from([" ", "\n", "\n    ", "\n            ", "  # c\n", "\n\n\n", "\n\t"])


@st.composite
def expressions(draw: st.DrawFn, depth: int = 2) -> str:
    """An expression over several lines, with literals, comments and blank lines."""
    if not depth:
        return draw(LEAVES)
    shape = draw(st.sampled_from(["{}", "run({})", "[{}]", "g({})"]))
    if shape == "{}":
        return draw(LEAVES)
    parts = draw(st.lists(expressions(depth=depth - 1), min_size=1, max_size=3))
    if shape == "run({})":
        parts = parts[:1]
    inner = "".join(draw(GAPS) + part + ("," if len(parts) > 1 else "") for part in parts)
    return shape.format(inner + draw(GAPS))


@st.composite
def programs(draw: st.DrawFn) -> str:
    """A function with a call of `run` in it, indented by any unit, with either newline."""
    unit = draw(st.sampled_from(["  ", "    ", "\t", "   "]))
    head = draw(st.sampled_from(["def f():\n", "class A:\n{u}def f(self):\n"])).format(u=unit)
    level = unit * (2 if "class" in head else 1)
    text = f"{head}{level}run({draw(expressions())})\n{level}return 1\n"
    return text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))


def runs(text: str) -> list[str]:
    """Every argument of `run`, as Python understands it, whatever `run` is called now."""
    tree = ast.parse(text.replace("wrapped", "run"))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    named = [node for node in calls if isinstance(node.func, ast.Name) and node.func.id == "run"]
    return sorted(ast.dump(node.args[0]) for node in named)


@settings(max_examples=60, deadline=None)
@given(programs())
def test_a_statement_moves_into_blocks(text: str) -> None:
    pattern = "run($$$A)"
    after, outcome = edited("python", text, (pattern, "with y:\n    if z:\n        wrapped($$$A)"))
    if outcome.blocked:  # an inner `run` is no statement, so it cannot become one
        assert text.count("run(") > 1, text
        return
    assert runs(after) == runs(text), after
    assert set(re.findall(r"\r?\n", after)) == set(re.findall(r"\r?\n", text))


@settings(max_examples=60, deadline=None)
@given(programs())
def test_nested_calls_are_wrapped_each(text: str) -> None:
    after, outcome = edited("python", text, ("run($$$A)", "wrapped(\n    $$$A,\n)"))
    assert not outcome.blocked, text
    assert runs(after) == runs(text), after
    assert after.count("wrapped(") == text.count("run(")
    padded = [line for line in after.splitlines() if line.isspace()]
    assert padded == [line for line in text.splitlines() if line.isspace()]
