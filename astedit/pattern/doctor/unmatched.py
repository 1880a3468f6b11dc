"""What to say when a pattern matched nothing although its files were read.

Every other way to write it is tried on those files, within a budget of seconds; what is
recommended has matched there. (rules P7, P8)
"""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from astedit.language import Grammar, Row
from astedit.model.explanation import Suggestion
from astedit.pattern.compile import Pattern
from astedit.pattern.doctor.diagnose import (
    SUGGESTIONS,
    Diagnosis,
    diagnose,
    from_reading,
    from_repair,
)
from astedit.pattern.doctor.near import NearMiss, near_misses
from astedit.pattern.doctor.outline import clip
from astedit.pattern.doctor.readings import readings, shape
from astedit.pattern.doctor.repairs import repairs, widenings
from astedit.pattern.find import Finder

NEAR = 3  # near misses shown
SECONDS = 0.5  # spent on files that did not match


def nothing_matched(
    text: str,
    row: Row,
    grammar: Grammar,
    files: Iterable[tuple[str, bytes]],
    *,
    selector: str | None = None,
    context: str | None = None,
    strictness: str = "smart",
    searched: int = 0,
    seconds: float = SECONDS,
) -> list[str]:
    """Hints for a pattern that matched in none of `files` (path and bytes, one language).

    Files are read from the iterable until `seconds` are over; only those that hold the
    pattern's texts are parsed. The caller passes only files that it may parse here. When
    it passes only those that hold all the texts, `searched` says how many it looked at.
    """
    diagnosis = diagnose(
        text, row, grammar, selector=selector, context=context, strictness=strictness
    )
    tried = list(_trials(diagnosis, text, grammar, strictness, plain=not (selector or context)))
    search = _Search(diagnosis, tried, searched, time.monotonic() + seconds)
    search.run(files)
    lines = [warning.message for warning in diagnosis.warnings]
    matching = [trial for trial in tried if trial.where]
    lines += [
        f"Matches {trial.where}. {trial.suggestion.message}" for trial in matching[:SUGGESTIONS]
    ]
    if not matching and not diagnosis.healthy:
        lines += [suggestion.message for suggestion in diagnosis.suggestions]
    return lines + search.report(bool(matching))


def ways(pattern: Pattern) -> Iterator[tuple[Suggestion, Finder]]:
    """Other ways to write a pattern, to be tried on code that it does not match."""
    text, row, grammar = pattern.text, pattern.row, pattern.grammar
    diagnosis = diagnose(text, row, grammar, strictness=pattern.strictness)
    for trial in _trials(
        diagnosis, text, grammar, pattern.strictness, plain=pattern.root_kind is None
    ):
        yield trial.suggestion, trial.finder


@dataclass(slots=True)
class _Trial:
    """A suggestion, and the first place where it matches; `reading`: of the text as it is."""

    suggestion: Suggestion
    finder: Finder
    reading: bool
    where: str | None = None


def _trials(
    diagnosis: Diagnosis, text: str, grammar: Grammar, strictness: str, *, plain: bool
) -> Iterator[_Trial]:
    if not plain:
        return
    row = diagnosis.row
    own = shape(diagnosis.pattern.goal) if diagnosis.pattern is not None else None
    for reading in readings(text, row, grammar, strictness):
        if shape(reading.pattern.goal) != own:
            yield _Trial(from_reading(reading, text), Finder(reading.pattern), True)
    guesses = widenings if diagnosis.healthy else repairs
    for repair in guesses(text, row, grammar, strictness):
        if repair.pattern.goal.hole is None:  # a lone hole matches everything: no advice
            yield _Trial(from_repair(repair), Finder(repair.pattern), False)


class _Search:
    """One bounded look through files that did not match."""

    def __init__(
        self, diagnosis: Diagnosis, trials: list[_Trial], searched: int, end: float
    ) -> None:
        pattern = diagnosis.pattern if diagnosis.healthy else None
        self._trials = trials
        self._patterns = [pattern] if pattern is not None else []
        self._patterns += [trial.finder.pattern for trial in trials if trial.reading]
        self._searched = searched
        self._end = end
        self._misses: list[NearMiss] = []
        self._unseen = set(self._patterns[0].literals) if self._patterns else set()
        self._files = 0
        self._complete = False

    def run(self, files: Iterable[tuple[str, bytes]]) -> None:
        for path, source in files:
            self._files += 1
            self._unseen = {text for text in self._unseen if text not in source}
            self._look(path, source)
            if time.monotonic() > self._end or self._satisfied():
                return
        self._complete = True

    def _satisfied(self) -> bool:
        matched = sum(trial.where is not None for trial in self._trials)
        return matched >= SUGGESTIONS or (bool(matched) and len(self._misses) >= NEAR)

    def _look(self, path: str, source: bytes) -> None:
        trials = [t for t in self._trials if t.where is None and t.finder.may_match(source)]
        near = [
            pattern
            for pattern in self._patterns
            if len(self._misses) < NEAR and all(text in source for text in pattern.literals)
        ]
        if not trials and not near:
            return
        grammar = (near[0] if near else trials[0].finder.pattern).grammar
        root = grammar.parser().parse(source).root_node
        for trial in trials:
            if matches := trial.finder.find(root, source):
                trial.where = f"{path}:{matches[0].node.start_point[0] + 1}"
        room = range(NEAR - len(self._misses))
        misses = near_misses(near, path, source, root)
        self._misses += [miss for _, miss in zip(room, misses, strict=False)]

    def report(self, matched: bool) -> list[str]:
        """Near misses; where something else matched, only those of the pattern's own kind."""
        lines = [f"Near miss: {miss}" for miss in self._misses if miss.alike or not matched]
        if not self._complete or not self._unseen:
            return lines
        if self._files:
            files = "the one file" if self._files == 1 else f"any of the {self._files} files"
            absent = sorted(self._unseen)
            lines += [f"`{clip(text)}` does not occur in {files} searched." for text in absent]
        elif self._searched:
            texts = " and ".join(f"`{clip(text)}`" for text in sorted(self._unseen))
            lines.append(f"No file of the {self._searched} searched holds {texts}.")
        return lines
