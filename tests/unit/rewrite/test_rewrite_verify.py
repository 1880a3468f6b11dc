"""What a rewrite may change in the tree, and what blocks it: one row an input. (rule F12)"""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from astedit.language import load, named
from astedit.language.traits import traits
from astedit.rewrite.prove.verify import Put, Verification, count_flaws
from astedit.text.indent import Text
from astedit.text.source import Lines
from tests.support.engine_edit import edited
from tests.support.lists import rows

TABLES = rows(Path(__file__).with_suffix(".txt"))

STRUCTURE, SYNTAX = "changes_structure", "breaks_syntax"
ROWS = [(*row, verdict or None) for *row, verdict in TABLES["verdicts"]]
# nothing is where its last byte is
ROWS.append(("python", "x = 1\nf(1)", "lambda: x\n", None))


BRACKETED = TABLES["bracketed"]


def pattern(language: str, text: str) -> str:
    if text.startswith("function"):
        return "function f($A) {}"
    return "f $A" if language == "bash" else "f($A)"


@pytest.mark.parametrize(("language", "text", "out", "reason"), ROWS)
def test_row(language: str, text: str, out: str, reason: str | None) -> None:
    after, data = edited(language, text, (pattern(language, text), out))
    assert {each.reason for each in data.blocked} == ({reason} if reason else set()), after
    assert (after == text) == (reason is not None)


@pytest.mark.parametrize(("language", "text", "out", "expected"), BRACKETED)
def test_the_least_brackets_that_help(language: str, text: str, out: str, expected: str) -> None:
    after, data = edited(language, text, (pattern(language, text), out))
    assert (after, data.blocked) == (expected, ())


def test_one_bad_edit_of_many_costs_itself() -> None:
    lines = [f"f({i});\n" for i in range(40)]
    lines[7], lines[31] = "if (a) f(7);\n", "if (f(31)) g();\n"
    after, data = edited("javascript", "".join(lines), ("f($A)", "g($A); h()"))
    assert after.count("; h();") == 38
    assert [(b.span.line, b.reason, b.text) for b in data.blocked] == [
        (8, STRUCTURE, b"f(7)"),
        (32, SYNTAX, b"f(31)"),
    ]
    assert data.blocked[0].detail == (
        "`g(7); h()` does not stay whole: "
        "reads as `if (a) g(7); h();`, meant is `if (a) (g(7); h());`"
    )


def test_brackets_do_not_hide_what_surroundings_decide() -> None:
    text = "async def g():\n    x = f(await a)\n    y = f(b)\n"
    after, data = edited("python", text, ("f($A)", "(lambda k: $A).c"))
    assert after == text.replace("f(b)", "(lambda k: b).c")
    assert [b.text for b in data.blocked] == [b"f(await a)"]


def test_what_is_wrong_with_the_syntax_is_said() -> None:
    after, data = edited("javascript", "f(1);\nf(2);\n", ("f(1)", "g(("), ("f(2)", "h()"))
    assert after == "f(1);\nh();\n"
    (blocked,) = data.blocked
    assert (blocked.reason, blocked.text) == (SYNTAX, b"f(1)")
    assert "`g((;`" in (blocked.detail or "")


def test_the_counts_of_flaws_include_a_hidden_leaf() -> None:
    row = named("python")
    assert row is not None
    parser = load(row).parser()
    assert count_flaws(parser.parse(b"warn(x)level=2\n").root_node) == 1
    assert count_flaws(parser.parse(b"warn(x)\nlevel=2\n").root_node) == 0


@pytest.mark.parametrize(("text", "after"), TABLES["ends of nodes"])
def test_what_a_node_begins_or_ends_with_may_go(text: str, after: str) -> None:
    found, data = edited("python", text, ("f($A)", "g($A)"), ("drop($A)", ""))
    assert (found, data.blocked) == (after, ())


TOKENS = st.lists(
    st.sampled_from(["f(1)", "(", ")", "+", "*", ";", "\n", "a", "[", "]", ",", "=", "{", "}"])
).map(" ".join)


@settings(max_examples=150, deadline=None)
@given(before=TOKENS, new=TOKENS, after=TOKENS)
def test_what_passes_parses_no_worse_than_before(before: str, new: str, after: str) -> None:
    row = named("javascript")
    assert row is not None
    grammar = load(row)
    source = f"{before} f(0) {after}".encode()
    start = len(before) + 1
    tree = grammar.parser().parse(source)
    flaws = count_flaws(tree.root_node)
    args = (grammar, traits("javascript"), tree, source, Lines(source))
    verdict = Verification(*args, [Put(start, start + 4, Text(new.encode()))]).fault([0])
    afresh = count_flaws(grammar.parser().parse(f"{before} {new} {after}".encode()).root_node)
    assert (verdict and verdict.reason) == SYNTAX or afresh <= flaws


def test_what_lacks_its_end_is_shown_where_the_edit_is() -> None:
    _, data = edited("python", 'a = 1\nwarn("x")\n', ("warn($A)", "warn($A)level=2"))
    details = [blocked.detail for blocked in data.blocked]
    assert details == ['a module does not end so: `warn("x")level=2`']
