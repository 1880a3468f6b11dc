"""Languages: which one a name or a file means, and its grammar.

The only package that names a grammar, and reading the table imports none. Grammars are those of
the maintained wheels by default, with `tree-sitter-languages` as the extra.

Both providers end in the same thing, a `tree_sitter.Language` in a `Grammar`. Neither
executes a grammar package's Python code: the wheel's `__init__` costs 18 ms for
`importlib.resources`, and that of tree-sitter-languages fails with tree-sitter 0.22 and
newer. A grammar that cannot be had is a `GrammarUnavailable` with the reason.
"""

import functools
import importlib.machinery
import importlib.util
import os
import re
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from astedit.errors import RequestError
from astedit.language.table import Row, for_path, named, rows
from astedit.limits import ParseTime, SlowParseError, parse_time

if TYPE_CHECKING:
    import tree_sitter

    from astedit.model.plan import Language

__all__ = ["Row", "for_path", "named", "rows"]

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
        self, source: bytes, old_tree: "tree_sitter.Tree | None" = None, *, requested: bool = False
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


LEGACY = "tree-sitter-languages"
SETTING = "ASTEDIT_GRAMMARS"  # `legacy` prefers tree-sitter-languages for every language
_CAPSULE_NAME = b"tree_sitter.Language"  # a capsule borrows its name: the bytes must live


class GrammarUnavailable(RequestError):
    """No grammar for a language could be loaded here; `reason` says why."""

    code = "grammar_unavailable"

    def __init__(self, row: Row, reason: str) -> None:
        hint = f"Install it: pip install --upgrade {row.distribution}"
        super().__init__(f"{row.name}: {reason}", hint=hint)
        self.reason = reason


class Grammar:
    """A loaded grammar: `language` for tree-sitter, and which build of it this is.

    `distribution` and `version` name the package it came from. It lives as long as the process.
    """

    __slots__ = ("_parser", "distribution", "language", "name", "version")

    def __init__(self, name: str, pointer: object, distribution: str, version: str) -> None:
        """Wraps a grammar's pointer; raises ValueError when its ABI is not supported.

        Old bindings return the pointer as an int, which tree-sitter takes with a
        deprecation warning; a capsule around it is what new bindings return.
        """
        import tree_sitter

        capsule = _capsule(pointer) if isinstance(pointer, int) else pointer
        self.name = name
        self.language = tree_sitter.Language(capsule)
        self.distribution = distribution
        self.version = version
        self._parser = TimedParser(self.language)

    def parser(self) -> TimedParser:
        """The grammar's one parser."""
        return self._parser

    def nodes(self, root: "tree_sitter.Node", kinds: Iterable[str]) -> "list[tree_sitter.Node]":
        """The nodes of those kinds that it knows, in order, the outer one first."""
        import tree_sitter

        names = sorted(kind for kind in kinds if self.language.id_for_node_kind(kind, True))
        if not names:
            return []
        query = compiled(self, f"[{' '.join(f'({name})' for name in names)}] @it")
        nodes = tree_sitter.QueryCursor(query).captures(root).get("it", [])
        return sorted(nodes, key=lambda node: (node.start_byte, -node.end_byte))


@functools.cache
def compiled(grammar: Grammar, query: str) -> "tree_sitter.Query":
    """A query of trees, compiled once per process."""
    import tree_sitter

    return tree_sitter.Query(grammar.language, query)


class _Missing(Exception):
    """A provider has no usable grammar for a row; the text is the reason."""


def load(row: Row) -> Grammar:
    """The grammar of `row`, loaded once per process; raises `GrammarUnavailable`.

    Wheels come first, tree-sitter-languages stands in for a missing one;
    `ASTEDIT_GRAMMARS=legacy` reverses the order.
    """
    return _load(row, os.environ.get(SETTING) == "legacy")


def grammar_of(language: str) -> Grammar:
    """The grammar of a language that is known by this name."""
    row = named(language)
    assert row is not None, language
    return load(row)


