"""The rule under test: what it finds in a text, and what it makes of it."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any

from tree_sitter import Node

from astedit.engine.request import rule_request
from astedit.engine.run.plan import plan_buffer, scan_buffer
from astedit.errors import LimitError
from astedit.language import Row, root_of
from astedit.model.request import EditRequest
from astedit.pattern.listed import walk
from astedit.rule import Document
from astedit.testing.baseline import span_of
from astedit.testing.case import Test
from astedit.testing.snapshot import Snapshot, scalar
from astedit.text.source import splice

MAX_PASSES = 100  # until nothing changes any more

# What decides which files a rule looks at: a test's code is in none.
_ELSEWHERE = ("files", "ignores", "severity")


class Subject:
    """One rule, with the utilities of its project, in one of its languages (the first).

    `names` is the place of who resolves names, as `Start` takes it.
    """

    def __init__(
        self,
        document: Document,
        utilities: tuple[Document, ...],
        row: Row | None = None,
        names: str = "",
    ) -> None:
        content = {k: v for k, v in document.content.items() if k not in _ELSEWHERE}
        self.document = replace(document, content=content, severity="hint")
        self.row = row or document.languages[0]
        self._utilities = utilities
        self._names = names

    @cached_property
    def _request(self) -> EditRequest:
        return rule_request([self.document], self._utilities)

    def findings(self, code: bytes) -> list[dict[str, Any]]:
        """What it finds, in the order of the text, as ast-grep's JSON objects."""
        return scan_buffer(self._request, self._name, self.row, code, self._names)

    def rewritten(self, code: bytes) -> bytes:
        """The text with all its matches rewritten, as `scan --fix` does it."""
        plan = plan_buffer(self._request, self._name, self.row, code, self._names)
        return splice(code, [change for file in plan.files for change in file.changes])

    def first_rewritten(self, code: bytes, finding: dict[str, Any]) -> bytes:
        """The text with the first match rewritten, as `scan --fix` does it."""
        plan = plan_buffer(self._request, self._name, self.row, code, self._names)
        end = finding["range"]["byteOffset"]["end"]
        edits = [edit for file in plan.files for edit in file.edits]
        first = [e for e in edits[:1] if e.match is not None and e.match.start < end]
        return splice(code, [(e.start, e.end, e.new) for e in first])

    def same_but_for_layout(self, left: bytes, right: bytes) -> bool:
        """Whether two texts differ in white space alone, and their trees are the same."""
        one, other = (str(root_of(self.row.name, code)) for code in (left, right))
        return left.split() == right.split() and one == other

    def settled(self, code: bytes) -> bytes:
        """The text when nothing changes any more; `LimitError` if that is never."""
        for _ in range(MAX_PASSES):
            after = self.rewritten(code)
            if after == code:
                return code
            code = after
        raise LimitError(f"The text still changes after {MAX_PASSES} passes.", code="no_fixpoint")

    def titled(self, code: bytes) -> dict[str, bytes]:
        """What each titled fix makes of the first match."""
        found = self.findings(code)
        fixes = found[0].get("fixes", []) if found else []
        return {fix["title"]: fixed(code, fix) for fix in fixes}

    def parses(self, code: bytes) -> bool:
        """Whether the text is code of this language, with nothing to recover from."""
        return not root_of(self.row.name, code).has_error

    def leaves(self, code: bytes) -> list[Node]:
        """The leaves of the text's tree."""
        return [node for node in walk(root_of(self.row.name, code)) if not node.child_count]

    def tokens(self, code: bytes) -> list[tuple[str, bytes]]:
        """What is left of a text without white space."""
        return [(node.type, (node.text or b"").strip()) for node in self.leaves(code)]

    @property
    def _name(self) -> str:
        return f"case.{self.row.suffixes[0]}"


def fixed(code: bytes, fix: dict[str, Any]) -> bytes:
    """The text with one replacement in it."""
    offsets, text = fix["replacementOffsets"], str(fix["replacement"])
    return code[: offsets["start"]] + text.encode() + code[offsets["end"] :]


def snapshot_of(code: bytes, finding: dict[str, Any]) -> Snapshot:
    """What ast-grep keeps of the first finding in a text."""
    made: Snapshot = {}
    if finding.get("replacement") is not None:
        made["fixed"] = fixed(code, finding).decode()
    made["labels"] = [_label(one) for one in finding["labels"]]
    return made


def snapshot_of_node(code: bytes, finding: dict[str, Any]) -> Snapshot:
    """The same as ast-grep's `test` makes it: the whole node is replaced, and no more.

    That is not what its `scan` does where a fix has `expandStart` or `expandEnd`.
    """
    if finding.get("replacement") is None:
        return snapshot_of(code, finding)
    return snapshot_of(code, {**finding, "replacementOffsets": finding["range"]["byteOffset"]})


def _label(label: dict[str, Any]) -> dict[str, Any]:
    message = {} if label.get("message") is None else {"message": label["message"]}
    offsets = label["range"]["byteOffset"]
    where = {"start": offsets["start"], "end": offsets["end"]}
    return {"source": label["text"], **message, "style": label["style"], **where}


MOST = 50  # variants of one code


def near_misses(test: Test, subject: Subject) -> Iterator[str]:
    """A `valid` list of what is not reported any more, and comments for the rest."""
    yield f"# {test.id}"
    yield "valid:"
    seen = set(test.valid)
    for code in test.invalid:
        for line, variant in variants(code.encode(), subject):
            text = variant.decode()
            if text in seen:
                continue
            seen.add(text)
            if not subject.findings(variant):
                yield f"- {scalar(text)}"
            else:
                yield f"# still reported, line {line} is changed:"
                yield from (f"#   {one}" for one in text.split("\n"))


def variants(code: bytes, subject: Subject) -> Iterator[tuple[int, bytes]]:
    """The code with one word of the first finding longer by a letter, each with its line."""
    if not (findings := subject.findings(code)):
        return
    offsets = findings[0]["range"]["byteOffset"]
    captured = list(_captured(findings[0].get("metaVariables", {})))
    leaves = (x for x in subject.leaves(code) if x.is_named and (x.text or b"")[-1:].isalnum())
    inside = [
        x for x in leaves if offsets["start"] <= x.start_byte and x.end_byte <= offsets["end"]
    ]
    free = [x for x in inside if not any(low <= x.start_byte < high for low, high in captured)]
    for leaf in free[:MOST]:
        after = b"1" if (leaf.text or b"").isdigit() else b"x"
        variant = code[: leaf.end_byte] + after + code[leaf.end_byte :]
        if subject.parses(variant):
            yield leaf.start_point[0] + 1, variant


def _captured(variables: dict[str, Any]) -> Iterator[tuple[int, int]]:
    several = [one for group in variables.get("multi", {}).values() for one in group]
    return map(span_of, [*variables.get("single", {}).values(), *several])
