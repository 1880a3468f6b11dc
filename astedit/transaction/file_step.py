"""One file of a transaction: where it stands, into its place, and back again.

Every step leaves both contents on the disk under names that are known from the intent, so
a kill between any two system calls can be read from the names alone. For the temporary
name `T` of a file `P`:

    T    the new content; after the exchange what it displaced; of a deleted file the old one
    Tb   on the way back: the old content; after the exchange what that displaced
    Tk   only without an exchange: what was taken out of the way
    Tw   the old content while it is written again from its image; worth nothing
"""

import errno
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from astedit.transaction.disk import Disk, digest, opened, remove, split
from astedit.transaction.temporary import prepare, prepare_new

Standing = Literal["old", "new", "displaced", "foreign"]
_NO_EXCHANGE = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP)


class Taken(Exception):
    """Someone else's content stands in the file's place; it is untouched."""


@dataclass(frozen=True, slots=True)
class Step:
    """One file: hashes (hex) before and after, the sibling's name, the mode it had.

    A hash is None where there is no file: before it is created, after it is deleted.
    """

    path: str
    temporary: str
    before: str | None
    after: str | None
    mode: int

    def to_json(self) -> dict[str, Any]:
        """What the intent stores of it."""
        return asdict(self) | naming(self.path) | {"operation": self.operation}

    @property
    def operation(self) -> str:
        """`modify`, `create` or `delete`."""
        if self.before is None:
            return "create"
        return "delete" if self.after is None else "modify"

    @classmethod
    def of(cls, row: dict[str, Any]) -> "Step":
        """Reads it back; unknown keys are of a later version and an error."""
        known = {key: value for key, value in row.items() if key not in ("operation", "bytes")}
        return cls(**known | {"path": named(row)})


def naming(path: str) -> dict[str, str]:
    """A path for JSON: as text, and its `bytes` (latin-1) where it is not UTF-8."""
    raw = os.fsencode(path)
    text = raw.decode("utf-8", "replace")
    return {"path": path} if text == path else {"path": text, "bytes": raw.decode("latin-1")}


def named(row: Mapping[str, Any]) -> str:
    """The path that `naming` wrote."""
    exact = row.get("bytes")
    return str(row["path"]) if exact is None else os.fsdecode(exact.encode("latin-1"))


def standing(root: int, step: Step, disk: Disk) -> tuple[Standing, bool]:
    """Where the file stands, and whether its new content is there to go on with.

    *displaced*: an exchange brought out what nobody expected, and it was not put back yet.
    *foreign*: the file holds neither content. Raises OSError when it cannot be read.
    """
    directory, name = split(step.path)
    with opened(root, directory, step.path) as parent:
        if step.operation != "modify":
            return _standing_alone(parent, name, step)
        _settle(parent, name, step, disk)
        now, forth = digest(parent, name), digest(parent, step.temporary)
        if now not in (step.before, step.after):
            return "foreign", False
        ours = (None, step.before, step.after)
        behind = forth if now == step.after else digest(parent, step.temporary + "b")
        state: Standing = "new" if now == step.after else "old"
        return (state if behind in ours else "displaced"), forth == step.after


def put(root: int, step: Step, disk: Disk) -> None:
    """Puts the new content in place; what it displaces must be the old one.

    Raises `Taken` if it was not, after putting that back, and OSError if the file is as it was.
    """
    directory, name = split(step.path)
    with opened(root, directory, step.path) as parent:
        if step.operation == "create":
            _appear(parent, step.temporary, name, step, disk)
        elif step.operation == "delete":
            _vanish(parent, name, step.temporary, step.before, step, disk)
        else:
            _exchange(parent, name, step, disk)


def _exchange(parent: int, name: str, step: Step, disk: Disk) -> None:
    _swap(parent, step.temporary, name, step, disk)
    if digest(parent, step.temporary) != step.before:
        _put_back(parent, step.temporary, step.after, name, step, disk)
        raise Taken(step.path)


