"""One file of a transaction: where it stands, into its place, and back again.

Every step leaves both contents on the disk under names that are known from the intent, so
a kill between any two system calls can be read from the names alone. For the temporary
name `T` of a file `P`:

    T    the new content; after the exchange what it displaced; of a deleted file the old one
    Tb   on the way back: the old content; after the exchange what that displaced
    Tk   only without an exchange: what was taken out of the way
    Tw   the old content while it is written again from its image; worth nothing
"""

import os
import stat
from collections.abc import Callable
from typing import Literal, NamedTuple

from astedit.transaction.disk import (
    Disk,
    digest,
    directories_above,
    exists,
    is_directory,
    make_directory,
    opened,
    remove,
    split,
)
from astedit.transaction.file_metadata import FileMetadata, metadata_of
from astedit.transaction.intent import Step
from astedit.transaction.names_of_contents import (
    Taken,
    appear,
    inode_of,
    put_back,
    settle,
    swap,
    vanish,
)
from astedit.transaction.temporary import prepare, prepare_new
from astedit.workspace.confined_open import FILE

Standing = Literal["old", "new", "displaced", "foreign", "missing", "absent"]
Image = Callable[[str], bytes | None]
_LETTERS = ("", "b", "k")


class Planted(Taken):
    """What lay under the sibling's name is not what we wrote; it has no place of ours."""

    why = "something else lay under the name of its new content"


class FilePlace(NamedTuple):
    """Where a file stands, whether its new content is `ready` to go on with, and whether any
    sibling of it is there."""

    standing: Standing
    ready: bool
    beside: bool


def standing(root: int, step: Step, disk: Disk) -> FilePlace:
    """Where the file stands. Raises OSError when it cannot be read.

    *displaced*: an exchange brought out what nobody expected, and it was not put back yet.
    *foreign*: the file holds neither content. *missing*: one that was changed is not there.
    """
    directory, name = split(step.path)
    with opened(root, directory, step.path) as parent:
        if step.operation == "modify":
            settle(parent, name, step, disk)
            state = _standing_modified(parent, name, step)
        else:
            state = _standing_alone(parent, name, step)
        names = (step.temporary + letter for letter in _LETTERS)
        beside = any(inode_of(parent, name) is not None for name in names)
        ready = step.after is None or _is_written(parent, step.temporary, step)
        return FilePlace(state, ready, beside)


def _standing_modified(parent: int, name: str, step: Step) -> Standing:
    now = digest(parent, name)
    if now is None:
        return "missing"
    if now not in (step.before, step.after):
        return "foreign"
    back = "" if now == step.after else "b"
    if _is_displaced(_only(parent, step.temporary + back), step):
        return "displaced"
    return "new" if now == step.after else "old"


def _standing_alone(parent: int, name: str, step: Step) -> Standing:
    """Where a file stands that is created or deleted."""
    now = digest(parent, name)
    if step.operation == "create":
        if now is None:
            taken = digest(parent, step.temporary + "b")
            return "displaced" if _is_displaced(taken, step) else "old"
        return "new" if now == step.after else "foreign"
    if now is None:
        return "displaced" if _is_displaced(digest(parent, step.temporary), step) else "new"
    return "old" if now == step.before else "foreign"


def _is_displaced(content: str | None, step: Step) -> bool:
    """Whether a sibling holds what a person saved; a link or a pipe ("") is nobody's text."""
    return content not in (None, "", step.before, step.after)


def _is_written(parent: int, name: str, step: Step) -> bool:
    """Whether this name leads to the very file that we wrote, with the new content in it."""
    return _is_ours(parent, name, step) and digest(parent, name) == step.after


def _is_ours(parent: int, name: str, step: Step) -> bool:
    """Whether this is the file that we wrote; its directory says what device that is on.

    In a tree that somebody has copied back it is another inode with all that we gave it: a
    file of the same owner, mode, attributes and flags.
    """
    if step.inode is None or inode_of(parent, name) == step.inode:
        return True
    return step.metadata is not None and _metadata(parent, name) == step.metadata


def _is_old(parent: int, name: str, step: Step, stored: bool) -> bool:
    """Whether a sibling may come back as the file from before.

    It has the old content; and all else that the file had, unless nothing better is stored.
    """
    if _only(parent, name) != step.before:
        return False
    known = step.metadata if stored else None
    return known is None or _metadata(parent, name) == known


def _metadata(parent: int, name: str) -> FileMetadata | None:
    """What a regular file with one name has besides its content; None for anything else."""
    try:
        file = os.open(name, FILE, dir_fd=parent)
    except OSError:
        return None
    try:
        status = os.fstat(file)
        plain = stat.S_ISREG(status.st_mode) and status.st_nlink == 1
        return metadata_of(file) if plain else None
    finally:
        os.close(file)


def _is_planted(parent: int, name: str, step: Step) -> bool:
    """Whether what came to a place is a link, a pipe, a name of another file, or a copy of ours.

    Any other text is a person's, who has saved it there in the meantime.
    """
    status = os.stat(name, dir_fd=parent, follow_symlinks=False)
    if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
        return True
    return not _is_ours(parent, name, step) and digest(parent, name) == step.after


def _only(parent: int, name: str) -> str | None:
    """The hash of a sibling that has no other name; "" for what must not come in its place."""
    try:
        names = os.stat(name, dir_fd=parent, follow_symlinks=False).st_nlink
    except FileNotFoundError:
        return None
    return digest(parent, name) if names == 1 else ""


