"""Puts the outcomes of files together, in path order, to one plan."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import accumulate
from os.path import dirname
from typing import Any

from astedit.engine.files.outcome import BlockedData, DisplacedData, EditData, FileData
from astedit.engine.fingerprint import fingerprint, path_key
from astedit.engine.languages import grammars_of
from astedit.engine.run.jobs import Job
from astedit.engine.run.prepare import Evidence
from astedit.errors import ConflictError, PreconditionError
from astedit.language.traits import traits
from astedit.limits import PARSE_ERRORS_SHOWN
from astedit.model.edit import INCOMPLETE_REASONS, Edit, EditedMatch, FilePlan, Skip, Span, edit_id
from astedit.model.plan import Blocked, Displaced, DroppedComment, Lost, ParseError, Plan, Readings
from astedit.model.request import EditRequest
from astedit.text import first_names, number
from astedit.workspace.path_policy import PathClass, bars_edits, classify
from astedit.workspace.root import in_repository

UNUSED = "unused-suppression"  # what takes comments away that silence no rule
_HINTED = 5  # missing imports that are named
_HINTS = {
    "loss": "Name the lost text in the pattern (for a list: $$$), or pass --allow-loss.",
    "breaks_syntax": "The result does not parse: change the rewrite, or leave these out (where).",
    "changes_structure": "No brackets help: change the rewrite, or leave these out (where).",
    "empty_block": "The block needs a statement: rewrite it to `{}` instead of deleting it.",
    "imports": "Change the file by hand, or give the import another name.",
    "protected": "A person includes them: 'astedit edit -p PAT -r OUT --allow-protected'.",
    "never": "astedit never edits this path.",
}


class Merge:
    """Builds the plan of one request; use it once."""

    def __init__(self, request: EditRequest, root: str, evidence: Evidence) -> None:
        self._request = request
        self._evidence = evidence
        self._prepared = prepared = evidence.prepared
        self.out = Plan(root=root, request=request, languages=list(prepared.languages))
        self.out.skipped = list(prepared.discovery.skipped)
        self._replacements = 0
        self._missing: Counter[str] = Counter()
        self._unread: list[Job] = []
        self._disproved: list[Job] = []
        self._spreading: list[tuple[str, int]] = []
        self._root = root
        self._in_repository: dict[str, bool] = {}
        self._links = {real: name for name, real in prepared.discovery.links.items()}

    def plan(self, alone: bool = False) -> Plan:
        """The plan of the outcomes; `alone` says that nobody else needs them any more."""
        plan = self.out
        plan.stats = self._evidence.stats
        for job, data in self._evidence.taken() if alone else self._evidence.rows:
            self._file(job, data)
        plan.files_searched = self._evidence.searched
        if self._request.left_out:
            plan.skipped += [Skip(path, "timeout", "left out") for path in self._request.left_out]
        plan.skipped.sort(key=lambda skip: path_key(skip.path))
        plan.files_touched = len(plan.files)
        plan.total_replacements = self._replacements
        self._incomplete()
        used = grammars_of(plan.request, plan.files)
        grammars = [use for use in plan.languages if use.name in used]
        compilers = (traits(name).compiler for name in sorted(used))
        plan.interpreter = next((one.version for one in compilers if one is not None), None)
        plan.fingerprint = fingerprint(plan.request, plan.files, grammars)
        return plan

    def _file(self, job: Job, data: FileData) -> None:
        self._spreading += [(job.path, span.line) for span in data.spreading]
        if data.unread:
            self._unread.append(job)
        if data.disproved:
            self._disproved.append(job)
        if not data.parsed and data.skip is None:
            return  # nearly every file: the prefilter dropped it
        if data.error_at:
            errors = self.out.parse_errors
            errors.total += 1
            if len(errors.shown) < PARSE_ERRORS_SHOWN:
                errors.shown.append(ParseError(job.path, *data.error_at))
        if data.skip:
            self._skip(job.path, *data.skip)
        for blocked in data.blocked:
            self._block(job, blocked)
        for displaced in data.displaced:
            self._displace(job.path, displaced)
        if data.edits and not data.skip:
            self._missing.update(data.missing)
            for number, count in data.matched:
                op, rule = self._name(number)
                key = op if rule is None else rule
                matched = self._evidence.stats.matched
                matched[key or 0] = matched.get(key or 0, 0) + count
            self._edits(job, data)

    def hints(self) -> list[str]:
        """What is to be said of the edits, and was not asked for."""
        return list(dict.fromkeys(self._hints()))

    def _hints(self) -> Iterator[str]:
        yield from self._imports_left()
        for text, count in self._missing.most_common(_HINTED):
            yield f"{number(count, 'file')} would lack an import: --add-import '{text}' adds it."
        yield from self._prepared.warnings
        compiler = traits(self._unread[0].row.name).compiler if self._unread else None
        if compiler is not None:
            paths = first_names([job.path for job in self._unread], 1)
            yield (
                f"{compiler.name} {compiler.version} does not compile {paths} as it is, "
                "so only the parser has looked at the result."
            )
        if self._disproved:
            wrong = f"An edit of {self._disproved[0].path} is wrong"
            yield (
                f"{wrong} though one of its shape was proved: please report this as a bug, "
                "and look closely at the edits of the files before it."
            )
        if self._spreading:
            (path, line), count = self._spreading[0], len(self._spreading)
            what, where = "An edit moves a spread argument past another one", "at"
            if count > 1:
                what = f"{count} edits move a spread argument past another one"
                where = "the first at"
            yield f"{what}, {where} {path}:{line}: its meaning depends on its place."

    def _imports_left(self) -> Iterator[str]:
        """What `imports` of rules would have done, had the edit not been confined (F11)."""
        confined = self.out.files and (self._request.within or self._request.regions)
        for op in self._prepared.ops if confined else ():
            if op.imports is not None:
                changes = op.imports.changes
                for verb, names in (("added", changes.add), ("removed", changes.remove)):
                    if names:
                        yield f"not {verb}, as the edit is confined: {'; '.join(names)}"

    def _skip(self, path: str, reason: Any, detail: str | None) -> None:
        if reason == "cycle":
            raise PreconditionError(
                f"{path}: {detail}.",
                code="fixpoint_cycle",
                path=path,
                hint="Two ops undo one another; run them without fixpoint.",
            )
        self.out.skipped.append(Skip(path, reason, detail))

    def _block(self, job: Job, data: BlockedData) -> None:
        hint = _HINTS[data.reason]
        if data.reason == "empty_block":
            hint = hint.format(traits(job.row.name).facts.placeholder or "an empty statement")
        self._bar(job.path, data, hint)

    def _bar(self, path: str, data: BlockedData, hint: str) -> None:
        lost = [Lost(Span(*text.span), text.text.decode("utf-8", "replace")) for text in data.lost]
        number, rule = self._name(data.op)
        reason: Any = data.reason
        blocked = Blocked(path, Span(*data.span), number, reason, lost, hint, data.matches, rule)
        blocked.text, blocked.detail = data.text.decode("utf-8", "replace"), data.detail
        misreading = data.misreading
        blocked.readings = Readings(*misreading) if misreading else None
        self.out.blocked.append(blocked)

    def _name(self, op: int | None) -> tuple[int | None, str | None]:
        """The op's number, or the id of the rule that comes behind the ops."""
        count = len(self._request.ops)
        if op is None or op < count:
            return op, None
        rules = self._request.rules
        return None, rules[op - count]["id"] if op - count < len(rules) else UNUSED

    def _displace(self, path: str, data: DisplacedData) -> None:
        if self._request.overlap == "error":
            labels = f"{self._label(data.op)} and {self._label(data.by)}"
            raise ConflictError(
                f"{path}:{data.span.line}: matches of {labels} overlap.",
                path=path,
                hint="Use overlap=compose, or run one op after the other.",
            )
        (op, rule), (by, by_rule) = self._name(data.op), self._name(data.by)
        reason: Any = data.reason
        self.out.displaced.append(Displaced(path, Span(*data.span), op, by, reason, rule, by_rule))

    def _label(self, op: int | None) -> str:
        _, rule = self._name(op)
        return f"op {(op or 0) + 1}" if rule is None else f"rule {rule}"

    def _class(self, path: str) -> PathClass | None:
        of_git = in_repository(self._root, dirname(path), self._in_repository)
        return "never" if of_git else classify(path)

    def _edits(self, job: Job, data: FileData) -> None:
        kind = self._class(job.path)
        if bars_edits(kind, self._request):
            hint = _HINTS["never" if kind == "never" else "protected"]
            for edit in data.edits:
                whole = edit.text if edit.match else edit.before
                text = whole.decode(edit.codec, "replace").encode()
                blocked = BlockedData(
                    edit.match or edit.span, edit.op, "protected", (), edit.matches, text
                )
                self._bar(job.path, blocked, hint)
            return
        fitting = self._fitting(job, data)
        if fitting is None:
            return
        data = fitting
        for edit in data.edits:
            self._drop(job.path, edit)
        edits = [self._edit(job.path, edit) for edit in data.edits]
        count = sum(edit.matches for edit in edits)
        self._replacements += count
        self.out.files.append(
            FilePlan(
                path=job.path,
                operation="modify",
                before_hash=data.before,
                after_hash=data.after,
                mode=data.mode,
                replacements=count,
                edits=edits,
                link=self._links.get(job.path),
                hunks=data.hunks,
            )
        )

    def _drop(self, path: str, data: EditData) -> None:
        op, rule = self._name(data.op)
        self.out.dropped_comments += [
            DroppedComment(path, Span(*span), op, text.decode("utf-8", "replace"), rule)
            for span, text in data.dropped
        ]

    def _edit(self, path: str, data: EditData) -> Edit:
        op, start, end, line, column, before, new, matches, codec, match, text, _ = data
        number, rule = self._name(op)
        return Edit(
            id=edit_id(path, rule or op, start, end, before, new),
            op=number,
            rule_id=rule,
            start=start,
            end=end,
            line=line,
            column=column,
            before=before.decode(codec, "replace"),
            after=new.decode(codec, "replace"),
            matches=matches,
            match=match and EditedMatch(*match, text.decode(codec, "replace")),
            new=new,
            lead=len(text[: start - match.start].decode(codec, "replace")) if match else 0,
        )

    def _fitting(self, job: Job, data: FileData) -> FileData | None:
        """The edits of a file that the limits leave room for, the first in path order."""
        request, plan = self._request, self.out
        if plan.limit_reached:
            return None
        counts = list(accumulate(edit.matches for edit in data.edits))
        most = request.max_replacements
        fit = len(counts) if most is None else bisect_right(counts, most - self._replacements)
        if request.max_files is not None and len(plan.files) >= request.max_files:
            fit = 0
        plan.limit_reached = fit < len(counts)
        if not plan.limit_reached or not fit:
            return data if fit else None
        return self._prepared.engine.first_edits(job.path, data, fit)

    def _incomplete(self) -> None:
        plan = self.out
        missing = {skip.path for skip in plan.skipped if skip.reason in INCOMPLETE_REASONS}
        plan.incomplete = bool(missing)
        if missing and self._request.allow_partial:
            plan.request = replace(self._request, left_out=sorted(missing, key=path_key))
