"""`astedit learn`: do everywhere what was done in a few places."""

import json
import sys
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from astedit.cli import options, preview, request
from astedit.cli.flags import Bounds, Staging, taken
from astedit.cli.output import report, streams
from astedit.cli.place import Place, find_place
from astedit.errors import PreconditionError, RequestError
from resolve import AbortError
from resolve.visible import one_line, visible

if TYPE_CHECKING:
    from astedit.learning.learning import Learning, PlaceQuestion

_ANSWERS = {"y": "yes", "n": "no", "Y": "yes-shape", "N": "no-shape", "s": "skip", "q": "stop"}
_SHOWN = 20  # shapes, and hypotheses that fell


class Ways(NamedTuple):
    """Where the examples are; one of them, or none: what was begun in this work tree."""

    files: tuple[str, ...] = ()
    patch: str | None = None
    commit: str | None = None
    plan: str | None = None
    tests: str | None = None
    resume: str | None = None


class Asking(NamedTuple):
    """How questions are asked, and what else comes out."""

    questions: int = 5
    answers: str | None = None
    answer: tuple[str, ...] = ()
    explain: bool = False
    save: bool = False
    out: str | None = None


@options.command("learn --commit HEAD --stage")
@click.argument("files", nargs=-1, metavar="[BEFORE AFTER]",
                shell_complete=options.completing("files"))  # fmt: skip
@click.option("--patch", metavar="FILE", help="Learn from a patch; - is standard input.")
@click.option("--commit", metavar="REV[..REV]", help="Learn from what commits change.")
@click.option("--from", "plan", metavar="ID", help="Learn from a staged or applied plan.",
              shell_complete=options.completing("applied_ids"))  # fmt: skip
@click.option("--tests", metavar="DIR", help="Learn from pairs of files, or the tests of a rule.")
@click.option("--resume", metavar="TOKEN", help="Continue with the questions of this token.")
@click.option("--answer", multiple=True, metavar="ID=ANSWER",
              help="Answer a question: yes, no, yes-shape, no-shape, skip, stop.")  # fmt: skip
@click.option("--answers", metavar="FILE", help='Answers as JSON: {"1": "yes"}.')
@click.option("--questions", type=click.IntRange(0, 20), default=5, show_default=True,
              metavar="N", help="Ask at most N questions.")  # fmt: skip
@click.option(
    "--explain", is_flag=True, help="Print which other rules were tried, and why each fell."
)
@click.option("--save", is_flag=True, help="Write each rule and its test into the project.")
@click.option("--out", metavar="DIR", help="Write each rule and its test there.")
@options.of_request("lang", "-l", metavar="NAME")
@options.of_request("glob", metavar="GLOB")
@options.pager
@options.operating
def command(lang: str | None, glob: tuple[str, ...], **flags: Any) -> int:
    """Learn a rule from examples, and preview what else it would change.

    BEFORE and AFTER are files or directories; `-` reads `<<<<`, code, `====`, code, `>>>>`.
    Without them astedit learns from what you changed since the last commit. It prints the
    rule, then the diff. Only --stage, --apply or your answer to the question stage the plan.
    """
    ways, asking, staging = taken(Ways, flags), taken(Asking, flags), taken(Staging, flags)
    _check(ways, asking, lang)
    staging.check_sense()
    place = find_place(flags["root"])
    if not (staging.stage or staging.applies or staging.interactive or staging.asks(place.config)):
        staging = staging._replace(no_stage=True)
    interrupted = preview.interruption(place, staging)
    learning = _learned(ways, asking, place, staging, taken(Bounds, flags), lang, list(glob))
    _answer(learning, asking, place, staging)
    waiting = learning.open()
    if not staging.as_json:
        _show(learning, asking)
    if waiting:
        return _wait(learning, waiting, staging)
    plan = learning.plan()
    _save(learning, asking, place)
    failure = interrupted or preview.refusal(plan)
    if plan.total_replacements and not staging.as_json:
        from astedit.review.selectors import numbered_shapes

        streams.notes(report.shapes(plan, numbered_shapes(plan, plan.files)[:_SHOWN]))
    return preview.finish(plan, failure, place, staging, learning.json)


def _check(ways: Ways, asking: Asking, lang: str | None) -> None:
    """One way in, and no flag that means nothing."""
    if len(ways.files) not in (0, 2) and ways.files != ("-",):
        raise RequestError("Name two: BEFORE and AFTER.", hint="Or `-`, for a heredoc.")
    if sum(value not in (None, ()) for value in ways) > 1:
        raise RequestError("Name one example: files, --patch, --commit, --from, --tests, --resume.")
    if lang is not None and not (ways.files or ways.tests):
        hint = "Of a patch, a commit and a plan the names of the files say it."
        raise RequestError("-l goes with BEFORE and AFTER, with - and with --tests.", hint=hint)
    if asking.answer and ways.resume is None:
        raise RequestError("--answer belongs to --resume.", hint="--answers FILE answers at once.")
    if asking.save and asking.out is not None:
        raise RequestError(
            "--save and --out cannot be used together: both say where the rule goes."
        )


