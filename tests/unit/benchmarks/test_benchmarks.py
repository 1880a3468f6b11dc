"""What a run of the benchmarks leaves behind: a record to compare with, and a table."""

import json
import sys
from pathlib import Path

import pytest

from benchmarks import __main__ as program
from benchmarks import record
from benchmarks.commands import Place
from benchmarks.measure import Command, Failed, Measured, measure
from benchmarks.rows import ROWS
from benchmarks.targets import OURS, at_most, faster, memory

RUN = {"machine": "m", "python": "p", "date": "d", "rounds": 5}
RESULTS = {OURS: Measured(0.5, 0.5, 100.0), "peer": Measured(2.0, 2.0, 10.0)}


def test_the_record_keeps_other_rows_and_what_was_before(tmp_path: Path) -> None:
    file = tmp_path / "last.json"
    targets = [faster("peer", 5), memory()]
    record.Record(file).put("a", "row a", RESULTS, targets, RUN)
    record.Record(file).put("b", "row b", RESULTS, targets, RUN)
    again = record.Record(file)
    assert again.before("a") == 0.5 and again.before("c") is None
    reached = json.loads(file.read_text())["rows"]["b"]["targets"]
    assert [(one["value"], one["met"]) for one in reached] == [(4.0, False), (100.0, True)]


def test_the_table_takes_the_place_of_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "performance.md"
    page.write_text("above\n<!-- numbers -->\nold\n<!-- end of numbers -->\nbelow\n")
    monkeypatch.setattr(record, "DOCUMENT", page)
    made = record.Record(tmp_path / "last.json")
    made.put("a", "row a", RESULTS, [faster("peer", 5)], RUN)
    for _ in range(2):
        record.document(made)
        text = page.read_text()
        assert text.startswith("above\n<!-- numbers -->\n| work |")
        assert text.endswith("<!-- end of numbers -->\nbelow\n")
        assert "old" not in text
        assert "| row a | 0.50 s | peer | 2.00 s | 4x | >= 5x as fast | missed |" in text


def test_the_page_has_a_place_for_the_table() -> None:
    text = record.DOCUMENT.read_text()
    assert text.index("<!-- numbers -->\n") < text.index("<!-- end of numbers -->\n")


def test_a_target_with_a_constant_part() -> None:
    results = {OURS: Measured(1.12, 1, 1), "peer": Measured(1.0, 1, 1)}
    assert at_most(1.1, "peer", extra=0.02).met(results)
    assert not at_most(1.1, "peer").met(results)


def test_a_command_that_times_itself_and_one_that_fails(tmp_path: Path) -> None:
    said = Command((sys.executable, "-c", "print(7.5)"), tmp_path, itself=True)
    assert measure({"x": said}, 1)["x"].seconds == 7.5
    broken = Command((sys.executable, "-c", "raise SystemExit('no')"), tmp_path)
    with pytest.raises(Failed, match="no"):
        measure({"x": broken}, 1)


def test_a_row_runs_by_its_name_and_an_unknown_one_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "last.json"
    program.main(["version", "--rounds", "1", "--record", str(file)])
    assert "--version" in capsys.readouterr().out
    assert list(json.loads(file.read_text())["rows"]) == ["version"]
    with pytest.raises(SystemExit) as ended:
        program.main(["nonsense"])
    assert ended.value.code == 2
    assert "selective" in capsys.readouterr().err


def test_the_cheapest_row_needs_no_corpus(tmp_path: Path) -> None:
    _, make = ROWS["version"]
    assert set(make(Place(tmp_path)).commands) == {OURS, "python -c pass"}
