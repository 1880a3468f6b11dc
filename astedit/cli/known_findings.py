"""`scan --baseline`: findings beside those that a file knows, what is printed, what is written."""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from astedit.cli.output import formats, streams
from astedit.cli.output.matches import JSON_FORMS
from astedit.cli.output.report import search_notes
from astedit.errors import AstEditError, RequestError
from astedit.language import Row, for_path, load
from astedit.limits import MAX_FILE_SIZE
from astedit.rule.project import read_file
from astedit.testing import baseline
from astedit.testing.baseline import Compared, Key
from astedit.text import first_lines, number
from resolve.visible import one_line

if TYPE_CHECKING:
    from astedit.cli.place import Place
    from astedit.engine.run.search import Hits
    from astedit.locating.inventory.definitions import Definition
    from astedit.rule.project import Project

_EVERYTHING = ("json", *JSON_FORMS, "sarif")  # formats that print known findings, too
_PARTIAL = ("glob", "lang", "no_ignore")  # what leaves out files that are not named
_SHOWN = 10  # fixed findings that are named


class BaselineFlags(NamedTuple):
    """What the flags say: the file, whether it is brought up to date, whether it must be."""

    baseline: str | None = None
    update_baseline: bool = False
    strict_baseline: bool = False

    def check(self, written: set[str]) -> bool:
        """Whether there is a baseline at all; refuses what has no meaning with or without it."""
        if self.baseline is None:
            flag = "update" if self.update_baseline else "strict"
            if self.update_baseline or self.strict_baseline:
                raise RequestError(f"--{flag}-baseline belongs to --baseline.")
            return False
        for flag in ("fix", "stdin", "limit"):
            if flag in written:
                raise RequestError(f"--baseline has no meaning with --{flag}.")
        for flag in (*_PARTIAL, "changed") if self.update_baseline else ():
            if flag in written:
                flag = flag.replace("_", "-")
                hint = "Update it with a scan of all that it is about."
                raise RequestError(f"--update-baseline has no meaning with --{flag}.", hint=hint)
        return True


class KnownFindings:
    """A baseline, read before the scan begins, and what comes of it."""

    def __init__(
        self, flags: BaselineFlags, place: "Place", project: "Project | None", written: set[str]
    ) -> None:
        """Raises `RequestError` for a missing file that is not to be written, or a bad one."""
        self._flags, self._place, self._project = flags, place, project
        self._path = place.below(flags.baseline) or ""
        self._partial = not written.isdisjoint(_PARTIAL)
        self._old = None
        if os.path.lexists(os.path.join(place.workspace.root, self._path)):
            self._old = read_file(place.workspace, self._path, baseline.MAX_SIZE)
        elif not flags.update_baseline:
            raise RequestError(
                f"There is no baseline {self._path}.",
                path=self._path,
                hint="Add --update-baseline to write it with all that is found now.",
                code="no_baseline",
            )
        self._known = None if self._old is None else baseline.read(self._old, self._path)
        self._scopes: dict[str, list[Definition]] = {}

    def report(
        self,
        hits: "Hits",
        printer: "formats.Format",
        about: "formats.About",
        looked_at: Sequence[str],
    ) -> int:
        """Prints the findings, writes the baseline if asked to, and returns the exit code."""
        ran = {rule.id for rule in about.rules if rule.severity != "off"}
        unread = {skip.path for skip in hits.skipped}
        below = tuple(f"{path}/" for path in looked_at)

        def looked_for(key: Key) -> bool:
            there = "." in looked_at or key.file in looked_at or key.file.startswith(below)
            there = there and key.rule in ran and key.file not in unread and not self._partial
            return there and not self._has_errors(key.file)

        compared = baseline.compare(hits.files, self._known, self._definition, looked_for)
        new = [
            (path, [one for one in findings if one["baselineState"] == "new"])
            for path, findings in compared.files
        ]
        shown = compared.files if printer.style in _EVERYTHING else new
        hits.files = [(path, (printer.of(hits, path, some),)) for path, some in shown if some]
        printer.show(hits, about._replace(absent=sorted(compared.gone.elements())))
        streams.flush()
        printer.counts.update(one["severity"] for _, some in new for one in some)
        hits.files = [(path, ()) for path, some in new if some]
        streams.notes((*printer.summary(hits), *self._lines(compared), *search_notes(hits)))
        if self._flags.update_baseline:
            self._write(compared)
        elif self._flags.strict_baseline and compared.gone:
            return 1
        return printer.exit_code()

    def _lines(self, compared: Compared) -> Iterator[str]:
        found = [one for _, findings in compared.files for one in findings]
        states = Counter((one["ruleId"], one["baselineState"]) for one in found)
        fixed = Counter(key.rule for key in compared.gone.elements())
        known = sum(count for (_, state), count in states.items() if state == "unchanged")
        yield f"{self._path}: {number(known, 'known finding')}, {fixed.total():,} fixed."
        rules = sorted({id for id, state in states if state == "new"} | fixed.keys())
        lines = [
            f"  {one_line(id)}: {states[id, 'unchanged']:,} known, {states[id, 'new']:,} new,"
            f" {fixed[id]:,} fixed"
            for id in rules
        ]
        yield from first_lines(lines, _SHOWN, indent="  ")
        gone = [
            f"  fixed: {one_line(key.file)}: {one_line(key.rule)}: {one_line(key.text)}"
            for key in sorted(compared.gone.elements())
        ]
        yield from first_lines(gone, _SHOWN, indent="  ")
        if gone and not self._flags.update_baseline:
            yield "hint: --update-baseline takes what is fixed out of the file."

    def _write(self, compared: Compared) -> None:
        from astedit.transaction.user_files import create, replace

        root = self._place.workspace.fd
        if self._old is None or self._known is None:
            create(root, self._path, baseline.written(compared.keys))
            streams.note(f"Wrote {self._path} with {number(compared.keys.total(), 'finding')}.")
        elif (new := baseline.written(self._known - compared.gone)) != self._old:
            replace(root, self._path, self._old, new)
            gone = number(compared.gone.total(), "finding")
            streams.note(f"Took {gone} out of {self._path}.")

    def _definition(self, path: str, at: int) -> str:
        """The innermost class or function around a place, with the names around it."""
        from astedit.locating.inventory.read_file import innermost, scopes

        if path not in self._scopes:
            row, content = self._source(path)
            self._scopes[path] = [] if row is None else scopes(content, row.name)
        scope = innermost((one for one in self._scopes[path] if one.span[0] < at), at)
        return "" if scope is None else ".".join(scope.names)

    @cache  # noqa: B019 - one a command
    def _has_errors(self, path: str) -> bool:
        """Whether a file does not parse: what it hides from a rule is not mended."""
        row, content = self._source(path)
        return row is not None and load(row).parser().parse(content).root_node.has_error

    def _source(self, path: str) -> tuple[Row | None, bytes]:
        """A file's language and content; None for one that cannot be read."""
        row = for_path(path) if self._project is None else self._project.language(path)
        try:
            return row, self._place.workspace.read(path, MAX_FILE_SIZE)[0]
        except (OSError, AstEditError):  # its findings are known without a definition then
            return None, b""
