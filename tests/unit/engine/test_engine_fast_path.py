"""The fast path is taken: counts of files and bytes, and of processes; never a time."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from astedit.engine.request import request_of
from astedit.engine.run.plan import compute
from astedit.engine.run_context import Start
from astedit.limits import INLINE_SIZE
from astedit.model.plan import Plan
from astedit.workspace.root import Workspace
from tests.support.forked_workers import children

FILES = 50
HITS = 3


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Python files of which a few call `rare`, one only speaks of it, and other languages."""
    for number in range(FILES):
        body = "rare(1)\n" if number < HITS else "common(1)\n"
        (tmp_path / f"m{number:02}.py").write_text(f"import os\n{body}")
    (tmp_path / "text.py").write_text("x = 'a rare(1) word'\n")
    (tmp_path / "a.js").write_text("rare(1)\n")
    (tmp_path / "notes.rst").write_text("rare(1)\n")
    return tmp_path


def planned(
    root: Path, fields: Mapping[str, Any], *, inline: bool = True, jobs: int = 2
) -> tuple[Plan, int]:
    """The plan, and how many worker processes were alive at its end."""
    request = request_of({"ops": [], **fields})
    before = children()
    with (
        Workspace(root) as workspace,
        Start(request, workspace, jobs=jobs, inline=inline, names="") as start,
    ):
        plan, _ = compute(request, workspace, start)
        return plan, len(children() - before)


def op(pat: str, out: str = "x", **more: Any) -> dict[str, Any]:
    return {"ops": [{"pat": pat, "out": out}], "lang": "python", **more}


def size(root: Path, pattern: str = "*.py") -> int:
    return sum(path.stat().st_size for path in root.glob(pattern))


def test_every_byte_is_read_once_and_only_what_may_match_is_parsed(tree: Path) -> None:
    plan, workers = planned(tree, op("rare($A)"))
    assert plan.total_replacements == HITS
    assert (plan.stats.read, plan.stats.bytes_read) == (FILES + 1, size(tree))
    assert plan.stats.parsed == HITS + 1  # and the one that speaks of it
    assert workers == 0


@pytest.mark.parametrize("inline", [True, False])
def test_where_nothing_can_match_nothing_is_parsed(tree: Path, inline: bool) -> None:
    plan, _ = planned(tree, op("nowhere($A)"), inline=inline)
    assert plan.stats.read == FILES + 1
    assert plan.stats.parsed == 0


def test_a_named_file_is_all_that_is_read(tree: Path) -> None:
    plan, workers = planned(tree, op("rare($A)", paths=["m00.py"]))
    assert (plan.stats.discovered, plan.stats.read, plan.stats.parsed) == (1, 1, 1)
    assert plan.stats.bytes_read == (tree / "m00.py").stat().st_size
    assert workers == 0


def test_a_glob_keeps_files_from_being_read(tree: Path) -> None:
    plan, _ = planned(tree, op("rare($A)", glob=["m0*.py"]))
    assert (plan.stats.read, plan.stats.parsed) == (10, HITS)


def test_files_of_another_language_are_not_read(tree: Path) -> None:
    plan, _ = planned(tree, {"ops": [{"pat": "rare($A)", "out": "x", "lang": "js"}]})
    assert (plan.stats.read, plan.stats.parsed) == (1, 1)


def test_a_name_amid_letters_is_not_parsed_for(tree: Path) -> None:
    for name, text in (("x", "rarely(1)"), ("y", "very_rare(1)"), ("z", "rare2(1)")):
        (tree / f"{name}.py").write_text(f"{text}\n")
    plan, _ = planned(tree, op("rare($A)"))
    assert (plan.total_replacements, plan.stats.parsed) == (HITS, HITS + 1)
    (tree / "x.py").write_text("very_rare(rare(1))\n")
    plan, _ = planned(tree, op("rare($A)"))
    assert (plan.total_replacements, plan.stats.parsed) == (HITS + 1, HITS + 2)


@pytest.mark.parametrize(
    "fields",
    [
        op("os.rare($A)"),
        {
            "rules": [
                {"id": "r", "language": "python", "rule": {"pattern": "os.rare($A)"}, "fix": "x"}
            ]
        },
    ],
    ids=["op", "rule"],
)
def test_names_that_no_dot_joins_are_not_parsed(tree: Path, fields: dict[str, Any]) -> None:
    (tree / "apart.py").write_text("os(rare(1))\nself.os.rare(1)\n")
    assert planned(tree, fields)[0].stats.parsed == 0
    (tree / "joined.py").write_text("x = [os . rare(1)]\n")
    plan = planned(tree, fields)[0]
    assert (plan.total_replacements, plan.stats.parsed) == (1, 1)


def test_a_pattern_without_a_literal_has_everything_parsed(tree: Path) -> None:
    plan, _ = planned(tree, op("$A = $B", "$A = $B"))
    assert plan.stats.parsed == plan.stats.read == FILES + 1


