"""`python -m benchmarks`: every row of the table of targets, side by side, in one run.

Nothing here is a test: a timing depends on the machine. It ends with 0 whatever it finds.
"""

import argparse
import os
import platform
import tempfile
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path

from benchmarks.commands import Place
from benchmarks.measure import Failed, Measured, measure
from benchmarks.packages import Unavailable
from benchmarks.rows import ROWS, Row
from benchmarks.targets import OURS


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures the rows and prints one table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="median of so many (default: 5)")
    parser.add_argument("--only", default="", help="rows whose name holds this text")
    options = parser.parse_args(arguments)
    print(f"{os.cpu_count()} cores, {platform.platform()}, Python {platform.python_version()},")
    print(f"ast-grep {version('ast-grep-cli')}; medians of {options.rounds} interleaved rounds\n")
    print(_LINE.format("row", "astedit", "(work)", "beside", "", "(work)", "reached", "target", ""))
    with tempfile.TemporaryDirectory(prefix="benchmarks-") as name:
        place = Place(Path(name))
        for title, make in ROWS.items():
            if options.only in title:
                for line in _lines(title, make, place, options.rounds):
                    print(line, flush=True)


_LINE = "{:<33} {:>9} {:>9}  {:<19} {:>9} {:>9} {:>8}  {:<16} {}"


def _lines(title: str, make: Callable[[Place], Row], place: Place, rounds: int) -> Iterator[str]:
    """A line for every target of a row: times, what was reached, whether it is enough."""
    try:
        row = make(place)
        results = _measured(row, rounds)
    except Unavailable as reason:
        yield f"{title:<33} skipped: {reason}"
        return
    except Failed as error:  # the other rows are still worth having
        yield f"{title:<33} failed: {error}"
        return
    for target in row.targets:
        others = [results[name] for name in target.beside]
        yield _LINE.format(
            title,
            _milliseconds(results[OURS].seconds),
            _milliseconds(results[OURS].cpu),
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
