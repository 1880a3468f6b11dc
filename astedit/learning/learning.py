"""An example and a tree: the rules, the places where they would act, the questions, the plan.

What was asked and answered can be kept as plain data under a token, and gone on with. A no is
kept with what was known about its place, so it holds even where the place is gone.
"""

import base64
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from astedit.engine.request import rule_request
from astedit.engine.run_context import Run
from astedit.errors import PreconditionError, RequestError
from astedit.language import named
from astedit.learning.conditions import hold
from astedit.learning.edits import ParsedTexts, case_name
from astedit.learning.examples import ExampleFiles, ExamplePair
from astedit.learning.places import MatchedPlace, place_of
from astedit.learning.rule import LearnedRule, scan_of, yaml_of
from astedit.learning.search import MOST_RULES, Learner
from astedit.learning.tokens import keep, kept
from astedit.model.edit import Edit
from astedit.model.plan import Plan
from astedit.model.shapes import alike_edits
from astedit.rule.document import rule_document
from astedit.staging.part import cut
from astedit.staging.preview import preview
from astedit.text import number
from astedit.text.source import before_break, line_start, splice
from astedit.workspace.root import Workspace
from resolve.visible import one_line

SCHEMA = "astedit/learned/1"
SECONDS = 20.0  # of the processor for a search, unless told otherwise
QUESTIONS = 5
ANSWERS = ("yes", "no", "yes-shape", "no-shape", "skip", "stop")
_SHORT = {"y": "yes", "n": "no"}
_WIDENING = 0.5  # what a question is worth about a place that a rule does not change so far
_MOST_FILES = 100  # files of which places are looked at
_OF_FILES = ("files", "ignores")
_LARGEST = 1 << 26  # bytes of a file that is read
_LONGEST = 4_000  # characters of a text that a question shows


@dataclass(slots=True)
class PlaceQuestion:
    """Whether one place of the tree is meant; `reply` is empty before the answer."""

    id: str
    place: MatchedPlace
    reply: str = ""

    def json(self) -> dict[str, Any]:
        """As the JSON document has it."""
        place = self.place
        return {
            "id": self.id, "path": place.path, "line": place.line, "before": place.before,
            "after": place.after, "shape": place.shape,
        }  # fmt: skip


