"""The tests of a pack, and whether its rules compile."""

import os
from collections.abc import Iterator
from tempfile import TemporaryDirectory

from astedit.engine.program import Program
from astedit.engine.rule_program import Rulebook
from astedit.language import GrammarUnavailable, load
from astedit.model.request import EditRequest
from astedit.packs.pack import Pack
from astedit.packs.source import Files
from astedit.rule.project import SNAPSHOTS, TestDirectory
from astedit.testing.case import read_tests
from astedit.testing.subject import Subject
from astedit.testing.verdict import Judge, Verdict
from astedit.workspace.root import Workspace


def uncompiled(pack: Pack, names: str) -> Iterator[str]:
    """What is wrong with the rules of a pack, by language."""
    documents = [{**rule.content, "severity": "hint", "metadata": {}} for rule in pack.rules]
    request = EditRequest(rules=documents, utils=[dict(one.content) for one in pack.utils])
    book = Rulebook(request, names)
    for row in dict.fromkeys(row for rule in pack.rules for row in rule.languages):
        try:
            program = Program(row, load(row))
        except GrammarUnavailable as error:
            yield error.message
            continue
        book.compile(program, True)
        yield from (error.message for error in program.refused.values())
        yield from program.warnings


def tested(files: Files, pack: Pack, names: str) -> tuple[list[Verdict], list[str]]:
    """What becomes of a pack's tests, in a directory that goes again, and what was not tested.

    Snapshots are compared where the pack has some.
    """
    rules = {rule.id.partition("/")[2]: rule for rule in pack.rules}
    verdicts, warnings = [], []
    with TemporaryDirectory() as folder:
        for path, content in files.items():
            place = os.path.join(folder, path)
            os.makedirs(os.path.dirname(place), exist_ok=True)
            with open(place, "wb") as file:
                file.write(content)
        with Workspace(folder) as workspace:
            judge = Judge(workspace, snapshots=any(SNAPSHOTS in path for path in files))
            for path in pack.tests:
                place = os.path.join(folder, path)
                if not os.path.exists(place):
                    warnings.append(f"there is no directory or file {path}")
                    continue
                above = path if os.path.isdir(place) else os.path.dirname(path)
                snapshots = os.path.join(above, SNAPSHOTS)
                for case in read_tests(workspace, TestDirectory(path, snapshots)):
                    rule = rules.get(case.id)
                    if rule is None:
                        warnings.append(f"{case.path} tests {case.id!r}, and no rule has this id")
                        continue
                    subjects = [
                        Subject(rule, tuple(pack.utils), row, names) for row in rule.languages
                    ]
                    verdicts.append(judge.judge(case, *subjects))
    return verdicts, warnings
