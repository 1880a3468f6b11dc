"""An example and a tree: the rules, the places where they would act, the questions, the plan.

What was asked and answered can be kept as plain data under a token, and gone on with. A no is
kept with what was known about its place, so it holds even where the place is gone.
"""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from astedit.engine.request import rule_request
from astedit.engine.run_context import Run
from astedit.errors import PreconditionError, RequestError
from astedit.language import named
from astedit.learning import questions
from astedit.learning.conditions import MatchedPlace
from astedit.learning.difference import ExamplePair, tree_of
from astedit.learning.document import test_of, yaml_of
from astedit.learning.learned_rule import LearnedRule, place_of
from astedit.learning.learner import MOST_RULES, Learner
from astedit.learning.nodes import Meanings
from astedit.learning.questions import PlaceQuestion
from astedit.learning.sources import ExampleFiles, PlacedChange
from astedit.model.edit import Edit
from astedit.model.plan import Plan
from astedit.model.request import EditRequest
from astedit.model.shapes import alike_edits
from astedit.semantic import NAMES
from astedit.staging.part import cut
from astedit.staging.preview import preview
from astedit.text.count_phrases import number
from astedit.text.splice import splice
from astedit.workspace.root import Workspace
from resolve.visible import one_line

SCHEMA = "astedit/learned/1"
SECONDS = 20.0  # of a search, unless told otherwise
_MOST_FILES = 100  # files of which places are looked at
_KEPT = 4_000  # characters of a text that a question shows


@dataclass(slots=True)
class OpenQuestion:
    """One question that was put, and what was answered: nothing yet where `reply` is empty."""

    id: str
    question: PlaceQuestion
    reply: str = ""