@pytest.mark.parametrize("keyword", ["lambda $A: $B", "kind: lambda", "kind: with_statement"])
def test_what_has_no_keyword_of_the_pattern_is_not_parsed(tree: Path, keyword: str) -> None:
    _, is_rule, kind = keyword.rpartition("kind: ")
    rule = {"id": "r", "language": "python", "rule": {"kind": kind}, "fix": "x"}
    fields = {"rules": [rule]} if is_rule else op(keyword, "x")
    (tree / "amid.py").write_text("lambdas = a_lambda + without + with_\n")
    assert planned(tree, fields)[0].stats.parsed == 0
    (tree / "one.py").write_text("f(lambda a: b)\nwith a: b\n")
    plan, _ = planned(tree, fields)
    assert (plan.total_replacements, plan.stats.parsed) == (1, 1)


WALRUS = {"id": "r", "language": "python", "rule": {"kind": "named_expression"}, "fix": "x"}


@pytest.mark.parametrize(
    "fields", [op("$A == $B", "x"), {"rules": [WALRUS]}], ids=["pattern", "kind"]
)
def test_what_has_no_sign_of_the_pattern_is_not_parsed(tree: Path, fields: dict[str, Any]) -> None:
    assert planned(tree, fields)[0].stats.parsed == 0
    (tree / "one.py").write_text("f(a := b == c)\n")
    plan, _ = planned(tree, fields)
    assert (plan.total_replacements, plan.stats.parsed) == (1, 1)


RULES: Sequence[tuple[dict[str, Any], int]] = [
    ({"pattern": "rare($A)"}, HITS + 1),
    ({"all": [{"pattern": "rare($A)"}, {"pattern": "nowhere($B)"}]}, 0),
    ({"any": [{"pattern": "rare($A)"}, {"pattern": "nowhere($A)"}]}, HITS + 1),
    ({"any": [{"pattern": "rare($A)"}, {"pattern": "common($A)"}]}, FILES + 1),
    ({"pattern": "rare($A)", "not": {"pattern": "nowhere($A)"}}, HITS + 1),
    ({"kind": "call", "has": {"pattern": "nowhere", "stopBy": "end"}}, 0),
    ({"kind": "call", "inside": {"kind": "lambda", "stopBy": "end"}}, 0),
    ({"kind": "identifier", "regex": "(?i)^RARE$"}, HITS + 1),
]


@pytest.mark.parametrize(("rule", "parsed"), RULES)
def test_a_whole_rule_says_what_need_not_be_parsed(
    tree: Path, rule: dict[str, Any], parsed: int
) -> None:
    document = {"id": "r", "language": "python", "rule": rule, "fix": "x"}
    plan, _ = planned(tree, {"rules": [document]})
    assert plan.stats.read == FILES + 1
    assert plan.stats.parsed == parsed


def test_two_ops_are_one_reading_and_one_tree(tree: Path) -> None:
    ops = [{"pat": "rare($A)", "out": "x"}, {"pat": "common($A)", "out": "y"}]
    plan, _ = planned(tree, {"ops": ops, "lang": "python"})
    assert plan.stats.bytes_read == size(tree)
    assert plan.stats.parsed == FILES + 1  # each once, whichever op it is for


def test_a_small_run_starts_no_worker_however_many_it_may(tree: Path) -> None:
    for pat in ("rare($A)", "nowhere($A)", "$A = $B"):
        assert planned(tree, op(pat), jobs=8)[1] == 0


def test_a_long_lived_host_parses_in_a_worker(tree: Path) -> None:
    plan, workers = planned(tree, op("rare($A)"), inline=False)
    assert plan.stats.parsed == HITS + 1
    assert workers >= 1


def test_a_large_file_is_parsed_in_a_worker_and_passed_over_without_one(tree: Path) -> None:
    (tree / "large.py").write_text("rare(1)\n" + "a = [b, c]\n" * (INLINE_SIZE // 10))
    assert planned(tree, op("rare($A)"))[1] == 1
    plan, _ = planned(tree, op("nowhere($A)"))
    assert plan.stats.parsed == 0


def test_one_job_is_one_process_and_a_large_run_takes_what_it_may(tree: Path) -> None:
    for number in range(10):  # large by their bytes, which is what is counted
        (tree / f"more{number}.py").write_text("common(1)\n# " + "x" * 66_000)
    assert planned(tree, op("common($A)"), jobs=3)[1] == 2
    assert planned(tree, op("common($A)"), inline=False, jobs=1)[1] == 1
    assert planned(tree, op("common($A)"), jobs=1)[1] == 0


def test_nothing_is_opened_that_is_not_asked_for(tree: Path) -> None:
    """A named pipe and an unreadable file beside the asked-for one do no harm."""
    os.mkfifo(tree / "pipe.py")
    plan, _ = planned(tree, op("rare($A)", paths=["m00.py"]))
    assert plan.total_replacements == 1
    assert not plan.skipped
