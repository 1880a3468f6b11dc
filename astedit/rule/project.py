"""A project of rules: what `sgconfig.yml` names, read below the root.

Everything here belongs to the repository and is not trusted: only what lies below the
root is read, links met on the way are not followed, and sizes and counts have limits.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Any

from astedit.errors import LimitError, OutsideRootError, PreconditionError, RequestError
from astedit.language import Row, for_path, named
from astedit.language.table import language_hint
from astedit.rule.document import Document, prefixed, read_rules, read_utilities
from astedit.rule.failure import RuleError, TurnedOff, wrong
from astedit.rule.yaml import MAX_SIZE, read_yaml
from astedit.text import meant
from astedit.workspace.confined_open import closed_after, open_directory
from astedit.workspace.gitignore import Globs, matches_nothing
from astedit.workspace.root import PROJECT_FILES, Workspace

CONFIG, _TWIN = PROJECT_FILES
_KEYS = (
    *("ruleDirs", "utilDirs", "testConfigs", "languageGlobs", "languageInjections"),
    *("customLanguages", "packs"),
)
SNAPSHOTS = "__snapshots__"


@dataclass(frozen=True, slots=True)
class TestDirectory:
    """Where tests are, and where their snapshots go; both relative to the root."""

    __test__ = False  # pytest: not a class of tests
    path: str
    snapshots: str


@dataclass(frozen=True)
class Project:
    """The rules of a project, in the order of their files' bytes and of the documents.

    `config` is the path of the configuration, `directory` (ends with `/`, "" is the root)
    what `files` and `ignores` of its rules are relative to, `rule_directories` where rules
    may be written. `warnings` say what of the configuration has no effect. `packs` are the
    entries as written: who wants their rules reads them. So are the `injections`, checked.
    """

    config: str
    directory: str = ""
    rule_directories: tuple[str, ...] = ()
    util_directories: tuple[str, ...] = ()
    tests: tuple[TestDirectory, ...] = ()
    rules: tuple[Document, ...] = ()
    utils: tuple[Document, ...] = ()
    language_globs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    injections: tuple[Mapping[str, Any], ...] = ()
    warnings: tuple[str, ...] = ()
    packs: tuple[Any, ...] = ()

    def rooted(self, glob: str) -> str:
        """A glob of this project, relative to the root; `*.x` means files at any depth."""
        anywhere = self.directory and "/" not in glob.rstrip("/")
        return f"{self.directory}{'**/' if anywhere else ''}{glob.removeprefix('/')}"

    def language(self, path: str) -> Row | None:
        """The language of a file (relative to the root): by `languageGlobs`, else its name."""
        if path.startswith(self.directory):
            below = path[len(self.directory) :]
            for row, globs in self._globs:
                if globs.verdict(below):
                    return row
        return for_path(path)

    @cached_property
    def _globs(self) -> tuple[tuple[Row, Globs], ...]:
        rows = ((named(name), globs) for name, globs in self.language_globs.items())
        return tuple((row, Globs(globs)) for row, globs in rows if row is not None)


def load_project(
    workspace: Workspace,
    config: str | None = None,
    *,
    documents: bool = True,
    off: TurnedOff | None = None,
) -> Project:
    """Reads a project; `config` (relative to the root) is `sgconfig.yml` unless given.

    Without `documents` no rule is read: what a command needs that writes one.
    A wrong rule that is `off` is left out.
    Raises `PreconditionError` (`no_project`) without one, `YamlError`, `RuleError` and
    `RequestError` for what is wrong in it, and `OutsideRootError` for a directory elsewhere.
    """
    return _Settings(workspace, config or _config(workspace), off).project(documents)


def project_or_none_yet(workspace: Workspace) -> Project:
    """The project without its rules; an empty one where there is no configuration yet."""
    if not _exists(workspace, _config(workspace)):
        return Project(CONFIG)
    return load_project(workspace, documents=False)


def language_globs(workspace: Workspace) -> dict[str, list[str]]:
    """What the project says of the languages of files; its rules are not looked at.

    Raises `PreconditionError` without one, and what `load_project` says of these globs.
    """
    globs = _Settings(workspace, _config(workspace)).language_globs()
    return {name: [*own] for name, own in globs.items()}


def _config(workspace: Workspace) -> str:
    return CONFIG if _exists(workspace, CONFIG) or not _exists(workspace, _TWIN) else _TWIN


def request_fields(project: Project) -> dict[str, Any]:
    """The fields of a request that runs all rules of a project, which are documents."""
    return {
        "rules": [prefixed(rule, project.directory) for rule in project.rules],
        "utils": [dict(utility.content) for utility in project.utils],
        "language_globs": {
            name: [project.rooted(glob) for glob in globs]
            for name, globs in project.language_globs.items()
        },
        "injections": [dict(each) for each in project.injections],
    }


def _exists(workspace: Workspace, path: str) -> bool:
    return os.path.lexists(os.path.join(workspace.root, path))


def _configuration(workspace: Workspace, path: str) -> dict[str, Any]:
    if not _exists(workspace, path):
        raise PreconditionError(
            f"There is no {path} in {workspace.root}.",
            hint="Make one with `astedit new project`, or name a rule file.",
            path=path,
            code="no_project",
        )
    documents = read_yaml(read_file(workspace, path), path)
    if len(documents) != 1 or not isinstance(documents[0], dict):
        hint = "Such as `ruleDirs: [rules]`."
        raise _bad(path, "document", "one object is expected here", hint)
    return documents[0]


class _Settings:
    """One configuration file, checked key by key; unknown keys mean nothing to ast-grep."""

    def __init__(self, workspace: Workspace, path: str, off: TurnedOff | None = None) -> None:
        self._workspace, self._path, self._off = workspace, path, off or TurnedOff()
        raw = _configuration(workspace, path)
        self._raw = {key: value for key, value in raw.items() if value is not None}
        self._directory = path[: path.rfind("/") + 1]
        self._custom = frozenset(self._object("customLanguages"))

    def project(self, documents: bool) -> Project:
        packs = tuple(self._list("packs"))
        if "ruleDirs" not in self._raw and not packs:
            unknown = self._raw.keys() - set(_KEYS)
            near = next((hint for key in sorted(unknown) if (hint := meant(_KEYS, key))), "")
            hint = f"{near}Such as `ruleDirs: [rules]`."
            raise _bad(self._path, "ruleDirs", "the key is missing", hint)
        rule_directories = self._directories("ruleDirs")
        util_directories = self._directories("utilDirs")
        rules, utils = [], []
        if documents:
            rules = [*self._documents(read_rules, rule_directories)]
            utils = [*self._documents(read_utilities, util_directories)]
        return Project(
            self._path,
            self._directory,
            rule_directories,
            util_directories,
            tuple(self._tests()),
            tuple(drop_twins(rules, self._off.leave_out)),
            tuple(utils),
            self.language_globs(),
            tuple(self._injections()),
            tuple(self._warnings()),
            packs,
        )

    def _warnings(self) -> Iterator[str]:
        if self._custom:
            names = ", ".join(sorted(self._custom))
            yield (
                f"{self._path}: customLanguages ({names}) are not loaded:"
                " a repository's libraries could run anything."
            )

    def _documents(
        self, read: Callable[..., list[Document]], directories: tuple[str, ...]
    ) -> Iterator[Document]:
        for path in self._files(directories):
            try:
                yield from read(read_file(self._workspace, path), path, self._off)
            except RequestError as error:
                if isinstance(error, RuleError) and error.place == "language" and self._custom:
                    error.hint = f"The customLanguages of {self._path} are never loaded."
                self._off.leave_out(error)

    def _files(self, directories: tuple[str, ...]) -> list[str]:
        paths: dict[str, None] = {}
        for directory in directories:
            try:
                paths |= dict.fromkeys(yaml_files(self._workspace, directory))
            except OSError as error:
                why = f"names the directory {directory}, which cannot be read: {error.strerror}"
                hint = "Make it, or take it out of the file."
                message = f"{self._path} {why}."
                self._off.leave_out(
                    RequestError(message, path=self._path, code="bad_config", hint=hint)
                )
        return list(paths)

    def _directories(self, key: str) -> tuple[str, ...]:
        return tuple(self._place(text, key) for text in self._texts(self._raw.get(key, []), key))

    def _place(self, text: str, key: str) -> str:
        """A directory as written (ast-grep writes absolute ones too), links followed."""
        if not text or "\0" in text:
            raise _bad(self._path, key, "a directory is expected here")
        try:
            return self._workspace.resolve(self._directory + text if text[0] != "/" else text)
        except OutsideRootError as error:
            error.message = f"{self._path}, {key}: {error.message}"
            error.args = (error.message,)
            error.path = self._path
            error.hint = "Name a directory below the root, or choose an outer one with --root."
            raise

    def _tests(self) -> Iterator[TestDirectory]:
        for at, raw in enumerate(self._list("testConfigs")):
            key = f"testConfigs[{at}]"
            if not isinstance(raw, dict) or not isinstance(raw.get("testDir"), str):
                raise _bad(self._path, f"{key}.testDir", "a directory is expected here")
            path = self._place(raw["testDir"], f"{key}.testDir")
            name = raw.get("snapshotDir")
            if name is not None and (not isinstance(name, str) or not name or "\0" in name):
                raise _bad(self._path, f"{key}.snapshotDir", "a directory is expected here")
            yield TestDirectory(path, below(self._workspace, path, name or SNAPSHOTS))

    def language_globs(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        for name, globs in self._object("languageGlobs").items():
            key = f"languageGlobs.{name}"
            if name not in self._custom:
                found[self._row(name, key).name] = self._globs(globs, key)
        return found

    def _globs(self, raw: Any, key: str) -> tuple[str, ...]:
        globs = self._texts(raw, key)
        for glob in globs:
            if matches_nothing(glob):
                raise _bad(self._path, key, f"the glob {glob!r} can match no file")
        return globs

    def _injections(self) -> Iterator[Mapping[str, Any]]:
        for at, raw in enumerate(self._list("languageInjections")):
            key = f"languageInjections[{at}]"
            if not isinstance(raw, dict) or not isinstance(raw.get("rule"), dict):
                raise _bad(self._path, f"{key}.rule", "a rule is expected here")
            injected = raw.get("injected")
            names = self._texts(injected if isinstance(injected, list) else [injected], key)
            self._row(raw.get("hostLanguage"), f"{key}.hostLanguage")
            for name in names:
                self._row(name, f"{key}.injected")
            yield {name: value for name, value in raw.items() if value is not None}

    def _row(self, name: Any, key: str) -> Row:
        row = named(name) if isinstance(name, str) else None
        if row is None:
            raise _bad(self._path, key, f"unknown language {name!r}", language_hint(name))
        return row

    def _list(self, key: str) -> list[Any]:
        raw = self._raw.get(key, [])
        if not isinstance(raw, list):
            raise _bad(self._path, key, "a list is expected here")
        return raw

    def _object(self, key: str) -> dict[str, Any]:
        raw = self._raw.get(key, {})
        if not isinstance(raw, dict):
            raise _bad(self._path, key, "an object is expected here")
        return raw

    def _texts(self, raw: Any, key: str) -> tuple[str, ...]:
        if not isinstance(raw, list) or not all(isinstance(one, str) for one in raw):
            raise _bad(self._path, key, "a list of strings is expected here")
        return tuple(raw)


def drop_twins(
    rules: Iterable[Document], leave_out: Callable[[RequestError], object]
) -> Iterable[Document]:
    """The first rule of each id, by which findings and fixes go; others are called wrong."""
    first: dict[str, Document] = {}
    for rule in rules:
        if (twin := first.setdefault(rule.id, rule)) is not rule:
            hint = f"{twin.path} has a rule of this id too: rename one."
            error = wrong("the id is given twice", "id", rule.id, hint, rule.path)
            error.at = rule.at
            leave_out(error)
    return first.values()


def below(workspace: Workspace, directory: str, name: str) -> str:
    """A path relative to `directory`, links followed, relative to the root again."""
    return workspace.resolve(os.path.join(directory, name))


def _bad(path: str, key: str, why: str, hint: str | None = None) -> RequestError:
    return RequestError(f"{path}, {key}: {why}.", path=path, code="bad_config", hint=hint)


MAX_FILES = 10_000  # YAML files below one directory
MAX_DEPTH = 64  # directories below one that is named
_SUFFIXES = (".yml", ".yaml")


def read_file(workspace: Workspace, path: str, limit: int = MAX_SIZE) -> bytes:
    """A file below the root, link or not, such as one of rules; a larger one is refused."""
    try:
        content, _ = workspace.read(workspace.resolve(path), limit)
    except OSError as error:
        raise RequestError(f"{path} cannot be read: {error.strerror}.", path=path) from error
    if len(content) > limit:
        raise RequestError(f"{path} is larger than {limit} bytes.", path=path)
    return content


def yaml_files(
    workspace: Workspace, directory: str, check: Callable[[str], None] = lambda link: None
) -> list[str]:
    """The visible `.yml` and `.yaml` files below a directory, in the order of their bytes.

    No link is followed, `check` is called with each; nothing below a `node_modules` is read.
    """
    found = sorted(islice(_walk(workspace, directory, check), MAX_FILES + 1), key=os.fsencode)
    if len(found) > MAX_FILES:
        raise LimitError(f"{directory} holds more than {MAX_FILES} YAML files.", path=directory)
    return found


def _walk(workspace: Workspace, directory: str, check: Callable[[str], None]) -> Iterator[str]:
    stack = ["" if directory == "." else directory]
    while stack:
        here = stack.pop()
        with closed_after(open_directory(workspace.fd, here)) as descriptor:
            entries = list(os.scandir(descriptor))
            kinds = [(e.name, e.is_dir(follow_symlinks=False), e.is_symlink()) for e in entries]
        for name, is_directory, is_link in kinds:
            path = f"{here}/{name}" if here else name
            if name.startswith(".") or name == "node_modules":
                continue
            if is_link:
                check(path)
            elif is_directory:
                if path.count("/") - directory.count("/") > MAX_DEPTH:
                    raise LimitError(f"{path} lies too deep.", path=path)
                stack.append(path)
            elif name.endswith(_SUFFIXES):
                yield path
