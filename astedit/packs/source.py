"""An entry of `packs:` to the YAML files of a pack: a directory, git, a wheel or npm."""

import os
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from astedit import git
from astedit.errors import LimitError, OutsideRootError, RequestError
from astedit.limits import Deadline
from astedit.rule.document import SEVERITIES
from astedit.rule.failure import one_of
from astedit.rule.yaml import MAX_SIZE
from astedit.workspace.confined_open import open_directory
from astedit.workspace.root import Workspace

Files = dict[str, bytes]  # by the path inside the pack
MAX_FILES = 5_000
MAX_TOTAL = 32 * 1024 * 1024
MAX_DEPTH = 32
_SECONDS = 300.0  # for a fetch
_SUFFIXES = (".yml", ".yaml")
_LIKE = "Such as ./dir, git+https://host/repo@v1#dir, python:DIST or npm:PKG."
_SCHEMES = ("https://", "http://", "ssh://", "git://", "file://", "/", "git@")
_PACKAGE = re.compile(r"(?:@[A-Za-z0-9._-]+/)?[A-Za-z0-9][A-Za-z0-9._-]*")
_KEYS = ("use", "name", "severity", "params")
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
        if self.name is not None:
            return self.name
        last = (self.directory or self.place).rstrip("/").rpartition("/")[2]
        return last.removesuffix(".git")


def parse_use(entry: Any, where: str) -> PackUse:
    """Raises `RequestError` (`bad_pack`) for what is no entry; `where` names the file and key."""
    severity: Any = {}
    params: Any = {}
    text = entry
    if isinstance(entry, dict):
        text = entry.get("use")
        severity, params = entry.get("severity", {}), entry.get("params", {})
        if unknown := sorted(set(entry) - set(_KEYS)):
            hint = one_of(_KEYS, unknown[0])
            raise bad_pack(f"{where}: unknown key {unknown[0]!r}", hint)
    severity = {"": severity} if isinstance(severity, str) else severity
    if not isinstance(severity, dict) or not isinstance(params, dict):
        raise bad_pack(f"{where}: severity and params are objects", "Such as {no-print: error}.")
    for level in severity.values():
        if level not in SEVERITIES:
            raise bad_pack(f"{where}: unknown severity {level!r}", one_of(SEVERITIES, level))
    if not isinstance(text, str) or not text.isprintable():
        raise bad_pack(f"{where}: an entry is a text, or an object with `use`", _LIKE)
    use = _of_text(text, where, severity, params)
    return replace(use, name=entry.get("name")) if isinstance(entry, dict) else use


def _of_text(
    text: str, where: str, severity: Mapping[str, str], params: Mapping[str, Any]
) -> PackUse:
    scheme, _, rest = text.partition(":")
    if text.startswith("git+"):
        address, _, directory = text.removeprefix("git+").partition("#")
        scheme, found, rest = address.partition("://")
        host, slash, path = rest.partition("/") if found else address.partition(":")
        if not found and not slash:  # a path on this machine
            host, path = "", host
        path, at, revision = path.rpartition("@")
        path, revision = (path, revision) if at else (revision, "")
        head = (scheme + found if found else "") + host + slash + path
        if head.startswith("-") or not head.startswith(_SCHEMES) or revision.startswith("-"):
            raise bad_pack(f"{where}: {text!r} is not the address of a repository", _LIKE)
        return PackUse(text, "git", head, revision, inside(directory, text), severity, params)
    if scheme in ("python", "npm") and rest:
        if _PACKAGE.fullmatch(rest) is None:
            raise bad_pack(f"{where}: {rest!r} is not the name of a package", _LIKE)
        kind: Literal["python", "npm"] = "python" if scheme == "python" else "npm"
        return PackUse(text, kind, rest, severity=severity, params=params)
    if text == "." or text.startswith("./"):
        return PackUse(text, "directory", text, severity=severity, params=params)
    raise bad_pack(f"{where}: {text!r} is no source of a pack", _LIKE)