def take_back(root: int, step: Step, image: Callable[[str], bytes | None], disk: Disk) -> None:
    """Gives the file its old content again, or the content of others that we displaced.

    `image` finds the old content by its hash where the file system has it no more. Raises
    LookupError without it, OSError if it cannot be written; the image stays either way.
    """
    directory, name = split(step.path)
    back = step.temporary + "b"
    with opened(root, directory, step.path) as parent:
        if step.operation != "modify":
            _take_back_alone(root, parent, name, step, image, disk)
            return
        _settle(parent, name, step, disk)
        now, ours = digest(parent, name), (None, step.before, step.after)
        if now == step.before and digest(parent, back) not in ours:
            _put_back(parent, back, step.before, name, step, disk)
        elif now == step.after and digest(parent, step.temporary) not in ours:
            _put_back(parent, step.temporary, step.after, name, step, disk)
        elif now == step.after:
            _revive(root, parent, step, image, disk)
            _swap(parent, back, name, step, disk)
            if digest(parent, back) != step.after:
                _put_back(parent, back, step.before, name, step, disk)


def clean(root: int, step: Step, disk: Disk) -> list[str]:
    """Removes what is ours beside the file; returns the names of what is not."""
    directory, name = split(step.path)
    with opened(root, directory, step.path) as parent:
        if step.operation == "modify":
            _settle(parent, name, step, disk)
        now = digest(parent, name)
        if _inode(parent, step.temporary + "w") is not None:
            remove(parent, step.temporary + "w", disk)
        left = []
        for suffix, spoiled in _spoiled(step).items():
            beside = step.temporary + suffix
            content = digest(parent, beside)
            if content and (
                content in (step.before, step.after)
                or now in spoiled
                or _inode(parent, beside) == _inode(parent, name)  # two names of one file
            ):
                remove(parent, beside, disk)
            elif content is not None:
                left.append(f"{directory}/{beside}" if directory else beside)
    return left


def _spoiled(step: Step) -> dict[str, tuple[str | None, ...]]:
    """By sibling, for which content of the file it is ours, whatever it holds."""
    if step.operation == "modify":
        return {"": (step.before,), "b": (step.after,), "k": ()}
    return {"": (None,) if step.operation == "create" else (), "b": ()}


def _standing_alone(parent: int, name: str, step: Step) -> tuple[Standing, bool]:
    """Where a file stands that is created or deleted."""
    now, beside = digest(parent, name), digest(parent, step.temporary)
    if step.operation == "create":
        taken = digest(parent, step.temporary + "b")
        if now is None and taken not in (None, step.after):
            return "displaced", False
        state: Standing = "old" if now is None else "new" if now == step.after else "foreign"
        return state, beside == step.after
    if now is None:
        return ("new" if beside in (None, step.before) else "displaced"), False
    return ("old" if now == step.before else "foreign"), True


def _take_back_alone(
    root: int,
    parent: int,
    name: str,
    step: Step,
    image: Callable[[str], bytes | None],
    disk: Disk,
) -> None:
    """Takes a created file away again, or gives a deleted one its place."""
    now, back = digest(parent, name), step.temporary + "b"
    if step.operation == "create":
        if now == step.after:
            _vanish(parent, name, back, step.after, step, disk)
        elif now is None and digest(parent, back) not in (None, step.after):
            _appear(parent, back, name, step, disk)
    elif now is None:
        if digest(parent, step.temporary) is None:
            _written_again(root, parent, step, image, disk)
        _appear(parent, step.temporary, name, step, disk)


def _appear(parent: int, beside: str, name: str, step: Step, disk: Disk) -> None:
    """Gives a content the name that nothing has, or raises `Taken`."""
    try:
        disk.link(parent, beside, name)
    except (FileExistsError, FileNotFoundError) as error:
        raise Taken(step.path) from error


