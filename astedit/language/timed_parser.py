"""A grammar's parser, which looks at the clock where a limit is set.

Recovering from errors takes tree-sitter the square of the text, or more: 16 KiB of `**,`
in C take it over two minutes, in which nothing else runs in this process. What nobody
closes (`$(=>` in Java, `a=>` in C) it takes at the very end, in one step of minutes and of
gigabytes.
"""

import time
from typing import TYPE_CHECKING

from astedit.limits import ParseTime, SlowParseError, parse_time

if TYPE_CHECKING:
    import tree_sitter

_HARMLESS = 64  # bytes of a text that no grammar is slow with
_CHUNK = 4_096  # bytes that the parser reads at once, as it does when it asks for a node's text
_SHORT = 2_048  # bytes of a text of which no beginning is tried
_SQUARE = 4  # times as long may a text take that is twice as long
_MOST_NODES = 50_000  # of a requested text: to look at more of them takes seconds, too
_LOOKS = 0.005  # seconds between two looks at the clock of the processor, which is a slow one


class TimedParser:
    """Parses one language; threads may share it.

    Without a limit (see `limits.parsing_within`) parsing holds the interpreter lock from
    end to end.
    """

    __slots__ = ("_language", "_parser")

    def __init__(self, language: "tree_sitter.Language") -> None:
        import tree_sitter

        self._language = language
        self._parser = tree_sitter.Parser(language)  # the ABI is checked here, not before

    def parse(
        self,
        source: bytes,
        old_tree: "tree_sitter.Tree | None" = None,
        *,
        requested: bool = False,
    ) -> "tree_sitter.Tree":
        """The tree of a text in UTF-8; `old_tree` is that of the text before an edit.

        `requested` is a text that no file holds, but a request: longer ones cost twice.
        Raises `SlowParseError` when the limit is reached, and what its deadline raises.
        """
        limit = parse_time()
        if limit is not None and len(source) > _HARMLESS:
            if requested:
                return _requested(self._language, source, limit)
            return _timed(self._language, source, old_tree, limit)
        if old_tree is None:  # the binding takes no None
            return self._parser.parse(source)
        return self._parser.parse(source, old_tree)


def _requested(
    language: "tree_sitter.Language", source: bytes, limit: ParseTime
) -> "tree_sitter.Tree":
    """Parses ever longer beginnings first, and raises where the next one would take too long.

    What is wrong may cost the square of the text in one step at its very end.
    """
    size = _SHORT
    while size < len(source):
        before = limit.left
        _timed(language, source[:size], None, limit)
        if _SQUARE * (before - limit.left) > limit.left:
            raise _slow()
        size *= 2
    tree = _timed(language, source, None, limit)
    if tree.root_node.descendant_count > _MOST_NODES:
        raise _slow()
    return tree


def _timed(
    language: "tree_sitter.Language",
    source: bytes,
    old_tree: "tree_sitter.Tree | None",
    limit: ParseTime,
) -> "tree_sitter.Tree":
    """With a parser of its own: other threads run while this one looks at the clock."""
    import tree_sitter

    def read(at: int, _: object) -> bytes:
        return source[at : at + _CHUNK]

    if limit.left <= 0:
        raise _slow()
    parser, watch = tree_sitter.Parser(language), _Watch(limit)
    try:
        if old_tree is None:
            return parser.parse(read, progress_callback=watch)
        return parser.parse(read, old_tree, progress_callback=watch)
    except ValueError:
        raise (watch.reason or _slow()) from None
    finally:
        limit.left -= time.thread_time() - watch.start


class _Watch:
    """What the parser calls while it works; it stops when the answer is true."""

    def __init__(self, limit: ParseTime) -> None:
        self.start = time.thread_time()
        self.reason: BaseException | None = None
        self._limit = limit
        self._next = 0.0

    def __call__(self, at: int, has_error: bool) -> bool:
        now = time.monotonic()
        if now < self._next:
            return False
        self._next = now + _LOOKS
        try:
            self._limit.deadline.check()
            if time.thread_time() - self.start > self._limit.left:
                self.reason = _slow()
        except BaseException as error:  # a signal's too: C would drop it
            self.reason = error
        return self.reason is not None


def _slow() -> SlowParseError:
    return SlowParseError(
        "The parser takes too long to make sense of a text of the request.",
        hint="Shorten the pattern, and close its brackets and quotes.",
    )
