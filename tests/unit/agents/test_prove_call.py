"""The tool `prove`: only what a person allowed is run, and the answer names the culprits."""

import sys
from pathlib import Path

import pytest

from astedit.agents.calls import Calls, ToolCall
from astedit.programs import allowed
from astedit.staging.open_workspace import OpenWorkspace
from tests.support.lists import rows
from tests.support.project import Project

ROWS = rows(Path(__file__).with_suffix(".txt"))

CHECK = (
    sys.executable,
    "-S",
    "-c",
    "import a; print('FAIL: x (a.x)'); raise SystemExit(a.g(2) != 2)",
)


@pytest.mark.parametrize(("words", "pattern", "fits"), ROWS["patterns are compared word by word"])
def test_patterns_are_compared_word_by_word(words: str, pattern: str, fits: bool) -> None:
    assert allowed(words.split(), [pattern]) is fits


def test_words_are_never_split_or_joined() -> None:
    assert not allowed(["pytest -q"], ["pytest -q"])
    assert allowed(["pytest", "a b"], ["pytest 'a b'"])


def test_without_allowed_commands_there_is_no_such_tool(project: Project) -> None:
    served = OpenWorkspace(str(project.root), None)
    assert "prove" not in Calls(served, resident=False).tools
    assert "prove" in Calls(served, resident=False, commands=["pytest*"]).tools


def test_a_plan_is_proved(project: Project) -> None:
    project.write(a_py="def f(x): return x\n\n\ndef g(x): return f(x)\n")
    calls = Calls(
        OpenWorkspace(str(project.root), None), resident=False, commands=[f"{sys.executable} *"]
    )
    for out, passes in (("f($A + 1)", False), ("f( $A )", True)):
        ops = [{"pat": "return f($A)", "out": f"return {out}"}]
        target = calls("ast_edit", {"ops": ops}, ToolCall()).action_id
        refused = calls("prove", {"target": target, "command": ["rm", "x"]}, ToolCall())
        assert refused.code == "command_not_allowed"
        proved = calls("prove", {"target": target, "command": list(CHECK)}, ToolCall())
        assert proved.data["proven"] is passes
        assert proved.text.startswith("Proven: " if passes else "These edits break it; 0 other")
        assert ("a.py:4  " in proved.text) is not passes
