"""H4: what a disk may hold after a power cut, and what a recovery makes of it.

A recorder writes down every call that changes the disk. At a cut, each directory has any
prefix of the changes of its names that were not synced, or any of them at all on a disk that
is `reordering`; and each file whose content was not synced is empty, half, or whole. Every
such image is made for real and recovered.
"""

import contextlib
import itertools
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from astedit.errors import AstEditError
from astedit.transaction.disk import Disk
from astedit.transaction.recovery import OTHERS
from tests.support.faults.disks import CALLS, Watched
from tests.support.faults.journal import MemoryJournal
from tests.support.faults.tree import FILES, NEW, OLD, applied, contents, made, recovered

Names = dict[str, int]  # of one directory: name -> number of the file
CREATED = 0o600  # the mode of a file whose later one was not synced


@dataclass
class File:
    """Content and mode, those of now and those that are synced."""

    data: bytes = b""
    mode: int = CREATED
    durable: tuple[bytes, int] | None = None

    def variants(self) -> list[tuple[bytes, int]]:
        """What a power cut may leave of it."""
        now = (self.data, self.mode)
        if self.durable == now:
            return [now]
        old = self.durable or (b"", CREATED)
        return list(dict.fromkeys([old, (self.data[: len(self.data) // 2], old[1]), now]))


@dataclass
class Folder:
    """The names that are synced, and the changes that are not, in their order."""

    names: Names
    waiting: list[Callable[[Names], None]] = field(default_factory=list)

    def after(self, changes: Sequence[Callable[[Names], None]]) -> Names:
        names = dict(self.names)
        for change in changes:
            with contextlib.suppress(KeyError):  # what it moves never reached the disk
                change(names)
        return names

    def cuts(self, reordering: bool) -> Iterator[Names]:
        """What a power cut may leave of it."""
        for count in range(len(self.waiting) + 1):
            kept = itertools.combinations(self.waiting, count) if reordering else ()
            yield from map(self.after, kept or [self.waiting[:count]])

    @property
    def now(self) -> Names:
        return self.after(self.waiting)


@dataclass(frozen=True)
class Image:
    """One state of the disk: by folder the names, by file content and mode; the intent.

    `inodes` says which number the file of an inode had when the intent was written.
    """

    when: int
    folders: Mapping[str, Names]
    files: Mapping[int, tuple[bytes, int]]
    intent: str | None
    images: Mapping[str, bytes]
    closed: bool
    inodes: Mapping[int, int]


class Recorder(Watched):
    """A disk that works, and knows at each call what a power cut would leave.

    `drop` is the number of a sync that is not made; `before` is called ahead of each call.
    """

    def __init__(
        self,
        root: Path,
        drop: int | None = None,
        before: Callable[["Recorder"], None] = lambda _: None,
        reordering: bool = False,
    ) -> None:
        super().__init__()
        self.syncs = 0
        self.images: list[Image] = []
        self._drop, self._hook, self._reordering = drop, before, reordering
        self.folders: dict[str, Folder] = {}
        self.files: dict[int, File] = {}
        self._number: dict[int, int] = {}  # of each inode
        self._folder: dict[int, str] = {}
        self.journal: tuple[str | None, dict[str, bytes], bool] = (None, {}, False)
        for folder in (root, *(path for path in root.rglob("*") if path.is_dir())):
            self._found(root, folder)

    def _found(self, root: Path, folder: Path) -> None:
        """What lies there before the first call is synced."""
        place = str(folder.relative_to(root))
        self._folder[folder.stat().st_ino] = place
        self.folders[place] = Folder({})
        for path in folder.iterdir():
            if path.is_file():
                number = self._new(path.stat().st_ino)
                self.save(number, path.read_bytes(), path.stat().st_mode & 0o7777)
                self.folders[place].names[path.name] = number

    def _new(self, inode: int) -> int:
        number = self._number[inode] = len(self.files)
        self.files[number] = File()
        return number

    def save(self, number: int, data: bytes, mode: int) -> None:
        """Somebody's content, synced."""
        self.files[number] = File(data, mode, (data, mode))

    def cut(self) -> None:
        """Notes every image that a power cut at this moment could leave."""
        cuts = [folder.cuts(self._reordering) for folder in self.folders.values()]
        for chosen in itertools.product(*cuts):
            folders = dict(zip(self.folders, chosen, strict=True))
            there = sorted({number for names in folders.values() for number in names.values()})
            for states in itertools.product(*(self.files[n].variants() for n in there)):
                files = dict(zip(there, states, strict=True))
                intent, images, closed = self.journal
                image = Image(
                    len(self.made), folders, files, intent, images, closed, dict(self._number)
                )
                self.images.append(image)

    def _before(self, name: str, arguments: tuple[Any, ...]) -> None:
        super()._before(name, arguments)
        self._hook(self)

    def note(self, name: str, arguments: tuple[Any, ...], result: Any) -> None:
        """Takes one call into the model."""
        if name == "sync":
            self.syncs += 1
            if self.syncs != self._drop:
                self._synced(os.fstat(arguments[0]).st_ino)
        elif name == "create":
            number = self._new(os.fstat(result).st_ino)
            self._change(arguments[0], lambda names: names.__setitem__(arguments[1], number))
        elif name in ("write", "chmod"):
            file = self.files[self._number[os.fstat(arguments[0]).st_ino]]
            if name == "write":
                file.data += bytes(arguments[1][:result])
            else:
                file.mode = arguments[1]
        else:
            _, *names = arguments
            self._change(arguments[0], lambda found: MOVES[name](found, *names))
        self.cut()

    def _change(self, directory: int, change: Callable[[Names], None]) -> None:
        self.folders[self._folder[os.fstat(directory).st_ino]].waiting.append(change)

    def _synced(self, inode: int) -> None:
        if inode in self._folder:
            folder = self.folders[self._folder[inode]]
            folder.names, folder.waiting = folder.now, []
        else:
            file = self.files[self._number[inode]]
            file.durable = (file.data, file.mode)


def _exchange(names: Names, one: str, other: str) -> None:
    names[one], names[other] = names[other], names[one]


MOVES: dict[str, Callable[..., None]] = {
    "rename": lambda names, old, new: names.__setitem__(new, names.pop(old)),
    "exchange": _exchange,
    "link": lambda names, old, new: names.__setitem__(new, names[old]),
    "unlink": lambda names, name: names.pop(name),
}


def _recorded(name: str) -> Callable[..., Any]:
    def call(self: Recorder, *arguments: Any) -> Any:
        self._before(name, arguments)
        result = getattr(Disk, name)(self, *arguments)
        self.note(name, arguments, result)
        return result

    return call


for _name in CALLS:
    setattr(Recorder, _name, _recorded(_name))


class PowerJournal(MemoryJournal):
    """A journal whose every commit is synced, unless `lazy`: then it lags one commit behind."""

    def __init__(self, disk: Recorder, lazy: bool = False) -> None:
        super().__init__()
        self._disk, self._lazy = disk, lazy

    def commit_intent(self, intent: Mapping[str, Any], images: Mapping[str, bytes]) -> None:
        before = self.intent, dict(self.images), False
        super().commit_intent(intent, images)
        self._noted(before if self._lazy else (self.intent, dict(self.images), False))

    def withdraw_intent(self) -> None:
        super().withdraw_intent()
        self._noted((self.intent, dict(self.images), False))

    def close(self) -> None:
        """The action is recorded as applied, and its intent dropped."""
        self._noted((None, dict(self.images), True))

    def _noted(self, state: tuple[str | None, dict[str, bytes], bool]) -> None:
        self._disk.journal = state
        self._disk.cut()


def recording(
    place: Path,
    *,
    drop: int | None = None,
    lazy: bool = False,
    before: Callable[[Recorder], None] = lambda _: None,
    change: Callable[[Recorder], Recorder] = lambda disk: disk,
    reordering: bool = False,
) -> Recorder:
    """Applies once and returns the recorder with all images."""
    root = made(place)
    disk = change(Recorder(root, drop, before, reordering))
    disk.cut()
    journal = PowerJournal(disk, lazy)
    try:
        applied(root, journal, disk)
    except AstEditError:
        disk.cut()
    else:
        journal.close()
    return disk


def verdicts(
    images: Sequence[Image],
    place: Path,
    ends: Sequence[Mapping[str, bytes]] = (OLD, NEW),
    modes: Mapping[str, int] = FILES,
    backwards: bool = False,
) -> Iterator[str]:
    """Makes each different image, recovers it, and says what is wrong afterwards.

    `backwards` says that it may be taken back although nobody has changed a file.
    """
    seen = set()
    for image in images:
        mark = repr((image.folders, image.files, image.intent, image.closed))
        if mark not in seen:
            seen.add(mark)
            yield from _verdict(image, place, ends, modes, backwards)


def _verdict(
    image: Image,
    place: Path,
    ends: Sequence[Mapping[str, bytes]],
    modes: Mapping[str, int],
    backwards: bool,
) -> Iterator[str]:
    shutil.rmtree(place, ignore_errors=True)
    paths = materialise(image, place)
    journal = MemoryJournal()
    journal.intent, journal.images = _moved(image, paths), dict(image.images)
    ended = recovered(place, journal)
    found = contents(place)
    at = f"cut at call {image.when}"
    if found not in ends:
        yield f"{at}: {found}"
    elif wrong := [
        path
        for path, text in found.items()
        if text != b"mine\n" and (place / path).stat().st_mode & 0o7777 != modes[path]
    ]:
        yield f"{at}: modes of {wrong}"
    elif image.closed and found != ends[-1]:
        yield f"{at}: recorded as applied, and it is not"
    elif ended is not None and (ended.outcome == "applied") != (
        len(ends) > 1 and found == ends[-1]
    ):
        yield f"{at}: said {ended.outcome}"
    elif ended is not None and b"mine\n" not in found.values():
        if OTHERS in ended.text():
            yield f"{at}: says that others changed files, and nobody has"
        elif ended.outcome == "rolled_back" and not backwards:
            yield f"{at}: was taken back, and nobody has changed files"


def _moved(image: Image, paths: Mapping[int, Path]) -> str | None:
    """The intent as if it had been written here: its inodes are those of these files."""
    if image.intent is None:
        return None
    intent = json.loads(image.intent)
    for row in intent.get("files", ()):
        if (path := paths.get(image.inodes.get(row.get("inode"), -1))) is not None:
            row["inode"] = path.stat().st_ino
    return json.dumps(intent)


def materialise(image: Image, place: Path) -> dict[int, Path]:
    """Makes the image for real; returns where each of its files is."""
    for folder in image.folders:
        (place / folder).mkdir(parents=True, exist_ok=True)
    first: dict[int, Path] = {}
    for folder, names in image.folders.items():
        for name, number in names.items():
            path = place / folder / name
            if number in first:
                os.link(first[number], path)
                continue
            first[number] = path
            data, mode = image.files[number]
            path.write_bytes(data)
            path.chmod(mode)
    return first