def inside(path: str, pack: str) -> str:
    """A path of a pack without `./`; `RequestError` if it leads out of the pack."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if ".." in parts or path.startswith("/") or "\\" in path or "\0" in path:
        raise bad_pack(f"{pack}: {path!r} is not a path inside the pack", None)
    return "/".join(parts)


def read_installed(use: PackUse, workspace: Workspace, directory: str) -> Files:
    """The files of a pack that lies on this machine; `directory` is what `./` stands for."""
    if use.kind == "python":
        return _of_distribution(use)
    below = f"node_modules/{use.place}" if use.kind == "npm" else directory + use.place
    place = workspace.resolve(below)
    if not os.path.isdir(os.path.join(workspace.root, place)):
        hint = "Install it first." if use.kind == "npm" else "Name a directory below the root."
        raise bad_pack(f"There is no directory {below} of the pack {use.text}", hint, "no_pack")
    return read_directory(os.path.join(workspace.root, place), use.text)


def read_directory(path: str, name: str) -> Files:
    """The visible YAML files below a directory. A link that leads out of it is refused."""
    pack = Workspace(path)
    try:
        files: Files = {}
        stack = [""]
        while stack:
            here = stack.pop()
            descriptor = open_directory(pack.fd, here)
            try:
                entries = sorted(os.scandir(descriptor), key=lambda one: one.name)
                kinds = [(e.name, e.is_symlink(), e.is_dir(follow_symlinks=False)) for e in entries]
            finally:
                os.close(descriptor)
            for entry, is_link, is_directory in kinds:
                if entry.startswith(".") or entry == "node_modules":
                    continue
                inner = f"{here}/{entry}" if here else entry
                if is_link:
                    inner, is_directory = _followed(pack, inner, name), False
                if is_directory and inner.count("/") < MAX_DEPTH:
                    stack.append(inner)
                elif inner.endswith(_SUFFIXES):
                    _add(files, inner, pack.read(inner, MAX_SIZE)[0], name)
        return dict(sorted(files.items()))
    except OSError as error:
        raise bad_pack(f"The pack {name} cannot be read: {error.strerror}", None) from error
    finally:
        pack.close()


def _followed(pack: Workspace, link: str, name: str) -> str:
    """Where a link leads, if that is inside. What lies there is read where it is."""
    try:
        pack.resolve(link)
    except OutsideRootError as error:
        raise bad_pack(f"{name}: the link {link} leads out of the pack", None) from error
    return ""


def _add(files: Files, path: str, content: bytes, name: str) -> None:
    if len(content) > MAX_SIZE:
        raise bad_pack(f"{name}: {path} is larger than {MAX_SIZE:,} bytes", None)
    files[path] = content
    if len(files) > MAX_FILES or sum(map(len, files.values())) > MAX_TOTAL:
        most = f"{MAX_FILES:,} files, or {MAX_TOTAL >> 20} MiB"
        raise LimitError(f"The pack {name} has more than {most}.", code="pack_too_large")


def _of_distribution(use: PackUse) -> Files:
    """What the distribution's entry point names, by the list of its files: nothing is imported."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        found = distribution(use.place)
    except PackageNotFoundError as error:
        raise bad_pack(
            f"The pack {use.text} is not installed", f"pip install {use.place}", "no_pack"
        ) from error
    values = [one.value for one in found.entry_points if one.group == ENTRY_POINTS]
    if not values:
        raise bad_pack(f"{use.text} has no entry point {ENTRY_POINTS}", None)
    directory = inside(values[0].replace(":", "/"), use.text)
    roots = (directory + "/", directory.replace(".", "/") + "/")
    files: Files = {}
    for path in sorted(map(str, found.files or ())):
        root = next((root for root in roots if path.startswith(root)), None)
        if root is not None and path.endswith(_SUFFIXES) and ".." not in path.split("/"):
            place = str(found.locate_file(path))
            if os.path.islink(place):
                raise bad_pack(f"{use.text}: {path} is a link", None)
            with open(place, "rb") as file:
                _add(files, path[len(root) :], file.read(MAX_SIZE + 1), use.text)
    return files


def fetch(use: PackUse, commit: str | None) -> tuple[str, Files]:
    """Brings a pack by git: the commit, and its files. Nothing is checked out.

    `commit` is asked for instead of the revision.
    """
    with tempfile.TemporaryDirectory() as folder:
        _git(use, folder, ["init", "-q", "--bare", "."])
        wanted = commit or use.revision or "HEAD"
        fetched = ["fetch", "-q", "--depth=1", "--no-tags", "--", use.place, wanted]
        _git(use, folder, fetched, _SECONDS)
        told = _git(use, folder, ["rev-parse", "FETCH_HEAD^{commit}"])
        found = told.decode().strip()
        tree = f"{found}:{use.directory}" if use.directory else found
        listed = _git(use, folder, ["ls-tree", "-r", "-z", "--full-tree", tree])
        return found, _blobs(use, folder, listed)


def _blobs(use: PackUse, folder: str, listed: bytes) -> Files:
    names = {}
    for entry in listed.split(b"\0")[:-1]:
        head, _, raw = entry.partition(b"\t")
        mode, _, oid = head.split()[:3]
        path = os.fsdecode(raw)
        if mode == b"120000":
            target = _git(use, folder, ["cat-file", "blob", oid.decode()])
            _check_link(use, path, os.fsdecode(target))
        elif path.endswith(_SUFFIXES) and not any(p.startswith(".") for p in path.split("/")):
            names[inside(path, use.text)] = oid
        if len(names) > MAX_FILES:
            raise LimitError(
                f"The pack {use.text} has more than {MAX_FILES:,} files.", code="pack_too_large"
            )
    sent = b"".join(oid + b"\n" for oid in names.values())
    answer = _git(use, folder, ["cat-file", "--batch"], sent=sent)
    files: Files = {}
    at = 0
    for path in names:
        line = answer.index(b"\n", at)
        size = int(answer[at:line].split()[2])
        _add(files, path, answer[line + 1 : line + 1 + size], use.text)
        at = line + size + 2
    return dict(sorted(files.items()))


def _check_link(use: PackUse, path: str, target: str) -> None:
    place = os.path.normpath(os.path.join(os.path.dirname(path), target))
    if target.startswith("/") or place == ".." or place.startswith("../"):
        raise bad_pack(f"{use.text}: the link {path} leads out of the pack", None)


def _git(
    use: PackUse, folder: str, arguments: list[str], remote: float | None = None, sent: bytes = b""
) -> bytes:
    Deadline().check()
    done = git.run(folder, arguments, sent=sent, remote=remote)
    if done.status:
        hint = "Look at the address and the revision; `git ls-remote` asks the same server."
        raise bad_pack(f"git cannot bring {use.text}: {done.complaint}", hint, "fetch_failed")
    return done.printed


def bad_pack(message: str, hint: str | None, code: str = "bad_pack") -> RequestError:
    """What is wrong with a pack, or an entry; exit code 2."""
    return RequestError(f"{message}.", hint=hint, code=code)
