"""Where in its file a rule is wrong: the line of a place such as `rule.any[0].kind`."""

from collections.abc import Iterable
from typing import Any

from astedit.rule.failure import RuleError

DOCUMENT = "document"  # the place that is a whole document


def add_line(error: RuleError, text: bytes, at: int) -> None:
    """Adds the line of its place to an error about the document number `at` of a text."""
    line = line_of(text, at, error.place, error.key)
    if line is not None and error.line is None:
        error.say_line(line)


def line_of(text: bytes, at: int, place: str, key: str | None = None) -> int | None:
    """The line, from 1, where a place is written, or the nearest key above it.

    `key` is one more key inside the place. None where the quick reader cannot tell.
    """
    from yaml import YAMLError, compose_all  # type: ignore[import-untyped]

    try:
        from yaml import CSafeLoader
    except ImportError:
        return None
    try:
        nodes = list(compose_all(text.decode("utf-8-sig"), Loader=CSafeLoader))
    except (YAMLError, UnicodeDecodeError):
        return None
    if at >= len(nodes) or nodes[at] is None:
        return None
    rest = "" if place == DOCUMENT else place
    if key is not None:
        rest = f"{rest}.{key}" if rest else key
    return int(_mark(nodes[at], rest).line) + 1


def _mark(node: Any, rest: str) -> Any:
    """Where the last part of a place is that is there."""
    mark = node.start_mark
    while rest:
        step = _step(node, rest)
        if step is None:
            return mark
        mark, node, rest = step
    return mark


def _step(node: Any, rest: str) -> tuple[Any, Any, str] | None:
    """One part down: where it is, its value, and what is left of the place.

    Of two keys that fit, `a` and `a.b`, the longer one is meant.
    """
    fitting = [
        (len(name), mark, value)
        for name, mark, value in _parts(node)
        if rest.startswith(name) and rest[len(name) : len(name) + 1] in ("", ".", "[")
    ]
    if not fitting:
        return None
    length, mark, value = max(fitting, key=lambda part: part[0])
    return mark, value, rest[length:].removeprefix(".")


def _parts(node: Any) -> Iterable[tuple[str, Any, Any]]:
    if node.id == "mapping":
        return [(str(key.value), key.start_mark, value) for key, value in node.value]
    if node.id == "sequence":
        return [(f"[{at}]", part.start_mark, part) for at, part in enumerate(node.value)]
    return ()
