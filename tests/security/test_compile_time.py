"""Nothing that a request brings is slow to compile, and what is can be stopped."""

import asyncio
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from time import process_time

import pytest

from astedit.errors import AstEditError
from astedit.explanation.diagnose import diagnose
from astedit.language import load, named
from astedit.limits import HINT_SECONDS
from astedit.rule.regex import compile_regex, exact_texts, regex_literals
from tests.support import REPOSITORY
from tests.support.agent import Workspace, run
from tests.support.patience import LAST, ends, slowness
from tests.support.pumping import LARGEST, WORK, plan
from tests.support.slowly import slow_after

SECONDS = 2.0  # of processor time that 64 KiB may take
HANGS = 60  # seconds of processor time after which an input is taken not to end
SLOW = "**," * 5_000  # in C the parser takes two minutes to recover from it
FOUND = [  # by the fuzzer; none ended within these seconds on the version before
    ("c", SLOW),
    ("cpp", 'case $A;"class A ' * 3_800),
    ("cpp", "f($A)" * 3_000),
    ("php", "...elif " * 128 + "A$A" * 341),
    ("java", "$(=>" * 8_000 + "$_" * 8_000),  # in 20 GB of memory
    ("c", "$A=>" * 8_000 + "?" * 16_000),
]
SEEDS = [  # of the fuzzer; these took minutes, 12 s, or more levels than Python has
    ("pattern", 7_495),
    ("template", 7_024),
    ("template", 7_033),
    ("template", 383_342_958),
    ("template", 348_834_888),
    ("pattern", 244_177_152),
    ("rule", 391_732_209),
    *(
        pytest.param("template", seed, marks=pytest.mark.slow)
        for seed in (7_000, 7_004, 7_066, 7_118, 7_133, 7_229, 7_240)
    ),
]


class Child:
    """A process that compiles inputs of the fuzzer, and may hang."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.pumping"],
            cwd=REPOSITORY,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def seconds(self, kind: str, seed: int) -> float:
        """How long it took; fails if it does not end, or ends the process."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(f"{kind} {seed}\n")
        self._process.stdin.flush()
        os.set_blocking(self._process.stdout.fileno(), False)
        end = self._spent() + HANGS
        line = ""
        while not line.endswith("\n") and self._process.poll() is None and self._spent() < end:
            line += self._process.stdout.readline() or ""
            time.sleep(0.002)
        words = line.split()
        assert words[:2] == [kind, str(seed)], f"{kind} {seed}: {line or 'it does not end'}"
        return float(words[2])

    def _spent(self) -> float:
        """The processor time it has had: who waits for a turn does not hang."""
        words = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")

    def end(self) -> None:
        self._process.kill()
        self._process.communicate()


@pytest.fixture(scope="module")
def child() -> Iterator[Child]:
    made = Child()
    yield made
    made.end()


@pytest.fixture
def own_child() -> Iterator[Child]:
    """A process that no other test asks: one that hangs is ended with its test."""
    made = Child()
    yield made
    made.end()


@pytest.mark.parametrize("kind", WORK)
def test_what_a_fuzzer_finds_compiles_in_time(kind: str, child: Child) -> None:
    assert max(child.seconds(kind, seed) for seed in range(2)) < SECONDS


@pytest.mark.parametrize(("kind", "seed"), SEEDS)
def test_what_took_minutes_takes_no_longer_than_anything_else(
    kind: str, seed: int, child: Child
) -> None:
    assert child.seconds(kind, seed) < 2 * SECONDS


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("kind", WORK)
def test_what_a_fuzzer_finds_compiles_in_time_whatever_it_is(kind: str, own_child: Child) -> None:
    start = random.randrange(10**9)
    took = {seed: own_child.seconds(kind, seed) for seed in range(start, start + 100)}
    assert {seed: one for seed, one in took.items() if one > SECONDS} == {}


@slow_after(1, "language, text", FOUND)
def test_patterns_that_took_minutes_are_refused_in_time(language: str, text: str) -> None:
    with ends(), suppress(AstEditError):
        plan({"ops": [{"pat": text, "out": ""}]}, language)


@slow_after(2, "text", ["$A" * 4_000, "$A," * 20_000, "$A" * 32_000, "x$A " * 10_000])
def test_the_doctor_looks_at_each_word_once(text: str) -> None:
    row = named("python")
    assert row is not None and len(text) <= LARGEST
    before = process_time()
    found = diagnose(text, row, load(row))
    # Four times what it may take on the usual machine; it was ten times as much.
    assert process_time() - before < 4 * HINT_SECONDS * slowness()
    assert sum(len(one.message) for one in found.warnings) < 3 * LARGEST


@pytest.mark.parametrize("text", ["(" * 3_000 + "a" + ")*" * 3_000, "(a|b)" * 6_000])
def test_groups_in_groups_need_nothing_to_be_found(text: str) -> None:
    with ends():
        compile_regex(text[:1_000] if text.startswith("(a") else "a")
        assert regex_literals(text) is not None and exact_texts(f"^{text}$") is None


@pytest.mark.slow
def test_a_file_that_the_parser_is_slow_with_is_left_to_a_worker(tmp_path: Path) -> None:
    """Ctrl-C and a worker's limit reach it there; the other files are done."""
    (tmp_path / "slow.c").write_text("void f() { g(1); }\n" + SLOW)
    (tmp_path / "good.c").write_text("void f() { g(1); }\n")
    words = ["search", "-p", "g($A)", "--lang", "c", "--root", str(tmp_path), "--timeout", "6"]
    command = [sys.executable, "-m", "astedit", *words]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 4 and "Out of time after 6 s" in done.stderr


class HeldClock:
    """The processor clock of a parser: it stands still until the test lets it run out."""

    monotonic = staticmethod(time.monotonic)

    def __init__(self) -> None:
        self.looked_at = threading.Event()
        self.run_out = threading.Event()

    def thread_time(self) -> float:
        """Never more than a minute: a server that answers nobody still comes to an end."""
        self.looked_at.set()
        return 1e9 if self.run_out.is_set() or time.thread_time() > 60 else 0.0


def test_a_server_answers_while_it_compiles(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The parser is in C all the while, and has no end of its own for minutes."""
    workspace = Workspace(tmp_path).write("a.c", "int a;\n")
    clock = HeldClock()
    monkeypatch.setattr("astedit.language.time", clock)

    async def story() -> None:
        async with workspace.near() as agent:
            slow = asyncio.create_task(agent.call("ast_grep", pat=SLOW, lang="c", paths=["."]))
            assert await asyncio.to_thread(clock.looked_at.wait, LAST)
            for _ in range(3):
                assert await agent.pending() == []
                assert not slow.done()
            clock.run_out.set()
            answer = await slow
            assert answer.is_error and answer.code == "slow_parse"

    run(story)
