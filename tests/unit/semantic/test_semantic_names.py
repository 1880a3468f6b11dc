"""`resolvesTo`, however a name was imported; and which file an import means."""

from pathlib import Path

import pytest

from astedit.engine.request import rule_request
from astedit.engine.run.plan import scan_buffer
from astedit.language import named
from astedit.rule import read_rules
from astedit.rule.failure import RuleError
from astedit.semantic import NAMES
from tests.support.lists import rows

ROWS = rows(Path(__file__).with_suffix(".txt"))

RULE = """
id: t
language: python
rule: {pattern: $F($$$A)}
constraints: {F: {resolvesTo: %s}}
"""


def found(source: str, wanted: str = "requests.get") -> list[str]:
    """The texts that a rule about calls of `wanted` finds."""
    row = named("python")
    assert row is not None
    request = rule_request(read_rules((RULE % wanted).encode(), "r.yml"))
    return [one["text"] for one in scan_buffer(request, "a.py", row, source.encode(), NAMES)]


@pytest.mark.parametrize(("source", "call"), ROWS["however it was imported"])
def test_however_it_was_imported(source: str, call: str) -> None:
    assert found(source) == [call]


@pytest.mark.parametrize(("source",), ROWS["no other name"])
def test_no_other_name(source: str) -> None:
    assert found(source) == []


def test_builtin_names_and_lists() -> None:
    source = "import io\nopen(1)\nio.open(2)\nprint(3)\n"
    assert found(source, "[builtins.open, io.open]") == ["open(1)", "io.open(2)"]


def test_the_names_of_the_module_itself() -> None:
    source = "class A:\n    def b(self): ...\ndef f():\n    def g(): ...\n    g(1)\nA(2)\nA.b(3)\n"
    assert found(source, "A") == ["A(2)"]
    assert found(source, "f.g") == ["g(1)"]
    assert found(source, "A.b") == []


@pytest.mark.parametrize("wanted", ["'a b'", "[]", "{a: b}"])
def test_a_malformed_name_is_refused(wanted: str) -> None:
    with pytest.raises(RuleError):
        found("f()\n", wanted)
