"""One file is replaced wholly, with everything it had, or it is as it was."""

import errno
import os
import resource
import stat
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from astedit.errors import AstEditError, PreconditionError, StaleError, TransactionError
from astedit.transaction.commit import FileChange, write
from astedit.transaction.disk import DISK, Disk
from astedit.workspace.root import Workspace
from tests.support.faults.disks import Watched, using
from tests.support.faults.journal import MemoryJournal

OLD, NEW = b"old\r\n", b"new\x00\n" * 1_000


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "src").mkdir(parents=True)
    (root / "src" / "a.py").write_bytes(OLD)
    return root


@pytest.fixture
def root(tree: Path) -> Iterator[int]:
    with Workspace(tree) as workspace:
        before = os.listdir("/proc/self/fd")
        yield workspace.fd
        assert os.listdir("/proc/self/fd") == before


def replace(
    root: int, path: str = "src/a.py", *, disk: Disk = DISK, mode: int | None = None
) -> None:
    hashes = sha256(OLD).hexdigest(), sha256(NEW).hexdigest()
    change = FileChange(path, OLD, hashes[0], NEW, hashes[1], mode)
    with using(disk):
        assert write([path], [change], root, MemoryJournal()).outcome == "applied"


def untouched(tree: Path) -> bool:
    return (tree / "src" / "a.py").read_bytes() == OLD and os.listdir(tree / "src") == ["a.py"]


def test_a_file_gets_its_new_content_and_nothing_else_is_left(tree: Path, root: int) -> None:
    replace(root)
    assert (tree / "src" / "a.py").read_bytes() == NEW
    assert os.listdir(tree / "src") == ["a.py"]


def test_a_file_in_the_root_and_one_with_a_name_of_255_bytes(tree: Path, root: int) -> None:
    for name in ("b.py", "x" * 252 + ".py", "caf\udce9\n.py"):
        (tree / name).write_bytes(OLD)
        replace(root, name)
        assert (tree / name).read_bytes() == NEW


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755, 0o2755, 0o4711, 0o666])
def test_the_mode_is_kept_whatever_the_umask(tree: Path, root: int, mode: int) -> None:
    (tree / "src" / "a.py").chmod(mode)
    umask = os.umask(0o077)
    try:
        replace(root)
    finally:
        os.umask(umask)
    assert stat.S_IMODE((tree / "src" / "a.py").stat().st_mode) == mode


def test_another_mode_can_be_asked_for(tree: Path, root: int) -> None:
    replace(root, mode=0o100750)
    assert stat.S_IMODE((tree / "src" / "a.py").stat().st_mode) == 0o750


def test_extended_attributes_are_kept(tree: Path, root: int) -> None:
    try:
        os.setxattr(tree / "src" / "a.py", "user.origin", b"\x00value")
    except OSError as error:
        pytest.skip(f"no extended attributes here: {error.strerror}")
    replace(root)
    assert os.getxattr(tree / "src" / "a.py", "user.origin") == b"\x00value"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_the_owner_is_kept(tree: Path, root: int) -> None:
    os.chown(tree / "src" / "a.py", 12_345, 54_321)
    replace(root)
    status = (tree / "src" / "a.py").stat()
    assert (status.st_uid, status.st_gid) == (12_345, 54_321)


class Failing(Watched):
    """Fails one call, by name, the `at`-th time."""

    def __init__(self, call: str, number: int, at: int = 1) -> None:
        super().__init__()
        self._fails, self._number = (call, at), number

    def _before(self, call: str, arguments: tuple[object, ...]) -> None:
        super()._before(call, arguments)
        if (call, self.made.count(call)) == self._fails:
            raise OSError(self._number, os.strerror(self._number))

    def write(self, file: int, data: memoryview) -> int:
        return super().write(file, data[:1_500])  # short writes are the rule here


def test_all_is_synced_before_the_exchange_and_the_directory_after(tree: Path, root: int) -> None:
    disk = Failing("nothing", 0)
    replace(root, disk=disk)
    written = ["create", *["write"] * 4, "chmod", "sync"]
    assert disk.made == [*written, "sync", "exchange", "unlink", "sync"]
    assert (tree / "src" / "a.py").read_bytes() == NEW


