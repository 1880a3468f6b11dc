"""When the interpreter is asked about a whole file, and when its statements are enough. (F12)"""

from pathlib import Path

import pytest

from astedit.language import named, traits
from astedit.language.traits import python
from astedit.rewrite.prove import compiled
from tests.support.engine_edit import edited
from tests.support.lists import rows

ROWS = rows(Path(__file__).with_suffix(".txt"))


@pytest.fixture
def wholes(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The texts that were compiled as a whole."""
    asked: list[bytes] = []
    interpreter = python.LANGUAGE.compiler
    assert interpreter is not None

    def whole(text: bytes) -> str | None:
        asked.append(text)
        return interpreter.whole(text)

    class Watched(compiled.Compilation):
        def __init__(self, source: bytes, used: traits.Compiler, facts: object) -> None:
            super().__init__(source, used._replace(whole=whole), facts)  # type: ignore[arg-type]

    monkeypatch.setattr("astedit.rewrite.prove.verify.Compilation", Watched)
    assert named("python") is not None
    return asked


@pytest.mark.parametrize(("text", "pattern", "out"), ROWS["what stays where it was needs no look"])
def test_what_stays_where_it_was_needs_no_look_at_the_whole(
    wholes: list[bytes], text: str, pattern: str, out: str
) -> None:
    after, data = edited("python", text, (pattern, out))
    assert after != text
    assert (data.blocked, wholes) == ((), [])


@pytest.mark.parametrize(("text", "pattern", "out"), ROWS["what is added does"])
def test_what_is_added_does(wholes: list[bytes], text: str, pattern: str, out: str) -> None:
    after, data = edited("python", text, (pattern, out))
    assert after == text
    assert [blocked.reason for blocked in data.blocked] == ["breaks_syntax"]
    assert wholes
