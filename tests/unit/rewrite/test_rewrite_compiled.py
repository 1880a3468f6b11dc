"""When the interpreter is asked about a whole file, and when its statements are enough. (F12)"""

import pytest

from astedit.language import facts, named
from astedit.language.traits import python
from astedit.rewrite.prove import compiled
from tests.support.engine_edit import edited


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
        def __init__(self, source: bytes, used: facts.Compiler, facts: object) -> None:
            super().__init__(source, used._replace(whole=whole), facts)  # type: ignore[arg-type]

    monkeypatch.setattr("astedit.rewrite.prove.verify.Compilation", Watched)
    assert named("python") is not None
    return asked


@pytest.mark.parametrize(
    ("text", "pattern", "out"),
    [
        ("def f():\n    return x\n", "return $A", "return wrap($A)"),
        ("def f():\n    return a, b\n", "return $A", "return wrap($A)"),
        ("async def f():\n    g(await x)\n", "g($A)", "h($A)"),
        ("def f():\n    yield x\n", "yield $A", "yield wrap($A)"),
        ("def f():\n    return g(returned)\n", "g($A)", "h(unreturned, $A)"),
    ],
)
def test_what_stays_where_it_was_needs_no_look_at_the_whole(
    wholes: list[bytes], text: str, pattern: str, out: str
) -> None:
    after, data = edited("python", text, (pattern, out))
    assert after != text
    assert (data.blocked, wholes) == ((), [])


@pytest.mark.parametrize(
    ("text", "pattern", "out"),
    [
        ("g(x)\n", "g($A)", "return $A"),
        ("def f():\n    g(x)\n", "g($A)", "await $A"),
        ("g(x)\n", "g($A)", "h((yield $A))"),
        ("for x in y:\n    pass\ng(x)\n", "g($A)", "break"),
        ("async def f():\n    yield 1\n    return\n", "return", "return None"),
        ("async def f():\n    yield 1\n    return ; g()\n", "return", "return None"),
        ("async def f():\n    yield 1\n    return  # why\n", "return", "return None"),
    ],
)
def test_what_is_added_does(wholes: list[bytes], text: str, pattern: str, out: str) -> None:
    after, data = edited("python", text, (pattern, out))
    assert after == text
    assert [blocked.reason for blocked in data.blocked] == ["breaks_syntax"]
    assert wholes
