"""The last run as JSON: what the next one is compared with, and the table of the documents."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.measure import Measured
from benchmarks.targets import OURS, Target

LAST = Path(__file__).parent / "last.json"
DOCUMENT = Path(__file__).parents[1] / "docs" / "performance.md"
_MARKS = ("<!-- numbers -->\n", "<!-- end of numbers -->\n")


class Record:
    """Rows by name, each with the machine and the day it was measured on.

    A run of some rows leaves the others as they were.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self.rows: dict[str, Any] = json.loads(file.read_text())["rows"] if file.exists() else {}

    def before(self, name: str) -> float | None:
        """Seconds that our command took in the last run."""
        row = self.rows.get(name)
        return None if row is None else float(row["commands"][OURS]["seconds"])

    def put(
        self,
        name: str,
        title: str,
        results: Mapping[str, Measured],
        targets: list[Target],
        run: Mapping[str, Any],
    ) -> None:
        """Keeps a row, and writes the file: a run may be stopped at any row."""
        reached = [
            {
                "text": target.text,
                "beside": list(target.beside),
                "value": round(target.value(results), 4),
                "met": target.met(results),
            }
            for target in targets
        ]
        commands = {name: asdict(measured) for name, measured in results.items()}
        self.rows[name] = {"title": title, "run": run, "commands": commands, "targets": reached}
        self._file.write_text(json.dumps({"rows": self.rows}, indent=1) + "\n")


def document(record: Record) -> None:
    """Puts the table of the recorded rows into the documents."""
    text = DOCUMENT.read_text()
    head, _, rest = text.partition(_MARKS[0])
    _, _, tail = rest.partition(_MARKS[1])
    table = "".join(f"{line}\n" for line in _table(record.rows))
    DOCUMENT.write_text(head + _MARKS[0] + table + _MARKS[1] + tail)


def _table(rows: Mapping[str, Any]) -> Iterator[str]:
    yield "| work | astedit | beside | | reached | target | |"
    yield "|---|---:|---|---:|---:|---|---|"
    for row in rows.values():
        ours = row["commands"][OURS]
        for target in row["targets"]:
            others = [row["commands"][name]["seconds"] for name in target["beside"]]
            last = target["text"].rpartition(" ")[2]
            unit = f" {last}" if last in ("MB", "s") else "x"
            yield (
                f"| {row['title']} | {ours['seconds']:.2f} s | {' + '.join(target['beside'])} "
                f"| {f'{sum(others):.2f} s' if others else ''} | {target['value']:.3g}{unit} "
                f"| {target['text']} | {'' if target['met'] else 'missed'} |"
            )
    runs = {
        f"{run['machine']}, {run['python']}, {run['date']}, medians of {run['rounds']}"
        for run in (row["run"] for row in rows.values())
    }
    yield ""
    yield from (f"{line}.  " for line in sorted(runs))