@dataclass(slots=True)
class Learning:
    """What is being learned of an example for one tree."""

    pairs: list[ExamplePair]
    others: list[str]
    workspace: Workspace
    run: Run
    most: int = questions.USUAL
    glob: list[str] = field(default_factory=list)
    seconds: float = SECONDS
    asked: list[OpenQuestion] = field(default_factory=list)
    rules: list[LearnedRule] = field(default_factory=list)
    fallen: list[str] = field(default_factory=list)
    ended: bool = False
    stopped: bool = False
    token: str = ""
    pending: set[PlacedChange] = field(default_factory=set)
    meanings: Meanings = field(default_factory=Meanings)
    most_rules: int = MOST_RULES

    @classmethod
    def of(cls, files: ExampleFiles, workspace: Workspace, run: Run, **options: Any) -> "Learning":
        """Learns of an example. Raises `PreconditionError`: `nothing_learned`, `contradiction`."""
        learning = cls(files.pairs, list(files.others), workspace, run, **options)
        learning.pending = files.pending
        learning.learn()
        return learning

    def learn(self) -> None:
        """Finds the rules, and the places of the tree that they would change."""
        learner = Learner(self.pairs, self.seconds, self.run.deadline)
        found = learner.learned(self.most_rules)
        self.rules, self.fallen, self.stopped = found.rules, found.fallen, found.stopped
        self.others += found.others
        for rule in self.rules:
            rule.unknown = self._places(rule)
            rule.settle()

    # -- the tree ----------------------------------------------------------------------------

    def request(self, documents: Sequence[Mapping[str, Any]] | None = None) -> EditRequest:
        """The request that the rules are, as `scan --fix` makes it."""
        from astedit.rule.document import rule_document

        chosen = [rule.document for rule in self.rules] if documents is None else documents
        return rule_request([rule_document(dict(each)) for each in chosen], glob=self.glob)

    def plan(self) -> Plan:
        """What the rules would do to the tree, less what a pending plan does already."""
        plan = preview(self.request(), self.workspace, self.run)
        every = [(file.path, edit) for file in plan.files for edit in file.edits]
        kept = {edit.id for path, edit in every if not self._is_pending(path, edit)}
        if len(kept) == len(every):
            return plan
        return cut(plan, kept, self.workspace, want_hunks=self.run.want_hunks)

    def _is_pending(self, path: str, edit: Edit) -> bool:
        return any(
            path == other and start <= edit.end and edit.start <= end
            for other, start, end in self.pending
        )

    def settled_plan(self, answers: Mapping[str, str]) -> Plan:
        """The plan; raises `PreconditionError` (`questions_open`) where a question stays open."""
        self.take(answers)
        waiting = self.open()
        if waiting:
            raise open_error(waiting, f"Answer {waiting[0].id}, or ask none.")
        return self.plan()

    def _places(self, rule: LearnedRule) -> list[MatchedPlace]:
        """Where a rule without conditions would act in the tree."""
        run = self.run._replace(want_hunks=False)
        plan = preview(self.request([rule.plain]), self.workspace, run)
        shapes: dict[str, str] = {}
        if plan.files:
            for group in alike_edits(plan.files, plan.request):
                shapes |= {member.edit.id: group.shape.label for member in group.edits}
        mine = {pair.path for pair in self.pairs}
        places: list[MatchedPlace] = []
        files = [file for file in plan.files if file.path not in mine]
        if len(files) > _MOST_FILES:
            self.others.append(f"of {len(files):,} files only {_MOST_FILES} were asked about")
        for file in files[:_MOST_FILES]:
            places += self._of_file(rule, file.path, file.edits, shapes)
        return places

    def _of_file(
        self, rule: LearnedRule, path: str, edits: Sequence[Edit], shapes: Mapping[str, str]
    ) -> list[MatchedPlace]:
        from astedit.rule.document import rule_document
        from astedit.testing.subject import Subject

        content, _ = self.workspace.read(path, 1 << 26)
        root = tree_of(rule.row, content)
        subject = Subject(rule_document(rule.plain), (), rule.row, NAMES)
        places = [
            place_of(finding, root, path, self.meanings) for finding in subject.findings(content)
        ]
        for place in places:
            inner = [edit for edit in edits if place.start < edit.end and edit.start < place.end]
            if inner:
                place.before, place.after = _lines_of(content, place, inner)
                place.shape = shapes.get(inner[0].id, "")
        return [place for place in places if place.before or place.after]

    # -- questions ---------------------------------------------------------------------------

    def next(self) -> OpenQuestion | None:
        """Puts one more question, if there is one; None when enough was asked."""
        if self.ended or len(self.asked) >= self.most:
            return None
        before = [each.question.place for each in self.asked]
        question = questions.next_question(self.rules, before)
        if question is None:
            return None
        self.asked.append(OpenQuestion(str(len(self.asked) + 1), question))
        return self.asked[-1]

    def open(self) -> list[OpenQuestion]:
        """The questions that nobody has answered yet: as many as may be put at once."""
        while not self.ended and self.next() is not None:
            pass
        return [] if self.ended else [each for each in self.asked if not each.reply]

    def take(self, answers: Mapping[str, str]) -> None:
        """Takes some answers by the number of their question."""
        for id, reply in answers.items():
            if all(each.id != id for each in self.asked):
                self.open()
            self.answer(id, reply)

    def answer(self, id: str, reply: str) -> None:
        """Takes an answer; raises `RequestError` for one that is none, or to no question."""
        meaning = questions.ANSWERS.get(reply.strip().lower())
        if meaning is None:
            raise RequestError(
                f"{one_line(reply)!r} is not an answer.",
                hint=f"One of: {', '.join(questions.ANSWERS)}.",
                code="unknown_answer",
            )
        asked = next((each for each in self.asked if each.id == id), None)
        if asked is None:
            known = ", ".join(each.id for each in self.asked) or "none"
            raise RequestError(
                f"There is no question {one_line(id)!r}.",
                hint=f"Questions: {known}.",
                code="unknown_question",
            )
        asked.reply = meaning
        if meaning == "stop":
            self.ended = True
            return
        questions.answer(self.rules, asked.question, meaning)
        self._settle(asked)

    def _settle(self, asked: OpenQuestion) -> None:
        if asked.reply.startswith(("yes", "no")):
            for rule in self.rules:
                rule.heard.append(asked.reply.startswith("yes"))
        left = [rule for rule in self.rules if rule.settle()]
        if len(left) < len(self.rules):
            rule = next(rule for rule in self.rules if rule not in left)
            place = asked.question.place
            self.fallen.append(
                f"`{rule.hypothesis.pattern}`: {place.where}, answered {asked.reply}"
            )
        self.rules = left
        if not self.rules:
            place = asked.question.place
            raise PreconditionError(
                f"No rule is left: {one_line(place.where)} was answered {asked.reply}, and what"
                " the example changes cannot be told apart from it.",
                code="contradiction",
                hint="Give one more example, or answer anew without --resume.",
            )

    # -- what comes out ----------------------------------------------------------------------

    def texts(self) -> list[tuple[str, str, str]]:
        """Of each rule its id, its YAML and its test."""
        return [(rule.id, yaml_of(rule.document, self._words(rule)), self._test(rule))
                for rule in self.rules]  # fmt: skip

    def _words(self, rule: LearnedRule) -> list[str]:
        hypothesis = rule.hypothesis
        lines = [f"Learned of {number(len(hypothesis.members), 'edit')}."]
        for name, values in sorted(hypothesis.holes.items()):
            sigil = "$$$" if name in hypothesis.many else "$"
            seen = list(dict.fromkeys(" ".join(value.split())[:40] for value in values))
            where = "the one example" if len(hypothesis.members) == 1 else "the examples"
            lines.append(f"{sigil}{name} was {', '.join(seen[:4]) or 'nothing'} in {where}.")
        lines += [f"Only where {condition.text}." for condition in rule.chosen]
        return lines

    def _test(self, rule: LearnedRule) -> str:
        from astedit.rule.document import rule_document
        from astedit.testing.subject import Subject

        subject = Subject(rule_document(rule.document), (), rule.row, NAMES)
        texts = {True: list[str](), False: list[str]()}
        used = {site.pair for site in rule.hypothesis.members}
        for at, pair in enumerate(self.pairs):
            if pair.row == rule.row and at in used:
                texts[bool(subject.findings(pair.before))].append(_text(pair.before))
            if pair.row == rule.row:
                texts[bool(subject.findings(pair.after))].append(_text(pair.after))
        noes = [a.question.place for a in self.asked if a.reply.startswith("no")]
        for place in noes:
            code = place.before
            if not subject.findings(code.encode()):
                texts[False].append(code)
        return test_of(rule.id, texts[False], texts[True])

    def json(self, action_id: str | None, plan: Plan | None) -> dict[str, Any]:
        """The document that `--json` prints."""
        counts: dict[str, int] = {}
        for file in plan.files if plan is not None else ():
            for edit in file.edits:
                if edit.rule_id is not None:
                    counts[edit.rule_id] = counts.get(edit.rule_id, 0) + edit.matches
        rows = [
            {"id": id, "yaml": text, "test": test, "matches": counts.get(id, 0)}
            for id, text, test in self.texts()
        ]
        waiting = [question_json(each) for each in self.open()]
        document: dict[str, Any] = {"schema": SCHEMA, "rules": rows, "questions": waiting}
        document |= {"token": self.token or None if waiting else None, "actionId": action_id}
        return document | {"others": self.others, "stopped": self.stopped}

    # -- going on later ----------------------------------------------------------------------

    def keep(self, state: str) -> None:
        """Keeps it in the state directory, which there must be, under its token."""
        self.token = questions.keep(self._data(), state, self.token)

    def _data(self) -> dict[str, Any]:
        """All of it as plain data."""
        pairs = [[p.path, p.row.name, _packed(p.before), _packed(p.after)] for p in self.pairs]
        asked = [
            {
                "id": each.id, "rule": each.question.rule, "reply": each.reply,
                "path": each.question.place.path, "start": each.question.place.start,
                "end": each.question.place.end, "line": each.question.place.line,
                "before": each.question.place.before, "after": each.question.place.after,
                "shape": each.question.place.shape,
                "facts": sorted(map(list, each.question.place.facts)),
            }
            for each in self.asked
        ]  # fmt: skip
        return {
            "schema": SCHEMA, "root": self.workspace.root, "pairs": pairs, "asked": asked,
            "pending": sorted(self.pending),
            "others": self.others, "most": self.most, "glob": self.glob, "ended": self.ended,
        }  # fmt: skip

    @classmethod
    def resumed(cls, token: str, state: str, workspace: Workspace, run: Run) -> "Learning":
        """Goes on with what was kept: the same rules, and every answer again."""
        data = questions.kept(token, state, SCHEMA, workspace.root)
        pairs = []
        for path, name, before, after in data["pairs"]:
            row = named(name)
            if row is not None:
                pairs.append(
                    ExamplePair(path, base64.b64decode(before), base64.b64decode(after), row)
                )
        learning = cls(pairs, [], workspace, run, data["most"], list(data["glob"]), token=token)
        learning.pending = {tuple(row) for row in data["pending"]}
        learning.learn()
        for each in data["asked"]:
            place = learning._place(each)
            learning.asked.append(OpenQuestion(each["id"], PlaceQuestion(each["rule"], place)))
            if each["reply"]:
                learning.answer(each["id"], each["reply"])
        return learning

    def _place(self, each: Mapping[str, Any]) -> MatchedPlace:
        """The place of a question, as it is now; one that is gone as it was."""
        rule = next((rule for rule in self.rules if rule.id == each["rule"]), None)
        for place in rule.unknown if rule is not None else ():
            same = (place.path, place.before, place.start) == (
                each["path"], each["before"], each["start"],
            )  # fmt: skip
            if same:
                return place
        facts = frozenset(tuple(fact) for fact in each["facts"])
        texts = {key: each[key] for key in ("before", "after", "shape")}
        place = MatchedPlace(each["path"], each["start"], each["end"], each["line"], facts, **texts)
        if rule is not None:
            rule.unknown.append(place)
        return place


