"""`CODEOWNERS` by GitHub's rules: the last line whose pattern matches a path decides.

The patterns are those of `.gitignore`, less `!` and `[a-z]`; and `docs/*` is about the files
right in `docs`. A line that is no line of such a file is left out, as GitHub does.
"""

import re
from typing import Self

from astedit.workspace.gitignore import Ignore
from astedit.workspace.root import Workspace

PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")  # the first that is there
LIMIT = 3 * 1024 * 1024  # bytes; GitHub loads no larger one
_WORD = re.compile(r"(?:\\.|[^\s\\])+")
_OWNER = re.compile(r"@[^\s@/]+(/[^\s@/]+)?|[^\s@]+@[^\s@]+")


class CodeOwners:
    """Who owns which paths; one without lines owns nothing."""

    def __init__(self, text: str = "") -> None:
        lines = [line for words in text.split("\n") if (line := _line(words)) is not None]
        self._owners = [owners for _, owners in lines]
        patterns = [pattern for pattern, _ in lines]
        self._files = Ignore(patterns)
        # A pattern that matches a directory is about all that lies below it, `docs/*` is not.
        # What takes its number here can be no directory's path.
        self._directories = Ignore("/\0" if p.endswith("/*") else p for p in patterns)
        self._known: dict[str, int] = {"": -1}

    @classmethod
    def read(cls, workspace: Workspace) -> Self:
        """The owners that a tree declares."""
        for place in PLACES:
            try:
                content, _ = workspace.read(place, LIMIT)
            except OSError:
                continue
            return cls(content.decode("utf-8", "replace"))
        return cls()

    def of(self, path: str) -> tuple[str, ...]:
        """The owners of a file, its path relative to the root; none if nobody is named."""
        if not self._owners:
            return ()
        last = max(self._files.last(path), self._directory(path[: path.rfind("/") + 1]))
        return () if last < 0 else self._owners[last]

    def _directory(self, path: str) -> int:
        """The last line that is about a directory or one above it."""
        if path not in self._known:
            above = path[: path.rfind("/", 0, -1) + 1]
            self._known[path] = max(self._directory(above), self._directories.last(path))
        return self._known[path]


def _line(text: str) -> tuple[str, tuple[str, ...]] | None:
    """A line's pattern and its owners."""
    words: list[str] = _WORD.findall(text)
    comment = next((at for at, word in enumerate(words) if word[0] == "#"), len(words))
    words = words[:comment]
    if not words or words[0][0] == "!" or "[" in words[0]:
        return None
    if not all(map(_OWNER.fullmatch, words[1:])):
        return None
    return words[0], tuple(words[1:])
