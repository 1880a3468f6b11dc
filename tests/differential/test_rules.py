"""Rules on small texts: what each finds and makes, by our reading and by `ast-grep scan`.

Every case is named after the id of the specification that it is an example of. Those in
`rule_cases.yml` and `transform_cases.yml` are rule files without their first two keys.
"""

from pathlib import Path
from typing import Any

import pytest
import yaml

from astedit.errors import AstEditError
from astedit.language import load
from astedit.rule import compile_document, compile_globals, read_rules, read_utilities
from tests.support.cases import tree
from tests.support.differential.rules import described, document, ours, scan, theirs
from tests.support.differential.transforms import ours as our_texts
from tests.support.differential.transforms import theirs as their_texts
from tests.support.lists import rows

ROWS = rows(Path(__file__).with_suffix(".txt"))

Case = dict[str, Any]


def cases(name: str) -> list[Case]:
    return list(yaml.safe_load_all(Path(__file__).with_name(f"{name}_cases.yml").read_text()))


@pytest.mark.parametrize("case", cases("rule"), ids=lambda case: case["id"])
def test_both_find_the_same(tmp_path: Path, case: Case) -> None:
    question = case["language"], case["rule"], case["source"].encode()
    found = ours(*question)
    assert found == theirs(tmp_path, *question)
    assert found == case["found"]


@pytest.mark.parametrize("case", cases("transform"), ids=lambda case: case["id"])
def test_both_make_the_same(tmp_path: Path, case: Case) -> None:
    question = case["rule"], case["source"].encode()
    made = our_texts(*question)
    assert made == their_texts(tmp_path, *question)
    assert made == case["made"]


REFUSED = ROWS["refused"]  # fmt: skip

ACCEPTED = ROWS["accepted"]

POSITIONS = {
    "12n + 2": [2, 14], "-2n + 5": [1, 3, 5], "-12n - 21": [], "0n + 5": [5], "-2": [],
    "2   n": [2, 4, 6, 8, 10, 12, 14],
}  # fmt: skip


@pytest.mark.parametrize(
    ("id", "text"), REFUSED, ids=[f"{row[0]}-{at}" for at, row in enumerate(REFUSED)]
)
def test_both_refuse(tmp_path: Path, id: str, text: str) -> None:
    with pytest.raises(AstEditError):
        ours("javascript", text, b"f(1)")
    assert scan(tmp_path, "javascript", text, b"f(1)").returncode not in (0, 1)


@pytest.mark.parametrize(
    ("id", "text"), ACCEPTED, ids=[f"{row[0]}-{at}" for at, row in enumerate(ACCEPTED)]
)
def test_names_that_are_defined_somewhere_are_defined(tmp_path: Path, id: str, text: str) -> None:
    ours("javascript", text, b"f(1)")
    assert scan(tmp_path, "javascript", text, b"f(1)").returncode == 0


@pytest.mark.parametrize(("position", "places"), POSITIONS.items())
def test_a4_both_read_positions(tmp_path: Path, position: str, places: list[int]) -> None:
    text = f"rule: {{kind: number, nthChild: '{position}'}}"
    source = f"[{', '.join(map(str, range(1, 15)))}]".encode()
    assert ours("javascript", text, source) == list(map(str, places))
    assert theirs(tmp_path, "javascript", text, source) == list(map(str, places))


GLOBAL = tree("differential-rules")["utils.yml"]
CALLS = ROWS["calls"]


@pytest.mark.parametrize(
    ("text", "source", "expected"), [row[1:] for row in CALLS], ids=[row[0] for row in CALLS]
)
def test_u3_both_call_utilities_with_arguments(
    tmp_path: Path, text: str, source: str, expected: list[str]
) -> None:
    rule = read_rules(document("javascript", text).encode())[0]
    row = rule.languages[0]
    known = compile_globals(read_utilities(GLOBAL.encode()), row)
    tree = load(row).parser().parse(source.encode())
    found = []
    for match in compile_document(rule, row, known).find(tree.root_node, source.encode()):
        held = {name: (n.start_byte, n.end_byte) for name, n in match.single.items()}
        span = match.node.start_byte, match.node.end_byte
        found.append(described(source.encode(), span, held))
    assert found == expected
    assert found == _with_project(tmp_path, text, source)


def _with_project(folder: Path, text: str, source: str) -> list[str]:
    """By `ast-grep scan` in a project that has the utilities."""
    for name, content in (
        ("sgconfig.yml", "ruleDirs: [rules]\nutilDirs: [utils]"),
        ("rules/a.yml", document("javascript", text)),
        *((f"utils/{at}.yml", one) for at, one in enumerate(GLOBAL.split("---"))),
    ):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(content)
    return theirs(folder, "javascript", None, source.encode())
