"""What became of a test or of a pack's: ast-grep's statuses, and why. (rules X1, X2)"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import unified_diff
from functools import partial
from tempfile import TemporaryDirectory
from typing import Any, Literal

from astedit.discover.discover import discover
from astedit.engine.run.plan import BufferScan
from astedit.errors import AstEditError
from astedit.language import GrammarUnavailable, for_path
from astedit.model.request import EditRequest
from astedit.packs.pack import Pack
from astedit.packs.source import Files
from astedit.rule import Document, RuleError
from astedit.rule.project import SNAPSHOTS, TestDirectory
from astedit.testing.case import DirectoryCase, FixCase, Test, read_tests, with_after
from astedit.testing.snapshot import Snapshot, read_snapshots, same, shown, snapshot_path
from astedit.testing.subject import Subject, snapshot_of, snapshot_of_node
from astedit.text.source import splice
from astedit.workspace.root import Workspace

Status = Literal["validated", "reported", "noisy", "missing", "wrong", "updated", "error"]
LETTERS: dict[str, str] = {
    "validated": ".", "reported": ".", "noisy": "N", "missing": "M", "wrong": "W",
    "updated": "U", "error": "E",
}  # fmt: skip
_FILE_LIMIT = 2_097_152  # bytes of one file of a directory case


@dataclass(frozen=True, slots=True)
class CaseOutcome:
    """One case: its code (or directory), and lines that say what is wrong with it."""

    status: Status
    code: str
    why: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether this case is as it should be, or was made so."""
        return self.status in ("validated", "reported", "updated")


@dataclass(slots=True)
class Verdict:
    """All cases of a test, and what `update` would write.

    That are snapshots, and files of `after` directories: each as it is and as it is to be.
    """

    test: Test
    outcomes: list[CaseOutcome] = field(default_factory=list)
    updated: dict[str, Snapshot] = field(default_factory=dict)
    written: dict[str, tuple[bytes | None, bytes | None]] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """Whether every case is."""
        return all(outcome.passed for outcome in self.outcomes)


