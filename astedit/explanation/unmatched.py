"""What to say when a pattern is refused, or matches nothing although its files were read.

Every other way to write it is tried on those files, within a budget of seconds; what is
recommended has matched there. (rules P7, P8)
"""

import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Unpack

from astedit.engine.program import Program
from astedit.engine.run.jobs import Job
from astedit.engine.run.prepare import Evidence
from astedit.explanation.diagnose import SUGGESTIONS, Diagnosis, diagnose, suggestion
from astedit.explanation.difference import NearMiss, clip, near_misses, nearest
from astedit.explanation.spellings import REPAIRS, WIDENINGS, spellings
from astedit.language import Grammar, Row, load
from astedit.limits import COMPILE_SECONDS, SlowParseError, is_shallow, parsing_within
from astedit.model.explanation import Suggestion
from astedit.model.request import EditRequest, Op
from astedit.pattern.compile import Pattern, PatternError, PatternOptions
from astedit.pattern.find import Finder
from astedit.pattern.match import Found
from astedit.workspace.confined_open import read_within
from astedit.workspace.root import Workspace

NEAR = 3  # near misses shown
SECONDS = 0.5  # spent on files that did not match
_SWEPT = 500  # files in which the texts alone are looked for, at most
_CLOSE_FILES = 50  # files in which a near miss is looked for, at most


def nothing_found(request: EditRequest, evidence: Evidence, workspace: Workspace) -> list[str]:
    """Why no op matched anywhere, and what to write instead."""
    prepared = evidence.prepared
    if not prepared.jobs and not prepared.languages:
        fixing = request.ops or any(rule.keys() & {"fix", "edits"} for rule in request.rules)
        if prepared.engine.mode == "edit" and not fixing:
            return ["None of the rules has a fix; `astedit scan` reports what they find."]
        if request.rules and all(rule.get("severity") == "off" for rule in request.rules):
            return ["Every rule is off."]
        return ["No file of a known language was found; markup is searched only with --lang."]
    hints: list[str] = []
    for program in prepared.programs.values():
        for op in program.ops:
            if op.pattern is None:
                hints += getattr(op.finder, "hints", ())
                continue
            with suppress(SlowParseError):
                hints += _diagnosis(
                    request.ops[op.index], program, op.pattern, request, evidence, workspace
                )
    return list(dict.fromkeys(hints))


def _diagnosis(
    op: Op,
    program: Program,
    pattern: Pattern,
    request: EditRequest,
    evidence: Evidence,
    workspace: Workspace,
) -> list[str]:
    jobs = [job for job in evidence.close if job.row is program.row][:_CLOSE_FILES]

    def read(jobs: Iterable[Job]) -> Iterator[tuple[Job, bytes]]:
        """One that is gone by now is left out."""
        for job in jobs:
            content = read_within(workspace.read, job.path, request.max_file_size).raw
            if content is not None:
                yield job, content

    def files() -> Iterator[tuple[str, bytes]]:
        """Those that may be parsed in this process."""
        return ((job.path, content) for job, content in read(jobs) if is_shallow(content))

    if (op.where or op.where_kind) and (lines := _unmet(pattern, files())):
        return lines
    return nothing_matched(
        op.pat,
        program.row,
        program.grammar,
        files(),
        searched=0 if evidence.close and not jobs else evidence.searched,  # others hold it
        others=read([] if evidence.close else evidence.prepared.jobs),
        **_options(op, request),
    )


def _options(op: Op, request: EditRequest) -> PatternOptions:
    return {
        "selector": op.selector or request.selector,
        "context": op.context or request.context,
        "strictness": op.strictness or request.strictness,
    }


def advise(error: PatternError, request: EditRequest) -> None:
    """Adds to the refusal of an op's pattern what to write instead."""
    op = request.ops[error.op] if error.op is not None else None
    if op is None or op.rule is not None or error.row is None:
        return
    with parsing_within(COMPILE_SECONDS), suppress(SlowParseError):
        diagnosis = diagnose(op.pat, error.row, load(error.row), **_options(op, request))
        advice = [suggestion.message for suggestion in diagnosis.suggestions]
        error.hint = "\n".join([*advice, error.hint or ""]).strip() or None


def _unmet(pattern: Pattern, files: Iterable[tuple[str, bytes]]) -> list[str]:
    """Why conditions let nothing pass, if the pattern alone matches in one of the files."""
    finder, parser = Finder(pattern), pattern.grammar.parser()
    end = time.monotonic() + SECONDS
    for path, source in files:
        if finder.may_match(source):
            matches = finder.find(parser.parse(source).root_node, source)
            if matches:
                return [_example(path, matches[0], source)]
        if time.monotonic() > end:
            break
    return []


