"""What people see: one block, coloured on a terminal, and nothing hidden in it."""

from __future__ import annotations

import io
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from resolve import AbortError, AbortSignal, PendingAction, Session, ToolError, ToolResult
from resolve.render import render
from resolve.results import error_result
from resolve.visible import hidden, one_line, visible
from tests.support.lists import rows

ROWS = rows(Path(__file__).with_suffix(".txt"))

APPLY = {"action": "apply", "reason": "reviewed"}
DETAILS = {"label": "Batch rename: 3 files", "sourceToolName": "batch_rename"}
RESULT = ToolResult("Renamed 3 files.", details=DETAILS)


def drawn(block: object, terminal: bool) -> str:
    out = io.StringIO()
    Console(file=out, force_terminal=terminal, width=60, color_system="standard").print(block)
    return out.getvalue()


@pytest.mark.parametrize(
    ("params", "outcome", "first"),
    [
        (APPLY, RESULT, "Accept: Batch rename: 3 files [batch_rename]"),
        ({**APPLY, "action": "discard"}, RESULT, "Discard: Batch rename: 3 files [batch_rename]"),
        (APPLY, ToolError("moved"), "Failed: pending action"),
        (
            APPLY,
            ToolResult("no", details=DETAILS, is_error=True),
            "Failed: Batch rename: 3 files [batch_rename]",
        ),
    ],
)
def test_one_block_holds_call_and_result(
    params: dict[str, str], outcome: ToolResult | ToolError, first: str
) -> None:
    text = outcome.text if isinstance(outcome, ToolResult) else str(outcome)
    assert str(render(params, outcome)).splitlines() == [first, "reviewed", text]


def test_what_is_missing_is_named() -> None:
    assert str(render({}, ToolResult())).splitlines() == [
        "Accept: pending action",
        "No reason provided",
    ]
    assert str(render({"reason": " "}, ToolError("x"), "a label")).startswith("Failed: a label")


@pytest.mark.parametrize(
    ("outcome", "action", "colour"),
    [(RESULT, "apply", "32"), (RESULT, "discard", "33"), (ToolError("x"), "apply", "31")],
)
def test_a_terminal_gets_colours(outcome: ToolResult | ToolError, action: str, colour: str) -> None:
    shown = drawn(render({"action": action, "reason": "why"}, outcome), terminal=True)
    assert f"\x1b[{colour}m" in shown
    assert f"\x1b[1;{colour}m" in shown
    assert "╭" in shown


def test_elsewhere_it_is_plain_text() -> None:
    block = render(APPLY, RESULT)
    assert drawn(block, terminal=False) == f"{block}\n"


def test_hostile_text_is_shown_escaped() -> None:
    hostile = "[red]\x1b]0;owned\x07 \u202edel\u2066 \U000e0041"
    params = {"action": "apply", "reason": hostile}
    details = {"label": hostile, "sourceToolName": hostile}
    for terminal in (False, True):
        shown = drawn(render(params, ToolResult(hostile, details=details)), terminal)
        assert shown.count("[red]\\x1b]0;owned\\x07") >= 2
        assert "\u202e" not in shown
        assert "\U000e0041" not in shown
        assert "\x07" not in shown


@pytest.mark.parametrize("code", [*range(9), *range(11, 32), *range(127, 160)])
def test_every_control_character_is_escaped(code: int) -> None:
    assert visible(f"a{chr(code)}b") == f"a\\x{code:02x}b"


@pytest.mark.parametrize(("character", "shown"), ROWS["what steers or hides text is escaped"])
def test_what_steers_or_hides_text_is_escaped(character: str, shown: str) -> None:
    assert visible(f"a{character}b") == f"a{shown}b"
    assert hidden(f"a{character}b") == 1


@pytest.mark.parametrize("text", ["plain", "tab\tand\nnewline", "naïve 日本語 עברית ❤️", "\\x1b"])
def test_ordinary_text_stays(text: str) -> None:
    assert visible(text) == text


def test_no_control_or_format_character_is_left_but_those_that_draw_something() -> None:
    """Arabic, Syriac and Kaithi number marks are of class Cf and quite visible."""
    marks = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD}
    classes = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    everything = map(chr, range(sys.maxunicode + 1))
    left = {c for c in everything if unicodedata.category(c) in classes and visible(c) == c}
    assert left == {"\t", "\n", *map(chr, marks)}


@given(st.text())
def test_showing_twice_shows_the_same(text: str) -> None:
    shown = visible(text)
    assert visible(shown) == shown
    assert hidden(shown) == 0
    assert not set(one_line(text)) & {"\n", "\t"}


def test_labels_and_reasons_are_shown_escaped_by_the_tool(session: Session) -> None:
    session.store.push(PendingAction("evil\x1b[2J\nlabel", apply=lambda reason: None))
    assert session.resolve("apply", "ok").text == "Applied: evil\\x1b[2J\\nlabel."
    session.store.push(PendingAction("x", apply=lambda reason: None))
    discarded = session.resolve("discard", "no\u202e")
    assert discarded.text == "Discarded: x. Reason: no\\u202e"
    assert discarded.details["reason"] == "no\u202e"


def test_a_failure_names_the_action_that_it_is_about() -> None:
    session = Session()
    action = session.stage(handler="of_nobody", payload=1, label="Pay", source_tool_name="pay")
    with pytest.raises(ToolError) as caught:
        session.resolve("apply", "r")
    about = {"label": "Pay", "actionId": action.id, "sourceToolName": "pay"}
    assert caught.value.about == about
    details = error_result(caught.value).details
    assert details is not None and details.items() >= about.items()
    assert str(render({"action": "apply", "reason": "r"}, caught.value)).startswith(
        "Failed: Pay [pay]\nr\n"
    )


def test_an_abort_names_the_action_that_it_is_about() -> None:
    session, signal = Session(), AbortSignal()

    def apply(*_: object) -> None:
        raise AbortError("enough")

    action = session.store.push(PendingAction("Pay", apply=apply))
    with pytest.raises(AbortError) as caught:
        session.resolve("apply", "r", signal=signal)
    assert caught.value.about["actionId"] == action.id
    assert str(render({"action": "apply"}, caught.value)).startswith("Failed: Pay [custom_tool]")
