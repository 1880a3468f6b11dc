"""What a plan touches: its files, the contents it was made of, and the bytes it replaces."""

from typing import NamedTuple


class TouchedFile(NamedTuple):
    """One file: the hash it must have (None: it must not exist), and the replaced bytes.

    `spans` None stands for the whole file.
    """

    before: str | None
    spans: tuple[tuple[int, int], ...] | None


TouchedFiles = dict[str, TouchedFile]
