"""Parsing stops when it is told to, and otherwise gives the tree that it gives anyway."""

import os
import signal
import threading
import time
from collections.abc import Iterator

import pytest

from astedit.errors import LimitError
from astedit.language import TimedParser, load, named
from astedit.limits import Cancelled, Deadline, SlowParseError, parsing_within
from tests.support.differential.corpora import LANGUAGES, bundled
from tests.support.faults.mutate import replace
from tests.support.patience import ends

SLOW = b"**," * 8_000  # in C; without a limit it takes minutes


class Signal:
    aborted = False


def parser(language: str) -> TimedParser:
    row = named(language)
    assert row is not None
    return load(row).parser()


@pytest.fixture
def soon() -> Iterator[list[object]]:
    """Does what is put into it in a moment."""
    asked: list[object] = []
    timer = threading.Timer(0.3, lambda: [one() for one in asked if callable(one)])
    timer.start()
    yield asked
    timer.join()


def test_the_time_that_parsing_may_take_ends_it() -> None:
    with ends(), parsing_within(0.3):
        with pytest.raises(SlowParseError):
            parser("c").parse(SLOW)
        with pytest.raises(SlowParseError):  # which is not begun
            parser("c").parse(b"int a;" * 20)
    assert not parser("c").parse(b"int a;").root_node.has_error


def test_a_deadline_ends_it() -> None:
    with parsing_within(60, Deadline(0.3)), pytest.raises(LimitError, match="Out of time"):
        parser("c").parse(SLOW)


def test_a_cancelled_call_ends_it(soon: list[object]) -> None:
    cancel = Signal()
    soon.append(lambda: setattr(cancel, "aborted", True))
    with parsing_within(60, Deadline(None, cancel)), pytest.raises(Cancelled):
        parser("c").parse(SLOW)


def test_a_limit_within_a_limit_has_the_deadline_of_that(soon: list[object]) -> None:
    cancel = Signal()
    soon.append(lambda: setattr(cancel, "aborted", True))
    with parsing_within(60, Deadline(None, cancel)), parsing_within(50), pytest.raises(Cancelled):
        parser("c").parse(SLOW)


def test_ctrl_c_ends_it(soon: list[object]) -> None:
    soon.append(lambda: os.kill(os.getpid(), signal.SIGINT))
    with parsing_within(60), pytest.raises(KeyboardInterrupt):
        parser("c").parse(SLOW)


def test_other_threads_go_on_meanwhile() -> None:
    cancel = Signal()

    def tick() -> None:
        for _ in range(5):
            time.sleep(0.01)
        cancel.aborted = True

    beside = threading.Thread(target=tick)
    beside.start()
    with parsing_within(60, Deadline(None, cancel)), pytest.raises(Cancelled):
        parser("c").parse(SLOW)
    beside.join()


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_tree_is_the_same(language: str) -> None:
    for file in bundled(language)[:3]:
        plain = parser(language).parse(file.source).root_node
        with parsing_within(60):
            timed = parser(language).parse(file.source).root_node
        assert str(timed) == str(plain)
        assert timed.text == plain.text
        assert [one.text for one in timed.children] == [one.text for one in plain.children]


def test_a_tree_is_made_from_the_one_before_in_the_same_way() -> None:
    source = b"int a = 1;\n" * 300
    after = source + b"int b = f(2);\n"
    tree = parser("c").parse(source)
    tree.edit(len(source), len(source), len(after), (300, 0), (300, 0), (301, 0))
    with parsing_within(60):
        assert str(parser("c").parse(after, tree).root_node) == str(
            parser("c").parse(after).root_node
        )


def test_without_the_clock_it_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    text = SLOW[:1_500]
    with parsing_within(1e-6), pytest.raises(SlowParseError):
        parser("c").parse(text)
    replace(
        monkeypatch, TimedParser.parse, "limit is not None and len(source) > _HARMLESS", "False"
    )
    with parsing_within(1e-6):
        parser("c").parse(text)
