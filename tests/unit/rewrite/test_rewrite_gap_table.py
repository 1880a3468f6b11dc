"""The table of gaps: without one of its rows, the fixture of that name comes out otherwise."""

from pathlib import Path

import pytest

from astedit.rewrite.lay import gap_table
from astedit.text.source import splice
from tests.support.cases import all_cases
from tests.support.engine_edit import plan_of

CASES = {case.name: case for case in all_cases()}


@pytest.mark.parametrize(
    ("table", "row"),
    [
        pytest.param(table, row, id=f"{table}-{row.fixture}")
        for table in ("LEFT", "RIGHT", "NOTHING")
        for row in getattr(gap_table, table)
    ],
)
def test_each_row_decides(
    table: str, row: gap_table.GapRow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = CASES[f"rewrite/{row.fixture}"]
    monkeypatch.setattr(gap_table, table, [r for r in getattr(gap_table, table) if r is not row])
    plan = plan_of(tmp_path, case.before, *case.ops)
    assert {
        file.path: splice(case.before[file.path], [(e.start, e.end, e.new) for e in file.edits])
        for file in plan.files
    } != case.after
