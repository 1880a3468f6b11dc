"""`python -m benchmarks [ROW...]`: rows of the table of targets, side by side, in one run.

Nothing here is a test: a timing depends on the machine. It ends with 0 whatever it finds.
"""

import argparse
import os
import platform
import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from benchmarks.commands import Place
from benchmarks.measure import Failed, Measured, measure
from benchmarks.packages import Unavailable
from benchmarks.record import LAST, Record, document
from benchmarks.row import Row
from benchmarks.rows import ROWS
from benchmarks.targets import OURS

_LINE = "{:<33} {:>9} {:>9} {:>9}  {:<19} {:>9} {:>9} {:>8}  {:<16} {}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures the rows and prints one table."""
    options = _options(arguments)
    record = Record(options.record)
    if options.document:
        document(record)
        return
    run = {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "machine": f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}",
        "python": f"Python {platform.python_version()}",
        "peers": {"ast-grep": version("ast-grep-cli"), "libcst": version("libcst")},
        "rounds": options.rounds,
    }
    print(f"{run['machine']}, {run['python']}, ast-grep {version('ast-grep-cli')};", end=" ")
    print(f"medians of {options.rounds} interleaved rounds\n")
    print(
        _LINE.format(
            "row", OURS, "(work)", "before", "beside", "", "(work)", "reached", "target", ""
        )
    )
    with tempfile.TemporaryDirectory(prefix="benchmarks-") as name:
        place = Place(Path(name))
        for row in options.row or ROWS:
            for line in _lines(row, place, record, run):
                print(line, flush=True)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    names = f"rows: {', '.join(ROWS)}"
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__, epilog=names)
    parser.add_argument("row", nargs="*", help="by name; without one, all")
    parser.add_argument("--rounds", type=int, default=5, help="median of so many (default: 5)")
    parser.add_argument("--record", type=Path, default=LAST, help="JSON of the last run")
    parser.add_argument("--document", action="store_true", help="only put it into the documents")
    options = parser.parse_args(arguments)
    if unknown := [name for name in options.row if name not in ROWS]:
        parser.error(f"no row {unknown[0]!r}; {names}")
    return options


def _lines(name: str, place: Place, record: Record, run: dict[str, object]) -> Iterator[str]:
    """A line for every target of a row: times, what was reached, whether it is enough."""
    title, make = ROWS[name]
    try:
        row = make(place)
        results = _measured(row, int(str(run["rounds"])))
    except Unavailable as reason:
        yield f"{title:<33} skipped: {reason}"
        return
    except Failed as error:  # the other rows are still worth having
        yield f"{title:<33} failed: {error}"
        return
    before = record.before(name)
    record.put(name, title, results, row.targets, run)
    for target in row.targets:
        others = [results[name] for name in target.beside]
        yield _LINE.format(
            title,
            _milliseconds(results[OURS].seconds),
            _milliseconds(results[OURS].cpu),
            _milliseconds(before or 0),
            " + ".join(target.beside),
            _milliseconds(sum(other.seconds for other in others)),
            _milliseconds(sum(other.cpu for other in others)),
            f"{target.value(results):.2f}",
            target.text,
            "ok" if target.met(results) else "MISSED",
        )


def _measured(row: Row, rounds: int) -> dict[str, Measured]:
    quick = {name: command for name, command in row.commands.items() if name not in row.slow}
    slow = {name: command for name, command in row.commands.items() if name in row.slow}
    return measure(quick, rounds) | measure(slow, 1)


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:,.0f} ms" if seconds else ""


if __name__ == "__main__":
    main()