@pytest.mark.parametrize(
    ("call", "number", "at", "error", "code"),
    [
        ("create", errno.ENOSPC, 1, TransactionError, "no_space"),
        ("write", errno.ENOSPC, 1, TransactionError, "no_space"),
        ("write", errno.EDQUOT, 3, TransactionError, "no_space"),
        ("sync", errno.ENOSPC, 1, TransactionError, "no_space"),
        ("write", errno.EIO, 2, TransactionError, "transaction"),
        ("sync", errno.EIO, 1, TransactionError, "transaction"),
        ("create", errno.EMFILE, 1, TransactionError, "transaction"),
        ("create", errno.EROFS, 1, PreconditionError, "read_only"),
        ("create", errno.EACCES, 1, PreconditionError, "read_only"),
        ("chmod", errno.EPERM, 1, PreconditionError, "read_only"),
    ],
)
def test_a_failing_call_leaves_everything_as_it_was(
    tree: Path, root: int, call: str, number: int, at: int, error: type[AstEditError], code: str
) -> None:
    disk = Failing(call, number, at)
    with pytest.raises(error) as raised:
        replace(root, disk=disk)
    assert (raised.value.code, raised.value.path) == (code, "src/a.py")
    assert untouched(tree)
    clearing = call == "sync"  # the directory's, so that no sibling comes back
    assert disk.made.count(call) == at + clearing, "never tried again"
    if code == "no_space":
        assert str(len(NEW)) in raised.value.message


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.EMFILE, r"src/a\.py cannot be opened: .*\(ulimit -n\)"),
        (errno.ENFILE, r"src/a\.py cannot be opened: .*\(fs\.file-max\)"),
        (errno.EDQUOT, r"No room for src/a\.py: .* the disk quota is used up"),
        (errno.EFBIG, r"No room for src/a\.py: .* \(ulimit -f\)"),
    ],
)
def test_what_ran_out_is_named(tree: Path, root: int, number: int, words: str) -> None:
    with pytest.raises(TransactionError, match=words):
        replace(root, disk=Failing("create", number))
    assert untouched(tree)


def test_a_real_limit_on_open_files_is_named_and_not_taken_for_a_change(
    tree: Path, root: int
) -> None:
    """The same files can be opened a moment later: nobody has changed them."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    lowest = os.dup(root)
    os.close(lowest)
    for free in range(10):
        resource.setrlimit(resource.RLIMIT_NOFILE, (lowest + free, hard))
        try:
            replace(root)
        except TransactionError as error:
            assert "(ulimit -n)" in error.message
        else:
            break
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        assert untouched(tree)
    assert free > 1 and (tree / "src" / "a.py").read_bytes() == NEW


def test_an_interrupt_leaves_nothing_behind(tree: Path, root: int) -> None:
    class Interrupted(Disk):
        def sync(self, file: int) -> None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        replace(root, disk=Interrupted())
    assert untouched(tree)


def test_a_real_limit_on_file_size(tree: Path, root: int) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, hard))
    try:
        with pytest.raises(TransactionError) as raised:
            replace(root)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert (raised.value.code, untouched(tree)) == ("no_space", True)


def test_changed_content_is_stale_even_with_size_and_time_restored(tree: Path, root: int) -> None:
    file = tree / "src" / "a.py"
    status = file.stat()
    file.write_bytes(OLD.upper())
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    with pytest.raises(StaleError, match=r"src/a\.py has changed") as raised:
        replace(root)
    assert (raised.value.exit_code, file.read_bytes()) == (3, OLD.upper())


def test_a_touched_file_is_not_stale(tree: Path, root: int) -> None:
    os.utime(tree / "src" / "a.py", (1, 1))
    replace(root)
    assert (tree / "src" / "a.py").read_bytes() == NEW


@pytest.mark.parametrize("path", ["gone.py", "gone/a.py", "src/a.py/b"])
def test_a_file_that_is_gone(root: int, path: str) -> None:
    with pytest.raises(PreconditionError, match=r"gone|cannot be reached"):
        replace(root, path)


def test_what_is_no_plain_file_is_refused(tree: Path, root: int, tmp_path: Path) -> None:
    outside = tmp_path / "outside.py"
    outside.write_bytes(OLD)
    (tree / "link.py").symlink_to("src/a.py")
    (tree / "out.py").symlink_to(outside)
    (tree / "up").symlink_to("..")
    os.mkfifo(tree / "fifo.py")
    for path in ("link.py", "out.py", "up/outside.py", "fifo.py", "src", "src/../../outside.py"):
        with pytest.raises(PreconditionError) as raised:
            replace(root, path)
        assert raised.value.path == path
    assert (outside.read_bytes(), untouched(tree)) == (OLD, True)


def test_a_hard_link_is_refused(tree: Path, root: int, tmp_path: Path) -> None:
    os.link(tree / "src" / "a.py", tmp_path / "other")
    with pytest.raises(PreconditionError, match="2 names") as raised:
        replace(root)
    assert (raised.value.code, untouched(tree)) == ("hard_link", True)


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
@pytest.mark.parametrize("place", ["src/a.py", "src"])
def test_what_is_read_only_is_refused(tree: Path, root: int, place: str) -> None:
    (tree / place).chmod(0o555)
    try:
        with pytest.raises(PreconditionError) as raised:
            replace(root)
    finally:
        (tree / place).chmod(0o755)
    assert (raised.value.code, untouched(tree)) == ("read_only", True)