class Judge:
    """Runs tests. It writes nothing: who wants snapshots updated writes `Verdict.updated`."""

    def __init__(
        self,
        workspace: Workspace,
        *,
        snapshots: bool = True,
        update: bool = False,
        rules: Sequence[Document] = (),
        names: str = "",
    ) -> None:
        self._rules, self._names = rules, names
        self._workspace = workspace
        self._snapshots = snapshots
        self._update = update

    def judge(self, test: Test, *subjects: Subject) -> Verdict:
        """Judges a rule in every language there is a subject for, where a case parses.

        Raises `RuleError` for a rule that does not compile; all else is an outcome.
        """
        verdict = Verdict(test)
        known: dict[str, Snapshot] = {}
        if self._snapshots and test.invalid:
            known = read_snapshots(self._workspace, snapshot_path(test.snapshots, test.id))
        cases: list[tuple[str, Callable[[Subject], CaseOutcome]]] = [
            *((code, partial(_valid, code)) for code in test.valid),
            *((code, partial(self._invalid, code, known, verdict)) for code in test.invalid),
            *((case.code, partial(_fix, case)) for case in test.fixes),
        ]
        verdict.outcomes = [_everywhere(code, judge, subjects) for code, judge in cases]
        documents = self._cascade(subjects[0].document) if subjects else []
        for case in test.directories:
            judge = partial(self._directory, case, subjects)
            if documents:
                judge = partial(self._cascaded, case, documents, test.params, verdict)
            verdict.outcomes.append(_guarded(case.before, judge))
        if test.files:
            judge = partial(self._of_texts, verdict, documents or [subjects[0].document])
            verdict.outcomes.append(_guarded(", ".join(test.files), judge))
        return verdict

    def _cascade(self, rule: Document) -> list[Document]:
        """The rules of the file of one that causes others, or is caused; none of any other."""
        family = [one for one in self._rules if one.path == rule.path] or [rule]
        keys = {key for one in family for key in one.content}
        return family if keys & {"then", "when", "params", "deleteEmpty"} else []

    def _made(
        self, documents: list[Document], params: Mapping[str, str], texts: dict[str, bytes]
    ) -> dict[str, bytes | None]:
        from astedit.engine.cascade.graph import expanded
        from astedit.engine.cascade.run import cascaded_texts
        from astedit.engine.request import request_of

        fields = {"ops": [], "rules": expanded(documents, params), "allow_protected": True}
        made: dict[str, bytes | None] = dict(texts)
        for file in cascaded_texts(request_of(fields), texts, self._names).files:
            gone = file.operation == "delete"
            made[file.path] = None if gone else splice(texts[file.path], file.changes)
        return made

    def _cascaded(
        self,
        case: DirectoryCase,
        documents: list[Document],
        params: Mapping[str, str],
        verdict: Verdict,
    ) -> CaseOutcome:
        """A directory before and after a cascade."""
        made = self._made(documents, params, self._files(case.before))
        there = os.path.isdir(os.path.join(self._workspace.root, case.after))
        after = self._files(case.after) if there or not self._update else {}
        wrong = _differing(made, after)
        if not wrong or not self._update:
            return CaseOutcome("wrong" if wrong else "reported", case.before, tuple(wrong))
        for name in sorted({*made, *after}):
            old, new = after.get(name), made.get(name)
            if old != new:
                verdict.written[f"{case.after}/{name}"] = old, new
        return CaseOutcome("updated", case.before)

    def _of_texts(self, verdict: Verdict, documents: list[Document]) -> CaseOutcome:
        """The files that a test holds itself."""
        test = verdict.test
        texts = {path: before.encode() for path, (before, _) in test.files.items()}
        after = {path: text.encode() for path, (_, text) in test.files.items() if text is not None}
        made = self._made(documents, test.params, texts)
        wrong = _differing(made, after)
        if not wrong or not self._update:
            status: Status = "wrong" if wrong else "reported"
            return CaseOutcome(status, ", ".join(texts), tuple(wrong))
        old, _ = self._workspace.read(test.path, _FILE_LIMIT)
        named = {path: None if text is None else text.decode() for path, text in made.items()}
        verdict.written[test.path] = old, with_after(old.decode(), test, named).encode()
        return CaseOutcome("updated", ", ".join(texts))

    def _invalid(
        self, code: str, known: dict[str, Snapshot], verdict: Verdict, subject: Subject
    ) -> CaseOutcome:
        if not (found := subject.findings(code.encode())):
            return CaseOutcome("missing", code, ("The rule must report this, and does not.",))
        if not self._snapshots:
            return CaseOutcome("reported", code)
        made = snapshot_of(code.encode(), found[0])
        known = known | verdict.updated
        if code in known and _is_known(known[code], code.encode(), found[0], subject):
            return CaseOutcome("reported", code)
        if code in verdict.updated:  # by another language
            return CaseOutcome("wrong", code, tuple(_difference(verdict.updated[code], made)))
        if self._update:
            verdict.updated[code] = made
            return CaseOutcome("updated", code)
        if code not in known:
            why = ("There is no snapshot yet; --update writes:", *shown(made, "  "))
            return CaseOutcome("wrong", code, why)
        return CaseOutcome("wrong", code, tuple(_difference(known[code], made)))

    def _directory(self, case: DirectoryCase, subjects: Sequence[Subject]) -> CaseOutcome:
        of = {subject.row: subject for subject in subjects}
        before, after = self._files(case.before), self._files(case.after)
        wrong = [f"{name} is missing in {case.after}" for name in sorted(set(before) - set(after))]
        wrong += [f"{name} is only in {case.after}" for name in sorted(set(after) - set(before))]
        for name in sorted(set(before) & set(after)):
            content = before[name]
            row = for_path(name)
            if row in of:
                content = of[row].rewritten(content)
            if content != after[name]:
                wrong += [f"{name} becomes:", *_lines(content)]
        return CaseOutcome("wrong" if wrong else "reported", case.before, tuple(wrong))

    def _files(self, directory: str) -> dict[str, bytes]:
        paths = discover(self._workspace, [directory], no_ignore=("vcs", "dot", "parent")).files
        found = {}
        for path in paths:
            try:
                content, _ = self._workspace.read(path, _FILE_LIMIT)
            except OSError as error:
                raise AstEditError(f"{path} cannot be read: {error.strerror}.") from error
            found[path[len(directory) + 1 :]] = content
        return found


def _differing(made: Mapping[str, bytes | None], after: Mapping[str, bytes]) -> list[str]:
    """What is wrong with the outcome of a cascade, file by file."""
    wrong = []
    for name in sorted({*made, *after}):
        content = made.get(name)
        if content != after.get(name):
            head = f"{name} is deleted" if content is None else f"{name} becomes:"
            wrong += [head, *(() if content is None else _lines(content))]
    return wrong