def _lines_of(content: bytes, place: MatchedPlace, edits: Sequence[Edit]) -> tuple[str, str]:
    """The lines of a place, before and after."""
    first = min([place.start, *(edit.start for edit in edits)])
    start = content.rfind(b"\n", 0, first) + 1
    last = max([place.end, *(edit.end for edit in edits)])
    end = last if content[last - 1 : last] == b"\n" else content.find(b"\n", last)
    end = len(content) if end < 0 else end
    changes = [(edit.start - start, edit.end - start, edit.new) for edit in edits]
    before = content[start:end]
    return _text(before)[:_KEPT], _text(splice(before, changes))[:_KEPT]


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace")


def _packed(content: bytes) -> str:
    return base64.b64encode(content).decode()


def open_error(waiting: Sequence[OpenQuestion], hint: str) -> PreconditionError:
    """The refusal while a question is open."""
    return PreconditionError(
        f"{number(len(waiting), 'question is', 'questions are')} open; nothing was staged.",
        code="questions_open",
        hint=hint,
    )


def question_json(asked: OpenQuestion) -> dict[str, Any]:
    """One question as the JSON document has it."""
    place = asked.question.place
    return {
        "id": asked.id, "path": place.path, "line": place.line, "before": place.before,
        "after": place.after, "shape": place.shape,
    }  # fmt: skip
