"""How far an apply is: one rising count, for who waits for it."""

from collections.abc import Iterator

from astedit.limits import Progress
from astedit.transaction.commit import FileChange
from resolve import AbortSignal


class Count:
    """One rising count of an apply: the files looked at again, then those to be written."""

    def __init__(self, files: int, tell: Progress) -> None:
        self.files = files
        self._tell = tell
        self._looked = self._written = 0

    def looked(self, done: int, total: int) -> None:
        """Told by the engine, between files."""
        self._looked = total
        self._tell(done, total + self.files)

    def written(self) -> None:
        """One more file lies beside its old one."""
        self._written += 1
        self._tell(self._looked + self._written, self._looked + self.files)


def prepared(
    changes: Iterator[FileChange], count: Count, signal: AbortSignal
) -> Iterator[FileChange]:
    """The changes, each counted when its file is written beside the old one.

    Raises `AbortError` before the next one when the signal is set: nothing is committed yet.
    """
    for change in changes:
        signal.throw_if_aborted()
        yield change
        count.written()
