"""One file's bytes to what is named in it. Runs in a worker or in the calling process.

What crosses to another process is written by `workers.plain`.
"""

import hashlib
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from typing import Any

from astedit.language import grammar_of
from astedit.language.traits import traits
from astedit.limits import DEEPEST, is_deep, is_shallow
from astedit.locating.inventory.definitions import Definition, definitions
from astedit.text.source import BOMS, UNKNOWN, NotDecodable, Source, source_of
from astedit.workers.plain import plain, restored


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
    web: bool = False,
    encoding: str | None = None,
    *,
    inline: bool = True,
) -> FileFacts | None:
    """What a file's bytes define, or with `web` what they say of routes and clients.

    None: only a worker may parse them. Places count in the UTF-8 view of a file, `encoding`
    being that of files that are not in UTF-8. Broken Python is skipped. Other grammars fail on
    valid code often enough (macros, new syntax) that what they read counts, and the answer
    says so.
    """
    facts = FileFacts(hashlib.sha256(raw).hexdigest())
    if web:
        from astedit.locating.frameworks.table import may_say, web_facts

        if not may_say(language, searched(raw, language, encoding)):
            return facts
    if is_wide(raw, encoding):
        facts.skipped = "not_utf8"
        return facts
    source = view(raw, language, encoding)
    if inline and not is_shallow(source.text):
        return None
    grammar = grammar_of(language)
    root = grammar.parser().parse(source.text).root_node
    facts.broken = root.has_error
    rules = traits(language).definitions
    if is_deep(root, DEEPEST):
        facts.skipped = "too_deep"
    elif root.has_error and language == "python":
        facts.skipped = "parse_error"
    elif web:
        facts.web = web_facts(root, source, language)
    elif rules is not None:
        facts.package, defined = definitions(root, source.text, grammar, rules)
        facts.definitions = tuple(map(plain, defined))
    return facts


def is_wide(raw: bytes, encoding: str | None) -> bool:
    """Whether it is in UTF-16, which nothing else reads either unless its encoding is named."""
    return raw[:2] in BOMS and not encoding


def searched(raw: bytes, language: str, encoding: str | None) -> bytes:
    """The text of a file to look for names in before it is parsed."""
    encoding = "utf-16" if is_wide(raw, encoding) else encoding
    return view(raw, language, encoding).text if encoding else raw


def scopes(
    raw: bytes, language: str, kinds: Collection[str] = ("class", "function", "method")
) -> list[Definition]:
    """The definitions of these kinds (none: any) in a text; none where it cannot be read.

    Their names begin with those of the package that the text says it is in.
    """
    if (facts := read(raw, language)) is None:
        return []
    chosen = [one for one in facts.defined() if not kinds or one.kind in kinds]
    return [replace(one, names=(*facts.package, *one.names)) for one in chosen]


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


def worker(setup: tuple[bool, str | None]) -> Callable[[tuple[bytes, str]], Any]:
    """What a worker process runs: a task is a file's bytes and its language."""
    web, encoding = setup

    def run(task: tuple[bytes, str]) -> Any:
        facts = read(*task, web, encoding, inline=False)
        assert facts is not None
        return plain(facts)

    return run
