"""An entry of `packs:` to the YAML files of a pack: a directory, git, a wheel or npm."""

import os
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

from astedit import git
from astedit.errors import AstEditError, LimitError, OutsideRootError, RequestError
from astedit.json_model import OBJECT, TEXT, checked, object_of
from astedit.rule.document import SEVERITIES
from astedit.rule.failure import one_of
from astedit.rule.project import read_file, yaml_files
from astedit.workspace.root import Workspace
from resolve.visible import one_line

Files = dict[str, bytes]  # by the path inside the pack
MAX_TOTAL = 32 * 1024 * 1024
_SECONDS = 300.0  # for a fetch
_LIKE = "Such as ./dir, git+https://host/repo@v1#dir, python:DIST or npm:PKG."
_GIT = re.compile(
    r"git\+(?P<place>(?:(?:https?|ssh|git|file)://[^/#]*/|git@[^:/#]+:|/)[^#]*?)"
    r"(?:@(?P<revision>[^-@#][^@#]*))?(?:#(?P<directory>.*))?"
)
_PACKAGE = re.compile(
    r"(?P<kind>python|npm):(?P<place>(?:@[A-Za-z0-9._-]+/)?[A-Za-z0-9][A-Za-z0-9._-]*)"
)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_ENTRY = object_of({"use": TEXT, "name": TEXT, "severity": OBJECT, "params": OBJECT}, "use")
# What git may know of the person's settings where it lays out somebody else's files: nothing,
# so that no program runs for them, and that they are the same bytes on every machine.
_NO_SETTINGS = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
ENTRY_POINTS = "astedit.rules"


@dataclass(frozen=True, slots=True)
class PackUse:
    """One entry of `packs:`, taken apart. `severity`, `params` and `name` are what it sets."""

    text: str
    kind: Literal["directory", "git", "python", "npm"]
    place: str
    revision: str = ""
    directory: str = ""
    severity: Mapping[str, str] = field(default_factory=dict)
    params: Mapping[str, Any] = field(default_factory=dict)
    name: str | None = None

    @property
    def default_name(self) -> str:
        """What a pack is called that does not say so itself, and that nobody named."""
        last = (self.directory or self.place).rstrip("/").rpartition("/")[2]
        return self.name or last.removesuffix(".git")


def parse_use(entry: Any, where: str) -> PackUse:
    """Raises `RequestError` (`bad_pack`) for what is no entry; `where` names the file and key."""
    more = dict(entry) if isinstance(entry, dict) else {"use": entry}
    if isinstance(more.get("severity"), str):
        more["severity"] = {"": more["severity"]}
    more = checked(more, _ENTRY, partial(bad_in, where))
    text = more.pop("use")
    for level in more.get("severity", {}).values():
        if level not in SEVERITIES:
            raise bad_pack(f"{where}: unknown severity {level!r}", one_of(SEVERITIES, level))
    if "name" in more:
        check_name(more["name"], where)
    if match := _GIT.fullmatch(text):
        parts: dict[str, Any] = match.groupdict("")
        parts["directory"] = inside(parts["directory"], text)
        return PackUse(text, "git", **parts, **more)
    if match := _PACKAGE.fullmatch(text):
        installed: dict[str, Any] = match.groupdict()
        return PackUse(text, **installed, **more)
    if text == "." or (text.startswith("./") and text.isprintable()):
        return PackUse(text, "directory", text, **more)
    what = "not the address of a repository" if text[:4] == "git+" else "no source of a pack"
    raise bad_pack(f"{where}: {text!r} is {what}", _LIKE)


def check_name(name: Any, where: str) -> None:
    """Raises `RequestError` (`bad_pack`) for what cannot be the name of a pack."""
    if not isinstance(name, str) or _NAME.fullmatch(name) is None:
        hint = "Letters, digits and . _ - make a name."
        raise bad_pack(f"{where}: {name!r} cannot be the name of a pack", hint)