def _vanish(
    parent: int, name: str, beside: str, expected: str | None, step: Step, disk: Disk
) -> None:
    """Takes a content from its name; raises `Taken`, with it back, if it is another one."""
    if _inode(parent, beside) == _inode(parent, name) is not None:
        remove(parent, beside, disk)  # renaming one name of a file to another does nothing
    try:
        disk.rename(parent, name, beside)
    except FileNotFoundError as error:
        raise Taken(step.path) from error
    if digest(parent, beside) != expected:
        _appear(parent, beside, name, step, disk)
        remove(parent, beside, disk)
        raise Taken(step.path)


def _written_again(
    root: int, parent: int, step: Step, image: Callable[[str], bytes | None], disk: Disk
) -> None:
    """Makes a deleted file's content stand beside its place again, from its image."""
    content, work = image(step.before or ""), step.temporary + "w"
    if content is None:
        raise LookupError("its content from before is not stored any more")
    remove(parent, work, disk)
    prepare_new(root, step.path, content, mode=step.mode, temporary=work, disk=disk)
    if digest(parent, work) != step.before:
        raise LookupError("its content from before is stored damaged")
    disk.rename(parent, work, step.temporary)


def _revive(
    root: int, parent: int, step: Step, image: Callable[[str], bytes | None], disk: Disk
) -> None:
    """Makes the old content stand beside the file, ready to be exchanged with it."""
    back, work = step.temporary + "b", step.temporary + "w"
    if digest(parent, back) == step.before:
        return
    if digest(parent, step.temporary) == step.before:
        disk.rename(parent, step.temporary, back)
        return
    assert step.before is not None and step.after is not None
    content = image(step.before)
    if content is None:
        raise LookupError("its content from before is not stored any more")
    remove(parent, work, disk)
    prepare(
        root,
        step.path,
        content,
        expected_sha256=step.after,
        mode=step.mode,
        temporary=work,
        disk=disk,
    )
    if digest(parent, work) != step.before:
        raise LookupError("its content from before is stored damaged")
    disk.rename(parent, work, back)


def _put_back(
    parent: int, beside: str, ours: str | None, name: str, step: Step, disk: Disk
) -> None:
    """Gives someone's content its place again, unless something newer has come there."""
    _swap(parent, beside, name, step, disk)
    if digest(parent, beside) != ours:
        _swap(parent, beside, name, step, disk)


def _swap(parent: int, beside: str, name: str, step: Step, disk: Disk) -> None:
    """Exchanges two names; both exist afterwards."""
    try:
        disk.exchange(parent, beside, name)
    except OSError as error:
        if error.errno == errno.ENOENT:
            raise Taken(step.path) from error
        if error.errno not in _NO_EXCHANGE:
            raise
        _swap_by_links(parent, beside, name, step, disk)


def _swap_by_links(parent: int, beside: str, name: str, step: Step, disk: Disk) -> None:
    """The same where nothing exchanges: the name is absent for a moment, no byte is lost."""
    kept = step.temporary + "k"
    try:
        disk.rename(parent, name, kept)
        disk.link(parent, beside, name)
    except (FileNotFoundError, FileExistsError) as error:
        _settle(parent, name, step, disk)
        raise Taken(step.path) from error
    except OSError:
        _settle(parent, name, step, disk)
        raise
    disk.rename(parent, kept, beside)


def _settle(parent: int, name: str, step: Step, disk: Disk) -> None:
    """Ends an exchange by links that was interrupted, so that `Tk` is gone."""
    kept, back = step.temporary + "k", step.temporary + "b"
    inode = _inode(parent, kept)
    if inode is None:
        return
    beside = back if _inode(parent, back) is not None else step.temporary
    now = _inode(parent, name)
    if now is None:
        disk.link(parent, kept, name)
        remove(parent, kept, disk)
    elif now == inode:
        remove(parent, kept, disk)
    elif now == _inode(parent, beside):
        disk.rename(parent, kept, beside)


def _inode(parent: int, name: str) -> int | None:
    try:
        return os.stat(name, dir_fd=parent, follow_symlinks=False).st_ino
    except FileNotFoundError:
        return None
