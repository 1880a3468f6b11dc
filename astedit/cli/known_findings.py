"""`scan --baseline`: findings beside those that a file knows, what is printed, what is written."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from astedit.cli.output import formats, streams
from astedit.errors import AstEditError, RequestError
from astedit.language import for_path
from astedit.testing import baseline
from astedit.testing.baseline import Compared, FoundJson, Key, KeyCounts
from astedit.text.count_phrases import first_lines, number
from resolve.visible import one_line

if TYPE_CHECKING:
    from astedit.cli.place import Place
    from astedit.engine.run.search import Hits
    from astedit.rule import Document
    from astedit.rule.project import Project

_EVERYTHING = ("json", *formats.JSON_FORMS, "sarif")  # formats that print known findings, too
_PARTIAL = ("glob", "lang", "changed", "no_ignore")  # what an update would not look at
_SHOWN = 10  # fixed findings that are named


class BaselineFlags(NamedTuple):
    """What the flags say: the file, whether it is brought up to date, whether it must be."""

    baseline: str | None = None
    update_baseline: bool = False
    strict_baseline: bool = False

    def check(self, written: set[str], paths: Sequence[str]) -> bool:
        """Whether there is a baseline at all; refuses what has no meaning with or without it."""
        if self.baseline is None:
            for flag in ("update_baseline", "strict_baseline"):
                if getattr(self, flag):
                    raise RequestError(f"--{flag.replace('_', '-')} belongs to --baseline.")
            return False
        for flag in ("fix", "stdin", "limit"):
            if flag in written:
                raise RequestError(f"--baseline has no meaning with --{flag}.")
        partial = [flag for flag in _PARTIAL if flag in written]
        if self.update_baseline and partial:
            flag = partial[0].replace("_", "-")
            hint = "Update it with a scan of all that it is about."
            raise RequestError(f"--update-baseline has no meaning with --{flag}.", hint=hint)
        return True


def _read(place: "Place", path: str) -> bytes | None:
    try:
        content, _ = place.workspace.read(place.workspace.resolve(path), baseline.MAX_SIZE)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise RequestError(f"{path} cannot be read: {error.strerror}.", path=path) from error
    if len(content) > baseline.MAX_SIZE:
        raise RequestError(f"{path} is larger than {baseline.MAX_SIZE:,} bytes.", path=path)
    return content


class KnownFindings:
    """A baseline, read before the scan begins, and what comes of it."""

    def __init__(
        self, flags: BaselineFlags, place: "Place", project: "Project | None", written: set[str]
    ) -> None:
        """Raises `RequestError` for a missing file that is not to be written, or a bad one."""
        self._flags, self._place, self._project = flags, place, project
        self._path = place.below(flags.baseline) or ""
        self._partial = any(flag in written for flag in ("glob", "lang", "no_ignore"))
        self._old = _read(place, self._path)
        if self._old is None and not flags.update_baseline:
            raise RequestError(
                f"There is no baseline {self._path}.",
                path=self._path,
                hint="Add --update-baseline to write it with all that is found now.",
                code="no_baseline",
            )
        self._known: KeyCounts = Counter()
        if self._old is not None:
            self._known = baseline.read(self._old, self._path)
        self._definitions: dict[str, list[tuple[int, int, str]]] = {}

    def report(
        self,
        hits: "Hits",
        printer: "formats.Printer",
        style: str,
        about: "formats.About",
        looked_at: Sequence[str],
    ) -> int:
        """Prints the findings, writes the baseline if asked to, and returns the exit code."""
        compared = self._compare(hits, about.rules, looked_at)
        if self._old is None:  # all that is found is what it begins with
            compared.known, compared.new = _all_of(compared), {}
        hits.files = list(self._printed(hits, printer, style, compared))
        absent = [] if self._old is None else sorted(compared.gone.elements())
        printer.show(hits, about._replace(absent=absent))
        for line in self._lines(hits, printer, compared):
            streams.note(line)
        if self._flags.update_baseline:
            self._write(compared)
            return printer.exit_code()
        strict = self._flags.strict_baseline and compared.gone
        return 1 if strict else printer.exit_code()

    def _compare(
        self, hits: "Hits", rules: "Sequence[Document]", looked_at: Sequence[str]
    ) -> Compared:
        ran = {rule.id for rule in rules if rule.severity != "off"}
        unread = {skip.path for skip in hits.skipped}
        below = tuple(f"{path}/" for path in looked_at)
        everywhere, exact = "." in looked_at, set(looked_at)

        def looked_for(key: Key) -> bool:
            there = everywhere or key.file in exact or key.file.startswith(below)
            return there and key.rule in ran and key.file not in unread and not self._partial

        return baseline.compare(hits.files, self._known, self._definition, looked_for)

    def _printed(
        self, hits: "Hits", printer: "formats.Printer", style: str, compared: Compared
    ) -> "Iterator[tuple[str, tuple[object, ...]]]":
        for path, _ in hits.files:
            new = compared.new.get(path, [])
            shown: list[FoundJson] = new
            if style in _EVERYTHING:
                known = compared.known.get(path, [])
                shown = [
                    *(one | {"baselineState": "new"} for one in new),
                    *(one | {"baselineState": "unchanged"} for one in known),
                ]
                shown.sort(key=lambda one: one["range"]["byteOffset"]["start"])
            if shown:
                before = Counter(printer.counts)
                yield path, (printer.of(hits, path, shown),)
                printer.counts.clear()
                printer.counts.update(before)
                printer.counts.update(one["severity"] for one in new)

    def _lines(self, hits: "Hits", printer: "formats.Printer", compared: Compared) -> Iterator[str]:
        files = hits.files
        hits.files = [one for one in files if compared.new.get(one[0])]
        yield from printer.summary(hits)
        hits.files = files
        known = sum(map(len, compared.known.values()))
        yield f"{self._path}: {number(known, 'known finding')}, {compared.gone.total():,} fixed."
        rows = [row for row in compared.per_rule() if row[2] or row[3]]
        yield from first_lines(
            [f"  {one_line(id)}: {old:,} known, {new:,} new, {gone:,} fixed"
             for id, old, new, gone in rows],
            _SHOWN,
            indent="  ",
        )  # fmt: skip
        fixed = [
            f"  fixed: {one_line(key.file)}: {one_line(key.rule)}: {one_line(key.text)}"
            for key in sorted(compared.gone.elements())
        ]
        yield from first_lines(fixed, _SHOWN, indent="  ")
        if compared.gone and not self._flags.update_baseline:
            yield "hint: --update-baseline takes what is fixed out of the file."

    def _write(self, compared: Compared) -> None:
        from astedit.transaction.user_files import create, replace

        root = self._place.workspace.fd
        if self._old is None:
            create(root, self._path, baseline.written(compared.keys))
            found = number(compared.keys.total(), "finding")
            streams.note(f"Wrote {self._path} with {found}.")
            return
        new = baseline.written(self._known - compared.gone)
        if new != self._old:
            replace(root, self._path, self._old, new)
            gone = number(compared.gone.total(), "finding")
            streams.note(f"Took {gone} out of {self._path}.")

    def _definition(self, path: str, at: int) -> str:
        """The innermost class or function around a place, with the names around it."""
        if path not in self._definitions:
            self._definitions[path] = list(self._defined(path))
        inner = ""
        size = None
        for start, end, name in self._definitions[path]:
            if start < at < end and (size is None or end - start <= size):
                inner, size = name, end - start
        return inner

    def _defined(self, path: str) -> Iterator[tuple[int, int, str]]:
        from astedit.limits import MAX_FILE_SIZE
        from astedit.locating.inventory.read_file import read

        row = for_path(path) if self._project is None else self._project.language(path)
        try:
            content, _ = self._place.workspace.read(path, MAX_FILE_SIZE)
            facts = None if row is None else read(content, row.name)
        except (OSError, AstEditError):  # its findings are known without a definition then
            return
        if facts is not None:
            for one in facts.defined():
                if one.kind in ("class", "function", "method"):
                    yield *one.span, ".".join((*facts.package, *one.names))


def _all_of(compared: Compared) -> dict[str, list[FoundJson]]:
    paths = {**compared.known, **compared.new}
    return {path: [*compared.known.get(path, ()), *compared.new.get(path, ())] for path in paths}