def inside(path: str, pack: str) -> str:
    """A path of a pack without `./`; `RequestError` if it leads out of the pack."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if ".." in parts or path.startswith("/") or "\\" in path or "\0" in path:
        raise bad_pack(f"{pack}: {path!r} is not a path inside the pack", None)
    return "/".join(parts)


def read_installed(use: PackUse, workspace: Workspace, directory: str) -> Files:
    """The files of a pack that lies on this machine; `directory` is what `./` stands for."""
    if use.kind == "python":
        return read_directory(_of_distribution(use), use.text)
    below = f"node_modules/{use.place}" if use.kind == "npm" else directory + use.place
    place = os.path.join(workspace.root, workspace.resolve(below))
    if not os.path.isdir(place):
        hint = "Install it first." if use.kind == "npm" else "Name a directory below the root."
        raise bad_pack(f"There is no directory {below} of the pack {use.text}", hint, "no_pack")
    return read_directory(place, use.text)


def read_directory(path: str, name: str) -> Files:
    """The visible YAML files below a directory. A link that leads out of it is refused."""
    files: Files = {}
    total = 0
    with Workspace(path) as pack:

        def check(link: str) -> None:
            try:
                pack.resolve(link)  # what lies inside is read where it is
            except OutsideRootError as error:
                raise bad_pack(f"the link {link} leads out of the pack", None) from error

        try:
            for inner in yaml_files(pack, ".", check):
                files[inner] = read_file(pack, inner)
                total += len(files[inner])
                if total > MAX_TOTAL:
                    problem = f"there are more than {MAX_TOTAL >> 20} MiB."
                    raise LimitError(problem, code="pack_too_large")
        except OSError as error:
            raise bad_pack(f"The pack {name} cannot be read: {error.strerror}", None) from error
        except AstEditError as error:
            error.message = f"{name}: {error.message}"
            error.args = (error.message,)
            raise
    return files


def _of_distribution(use: PackUse) -> str:
    """What the distribution's entry point names, by the list of its files: nothing is imported."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        found = distribution(use.place)
    except PackageNotFoundError as error:
        hint = f"pip install {use.place}"
        raise bad_pack(f"The pack {use.text} is not installed", hint, "no_pack") from error
    values = [one.value for one in found.entry_points if one.group == ENTRY_POINTS]
    if not values:
        raise bad_pack(f"{use.text} has no entry point {ENTRY_POINTS}", None)
    directory = inside(values[0].replace(":", "/"), use.text)
    for root in (directory, directory.replace(".", "/")):
        if any(str(path).startswith(f"{root}/") for path in found.files or ()):
            return str(found.locate_file(root))
    raise bad_pack(f"{use.text} has no file in {directory}, which its entry point names", None)


def fetch(use: PackUse, commit: str | None) -> tuple[str, Files]:
    """Brings a pack by git: the commit, and its files, which are laid out in a place of their own.

    `commit` is asked for instead of the revision.
    """
    with tempfile.TemporaryDirectory() as folder:
        _git(use, folder, ["init", "-q", "--template=", "."])
        fetched = ["fetch", "-q", "--depth=1", "--no-tags", "--", use.place]
        _git(use, folder, [*fetched, commit or use.revision or "HEAD"], _SECONDS)
        brought = _git(use, folder, ["rev-parse", "FETCH_HEAD^{commit}"]).decode().strip()
        below = ["-c", "core.eol=lf", "checkout", "-q", brought, "--"]
        _git(use, folder, [*below, f":(top,literal){use.directory}"])
        with Workspace(folder) as repository:
            place = os.path.join(folder, repository.resolve(use.directory))
        if not os.path.isdir(place):  # a file, or a link to what was not laid out
            raise bad_pack(f"{use.text}: {use.directory} is no directory of the repository", None)
        return brought, read_directory(place, use.text)


def _git(use: PackUse, folder: str, arguments: list[str], remote: float | None = None) -> bytes:
    settings = _NO_SETTINGS if remote is None else None  # who the person is the remote may ask
    done = git.run(folder, arguments, variables=settings, remote=remote)
    if done.status:
        hint = "Look at the address and the revision; `git ls-remote` asks the same server."
        raise bad_pack(f"git cannot bring {use.text}: {done.complaint}", hint, "fetch_failed")
    return done.printed


def bad_in(where: str, why: str, hint: str) -> RequestError:
    """What is wrong at a place of a manifest, or of an entry."""
    return bad_pack(f"{where}: {why}", hint)


def bad_pack(message: str, hint: str | None, code: str = "bad_pack") -> RequestError:
    """What is wrong with a pack, or an entry; exit code 2."""
    return RequestError(f"{one_line(message)}.", hint=hint, code=code)