def root_of(language: str, code: bytes) -> "tree_sitter.Node":
    """The tree of code in a language that is known by this name."""
    return grammar_of(language).parser().parse(code).root_node


@functools.cache
def _load(row: Row, legacy_first: bool) -> Grammar:
    providers: list[Callable[[Row], Grammar]] = [from_wheel, from_legacy]
    reasons = []
    for provide in reversed(providers) if legacy_first else providers:
        try:
            return provide(row)
        except _Missing as missing:
            reasons.append(str(missing))
    raise GrammarUnavailable(row, "; ".join(reasons))


def from_wheel(row: Row) -> Grammar:
    """The grammar from the language's own wheel."""
    return _provided(row, row.module, row.distribution, lambda folder: _entry_point(row, folder))


def from_legacy(row: Row) -> Grammar:
    """The grammar from tree-sitter-languages, read straight from its shared library."""
    if row.legacy is None:
        raise _Missing(f"{LEGACY} has no grammar for it")
    symbol = f"tree_sitter_{row.legacy}"
    return _provided(row, "tree_sitter_languages", LEGACY, lambda folder: _symbol(folder, symbol))


def _provided(
    row: Row, module: str, distribution: str, pointer: Callable[[str], object]
) -> Grammar:
    folder, version = _installed(module, distribution)
    try:
        return Grammar(row.name, pointer(folder), distribution, version)
    except (ImportError, OSError, AttributeError, ValueError) as error:
        raise _Missing(f"{distribution} {version} cannot be used: {error}") from error


def _installed(module: str, distribution: str) -> tuple[str, str]:
    """Where a package lies, and its version; raises `_Missing` if it is not there."""
    package = importlib.util.find_spec(module)
    if package is None or not package.submodule_search_locations:
        raise _Missing(f"{distribution} is not installed")
    folder = package.submodule_search_locations[0]
    return folder, _version(folder, distribution)


def _entry_point(row: Row, folder: str) -> object:
    """Calls the entry point of the wheel's extension module, leaving its package alone."""
    spec = importlib.machinery.PathFinder.find_spec(f"{row.module}._binding", [folder])
    if spec is None or spec.loader is None:
        raise ImportError(f"no _binding for this Python in {folder}")
    binding = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(binding)
    return getattr(binding, row.function)()


def _symbol(folder: str, name: str) -> int:
    """Calls one exported function of the shared library and returns the pointer it gives."""
    import ctypes

    suffix = "dll" if os.name == "nt" else "so"
    function = getattr(ctypes.CDLL(os.path.join(folder, f"languages.{suffix}")), name)
    function.restype = ctypes.c_void_p
    return int(function())


def _capsule(pointer: int) -> object:
    import ctypes

    new = ctypes.pythonapi.PyCapsule_New
    new.restype = ctypes.py_object
    new.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    return new(pointer, _CAPSULE_NAME, None)


def _version(folder: str, distribution: str) -> str:
    """The version in the name of the `.dist-info` beside a package's folder.

    `importlib.metadata` knows more and costs 20 ms to import; it is asked only when the
    directory has no such name (an editable installation).
    """
    prefix = re.escape(distribution.replace("-", "_"))
    pattern = re.compile(rf"{prefix}-(.+)\.dist-info")
    for name in _listing(os.path.dirname(folder)):
        if found := pattern.fullmatch(name):
            return found[1]
    import importlib.metadata

    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


@functools.cache
def _listing(folder: str) -> tuple[str, ...]:
    return tuple(name for name in os.listdir(folder) if name.endswith(".dist-info"))


def languages() -> "list[Language]":
    """Every language astedit knows, and for those it cannot use here, why."""
    return [_describe(row) for row in rows()]


def _describe(row: Row) -> "Language":
    from astedit.model.plan import Language  # only `astedit languages` needs it

    entry = Language(row.name, list(row.aliases), list(row.suffixes), None, None)
    try:
        grammar = load(row)
    except GrammarUnavailable as error:
        entry.problem = error.reason
    else:
        entry.provider, entry.version = grammar.distribution, grammar.version
    return entry
