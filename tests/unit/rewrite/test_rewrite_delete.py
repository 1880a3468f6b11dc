"""Deletions leave nothing behind: lists and blocks of every shape, any of their items gone."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tree_sitter import Node

from astedit.language import load, named
from tests.support.engine_edit import edited

RELAXED = settings(max_examples=60, deadline=None)
SPACE = st.sampled_from(["", " ", "\n", "\n  ", "  ", "\n\n\t"])
COMMENTS = {"javascript": ["/* c */", "// d\n"], "python": ["# c\n"]}


@st.composite
def trivia(draw: st.DrawFn, language: str) -> str:
    """White space, perhaps with comments."""
    parts = [draw(SPACE)]
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 2]))):
        parts += [draw(st.sampled_from(COMMENTS[language])), draw(SPACE)]
    return "".join(parts)


@st.composite
def lists(draw: st.DrawFn, language: str) -> tuple[str, list[str]]:
    """A list or call with items of which some are to go, and what is to stay."""
    items = draw(st.lists(st.sampled_from(["a", "b(1)", "gone(1)", "gone(2)"]), max_size=6))
    text = draw(st.sampled_from(["[", "f("]))
    for index, item in enumerate(items):
        text += draw(trivia(language)) + item + draw(trivia(language))
        if index + 1 < len(items) or draw(st.booleans()):
            text += ","
    text += draw(trivia(language)) + ("]" if text.startswith("[") else ")")
    return f"x = {text}\n", [item for item in items if not item.startswith("gone")]


def nodes(language: str, source: str) -> list[Node]:
    row = named(language)
    assert row is not None
    stack, found = [load(row).parser().parse(source.encode()).root_node], []
    while stack:
        found.append(node := stack.pop())
        stack.extend(reversed(node.children))
    return found


def texts(found: list[Node], *kinds: str) -> list[str]:
    return [(node.text or b"").decode().strip() for node in found if node.type in kinds]


@pytest.mark.parametrize("language", ["javascript", "python"])
@RELAXED
@given(data=st.data())
def test_the_other_items_and_all_comments_stay(language: str, data: st.DataObject) -> None:
    text, staying = data.draw(lists(language))
    after, outcome = edited(language, text, ("gone($A)", ""))
    before, found = nodes(language, text), nodes(language, after)
    assert not outcome.blocked, (text, after)
    assert not any(node.is_error or node.is_missing for node in found), (text, after)
    assert texts(found, "comment") == texts(before, "comment"), (text, after)
    container = next(n for n in found if n.type in ("array", "arguments", "list", "argument_list"))
    items = [(n.text or b"").decode() for n in container.named_children if not n.is_extra]
    assert items == staying, (text, after)
    commas = sum(child.type == "," for child in container.children)
    assert commas in (len(staying) - 1, len(staying)) if staying else commas == 0, (text, after)


@st.composite
def blocks(draw: st.DrawFn) -> tuple[str, list[str]]:
    """A Python block of statements, some to go, several on a line, with comments and blanks."""
    lines, staying = ["if x:"], ["keep(0)"]
    lines.append("    keep(0)")
    for _ in range(draw(st.integers(0, 5))):
        row = draw(st.lists(st.sampled_from(["keep(1)", "gone(1)"]), min_size=1, max_size=3))
        tail = draw(st.sampled_from(["", "", "  # c", "# c", ";", " ; "]))
        lines.append("    " + draw(st.sampled_from(["; ", ";", " ;  "])).join(row) + tail)
        lines += draw(st.sampled_from([[], [], [""], ["    # own line"]]))
        staying += [one for one in row if one == "keep(1)"]
    draw(st.randoms(use_true_random=False)).shuffle(order := list(range(2, len(lines))))
    return "\n".join(lines[:2] + [lines[i] for i in order]) + "\n", sorted(staying)


@RELAXED
@given(blocks())
def test_the_other_statements_stay(case: tuple[str, list[str]]) -> None:
    text, staying = case
    after, outcome = edited("python", text, ("gone($A)", ""))
    before, found = nodes("python", text), nodes("python", after)
    assert not outcome.blocked, (text, after)
    assert sorted(texts(found, "call")) == staying, (text, after)
    assert texts(found, "comment") == texts(before, "comment"), (text, after)
    assert not any(node.is_error or node.is_missing for node in found), (text, after)
    assert not [line for line in after.split("\n") if line and not line.strip()], (text, after)
