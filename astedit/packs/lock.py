"""`astedit.lock`: of every pack the commit and the SHA-256 of each file; and the user's cache.

The cache holds files by their hash, so what comes out of it is what the lock says or nothing.
"""

import json
import os
import re
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from hashlib import sha256

from astedit.errors import RequestError
from astedit.json_model import OBJECT, TEXT, object_of, read_document
from astedit.packs.pack import refuse_twin
from astedit.packs.source import Files, inside
from astedit.transaction.user_files import put
from astedit.workspace.root import Workspace, user_directory

LOCK = "astedit.lock"
SCHEMA = "astedit/lock/1"
_MAX = 16 * 1024 * 1024
_HASH = re.compile(r"[0-9a-f]{64}")
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?|")


@dataclass(frozen=True, slots=True)
class LockedPack:
    """One pack of the lock. Only one by git has a commit."""

    source: str
    name: str
    version: str
    commit: str
    files: dict[str, str]

    def changes(self, files: Files) -> Iterator[tuple[str, str]]:
        """Each file that is missing, new or changed, and which of it."""
        found = hashes(files)
        for path in sorted(self.files.keys() | found.keys()):
            old, new = self.files.get(path), found.get(path)
            if old != new:
                yield path, "missing" if new is None else "new" if old is None else "changed"

    def cached(self) -> Files | None:
        """The files as the lock has them; None where one is missing or another."""
        files: Files = {}
        for path, digest in self.files.items():
            try:
                with open(_place(digest), "rb") as file:
                    files[path] = file.read()
            except OSError:
                return None
        return None if any(self.changes(files)) else files


_TEXTS = ("source", "name", "version", "commit")
_PACK = object_of({**dict.fromkeys(_TEXTS, TEXT), "files": OBJECT}, *_TEXTS, "files")
_DOCUMENT = object_of({"schema": TEXT, "packs": {"type": "array", "items": _PACK}}, "packs")


@dataclass(slots=True)
class Lock:
    """All packs of the lock, by their source as written, and the file as it is."""

    packs: dict[str, LockedPack] = field(default_factory=dict)
    content: bytes | None = None

    def refuse_twins(self) -> None:
        """Raises `RequestError` (`two_packs`) if two packs have one name."""
        sources: dict[str, str] = {}
        for pack in self.packs.values():
            refuse_twin(sources, pack.name, pack.source)


def hashes(files: Files) -> dict[str, str]:
    """The SHA-256 of each file."""
    return {path: sha256(content).hexdigest() for path, content in sorted(files.items())}


def read_lock(workspace: Workspace) -> Lock:
    """The lock of a project; empty where there is none. Raises `RequestError` (`bad_lock`)."""
    try:
        content, _ = workspace.read(LOCK, _MAX)
    except FileNotFoundError:
        return Lock()
    except OSError as error:
        raise _bad(f"it cannot be read: {error.strerror}") from error
    rows = read_document(content, SCHEMA, _DOCUMENT, _bad)["packs"]
    packs = [_checked(LockedPack(**row), f"packs[{at}]") for at, row in enumerate(rows)]
    lock = Lock({pack.source: pack for pack in packs}, content)
    if len(lock.packs) < len(packs):
        raise _bad("a source is there twice")
    return lock


def _checked(pack: LockedPack, where: str) -> LockedPack:
    if _COMMIT.fullmatch(pack.commit) is None:
        raise _bad(f"{where}.commit: a commit in hex is expected here")
    for path, digest in pack.files.items():
        if not isinstance(digest, str) or _HASH.fullmatch(digest) is None:
            raise _bad(f"{where}, {path}: a SHA-256 in hex is expected here")
        if inside(path, pack.source) != path:
            raise _bad(f"{where}, {path!r} is not a path inside the pack")
    return pack


def _bad(why: str, near: str = "") -> RequestError:
    hint = f"{near} Take it back from version control, or remove it and run astedit pack update."
    return RequestError(f"{LOCK}: {why}.", path=LOCK, hint=hint.strip(), code="bad_lock")


def write_lock(workspace: Workspace, lock: Lock) -> None:
    """Writes it, sorted, unless two packs have one name; it is left alone if it is the same."""
    lock.refuse_twins()
    rows = [asdict(pack) for _, pack in sorted(lock.packs.items())]
    text = json.dumps({"schema": SCHEMA, "packs": rows}, indent=2, ensure_ascii=False) + "\n"
    content = text.encode()
    if content != lock.content and (rows or lock.content is not None):
        put(workspace.fd, LOCK, lock.content, content)


def keep(files: Files) -> None:
    """Puts files into the cache, which is made if need be, in the place of damaged ones too."""
    for content in files.values():
        place = _place(sha256(content).hexdigest())
        os.makedirs(os.path.dirname(place), mode=0o700, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=os.path.dirname(place)) as folder:
            with open(os.path.join(folder, "file"), "wb") as file:
                file.write(content)
            os.replace(file.name, place)


def _place(digest: str) -> str:
    """Where a file of this hash lies in the cache, outside every tree."""
    base = user_directory("XDG_CACHE_HOME", ".cache")
    return os.path.join(base, "astedit", "packs", digest[:2], digest[2:])


def differences(before: LockedPack | None, files: Files) -> Iterator[bytes]:
    """What changes in a pack, as a diff that shows every character.

    The old files are those of the cache; without them all is new.
    """
    from difflib import unified_diff

    from resolve.visible import one_line, visible

    old = (before.cached() if before is not None else None) or {}
    for path in sorted(old.keys() | files.keys()):
        texts = (one.get(path, b"").decode("utf-8", "replace") for one in (old, files))
        old_lines, lines = (visible(text).splitlines() for text in texts)
        place = one_line(path)
        for line in unified_diff(old_lines, lines, f"a/{place}", f"b/{place}", lineterm=""):
            yield line.encode() + b"\n"
