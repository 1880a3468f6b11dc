"""The packs that come with astedit: what is left of code whose flag has one value."""

import re
from pathlib import Path

import pytest

from astedit.engine.cascade.compiled import CompiledRules
from astedit.engine.cascade.graph import expanded, read_shipped
from astedit.interface.functions import ast_edit
from astedit.language import for_path
from astedit.model.request import EditRequest
from astedit.packs import shipped
from astedit.rule import read_rules
from astedit.semantic import NAMES
from tests.support.lists import rows

ROWS = rows(Path(__file__).with_suffix(".txt"))

CASES = sorted((Path(__file__).parents[4] / "fixtures" / "cascade").glob("*.txt"))
SEED = """
id: seed
language: {language}
rule: {{pattern: flag()}}
fix: '{value}'
then: [{{use: clean/{pack}, in: parent}}]
"""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_a_flag_leaves_no_trace(case: Path, tmp_path: Path) -> None:
    head, name, before, _, after = re.split(r"(?m)^-- (\S+)(?: \(after\))? --\n", case.read_text())
    (tmp_path / name).write_text(before)
    row = for_path(name)
    assert row is not None
    value = head.rpartition("flag: ")[2].strip()
    rules = SEED.format(language=row.name, value=value, pack=case.stem.partition("-")[0])
    plan = ast_edit(rules=rules, root=tmp_path, no_near=True)
    made = before.encode()
    for start, end, new in reversed(plan.files[0].changes):
        made = made[:start] + new + made[end:]
    assert made.decode() == after
    assert not plan.blocked


@pytest.mark.parametrize(("code", "after"), ROWS["what it does must still be done"])
def test_what_has_a_side_effect_stays(code: str, after: str, tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text(f"g({code});\n")
    rules = SEED.format(language="javascript", value="false", pack="javascript/booleans")
    ((start, end, new),) = ast_edit(rules=rules, root=tmp_path, no_near=True).files[0].changes
    text = f"g({code});\n".encode()
    assert (text[:start] + new + text[end:]).decode() == f"g({after});\n"


def test_every_shipped_rule_compiles() -> None:
    """Nobody asks again when they are called."""
    params = {"NAME": "a_name", "VALUE": "true", "CAPITAL": "True"}
    names = shipped.names()
    shipped_rules = [rule for name in names for _, some in read_shipped(name) for rule in some]
    rules = expanded(shipped_rules, params)
    compiled = CompiledRules(EditRequest([], rules=rules), NAMES)
    for at in range(len(rules)):
        compiled.check(at)
    assert len(compiled._compiled) > 300


def test_every_shipped_rule_only_waits_to_be_called() -> None:
    names = [name for name in shipped.names() if name.startswith("clean/")]
    assert len(names) == 42
    for name in names:
        for _, path in shipped.files(name):
            rules = read_rules(Path(path).read_bytes(), path)
            assert rules and all(rule.content["when"] == "triggered" for rule in rules), path


@pytest.mark.parametrize("name", ["../clean", "clean/../../x", "clean/nothing", "/etc", ""])
def test_a_name_leads_nowhere_else(name: str) -> None:
    assert shipped.files(name) == []