def put(root: int, step: Step, disk: Disk) -> None:
    """Puts the new content in place; what it displaces must be the old one.

    Raises `Taken` if it was not, and if it was not our sibling that came there, after
    putting that back; OSError if the file is as it was.
    """
    directory, name = split(step.path)
    with opened(root, directory, step.path) as parent:
        if step.operation == "create":
            appear(parent, step.temporary, name, step, disk)
            same = inode_of(parent, name) == inode_of(parent, step.temporary)
            if same and not _is_written(parent, name, step):
                vanish(parent, name, step.temporary, digest(parent, name), step, disk)
                raise Planted(step.path)
        elif step.operation == "delete":
            vanish(parent, name, step.temporary, step.before, step, disk)
        else:
            _exchange(parent, name, step, disk)


def _exchange(parent: int, name: str, step: Step, disk: Disk) -> None:
    swap(parent, step.temporary, name, step, disk)
    if _only(parent, step.temporary) != step.before:
        put_back(parent, step.temporary, step.after, name, step, disk)
        raise Taken(step.path)
    if exists(parent, name) and _is_planted(parent, name, step):
        put_back(parent, step.temporary, digest(parent, name), name, step, disk)
        raise Planted(step.path)


def take_back(
    root: int,
    step: Step,
    image: Image,
    disk: Disk,
    *,
    missing: bool = True,
    lost: list[str] | None = None,
) -> None:
    """Gives the file its old content again, or the content of others that we displaced.

    `image` finds the old content by its hash where the file system has it no more. `missing`
    says whether a file that is gone comes back, too. What it cannot get again besides its
    content is added to `lost`, if that is given. A deleted file gets its directory again, too.
    Raises LookupError without an image, OSError if it cannot be written; the image stays
    either way.
    """
    directory, name = split(step.path)
    if step.operation == "delete" and not is_directory(root, directory):
        for above in directories_above([step.path]):
            make_directory(root, above, disk=disk)
    with opened(root, directory, step.path) as parent:
        if step.operation != "modify":
            _take_back_alone(root, parent, name, step, image, disk, lost)
            return
        settle(parent, name, step, disk)
        if digest(parent, name) is not None:
            _take_back_modified(root, parent, name, step, image, disk)
        elif missing:
            _bring_back(root, parent, name, step, image, disk, lost)


def _take_back_modified(
    root: int, parent: int, name: str, step: Step, image: Image, disk: Disk
) -> None:
    back, now = step.temporary + "b", digest(parent, name)
    if now == step.before and _is_displaced(_only(parent, back), step):
        put_back(parent, back, step.before, name, step, disk)
    elif now == step.after and _is_displaced(_only(parent, step.temporary), step):
        put_back(parent, step.temporary, step.after, name, step, disk)
    elif now == step.after:
        if inode_of(parent, step.temporary) == inode_of(parent, name):
            remove(parent, step.temporary, disk)  # a disk kept the link, and lost the rename
        _revive(root, parent, step, image, disk)
        swap(parent, back, name, step, disk)
        if _only(parent, back) != step.after:
            put_back(parent, back, step.before, name, step, disk)


def _bring_back(
    root: int, parent: int, name: str, step: Step, image: Image, disk: Disk, lost: list[str] | None
) -> None:
    """Gives a file that is missing its place again, from what lies beside it or its image."""
    for beside in (step.temporary + "b", step.temporary):
        if _only(parent, beside) not in (None, "", step.after):
            appear(parent, beside, name, step, disk)
            return
    _written_again(root, parent, step, image, disk, lost)
    appear(parent, step.temporary, name, step, disk)


def clean(root: int, step: Step, disk: Disk) -> list[str]:
    """Removes what is ours beside the file; returns the names of what is not."""
    directory, name = split(step.path)
    with opened(root, directory, step.path) as parent:
        if step.operation == "modify":
            settle(parent, name, step, disk)
        now = digest(parent, name)
        if inode_of(parent, step.temporary + "w") is not None:
            remove(parent, step.temporary + "w", disk)
        left = []
        for suffix, spoiled in _spoiled(step).items():
            beside = step.temporary + suffix
            content = digest(parent, beside)
            if content and (
                content in (step.before, step.after)
                or now in spoiled
                or inode_of(parent, beside) == inode_of(parent, name)  # two names of one file
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


def _take_back_alone(
    root: int,
    parent: int,
    name: str,
    step: Step,
    image: Image,
    disk: Disk,
    lost: list[str] | None,
) -> None:
    """Takes a created file away again, or gives a deleted one its place."""
    now, back = digest(parent, name), step.temporary + "b"
    if step.operation == "create":
        if now == step.after:
            vanish(parent, name, back, step.after, step, disk)
        elif now is None and _is_displaced(digest(parent, back), step):
            appear(parent, back, name, step, disk)
    elif now is None:
        if not digest(parent, step.temporary):
            _written_again(root, parent, step, image, disk, lost)
        appear(parent, step.temporary, name, step, disk)


def _written_again(
    root: int, parent: int, step: Step, image: Image, disk: Disk, lost: list[str] | None
) -> None:
    """Makes a file's old content stand beside its empty place again, from its image."""
    content, work = image(step.before or ""), step.temporary + "w"
    if content is None:
        raise LookupError("its content from before is not stored any more")
    remove(parent, work, disk)
    prepare_new(root, step.path, content, wanted=step.had, temporary=work, disk=disk, lost=lost)
    if digest(parent, work) != step.before:
        raise LookupError("its content from before is stored damaged")
    disk.rename(parent, work, step.temporary)


def _revive(root: int, parent: int, step: Step, image: Image, disk: Disk) -> None:
    """Makes the old content stand beside the file, ready to be exchanged with it."""
    back, work = step.temporary + "b", step.temporary + "w"
    stored = image(step.before or "") is not None
    if _is_old(parent, back, step, stored):
        return
    if _is_old(parent, step.temporary, step, stored):
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
