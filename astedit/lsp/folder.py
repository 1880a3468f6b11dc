"""One folder of an editor: its project's rules, what they find in a text, and its plans."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from astedit.engine.cascade.graph import expanded
from astedit.engine.run.plan import BufferScan, check_limits
from astedit.engine.run_context import Run
from astedit.errors import AstEditError, RequestError
from astedit.interface.operations import planned
from astedit.language import Row
from astedit.limits import MAX_FILE_SIZE
from astedit.locating.inventory.read_file import FileFacts, read
from astedit.model.plan import Plan
from astedit.model.request import EditRequest
from astedit.operations import operation
from astedit.packs.project import PackProject
from astedit.rule.document import Document, locate, prefixed, read_rules, read_utilities
from astedit.rule.failure import RuleError
from astedit.rule.project import (
    CONFIG,
    Project,
    project_or_none_yet,
    read_file,
    refuse_twins,
    request_fields,
    yaml_files,
)
from astedit.rule.suppression import UNUSED
from astedit.semantic import NAMES
from astedit.staging import ast_edit
from astedit.staging.open_workspace import OpenWorkspace
from astedit.staging.overlaps import touched
from astedit.staging.preview import preview
from astedit.testing.baseline import FoundJson
from astedit.text.splice import Change
from astedit.workspace.config import load
from astedit.workspace.root import find_root
from resolve import PendingAction

_WORD = re.compile(r"\w+")
_CAUSING = frozenset({"params", "then", "when"})
_OF_FIXES = ("fix", "edits", "allowLoss", "strictFix", "imports")


class RuleProblem(NamedTuple):
    """What is wrong in a rule file, the line counted from 0."""

    path: str
    line: int
    message: str


class Lens(NamedTuple):
    """A definition that pending plans touch: its line from 0, how many edits, which plans."""

    line: int
    edits: int
    actions: tuple[str, ...]


class RuleFolder:
    """The rules of one folder. One thread at a time may use it.

    `texts` are what the editor has of rule files, by their path below the root.
    """

    def __init__(self, directory: str, state: str | None) -> None:
        """Raises `RequestError` for a directory that cannot be opened."""
        self.place = OpenWorkspace(find_root(directory, []), state, surface="editor")
        self.root = self.place.root
        self.workspace = self.place.workspace
        self.problems: list[RuleProblem] = []
        self.rules: dict[str, Document] = {}
        self.quiet: frozenset[str] = frozenset()
        self.severities: Mapping[str, str] = {}  # that the editor's configuration sets
        self._request = EditRequest()
        self._scan: BufferScan | None = None
        self._look: BufferScan | None = None  # the same rules without their fixes
        self.rule_files: frozenset[str] = frozenset()
        self.utilities: tuple[str, ...] = ()

    def close(self) -> None:
        """Lets go of the root."""
        self.place.close()

    def below(self, path: str) -> str | None:
        """A file's path below the root; None for one that lies elsewhere."""
        try:
            return self.workspace.relative(path, self.root)
        except AstEditError:
            return None

    def load(self, texts: Mapping[str, bytes]) -> None:
        """Reads the project anew. What is wrong becomes a problem, the rest goes on."""
        self.problems, self.rules, self._scan, self._look = [], {}, None, None
        try:
            project = self._project(texts)
        except AstEditError as error:
            self._problem(error, CONFIG)
            return
        self.utilities = tuple(one.id for one in project.utils)
        rules = [prefixed(rule, project.directory) for rule in project.rules]
        rules = [rule.of_severity(self.severities.get(rule.id)) for rule in rules]
        self.quiet = frozenset(rule.id for rule in rules if _for_actions(rule))
        rules = [rule.of_severity("hint") if rule.id in self.quiet else rule for rule in rules]
        fields = request_fields(replace(project, rules=tuple(rules), directory=""))
        fields["rules"] = self._expanded(rules, fields["rules"])
        fields["language_globs"] = request_fields(project)["language_globs"]
        self._request = EditRequest(
            **fields, encoding="utf-8", suppressions={UNUSED: "hint"} if rules else {}
        )
        self.rules = {rule.id: rule for rule in rules}
        if rules:
            self._compile(rules, project.utils, texts)

    def _expanded(self, rules: list[Document], contents: list[FoundJson]) -> list[FoundJson]:
        """The rules with those that they call; without the calling ones where that is wrong."""
        if not any(_CAUSING & content.keys() for content in contents):
            return contents
        try:
            return expanded(rules, {})
        except RequestError as error:
            self._problem(error, CONFIG)
        return [content for content in contents if not _CAUSING & content.keys()]

    def _compile(
        self, rules: Sequence[Document], utils: Sequence[Document], texts: Mapping[str, bytes]
    ) -> None:
        scan = BufferScan(self._request, NAMES)
        seen = set()
        for row in dict.fromkeys(row for rule in rules for row in rule.languages):
            try:
                refused = scan.refused(row)
            except AstEditError as error:  # no grammar: the other languages go on
                self._problem(error, CONFIG)
                continue
            for wrong in refused:
                if isinstance(wrong, RuleError) and wrong.message not in seen:
                    seen.add(wrong.message)
                    locate(wrong, (*rules, *utils), lambda path: self._text(path, texts))
                    self._problem(wrong, CONFIG)
        self._scan = scan
        bare = [
            {key: value for key, value in rule.items() if key not in _OF_FIXES}
            for rule in self._request.rules
        ]
        self._look = BufferScan(replace(self._request, rules=bare), NAMES)

    def _project(self, texts: Mapping[str, bytes]) -> Project:
        settings = load(self.workspace)
        project = project_or_none_yet(self.workspace)
        rules: list[Document] = []
        for path, text in self._files(project.rule_directories, texts):
            try:
                read_now = read_rules(text, path)
                refuse_twins([*rules, *read_now])
                rules += read_now
            except RequestError as error:
                self._problem(error, path)
        utils: list[Document] = []
        for path, text in self._files(project.util_directories, texts):
            try:
                utils += read_utilities(text, path)
            except RequestError as error:
                self._problem(error, path)
        packs = PackProject.open(self.workspace, settings)
        for use in packs.uses:
            try:
                for _, pack in packs._replace(uses=[use]).packs():
                    rules += pack.rules
                    utils += pack.utils
            except AstEditError as error:
                self._problem(error, project.config)
        return replace(project, rules=tuple(rules), utils=tuple(utils))

    def _files(
        self, directories: Iterable[str], texts: Mapping[str, bytes]
    ) -> Iterator[tuple[str, bytes]]:
        for directory in directories:
            try:
                paths = yaml_files(self.workspace, directory)
            except OSError:
                continue
            self.rule_files |= frozenset(paths)
            for path in paths:
                try:
                    yield path, self._text(path, texts)
                except AstEditError as error:
                    self._problem(error, path)

    def _text(self, path: str, texts: Mapping[str, bytes]) -> bytes:
        return texts[path] if path in texts else read_file(self.workspace, path)

    def _problem(self, error: AstEditError, path: str) -> None:
        line = error.line if isinstance(error, RuleError) and error.line else 1
        hint = f" {error.hint}" if error.hint else ""
        self.problems.append(RuleProblem(error.path or path, line - 1, error.message + hint))

    def findings(self, path: str, text: bytes, fixes: bool = False) -> list[FoundJson]:
        """What the rules find in a text, as the file at `path` (below the root).

        Only with `fixes` each has what its fix makes, which costs half of the time and more.
        """
        scan = self._scan if fixes else self._look
        return [] if scan is None or len(text) > MAX_FILE_SIZE else scan.findings(path, text)

    def language(self, path: str) -> Row | None:
        """The language of a file."""
        return None if self._scan is None else self._scan.language(path)

    def fixed(self, path: str, text: bytes, rule: str | None) -> list[tuple[int, int, bytes]]:
        """The edits that all fixes make in a text, or those of one rule."""
        chosen = [one for one in self._request.rules if rule in (None, one["id"])]
        request = replace(self._request, rules=chosen, suppressions={})
        return BufferScan(request, NAMES).edits(path, text)

    def stage_everywhere(self, rule: str) -> Plan:
        """Stages the fix of a rule over the whole workspace, as its files are on disk.

        Raises `RequestError` for a rule that there is not.
        """
        chosen = [one for one in self._request.rules if one["id"] == rule]
        if not chosen:
            raise RequestError(f"There is no rule {rule!r} here.", code="no_rules")
        chosen += [one for one in self._request.rules if one.get("when") == "triggered"]
        request = replace(self._request, rules=chosen, suppressions={}, encoding=None)
        self.place.refuse_changed_root()
        plan = preview(request, self.workspace, Run(state=self.place.state_dir))
        check_limits(plan, None)
        if plan.total_replacements:
            with self.place.session(create=True) as session:
                ast_edit.stage(plan, session)
        return plan

    def rename(self, path: str, text: bytes, line: int, column: int, name: str) -> Plan:
        """Stages a rename of the name at a place (a column of characters, both from 0).

        Where it is defined it is that definition; elsewhere what the name means must be plain.
        """
        lines = text.decode("utf-8", "replace").split("\n")
        words = _WORD.finditer(lines[line]) if line < len(lines) else ()
        word = next((one[0] for one in words if one.start() <= column <= one.end()), "")
        facts = read(text, "python", word, False, inline=True)
        defined = facts.defined() if isinstance(facts, FileFacts) else []
        here = [one for one in defined if one.line == line + 1]
        identifier = f"sym:{path}::{'.'.join(here[0].names)}" if here else word
        descriptor = operation("rename")
        values = descriptor.parameters(identifier, name)
        plan = planned(descriptor, values, root=self.root, state=self.place.state_dir)
        if plan.total_replacements:
            with self.place.session(create=True) as session:
                ast_edit.stage(plan, session)
        return plan

    def moved(self, old: str, new: str) -> list[tuple[str, bytes, list[Change]]]:
        """What follows where a module goes elsewhere: files as they are, and their edits."""
        descriptor = operation("move_module")
        paths = [self.workspace.relative(path, self.root) for path in (old, new)]
        values = descriptor.parameters(*paths)
        plan = planned(descriptor, values, root=self.root, state=self.place.state_dir)
        edits = []
        for file in plan.files:
            path = file.source or file.path
            changes = [change for change in file.changes if change[2] or change[0] < change[1]]
            if changes:
                edits.append((path, self.workspace.read(path, MAX_FILE_SIZE)[0], changes))
        return edits

    def pending(self) -> list[PendingAction]:
        """What is staged, newest first."""
        with self.place.session() as session:
            return [action for action in session.store.list() if action.state == "pending"][::-1]

    def discard(self, target: str, reason: str) -> str:
        """Discards a pending plan, and says what was done."""
        with self.place.session() as session:
            return session.resolve("discard", reason, None, target).text

    def lenses(self, path: str, text: bytes) -> list[Lens]:
        """The definitions of a file that pending plans touch."""
        row = self.language(path)
        counts: dict[int, Counter[str]] = {}
        with self.place.session() as session:
            spans = [
                (start, end, action.id)
                for action in session.store.list()
                if action.state == "pending"
                if (file := touched(action, session.records).get(path)) is not None
                for start, end in file.spans or ((0, 0),)
            ]
        if not spans:
            return []
        facts = None if row is None else read(text, row.name, "", False, inline=True)
        defined = facts.defined() if isinstance(facts, FileFacts) else []
        scopes = [one for one in defined if one.kind in ("class", "function", "method")]
        for start, _, action in spans:
            around = [one for one in scopes if one.span[0] <= start < one.span[1]]
            line = max((one.line for one in around), default=1) - 1
            counts.setdefault(line, Counter())[action] += 1
        return [Lens(line, each.total(), tuple(each)) for line, each in sorted(counts.items())]


def _for_actions(rule: Document) -> bool:
    """Whether a rule of severity off is there for its fixes alone."""
    ours = rule.content.get("metadata", {}).get("astedit")
    return rule.severity == "off" and isinstance(ours, dict) and ours.get("action") is True
