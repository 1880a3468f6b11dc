"""Rules on a small text: the plan, the text with all fixes made, and the findings."""

from typing import Any

from astedit.engine.request import request_of
from astedit.engine.run.plan import plan_buffer, scan_buffer
from astedit.language import named
from astedit.model.plan import Plan
from astedit.model.request import EditRequest

HEAD = "id: r\nlanguage: {}\n"


def request(rules: str, language: str = "js", **fields: Any) -> EditRequest:
    text = rules if rules.startswith("id:") else HEAD.format(language) + rules
    return request_of({"ops": [], **fields}, rules=text)


def plan(rules: str, source: str, language: str = "js", **fields: Any) -> Plan:
    row = named(language)
    assert row is not None
    return plan_buffer(request(rules, language, **fields), "a", row, source.encode())


def fixed(rules: str, source: str, language: str = "js", **fields: Any) -> str:
    """The source with all fixes made."""
    text = source.encode()
    for file in plan(rules, source, language, **fields).files:
        for edit in reversed(file.edits):
            text = text[: edit.start] + edit.new + text[edit.end :]
    return text.decode()


def found(rules: str, source: str, language: str = "js", **fields: Any) -> list[dict[str, Any]]:
    row = named(language)
    assert row is not None
    return scan_buffer(request(rules, language, **fields), "a", row, source.encode())


F = "rule: {pattern: f($A)}\n"
