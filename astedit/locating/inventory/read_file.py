"""One file's bytes to what is named in it. Runs in a worker or in the calling process.

What crosses to another process is written by `workers.plain`.
"""

import hashlib
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from typing import Any

from astedit.engine.inline_limits import DEFER, is_deep, is_shallow
from astedit.language import load, named
from astedit.language.traits import traits
from astedit.limits import DEEPEST, MAX_FILE_SIZE
from astedit.locating.inventory.definitions import Definition, definitions
from astedit.text.source import UNKNOWN, NotDecodable, Source, source_of
from astedit.workers.plain import plain, restored
from astedit.workspace.root import Workspace, skip_reason


@dataclass(slots=True, eq=False, repr=False)
class FileFacts:
    """What one file names. `broken` says that it does not parse cleanly.

    `definitions` and `web` are plain data: rows of `Definition`, and `WebFacts` as one.
    """

    sha256: str = ""
    broken: bool = False
    skipped: str | None = None
    package: tuple[str, ...] = ()
    definitions: tuple[Any, ...] = ()
    web: Any = None

    def only(self, last_name: str | None) -> "FileFacts":
        """These facts without the definitions whose last name is another."""
        rows = tuple(row for row in self.definitions if last_name in ("", row[0][-1]))
        return replace(self, definitions=rows)

    def defined(self) -> list[Definition]:
        """The definitions again."""
        return [restored(Definition, row) for row in self.definitions]


def read(
    raw: bytes,
    language: str,
    last_name: str | None,
    web: bool,
    *,
    inline: bool,
    encoding: str | None = None,
) -> FileFacts | str:
    """What a file's bytes say; `DEFER` if only a worker may parse them.

    `wanted` is the last name of the definitions asked for, "" for all, None for none; `web`
    asks for routes and clients. Places count in the UTF-8 view of a file, `encoding` being
    that of files that are not in UTF-8. Broken Python is skipped. Other grammars fail on
    valid code often enough (macros, new syntax) that what they read counts, and the answer
    says so.
    """
    source = view(raw, language, encoding)
    if inline and not is_shallow(source.text):
        return DEFER
    row = named(language)
    assert row is not None, language
    grammar = load(row)
    root = grammar.parser().parse(source.text).root_node
    facts = FileFacts(hashlib.sha256(raw).hexdigest(), root.has_error)
    if is_deep(root, DEEPEST):
        facts.skipped = "too_deep"
        return facts
    rules = traits(language).definitions
    if root.has_error and language == "python":
        facts.skipped = "parse_error"
        return facts
    if last_name is not None and rules is not None:
        name = last_name.encode("utf-8", "surrogateescape") or None
        facts.package, defined = definitions(root, source.text, grammar, rules, name)
        facts.definitions = tuple(map(plain, defined))
    if web:
        from astedit.locating.frameworks.table import web_facts

        facts.web = web_facts(root, source, language)
    return facts


def scopes(
    raw: bytes, language: str, kinds: Collection[str] = ("class", "function", "method")
) -> list[Definition]:
    """The definitions of these kinds (none: any) in a text; none where it cannot be read."""
    facts = read(raw, language, "", False, inline=True)
    defined = facts.defined() if isinstance(facts, FileFacts) else []
    return [one for one in defined if not kinds or one.kind in kinds]


def innermost(definitions: Iterable[Definition], at: int) -> Definition | None:
    """The smallest of them around an offset, of two alike the later one."""
    around = [one for one in definitions if one.span[0] <= at < one.span[1]]
    return min(reversed(around), key=lambda one: one.span[1] - one.span[0], default=None)


def view(raw: bytes, language: str, encoding: str | None) -> Source:
    """A file's bytes with the text that the engine makes of them; as they are if it cannot."""
    try:
        return source_of(raw, language, encoding)
    except NotDecodable:
        return Source(raw, UNKNOWN)


def worker(
    setup: tuple[int, str | None, bool, str | None, dict[str, bytes]],
) -> Callable[[tuple[str, str]], tuple[Any, ...]]:
    """What a worker process runs: a task is a path and its language."""
    root_fd, last_name, web, encoding, overlay = setup
    workspace = Workspace.adopt(root_fd)
    workspace.overlay = overlay

    def run(task: tuple[str, str]) -> tuple[Any, ...]:
        path, language = task
        try:
            raw, _ = workspace.read(path, MAX_FILE_SIZE)
        except OSError as error:
            return plain(FileFacts(skipped=skip_reason(error) or "unreadable"))
        facts = read(raw, language, last_name, web, inline=False, encoding=encoding)
        assert isinstance(facts, FileFacts)
        return plain(facts)

    return run
