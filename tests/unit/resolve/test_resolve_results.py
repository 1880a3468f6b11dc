"""Results: text and content follow from each other, and any answer becomes a result."""

from __future__ import annotations

import pytest

from resolve import ToolError, ToolResult
from resolve.results import as_result, error_result


def test_text_becomes_content_and_content_text() -> None:
    assert ToolResult("a").content == [{"type": "text", "text": "a"}]
    image = {"type": "image", "data": "…"}
    blocks = [{"type": "text", "text": "a"}, image, {"type": "text", "text": "b"}]
    assert ToolResult(content=blocks).text == "a\nb"
    assert ToolResult("c", content=[image]).content == [image]


def test_json_is_in_camel_case() -> None:
    assert ToolResult("a", details={"n": 1}, is_error=True).to_json() == {
        "text": "a",
        "content": [{"type": "text", "text": "a"}],
        "details": {"n": 1},
        "isError": True,
    }


@pytest.mark.parametrize(
    ("answer", "text"),
    [(None, "Applied."), ("done", "done"), ("", "Applied."), (0, "0"), ([], "[]")],
)
def test_any_answer_of_a_callback_is_a_result_with_a_text(answer: object, text: str) -> None:
    assert as_result(answer, "Applied.").text == text


def test_a_result_without_a_text_gets_one_and_keeps_the_rest() -> None:
    assert as_result(ToolResult("a"), "b") == ToolResult("a")
    bare = as_result(ToolResult(details={"n": 1}, is_error=True), "b")
    assert (bare.text, bare.details, bare.is_error) == ("b", {"n": 1}, True)


def test_an_expected_failure_shows_its_hint_and_its_code() -> None:
    result = error_result(ToolError("No.", code="stale", hint="Preview again."))
    assert result.text == "No.\nPreview again."
    assert (result.details, result.is_error) == ({"code": "stale"}, True)
    assert error_result(ToolError("No.")).text == "No."
