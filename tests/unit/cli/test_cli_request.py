"""Flags and JSON to one request; nothing is ignored, nothing is guessed."""

from pathlib import Path
from typing import Any

import pytest

from astedit.cli import request
from astedit.errors import RequestError
from astedit.model.request import EditRequest

FLAGS: dict[str, Any] = {"timeout": None, "jobs": None, "lang": None, "glob": ()}
ASKED = request.call_flags(FLAGS)


def test_the_nth_pattern_goes_with_the_nth_rewrite() -> None:
    call = request.from_flags(["a()", "b()"], ["c()", ""], ASKED, ["src"])
    assert [(op.pat, op.out) for op in call.request.ops] == [("a()", "c()"), ("b()", "")]
    assert call.request == EditRequest(ops=call.request.ops, paths=["src"])


@pytest.mark.parametrize("patterns, rewrites", [([], []), (["a"], []), (["a"], ["b", "c"])])
def test_a_pattern_without_its_rewrite_is_refused(patterns: list[str], rewrites: list[str]) -> None:
    with pytest.raises(RequestError) as caught:
        request.from_flags(patterns, rewrites, ASKED, ["."])
    assert caught.value.hint is not None and "-r" in caught.value.hint


def test_flags_reach_the_request_the_expectation_and_the_call() -> None:
    flags = FLAGS | {
        "lang": "py",
        "glob": ("*.py", "!x"),
        "max_files": 0,
        "expect": 0,
        "expect_files": 3,
        "timeout": 2.5,
        "jobs": 2,
    }
    call = request.from_flags(["a"], ["b"], request.call_flags(flags), ["."])
    assert (call.request.lang, call.request.glob, call.request.max_files) == (
        "py",
        ["*.py", "!x"],
        0,
    )
    assert (call.expect, call.timeout, call.jobs) == ({"replacements": 0, "files": 3}, 2.5, 2)


def test_a_text_is_read_from_a_file_less_its_last_newline(tmp_path: Path) -> None:
    file = tmp_path / "pattern"
    file.write_bytes(b"foo($A)\nbar()\r\n")
    assert request.text_of(f"@{file}") == "foo($A)\nbar()"


def test_a_text_that_names_no_file_is_a_text() -> None:
    assert request.text_of("@Override") == "@Override"


def test_a_file_of_text_is_limited_and_utf8(tmp_path: Path) -> None:
    file = tmp_path / "pattern"
    for content in (b"\xff", b"x" * 65_537):
        file.write_bytes(content)
        with pytest.raises(RequestError):
            request.text_of(f"@{file}")


def from_json(text: str, paths: list[str] | None = None, **flags: Any) -> request.EngineCall:
    return request.from_json(text.encode(), request.call_flags(FLAGS | flags, set(flags)), paths)


def test_json_is_the_request_and_flags_win() -> None:
    text = '{"ops": [{"pat": "a", "out": "b", "allowLoss": true}], "paths": ["x"], "lang": "js",'
    text += ' "maxFiles": 2, "expect": {"files": 1}, "timeout": 3, "jobs": 1}'
    call = from_json(text, lang="py")
    assert (call.request.lang, call.request.max_files, call.request.paths) == ("py", 2, ["x"])
    assert call.request.ops[0].allow_loss is True
    assert (call.expect, call.timeout, call.jobs) == ({"files": 1}, 3, 1)
    assert from_json(text, ["y"]).request.paths == ["y"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"ops": []} x',
        '{"ops": "a"}',
        '{"ops": [{"pat": "a", "out": "b"}], "ops": []}',
        '{"ops": [{"pat": "a", "out": "b", "oops": 1}]}',
        '{"ops": [{"pat": 1, "out": "b"}]}',
        '{"ops": [{"pat": "a", "out": "b"}], "fixpoint": "2"}',
        '{"ops": [{"pat": "a", "out": "b"}], "timeout": NaN}',
        '{"ops": [{"pat": "a", "out": "b"}], "timeout": true}',
        '{"ops": [{"pat": "a", "out": "b"}], "timeout": 0}',
        '{"ops": [{"pat": "a", "out": "b"}], "jobs": 1.5}',
        '{"ops": [{"pat": "a", "out": "b"}], "expect": {"file": 1}}',
        '{"ops": [{"pat": "a", "out": "b"}], "expect": {"files": true}}',
        '{"ops": [{"pat": "\\ud800", "out": "b"}]}',
        "[" * 100_000,
    ],
)
def test_json_that_is_no_request_is_refused(text: str) -> None:
    with pytest.raises(RequestError):
        from_json(text)