def _learned(
    ways: Ways,
    asking: Asking,
    place: Place,
    staging: Staging,
    bounds: Bounds,
    lang: str | None,
    glob: list[str],
) -> "Learning":
    from astedit.cli.session import open_session
    from astedit.learning.examples import read_example
    from astedit.learning.learning import SECONDS, Learning
    from astedit.producers.patch_text import MAX_SIZE

    with streams.Bar() as bar:
        run = place.run(staging.state_dir, jobs=bounds.jobs, progress=bar)
        if ways.resume is not None:
            return Learning.resumed(
                ways.resume, place.state(staging.state_dir), place.workspace, run
            )
        example = read_example(
            place.workspace,
            partial(open_session, place, staging.state_dir, announce=False),
            lang,
            files=(ways.files[0], ways.files[1]) if len(ways.files) == 2 else None,
            heredoc=request.standard_input(MAX_SIZE) if ways.files == ("-",) else None,
            patch=None if ways.patch is None else request.document_of(ways.patch, MAX_SIZE),
            commit=ways.commit,
            tests=ways.tests,
            plan=ways.plan,
        )
        seconds = bounds.timeout or SECONDS
        return Learning.of(
            example, place.workspace, run, most=asking.questions, glob=glob, seconds=seconds
        )


# -- questions -----------------------------------------------------------------------------------


def _answer(learning: "Learning", asking: Asking, place: Place, staging: Staging) -> None:
    """Answers what was answered, and asks a person on a terminal for the rest."""
    from astedit.cli.session import can_ask, open_session

    def keep() -> None:
        with open_session(place, staging.state_dir, create=True, announce=False):
            learning.keep(place.state(staging.state_dir))

    learning.take(_answers(asking))
    if staging.as_json or asking.answers is not None or asking.answer or not can_ask():
        if learning.open():
            keep()
        return
    try:
        while (question := learning.next()) is not None:
            learning.answer(question.id, _ask(question, learning.most))
    except KeyboardInterrupt as error:
        keep()
        streams.prompt("\n")
        raise AbortError(
            f"Interrupted: nothing was staged. Go on: astedit learn --resume {learning.token}"
        ) from error


def _answers(asking: Asking) -> dict[str, str]:
    answers: dict[str, str] = {}
    for text in asking.answer:
        id, equals, reply = text.partition("=")
        if not equals:
            raise RequestError(
                f"--answer {one_line(text)!r} is not ID=ANSWER.", hint="Such as 1=y."
            )
        answers[id] = reply
    if asking.answers is not None:
        try:
            document = json.loads(request.document_of(asking.answers))
        except (ValueError, RecursionError) as error:
            raise RequestError(f"{asking.answers} is not JSON: {error}") from error
        if not isinstance(document, dict) or not all(isinstance(v, str) for v in document.values()):
            raise RequestError(f'{asking.answers} is not an object such as {{"1": "yes"}}.')
        answers |= document
    return answers


def _ask(question: "PlaceQuestion", most: int) -> str:
    """What the person says of one place, which is shown as the diff that it would get."""
    streams.notes(_place_lines(question))
    while True:
        streams.prompt(f"{question.id} of {most}: here too? [y/n/Y/N/s/q/?] ")
        line = sys.stdin.readline()
        reply = _ANSWERS.get(line.strip()[:1]) if line else "stop"
        if reply is not None:
            return reply
        streams.note("y yes, n no, Y and N for all of this shape, s skip, q ask no more")


def _place_lines(question: "PlaceQuestion") -> Iterator[str]:
    place = question.place
    yield f"{question.id}  {one_line(place.where)}"
    yield from (f"  - {visible(line)}" for line in place.before.split("\n"))
    yield from (f"  + {visible(line)}" for line in place.after.split("\n"))


# -- what comes out ------------------------------------------------------------------------------


def _show(learning: "Learning", asking: Asking) -> None:
    """Prints the rules, what was not learned, and the rules that fell."""
    for at, (_, text, _) in enumerate(learning.texts()):
        streams.texts([*(["---"] if at else []), *text.rstrip("\n").split("\n")])
    streams.flush()
    streams.notes(f"not learned: {one_line(line)}" for line in learning.others[:_SHOWN])
    if learning.stopped:
        streams.note(f"The search stopped early: {learning.stopped}.")
    for rule in learning.rules if asking.explain else ():
        streams.note(f"holds: {one_line(rule.hypothesis.pattern)} ({rule.id})")
        disputed = rule.disputed()[:_SHOWN]
        streams.notes(f"  or only where {one_line(condition.text)}" for condition in disputed)
    if asking.explain:
        streams.notes(f"fell: {one_line(line)}" for line in learning.fallen[:_SHOWN])


def _wait(learning: "Learning", waiting: "list[PlaceQuestion]", staging: Staging) -> int:
    from astedit.learning.learning import open_error

    if staging.as_json:
        streams.document(learning.json())
        return PreconditionError.exit_code
    for question in waiting:
        streams.notes(_place_lines(question))
    command = f"astedit learn --resume {learning.token} --answer {waiting[0].id}=y"
    raise open_error(waiting, f"{command}; or --questions 0.")


def _save(learning: "Learning", asking: Asking, place: Place) -> None:
    """Writes each rule and its test where they were asked for, never over a file."""
    if not asking.save and asking.out is None:
        return
    from astedit.rule.project import load_project
    from astedit.transaction.user_files import create_all

    if asking.out is not None:
        rules = tests = place.below(asking.out) or "."
    else:
        project = load_project(place.workspace, documents=False)
        if not project.rule_directories or not project.tests:
            raise RequestError(
                f"{project.config} names no directory for rules, or none for tests.",
                path=project.config,
                hint="Add ruleDirs and testConfigs, or say --out DIR.",
            )
        rules, tests = project.rule_directories[0], project.tests[0].path
    files: dict[str, str] = {}
    for id, text, test in learning.texts():
        files |= {f"{rules}/{id}.yml": text, f"{tests}/{id}-test.yml": test}
    for path in create_all(place.workspace.fd, files):
        streams.note(f"written: {path}")
