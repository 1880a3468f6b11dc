"""What rules find in one file, as ast-grep's JSON objects. (rule G2)"""

from collections.abc import Mapping
from typing import Any

from tree_sitter import Tree

from astedit.engine.files.matches import JsonNodes, ends
from astedit.engine.files.outcome import every
from astedit.engine.program import Pairs, Program, Reported
from astedit.errors import LimitError
from astedit.language.traits import traits
from astedit.limits import SlowParseError
from astedit.model.request import EditRequest
from astedit.pattern.match import Found
from astedit.rewrite.loss import dropped
from astedit.rewrite.make.overlap import Rewrite
from astedit.rewrite.make.render import Style
from astedit.rewrite.mend.accept_or_block import settle
from astedit.rewrite.plan_edits import alone
from astedit.rule.label import interpolated
from astedit.text.source import Lines


class Findings:
    """The matches of the rules of one file, as they are told; without `fixing` fixes are left out.

    Findings that are not to be `whole` lack what the text for people does not show: captures,
    and labels that no rule asks for.
    """

    def __init__(
        self,
        program: Program,
        pairs: Pairs,
        source: bytes,
        tree: Tree,
        request: EditRequest,
        shown: JsonNodes,
        *,
        whole: bool,
        fixing: bool = True,
    ) -> None:
        self.program, self.pairs, self.source, self.tree = program, pairs, source, tree
        self.shown, self.whole, self.fixing = shown, whole, fixing
        facts = traits(program.row.name).facts
        self.style = Style(source, tree.root_node, request.reindent == "exact", facts)

    def all(self) -> list[dict[str, Any]]:
        """Every match of every rule in order of position; `file` is filled in by the caller.

        Those after which `shown` is full are left out. A finding whose fix would not be made
        has `blocked`; its replacement is there all the same, as that of this match alone.
        `droppedComments` are those that a fix takes away.
        """
        made = [
            (match, self._finding(match, op.reported))
            for op, matches in self.pairs
            for match in matches
            if op.reported is not None and not self.shown.full
        ]
        blocked = self._blocked() if self.fixing else {}
        for match, item in made:
            if id(match) in blocked:
                item["blocked"] = {"reason": blocked[id(match)]}
        return sorted((item for _, item in made), key=_position)

    def _finding(self, match: Found, reported: Reported) -> dict[str, Any]:
        item = self.shown.match(match) if self.whole else self.shown.place(*ends(match.node))
        if reported.rewrites and self.fixing:
            item |= self._fixes(match, reported)
        content = reported.document.content
        item["ruleId"] = reported.document.id
        item["severity"] = reported.document.severity
        item["note"] = content.get("note")
        item["message"] = self._message(match, reported)
        asked = reported.finder.labels if reported.finder is not None else ()
        if asked or not self.whole:
            item["labels"] = [
                self.shown.capture(nodes[0], nodes[-1])
                | ({"message": label.message} if label.message else {})
                | {"style": label.style}
                for label in asked
                if (nodes := match.nodes(label.name, label.name not in match.single))
            ]
        else:
            related = map(self.shown.capture, match.related)
            item["labels"] = [
                {"text": item["text"], "range": item["range"], "style": "primary"},
                *(label | {"style": "secondary"} for label in related),
            ]
        for key in ("url", "metadata"):
            if key in content:
                item[key] = content[key]
        return item

    def _fixes(self, match: Found, reported: Reported) -> dict[str, Any]:
        if not (first := self._fix(match, reported.rewrites[0])):
            return {}
        all_fixes = [dict(first), *(self._fix(match, fix) for fix in reported.rewrites[1:])]
        first.pop("title", None)
        listed = [fix for fix in all_fixes if fix]
        return first if len(all_fixes) == 1 else {**first, "fixes": listed}

    def _fix(self, match: Found, op: Rewrite) -> dict[str, Any]:
        """The replacement that a fix makes; empty where one of its edits has no target."""
        site = alone(op, match, self.style)
        if op.fix is not None and op.fix.edits and not site.parts:
            return {}
        title = op.fix.title if op.fix is not None else None
        comments = dropped(self.tree.root_node, self.source, site.changes)
        return {
            **({} if title is None else {"title": title}),
            **({"droppedComments": list(map(self.shown.capture, comments))} if comments else {}),
            "replacement": self.shown.charge(site.text.data.decode("utf-8", "replace")),
            "replacementOffsets": {"start": site.start, "end": site.end},
        }

    def _message(self, match: Found, reported: Reported) -> str:
        text: str = reported.document.content.get("message", "")
        if reported.finder is None:  # about a comment
            return text.format((match.texts or {})["MARK"].data.decode())
        return self.shown.charge(interpolated(text, match, self.source, reported.finder.captures))

    def _blocked(self) -> dict[int, str]:
        """Why the fixes of some matches would not be made, as when all are planned."""
        pairs = [(op.rewrite, matches) for op, matches in self.pairs if op.rewrite is not None]
        source, grammar = self.source, self.program.grammar
        lines, known = Lines(source), traits(self.program.row.name)
        try:
            outcome, accepted = settle(pairs, self.tree, lines, grammar, known, self.style)
        except SlowParseError:  # a file that parses slowly has a way of its own
            raise
        except LimitError:
            return {}
        reasons = {id(refusal.site.found): refusal.reason for refusal in outcome.refused}
        for outer, fault in accepted.blocked:
            reasons.update((id(site.found), fault.reason) for site in every(outer))
        return reasons


def _position(item: Mapping[str, Any]) -> tuple[int, int, str]:
    span = item["range"]["byteOffset"]
    return span["start"], -span["end"], item["ruleId"]
