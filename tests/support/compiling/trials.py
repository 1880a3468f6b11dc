"""Random rewrites of real files, each result shown to the language's compiler."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import NamedTuple

from astedit.engine.files.outcome import EditData
from astedit.errors import RequestError
from astedit.text.source import splice
from tests.support.compiling.compilers import Compiler, refused
from tests.support.compiling.rewrites import Rewrites
from tests.support.engine_edit import edited

_FILES = 5  # that one rewrite is tried on
_EDITS = 4  # of one rewrite in one file that are made: others are much like them
_BATCH = 60  # results that are compiled together
_MOST = 60  # edits of a refused file that are looked at one by one


class Result(NamedTuple):
    """One file after one rewrite."""

    op: tuple[str, str]
    text: bytes
    edits: Sequence[EditData]

    @property
    def after(self) -> bytes:
        return splice(self.text, [edit.change for edit in self.edits])


@dataclass
class Tally:
    """How many edits were made, how many were blocked and why, and which the compiler refuses."""

    edits: int = 0
    blocked: Counter[str] = field(default_factory=Counter)
    refused: list[str] = field(default_factory=list)
    known: list[str] = field(default_factory=list)  # refused for what no tree says

    def __str__(self) -> str:
        blocked = f"blocked {dict(self.blocked)}"
        refused = f"{len(self.refused)} refused, {len(self.known)} known"
        return f"{self.edits} edits made, {blocked}, {refused}"


def measured(
    language: str,
    compiler: Compiler,
    rewrites: Rewrites,
    texts: Sequence[bytes],
    folder: Path,
    seed: int,
    edits: int,
) -> Tally:
    """Rewrites files at random until so many edits are made."""
    random, tally = Random(seed), Tally()
    while tally.edits < edits:
        batch: list[Result] = []
        while len(batch) < _BATCH and tally.edits < edits:
            op, some = rewrites.drawn(random), random.sample(texts, _FILES)
            batch += _results(language, op, some, random, tally, re.compile(compiler.deciding))
        _compile(batch, compiler, folder, tally)
    return tally


def readable(compiler: Compiler, texts: Sequence[bytes], folder: Path) -> list[bytes]:
    """The texts that the compiler reads as they are."""
    names = {f"f{place}{compiler.suffix}": text for place, text in enumerate(texts)}
    bad = refused(compiler, folder, names)
    return [text for name, text in names.items() if name not in bad]


def _results(
    language: str,
    op: tuple[str, str],
    texts: Sequence[bytes],
    random: Random,
    tally: Tally,
    deciding: re.Pattern[str],
) -> list[Result]:
    made = []
    for text in texts:
        try:
            _, data = edited(language, text.decode(), op)
        except RequestError:
            return made  # the pattern is none in this language
        tally.blocked.update(one.reason for one in data.blocked)
        lines = text.decode().split("\n")
        edits = [edit for edit in data.edits if not deciding.match(lines[edit.line - 1])]
        places = sorted(random.sample(range(len(edits)), min(_EDITS, len(edits))))
        tally.edits += len(places)
        if places:
            made.append(Result(op, text, [edits[place] for place in places]))
    return made


def _compile(batch: Sequence[Result], compiler: Compiler, folder: Path, tally: Tally) -> None:
    names = {f"f{place}{compiler.suffix}": result for place, result in enumerate(batch)}
    errors = refused(compiler, folder, {name: result.after for name, result in names.items()})
    for name, error in errors.items():
        for why, shown in _culprits(names[name], error, compiler, folder):
            (tally.known if re.search(compiler.known, why) else tally.refused).append(shown)


def _culprits(
    result: Result, error: str, compiler: Compiler, folder: Path
) -> list[tuple[str, str]]:
    """The edits of a file that the compiler refuses by themselves; else all of them."""
    alone = {
        f"e{place}{compiler.suffix}": Result(result.op, result.text, [edit])
        for place, edit in enumerate(result.edits[:_MOST])
    }
    errors = refused(compiler, folder, {name: one.after for name, one in alone.items()})
    found = [(why, _shown(alone[name], why)) for name, why in errors.items()]
    return found or [(error, f"only together: {_shown(result, error)}")]


def _shown(result: Result, error: str) -> str:
    edit = result.edits[0]
    low, high = edit.start - 40, edit.end + 40
    before = result.text[max(low, 0) : high].decode(errors="replace")
    made = result.text[max(low, 0) : edit.start] + edit.new + result.text[edit.end : high]
    after = made.decode(errors="replace")
    return f"{result.op[0]}  ->  {result.op[1]}: {error}\n  {before!r}\n  {after!r}"