def _is_known(known: Snapshot, code: bytes, finding: dict[str, Any], subject: Subject) -> bool:
    """Does a snapshot hold what the first finding is, in whatever layout of its fix?"""
    made, theirs = snapshot_of(code, finding), snapshot_of_node(code, finding)
    if same(known, made) or same(known, theirs):
        return True
    fixed = known.get("fixed")
    if fixed is None or "fixed" not in made or not same(known, {**made, "fixed": fixed}):
        return False
    ours = subject.first_rewritten(code, finding)
    texts = (made["fixed"].encode(), theirs["fixed"].encode(), ours)
    return any(subject.same_but_for_layout(fixed.encode(), text) for text in texts)


def _guarded(code: str, judge: Callable[[], CaseOutcome]) -> CaseOutcome:
    try:
        return judge()
    except RuleError:
        raise
    except AstEditError as error:
        return CaseOutcome("error", code, (error.message,))


def _everywhere(
    code: str, judge: Callable[[Subject], CaseOutcome], subjects: Sequence[Subject]
) -> CaseOutcome:
    """The first outcome that is not as it should be, with its language; else the first."""
    try:
        meant = [subject for subject in subjects if subject.parses(code.encode())] or subjects
    except GrammarUnavailable as error:
        return CaseOutcome("error", code, (f"{error.message}.", error.hint or ""))
    outcomes = [(subject, _guarded(code, partial(judge, subject))) for subject in meant]
    for subject, outcome in outcomes:
        if not outcome.passed:
            named = () if len(subjects) == 1 else (f"As {subject.row.name}:",)
            return replace(outcome, why=(*named, *outcome.why))
    return outcomes[0][1]


def _valid(code: str, subject: Subject) -> CaseOutcome:
    if not (found := subject.findings(code.encode())):
        return CaseOutcome("validated", code)
    lines = [f"line {one['range']['start']['line'] + 1}: {one['text']}" for one in found]
    return CaseOutcome("noisy", code, ("The rule must not report this, and finds:", *lines))


def _fix(case: FixCase, subject: Subject) -> CaseOutcome:
    wrong = list(_fix_problems(case, case.code.encode(), subject))
    return CaseOutcome("wrong" if wrong else "reported", case.code, tuple(wrong))


def _fix_problems(case: FixCase, code: bytes, subject: Subject) -> Iterator[str]:
    after = subject.rewritten(code)
    if case.fixed is not None and not _alike(after, case.fixed.encode(), case.loose, subject):
        yield from ("All matches rewritten, it is:", *_lines(after))
    if case.idempotent and subject.rewritten(after) != after:
        yield from ("Rewritten once more, it changes again:", *_lines(subject.rewritten(after)))
    if case.fixpoint is not None:
        settled = subject.settled(code)
        if not _alike(settled, case.fixpoint.encode(), case.loose, subject):
            yield from ("Rewritten until nothing changes, it is:", *_lines(settled))
    for text in case.keeps:
        there, left = code.count(text.encode()), after.count(text.encode())
        if there != left:
            yield f"{text!r} is not kept: {there} times before, {left} after"
    titled = subject.titled(code) if case.titles else {}
    for title, expected in case.titles.items():
        if title not in titled:
            yield f"There is no fix with the title {title!r}: {', '.join(titled) or 'none has one'}"
        elif not _alike(titled[title], expected.encode(), case.loose, subject):
            yield from (f"With the fix {title!r} it is:", *_lines(titled[title]))


def _alike(text: bytes, other: bytes, loose: bool, subject: Subject) -> bool:
    return text == other or (loose and subject.tokens(text) == subject.tokens(other))


def _difference(known: Snapshot, made: Snapshot) -> Iterator[str]:
    yield "The snapshot is different:"
    old = list(shown({"labels": [], **known}))
    yield from (
        f"  {line}" for line in list(unified_diff(old, list(shown(made)), n=9, lineterm=""))[3:]
    )


def _lines(content: bytes) -> list[str]:
    return [f"  {line}" for line in content.decode("utf-8", "replace").split("\n")]


def uncompiled(pack: Pack, names: str) -> Iterator[str]:
    """What is wrong with the rules of a pack, by language."""
    documents = [{**rule.content, "severity": "hint", "metadata": {}} for rule in pack.rules]
    utils = [dict(one.content) for one in pack.utils]
    scan = BufferScan(EditRequest(rules=documents, utils=utils), names, "edit")
    for row in dict.fromkeys(row for rule in pack.rules for row in rule.languages):
        yield from (error.message for error in scan.refused(row))
        yield from scan.warnings(row)


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
                    if (rule := rules.get(case.id)) is None:
                        warnings.append(f"{case.path} tests {case.id!r}, and no rule has this id")
                        continue
                    subjects = [
                        Subject(rule, tuple(pack.utils), row, names) for row in rule.languages
                    ]
                    verdicts.append(judge.judge(case, *subjects))
    return verdicts, warnings
