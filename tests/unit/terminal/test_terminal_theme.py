"""A light or a dark screen: what was asked for, what the environment says, what is answered."""

import os
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from astedit.terminal import screen
from astedit.terminal.screen import LastingDriver, Theme, brightness, is_light
from tests.support.lists import rows

ROWS = rows(Path(__file__).with_suffix(".txt"))


@pytest.mark.parametrize(("asked", "environment", "answer", "light"), ROWS["the theme"])
def test_the_theme_is_that_of_the_terminal(
    asked: Theme,
    environment: dict[str, str],
    answer: bytes,
    light: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(screen, "_asked", lambda: answer)
    assert is_light(asked, environment) is light


def test_parts_of_a_colour_may_have_any_number_of_digits() -> None:
    assert brightness((b"f", b"ff", b"ffff")) == pytest.approx(1)
    assert brightness((b"0", b"00", b"0000")) == 0


def test_a_byte_of_another_encoding_is_no_key() -> None:
    keys: list[Any] = []
    driver: Any = LastingDriver.__new__(LastingDriver)
    driver.fileno, end = os.pipe()
    driver.exit_event, driver._debug, driver.process_message = Event(), False, keys.append
    os.write(end, b"\xe9q")
    thread = Thread(target=driver.run_input_thread)
    thread.start()
    while not any(getattr(key, "key", "") == "q" for key in keys):
        assert thread.is_alive()
    driver.exit_event.set()
    os.close(end)
    thread.join()