@dataclass(slots=True)
class Learning:
    """What is being learned of an example for one tree."""

    example: ExampleFiles
    workspace: Workspace
    run: Run
    most: int = QUESTIONS
    glob: list[str] = field(default_factory=list)
    seconds: float = SECONDS
    most_rules: int = MOST_RULES
    asked: list[PlaceQuestion] = field(default_factory=list)
    rules: list[LearnedRule] = field(default_factory=list)
    fallen: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    ended: bool = False
    stopped: str = ""
    token: str = ""

    @classmethod
    def of(
        cls, example: ExampleFiles, workspace: Workspace, run: Run, **options: Any
    ) -> "Learning":
        """Finds the rules of an example, and the places of the tree that they would change.

        Raises `PreconditionError`: `nothing_learned`, `contradiction`.
        """
        example.leave_done(workspace)
        learning = cls(example, workspace, run, **options)
        result = Learner(example.pairs, learning.seconds, run.deadline).learned(learning.most_rules)
        learning.rules, learning.fallen = result.rules, result.fallen
        learning.stopped, learning.others = result.stopped, example.others + result.others
        for rule in result.rules:
            rule.unknown = learning._places(rule)
            rule.settle(learning._read)
        return learning

    def _read(self, path: str) -> bytes:
        return self.workspace.read(path, _LARGEST)[0]

    # -- the tree ----------------------------------------------------------------------------

    def _preview(self, documents: Sequence[Mapping[str, Any]], run: Run) -> Plan:
        request = rule_request([rule_document(dict(each)) for each in documents], glob=self.glob)
        return preview(request, self.workspace, run)

    def plan(self) -> Plan:
        """What the rules would do to the tree, less what a pending plan does already."""
        plan = self._preview([rule.document for rule in self.rules], self.run)
        every = [(file.path, edit) for file in plan.files for edit in file.edits]
        kept = {edit.id for path, edit in every if not self._is_pending(path, edit)}
        if len(kept) == len(every):
            return plan
        return cut(plan, kept, self.workspace, want_hunks=self.run.want_hunks)

    def _is_pending(self, path: str, edit: Edit) -> bool:
        return any(
            path == other and start <= edit.end and edit.start <= end
            for other, start, end in self.example.pending
        )

    def settled_plan(self, answers: Mapping[str, str]) -> Plan:
        """The plan; raises `PreconditionError` (`questions_open`) where a question stays open."""
        self.take(answers)
        if waiting := self.open():
            raise open_error(waiting, f"Answer {waiting[0].id}, or ask none.")
        return self.plan()

    def _places(self, rule: LearnedRule) -> list[MatchedPlace]:
        """Where a rule without conditions would act in the tree."""
        plan = self._preview([rule.plain], self.run._replace(want_hunks=False))
        shapes: dict[str, str] = {}
        for group in alike_edits(plan.files, plan.request) if plan.files else ():
            shapes |= {member.edit.id: group.shape.label for member in group.edits}
        mine = {pair.path for pair in self.example.pairs}
        files = [file for file in plan.files if file.path not in mine]
        if len(files) > _MOST_FILES:
            self.others.append(f"of {len(files):,} files only {_MOST_FILES} were asked about")
        texts, places = ParsedTexts(), list[MatchedPlace]()
        scan = scan_of(rule.plain, rule.row, texts)
        for file in files[:_MOST_FILES]:
            content = self._read(file.path)
            root = texts.root(rule.row, content)
            for finding in scan.findings(case_name(rule.row), content):
                place = place_of(finding, root, file.path)
                edits = [e for e in file.edits if place.start < e.end and e.start < place.end]
                if edits:
                    place.before, place.after = _lines_of(content, place, edits)
                    place.changes = tuple((edit.start, edit.end, edit.new) for edit in edits)
                    place.shape = shapes.get(edits[0].id, "")
                    places.append(place)
        return places

    # -- questions ---------------------------------------------------------------------------

    def next(self) -> PlaceQuestion | None:
        """Puts one more question, if there is one; None when enough was asked.

        It is the place whose answer divides what could still be meant most evenly; the more
        places a rule has, the more an answer tells.
        """
        if self.ended or len(self.asked) >= self.most:
            return None
        best: tuple[float, MatchedPlace | None] = 0.0, None
        for rule in self.rules:
            beliefs = rule.beliefs()
            for place, belief in beliefs:
                value = (1 - abs(2 * belief - 1)) * math.log2(1 + len(beliefs))
                value *= 1 if hold(rule.chosen, place) else _WIDENING
                is_new = belief < 1.0 and not any(place.does(asked.place) for asked in self.asked)
                if is_new and value > best[0]:
                    best = value, place
        if best[1] is None:
            return None
        self.asked.append(PlaceQuestion(str(len(self.asked) + 1), best[1]))
        return self.asked[-1]

    def open(self) -> list[PlaceQuestion]:
        """The questions that nobody has answered yet: as many as may be put at once."""
        while self.next() is not None:
            pass
        return [] if self.ended else [question for question in self.asked if not question.reply]

    def take(self, answers: Mapping[str, str]) -> None:
        """Takes some answers by the number of their question."""
        for id, reply in answers.items():
            if all(question.id != id for question in self.asked):
                self.open()
            self.answer(id, reply)

    def answer(self, id: str, reply: str) -> None:
        """Takes an answer; raises `RequestError` for one that is none, or to no question."""
        reply = _SHORT.get(reply.strip().lower(), reply.strip().lower())
        if reply not in ANSWERS:
            raise RequestError(
                f"{one_line(reply)!r} is not an answer.",
                hint=f"One of: {', '.join((*ANSWERS, *_SHORT))}.",
                code="unknown_answer",
            )
        question = next((question for question in self.asked if question.id == id), None)
        if question is None:
            names = ", ".join(question.id for question in self.asked) or "none"
            raise RequestError(
                f"There is no question {one_line(id)!r}.",
                hint=f"Questions: {names}.",
                code="unknown_question",
            )
        question.reply = reply
        self.ended = self.ended or reply == "stop"
        if reply not in ("skip", "stop"):
            self._settle(question)

    def _note(self, question: PlaceQuestion) -> None:
        """Notes an answer at its place, or at all places of that shape, whichever rule it is."""
        if question.reply in ("", "skip", "stop"):
            return
        is_yes = question.reply.startswith("yes")
        for rule in self.rules:
            rule.heard.append(is_yes)
            for place in rule.unknown:
                alike = question.reply.endswith("-shape") and place.shape == question.place.shape
                if place.does(question.place) or (alike and place.sure is None):
                    place.sure = is_yes

    def _settle(self, question: PlaceQuestion) -> None:
        """What follows from an answer."""
        self._note(question)
        left = [rule for rule in self.rules if rule.settle(self._read)]
        self.fallen += [
            f"`{rule.hypothesis.pattern}`: {question.place.where}, answered {question.reply}"
            for rule in self.rules
            if rule not in left
        ]
        self.rules = left
        if not self.rules:
            raise PreconditionError(
                f"No rule is left: {one_line(question.place.where)} was answered {question.reply},"
                " and what the example changes cannot be told apart from it.",
                code="contradiction",
                hint="Give one more example, or answer anew without --resume.",
            )

    # -- what comes out ----------------------------------------------------------------------

    def texts(self) -> list[tuple[str, str, str]]:
        """Of each rule its id, its YAML and its test."""
        return [
            (rule.id, yaml_of(rule.document, rule.words()), self._test(rule)) for rule in self.rules
        ]

    def _test(self, rule: LearnedRule) -> str:
        document = {key: value for key, value in rule.document.items() if key not in _OF_FILES}
        scan, name = scan_of(document, rule.row), case_name(rule.row)
        used = {site.pair for site in rule.hypothesis.members}
        codes = []
        for at, pair in enumerate(self.example.pairs):
            if pair.row == rule.row:
                codes += [pair.before] * (at in used) + [pair.after]
        noes = [asked.place.before for asked in self.asked if asked.reply.startswith("no")]
        texts: dict[str, dict[str, None]] = {"valid": {}, "invalid": {}}
        for code in codes:
            texts["invalid" if scan.findings(name, code) else "valid"][_text(code)] = None
        texts["valid"] |= {code: None for code in noes if not scan.findings(name, code.encode())}
        return yaml_of({"id": rule.id} | {key: list(some) for key, some in texts.items()})

    def json(self, plan: Plan | None = None) -> dict[str, Any]:
        """The document that `--json` prints."""
        counts = Counter[str | None]()
        for file in plan.files if plan is not None else ():
            for edit in file.edits:
                counts[edit.rule_id] += edit.matches
        rules = [
            {"id": id, "yaml": text, "test": test, "matches": counts[id]}
            for id, text, test in self.texts()
        ]
        waiting = [question.json() for question in self.open()]
        return {
            "schema": SCHEMA, "rules": rules, "questions": waiting,
            "token": (self.token or None) if waiting else None,
            "actionId": None if plan is None else plan.action_id,
            "others": self.others, "stopped": bool(self.stopped),
        }  # fmt: skip

    # -- going on later ----------------------------------------------------------------------

    def keep(self, state: str) -> None:
        """Keeps it in the state directory, which there must be, under a new token."""
        pairs = []
        for pair in self.example.pairs:
            sides = [base64.b64encode(text).decode() for text in (pair.before, pair.after)]
            pairs.append([pair.path, pair.row.name, *sides, pair.ignored])
        asked = [
            question.json()
            | {"reply": question.reply}
            | {"start": question.place.start, "end": question.place.end}
            | {"facts": sorted(question.place.facts)}
            for question in self.asked
        ]
        data = {
            "schema": SCHEMA, "root": self.workspace.root, "pairs": pairs, "asked": asked,
            "pending": sorted(self.example.pending), "others": self.example.others,
            "most": self.most, "glob": self.glob, "ended": self.ended,
        }  # fmt: skip
        self.token = keep(data, state)

    @classmethod
    def resumed(cls, token: str, state: str, workspace: Workspace, run: Run) -> "Learning":
        """Goes on with what was kept: the same rules, and every answer again.

        Raises `RequestError` (`unknown_token`) where nothing is kept for this root.
        """
        data = kept(token, state, workspace.root)
        example = ExampleFiles(others=data["others"], pending=set(map(tuple, data["pending"])))
        for path, name, before, after, ignored in data["pairs"]:
            if (row := named(name)) is not None:
                sides = base64.b64decode(before), base64.b64decode(after)
                example.pairs.append(ExamplePair(path, *sides, row, tuple(map(tuple, ignored))))
        options = {"most": data["most"], "glob": data["glob"], "token": token}
        learning = cls.of(example, workspace, run, **options)
        for each in data["asked"]:
            learning.asked.append(PlaceQuestion(each["id"], learning._place(each)))
            if each["reply"]:
                learning.answer(each["id"], each["reply"])
        return learning

    def _place(self, kept: Mapping[str, Any]) -> MatchedPlace:
        """The place of a question, as it is now; one that is gone as it was."""
        what = (kept["path"], kept["before"], kept["after"])
        places = [place for rule in self.rules for place in rule.unknown]
        same = [place for place in places if (place.path, place.before, place.after) == what]
        if same:  # lines may have come above it
            return min(same, key=lambda place: abs(place.start - kept["start"]))
        fields = {name: kept[name] for name in ("path", "start", "end", "line", "before", "after")}
        place = MatchedPlace(**fields, facts=frozenset(map(tuple, kept["facts"])))
        place.shape = kept["shape"]
        for rule in self.rules:
            rule.unknown.append(place)
        return place


def _lines_of(content: bytes, place: MatchedPlace, edits: Sequence[Edit]) -> tuple[str, str]:
    """The lines of a place, before and after."""
    start = line_start(content, min([place.start, *(edit.start for edit in edits)]))
    last = max([place.end, *(edit.end for edit in edits)])
    end = last if content[last - 1 : last] == b"\n" else before_break(content, last)
    before = content[start:end]
    changes = [(edit.start - start, edit.end - start, edit.new) for edit in edits]
    return _text(before)[:_LONGEST], _text(splice(before, changes))[:_LONGEST]


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace")


def open_error(waiting: Sequence[PlaceQuestion], hint: str) -> PreconditionError:
    """The refusal while a question is open."""
    return PreconditionError(
        f"{number(len(waiting), 'question is', 'questions are')} open; nothing was staged.",
        code="questions_open",
        hint=hint,
    )
