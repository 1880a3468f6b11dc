"""Which files a request is about, and its ops compiled for their languages. (spec: G5)"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from astedit.engine.compiled import Program, check_ops
from astedit.engine.discover import Discovery
from astedit.engine.file import Engine
from astedit.engine.run import Job
from astedit.engine.start import Start, language_of, wanted
from astedit.errors import PreconditionError
from astedit.language import GrammarUnavailable, Row, for_path
from astedit.limits import Deadline
from astedit.model import EditRequest, LanguageUse
from astedit.workspace import Workspace


@dataclass(slots=True)
class Survey:
    """The files a request is about, each with its language, and the compiled ops."""

    engine: Engine
    jobs: list[Job]
    programs: dict[str, Program]
    languages: list[LanguageUse]
    discovery: Discovery
    seconds: dict[str, float] = field(default_factory=dict)


def survey(
    request: EditRequest,
    workspace: Workspace,
    mode: str,
    start: Start,
    *,
    deadline: Deadline,
    hunks: bool = True,
    ignore: Sequence[str] = (),
) -> Survey:
    """Finds the files and compiles the ops for every language among them.

    Raises the refusal of an op that compiles in none of them.
    """
    check_ops(request.ops, request, mode == "edit")
    started = time.perf_counter()
    discovery = start.search.finish(globs=request.glob, ignore=ignore, deadline=deadline)
    languages = wanted(request)
    jobs = _jobs(request, discovery, {row.name for row in languages})
    engine = Engine(request, mode, hunks, workspace.read)
    found = Survey(engine, jobs, {}, [], discovery)
    found.seconds["discover"] = time.perf_counter() - started
    compile_languages(found, request, languages)
    return found


def _jobs(request: EditRequest, discovery: Discovery, names: set[str]) -> list[Job]:
    """The files to look at. A named file of no known language is taken to be of `lang`."""
    left_out = set(request.left_out)
    jobs: list[Job] = []
    for path in discovery.files:
        row = for_path(path)
        if row is None and request.lang and path in discovery.explicit:
            row = language_of(request.lang)
        if row is not None and row.name in names and path not in left_out:
            jobs.append(Job(len(jobs), path, row))
    return jobs


def compile_languages(found: Survey, request: EditRequest, named: Sequence[Row]) -> None:
    """Compiles for the languages that occur; for the named ones when none does."""
    present = {job.row.name: job.row for job in found.jobs}
    forced = request.lang is not None or all(op.lang for op in request.ops)
    candidates = list(present.values()) or (list(named) if forced else [])
    refused: dict[int, Exception] = {}
    compiled: set[int] = set()
    for row in sorted(candidates, key=lambda row: row.name):
        try:
            program = found.engine.program(row)
        except GrammarUnavailable as error:
            found.languages.append(LanguageUse(row.name, "", "", dropped=error.message))
            refused.setdefault(-1, error)
            continue
        grammar = program.grammar
        why = "; ".join(error.message for error in program.refused.values())
        use = LanguageUse(row.name, grammar.distribution, grammar.version, why or None)
        found.languages.append(use)
        refused.update({i: refused.get(i, error) for i, error in program.refused.items()})
        compiled.update(op.index for op in program.ops)
        if program.ops:
            found.programs[row.name] = program
    for index in range(len(request.ops)):
        if index not in compiled and candidates:
            raise refused.get(index) or refused.get(-1) or _no_language(request, index)
    found.jobs = [job for job in found.jobs if job.row.name in found.programs]


def _no_language(request: EditRequest, index: int) -> PreconditionError:
    return PreconditionError(
        f"No file is of a language that the op for {request.ops[index].pat!r} is meant for.",
        hint="Check its lang and the paths.",
        code="no_files",
    )
