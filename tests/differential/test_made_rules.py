"""Rules made by chance: both programs find the same, with the same captures and texts."""

import json
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import pytest

from astedit.engine.request import rule_request
from astedit.engine.run.plan import scan_buffer
from astedit.language import named
from astedit.rule import read_rules
from tests.support.differential.rule_maker import SOURCE, Maker

AST_GREP = Path(sysconfig.get_path("scripts")) / "ast-grep"
pytestmark = pytest.mark.skipif(not AST_GREP.exists(), reason="ast-grep-cli is not installed")
_RULES = 150  # of one seed
SEEDS = [*range(3), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(3, 40))]


@pytest.mark.parametrize("seed", SEEDS)
def test_rules_made_by_chance_find_the_same(tmp_path: Path, seed: int) -> None:
    maker = Maker(seed)
    documents = [maker.document(f"r{at}") for at in range(_RULES)]
    text = "\n---\n".join(map(json.dumps, documents))
    theirs, ours = _theirs(tmp_path, text), _ours(text)
    assert len(theirs) > 20
    for document in documents:
        id = document["id"]
        expected = [one for one in theirs if one[0] == id]
        assert [one for one in ours if one[0] == id] == expected, json.dumps(document)


def _theirs(folder: Path, text: str) -> list[tuple[Any, ...]]:
    (folder / "rules.yml").write_text(text)
    (folder / "a.js").write_text(SOURCE)
    command = [str(AST_GREP), "scan", "-r", "rules.yml", "--json=compact", "a.js"]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=True)
    return sorted(map(_told, json.loads(done.stdout)))


def _ours(text: str) -> list[tuple[Any, ...]]:
    row = named("js")
    assert row is not None
    request = rule_request(read_rules(text.encode()))
    return sorted(map(_told, scan_buffer(request, "a.js", row, SOURCE.encode())))


def _told(found: dict[str, Any]) -> tuple[Any, ...]:
    """What a finding says: its rule, place, captures, transforms and message."""
    held = found.get("metaVariables") or {"single": {}, "multi": {}}
    single = sorted((name, one["text"]) for name, one in held["single"].items())
    multi = sorted(
        (name, [one["text"] for one in many]) for name, many in held["multi"].items() if many
    )
    place = found["range"]["byteOffset"]
    made = sorted((held.get("transformed") or {}).items())
    return found["ruleId"], place["start"], place["end"], single, multi, made, found["message"]
