"""One folder of an editor: the rules of its project, and what they find in a text."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from astedit.engine.request import request_of
from astedit.engine.run.plan import BufferScan, LastTree
from astedit.errors import AstEditError
from astedit.language import Row
from astedit.limits import MAX_FILE_SIZE, SlowParseError, parsing_within
from astedit.model.request import EditRequest
from astedit.packs.project import project_with_packs
from astedit.rule.document import Document, locate
from astedit.rule.failure import RuleError, TurnedOff
from astedit.rule.project import CONFIG, Project, read_file, request_fields
from astedit.rule.suppression import UNUSED
from astedit.semantic import NAMES
from astedit.staging.open_workspace import OpenWorkspace
from astedit.testing.baseline import FoundJson
from astedit.text.source import Change
from astedit.workspace.root import find_root

_CAUSING = frozenset({"params", "then", "when"})
_OF_BUFFERS = {"encoding": "utf-8", "suppressions": {UNUSED: "hint"}}
# Seconds for the parser with one text. Where there is a limit the parser lets other threads run:
# without one a keystroke in 2 MB of broken code stopped the server for as long as that takes.
_PARSING = 10.0
_LINE = re.compile(r"\(line (\d+)\)")


class RuleProblem(NamedTuple):
    """What is wrong in a rule file, the line counted from 0."""

    path: str
    line: int
    message: str


class RuleFolder:
    """The rules of one folder. One thread at a time may use it.

    `quiet` are rules that are there for their fixes alone, `problems` what is wrong with rule
    files, `version` says whose rules these are: the server counts how often they changed;
    `announced` are rule files of which it has told what is wrong.
    """

    def __init__(self, directory: str, state: str | None) -> None:
        """Raises `RequestError` for a directory that cannot be opened."""
        self.place = OpenWorkspace(find_root(directory, []), state, surface="editor")
        self.root = self.place.root
        self.workspace = self.place.workspace
        self.version = -1
        self.announced: set[str] = set()
        self._forget()

    def _forget(self) -> None:
        self.problems: list[RuleProblem] = []
        self.rules: dict[str, Document] = {}
        self.quiet: set[str] = set()
        self.utilities: tuple[str, ...] = ()
        self.request = EditRequest()
        self._directories: tuple[str, ...] = ()
        self._scan: BufferScan | None = None

    def below(self, path: str) -> str | None:
        """A file's path below the root; None for one that lies elsewhere."""
        try:
            return self.workspace.relative(path, self.root)
        except AstEditError:
            return None

    def holds_rules(self, path: str) -> bool:
        """Whether a file is one of rules or utilities."""
        return path.endswith((".yml", ".yaml")) and any(
            directory == "." or path.startswith(f"{directory}/") for directory in self._directories
        )

    def load(self, texts: Mapping[str, bytes], severities: Mapping[str, str]) -> None:
        """Reads the project anew. What is wrong becomes a problem, the rest goes on.

        `texts` are what the editor has of rule files, by their path below the root, and
        `severities` what its configuration says of rules.
        """
        self._forget()
        off = TurnedOff(None)
        with self.workspace.overlaid(texts):
            try:
                project = project_with_packs(self.workspace, off=off)
                self._directories = (*project.rule_directories, *project.util_directories)
                self._compile(project, severities, off)
            except AstEditError as error:
                if error.code != "no_project":
                    off.leave_out(error)
            # one rule may be for several languages
            self.problems = list(dict.fromkeys(map(self._problem, off.wrong)))

    def _problem(self, error: AstEditError) -> RuleProblem:
        if isinstance(error, RuleError):
            locate(error, self.rules.values(), lambda path: read_file(self.workspace, path))
        line = _LINE.search(error.message)
        hint = f" {error.hint}" if error.hint else ""
        at = int(line[1]) - 1 if line else 0
        return RuleProblem(error.path or CONFIG, at, error.message + hint)

    def _compile(self, project: Project, severities: Mapping[str, str], off: TurnedOff) -> None:
        levels = (rule.of_severity(severities.get(rule.id)) for rule in project.rules)
        self.rules = {rule.id: rule for rule in levels}
        self.quiet = {id for id, rule in self.rules.items() if _for_actions(rule)}
        for id in self.quiet:
            self.rules[id] = self.rules[id].of_severity("hint")
        self.utilities = tuple(one.id for one in project.utils)
        if not self.rules:
            return
        rules = tuple(self.rules.values())
        fields = request_fields(replace(project, rules=rules)) | _OF_BUFFERS
        try:
            self.request = request_of(fields)
        except AstEditError as error:  # in what rules call: the others go on
            off.leave_out(error)
            fields["rules"] = [one for one in fields["rules"] if not _CAUSING & one.content.keys()]
            self.request = request_of(fields)
        self._scan = BufferScan(self.request, NAMES, "brief", LastTree().parse)
        for row in dict.fromkeys(row for rule in rules for row in rule.languages):
            for wrong in self._scan.refused(row):
                off.leave_out(wrong)

    def language(self, path: str) -> Row | None:
        """The language of a file."""
        return None if self._scan is None else self._scan.language(path)

    def findings(self, path: str, text: bytes, fixes: bool = False) -> list[FoundJson]:
        """What the rules find in a text, as the file at `path` (below the root).

        Only with `fixes` each has what its fix makes.
        """
        if self._scan is None or len(text) > MAX_FILE_SIZE:
            return []
        try:
            with parsing_within(_PARSING):
                return self._scan.findings(path, text, fixes)
        except SlowParseError:
            return []

    def fixed(self, path: str, text: bytes, rule: str | None) -> list[Change]:
        """The edits that all fixes make in a text, or those of one rule."""
        chosen = [one for one in self.request.rules if rule in (None, one["id"])]
        request = replace(self.request, rules=chosen, suppressions={})
        with parsing_within(_PARSING):
            return BufferScan(request, NAMES, "edit").edits(path, text)


def _for_actions(rule: Document) -> bool:
    """Whether a rule of severity off is there for its fixes alone."""
    ours = rule.content.get("metadata", {}).get("astedit")
    return rule.severity == "off" and isinstance(ours, dict) and ours.get("action") is True