def _example(path: str, found: Found, source: bytes) -> str:
    """The first place that the pattern matches, and what it captures there."""
    nodes = {name: [node] for name, node in found.single.items()} | found.multi
    texts = (
        f"${name} is `{clip(source[own[0].start_byte : own[-1].end_byte])}`"
        for name, own in sorted(nodes.items())
        if own
    )
    line = found.node.start_point[0] + 1
    return f"The pattern matches, the conditions do not: at {path}:{line} {', '.join(texts)}."


def nothing_matched(
    text: str,
    row: Row,
    grammar: Grammar,
    files: Iterable[tuple[str, bytes]],
    *,
    searched: int = 0,
    others: Iterable[tuple[Job, bytes]] = (),
    seconds: float | None = None,
    **options: Unpack[PatternOptions],
) -> list[str]:
    """Hints for a pattern that matched in none of `files` (path and bytes, one language).

    Files are read from the iterable until `seconds` are over; only those that hold the
    pattern's texts are parsed. The caller passes only files that it may parse here. When
    it passes only those that hold all the texts, `searched` says how many it looked at, and
    `others` are those, of any language: what texts of the pattern do they have?
    """
    diagnosis = diagnose(text, row, grammar, **options)
    plain = not (options.get("selector") or options.get("context"))
    tried = list(_trials(diagnosis, text, grammar, options.get("strictness", "smart"), plain=plain))
    end = time.monotonic() + (SECONDS if seconds is None else seconds)
    search = _Search(diagnosis, tried, searched, end)
    search.run(files)
    search.sweep(others)
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
    for reading in diagnosis.readings:
        yield _Trial(suggestion(reading, text), Finder(reading.pattern), True)
    guesses = WIDENINGS if diagnosis.healthy else REPAIRS
    for other in spellings(guesses, text, diagnosis.row, grammar, strictness):
        if other.pattern.goal.hole is None:  # a lone hole matches everything: no advice
            yield _Trial(suggestion(other, text), Finder(other.pattern), False)


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
        self._absent: set[bytes] = set()  # those of the unseen that no file has at all
        self._complete = False

    def run(self, files: Iterable[tuple[str, bytes]]) -> None:
        for path, source in files:
            self._files += 1
            self._unseen = {text for text in self._unseen if text not in source}
            self._look(path, source)
            if time.monotonic() > self._end or self._satisfied():
                return
        self._complete = True

    def sweep(self, others: Iterable[tuple[Job, bytes]]) -> None:
        """Which texts none of these has at all, and near misses where the fewest are lacking."""
        self._absent, most = self._unseen.copy(), len(self._unseen) // 2
        if not most:
            return
        pattern = self._patterns[0]
        closest: list[tuple[Job, bytes]] = []
        for number, (job, source) in enumerate(others):
            lacking = {text for text in self._unseen if text not in source}
            self._absent &= lacking
            if len(lacking) <= most and job.row is pattern.row and is_shallow(source):
                closest = closest[:NEAR] if len(lacking) == most else []
                closest, most = [*closest, (job, source)], len(lacking)
            if number == _SWEPT or time.monotonic() > self._end:
                self._absent.clear()
                break
        for job, source in closest:
            root = pattern.grammar.parser().parse(source).root_node
            self._add(nearest(pattern, job.path, source, root))

    def _add(self, misses: Iterable[NearMiss]) -> None:
        self._misses += islice(misses, NEAR - len(self._misses))

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
        self._add(near_misses(near, path, source, root))

    def report(self, matched: bool) -> list[str]:
        """Near misses; where something else matched, only those of the pattern's own kind."""
        lines = [f"Near miss: {miss}" for miss in self._misses if miss.alike or not matched]
        if not self._complete or not self._unseen:
            return lines
        if self._files:
            files = "the one file" if self._files == 1 else f"any of the {self._files} files"
            lines += [
                f"`{clip(text)}` does not occur in {files} searched."
                for text in sorted(self._unseen)
            ]
        elif self._searched:
            joint, absent = (" or ", self._absent) if self._absent else (" and ", self._unseen)
            texts = joint.join(f"`{clip(text)}`" for text in sorted(absent))
            lines.append(f"No file of the {self._searched} searched holds {texts}.")
        return lines
