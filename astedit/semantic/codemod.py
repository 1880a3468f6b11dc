"""`codemod`: a libcst `CodemodCommand` of the user's, planned like any other edit.

What is stored is the codemod's name. Which class that is, only the user's configuration
or the command line says: never a repository, never a request. The class runs in worker
processes that can be killed, and only its output, as edits, leaves them.
"""

import os
import sys
from collections.abc import Callable
from typing import Any

from astedit.engine.change_steps import WorkedOut
from astedit.engine.run_context import hands
from astedit.errors import PreconditionError
from astedit.model.edit import Skip
from astedit.model.plan import Plan
from astedit.semantic.library import Library, NameRequest
from astedit.text.diff import changed_lines
from astedit.text.source import Change, smallest
from astedit.workers.pool import Pool

_SECONDS = 60.0  # for one file
_TARGET = "astedit.semantic.codemod:worker"


def plan(asked: NameRequest) -> Plan:
    """What the codemod does to each file. Raises `PreconditionError` (`unknown_codemod`)."""
    run, name = asked.run, asked.arguments["id"]
    if name not in run.codemods:
        raise PreconditionError(
            f"No class is named for the codemod {name!r}.",
            code="unknown_codemod",
            hint=f"Name it: --codemod {name}=MODULE:CLASS, or [codemods] in your own config.toml.",
        )
    with Library(asked, "") as library:
        tasks = []
        for path in library.files:
            text = library.text(path)
            if text is not None and path not in asked.request.left_out:
                tasks.append((path, 16 * len(text.code), (path, text.code)))
        outcome = library.worked_out({}, ())
        with Pool(hands(run.jobs), fds=(), file_seconds=_SECONDS) as pool:
            # a worker has the same path but for the script's place
            places = [os.path.abspath(entry) for entry in sys.path if entry]
            pool.prepare(_TARGET, (run.codemods[name], places))
            for path, (value, failure) in pool.run(tasks, run.deadline):
                if failure is not None:
                    outcome.skipped.append(Skip(path, failure))
                else:
                    _take(outcome, library, path, value)
    outcome.hints.sort()
    outcome.files_searched = len(tasks)
    return asked.plan(outcome, whole=False)


def _take(outcome: WorkedOut, library: Library, path: str, value: tuple[str, Any]) -> None:
    kind, result = value
    text = library.text(path)
    assert text is not None
    if kind == "broken":
        raise PreconditionError(f"The codemod cannot be run: {result}.", code="bad_codemod")
    if kind == "unread":
        outcome.skipped.append(Skip(path, "parse_error", result))
    elif kind == "failed":
        outcome.hints.append(f"{path}: the codemod failed: {result}")
    elif result:
        outcome.edits[path], outcome.expected[path] = text.marked(result), text.sha256


def line_edits(before: bytes, after: bytes) -> list[Change]:
    """The few edits that turn one text into the other: by lines, less their common ends."""
    edits = []
    for start, end, text in changed_lines(before, after):
        old, new = before[start:end].splitlines(keepends=True), text.splitlines(keepends=True)
        pairs = zip(old, new, strict=True) if len(old) == len(new) else [(before[start:end], text)]
        for one, other in pairs:
            if one != other:
                edits.append(smallest(before, (start, start + len(one), other)))
            start += len(one)
    return edits


def worker(setup: tuple[str, list[str]]) -> Callable[[tuple[str, bytes]], tuple[str, Any]]:
    """What a worker process runs: the class on one file, to its edits or what went wrong."""
    target, path = setup
    try:
        command, why = _command(target, path), ""
    except Exception as error:  # whatever the user's module raises
        command, why = None, f"{target}: {type(error).__name__}: {error}"

    def run(task: tuple[str, bytes]) -> tuple[str, Any]:
        return ("broken", why) if command is None else _transformed(command, *task)

    return run


def _command(target: str, path: list[str]) -> Any:
    from importlib import import_module

    from libcst.codemod import Codemod

    sys.path += [entry for entry in path if entry not in sys.path]
    module, _, name = target.partition(":")
    command = getattr(import_module(module), name)
    if not (isinstance(command, type) and issubclass(command, Codemod)):
        raise TypeError("it is no libcst Codemod class")
    return command


def _transformed(command: Any, path: str, code: bytes) -> tuple[str, Any]:
    import libcst
    from libcst.codemod import CodemodContext, SkipFile

    try:
        module = libcst.parse_module(code.decode("utf-8"))
    except (libcst.ParserSyntaxError, UnicodeError, RecursionError) as error:
        return "unread", f"{type(error).__name__}"
    try:
        codemod = command(CodemodContext(filename=path))
        return "done", line_edits(code, codemod.transform_module(module).code.encode("utf-8"))
    except SkipFile:
        return "done", []
    except Exception as error:  # whatever the user's class raises
        return "failed", f"{type(error).__name__}: {error}"
