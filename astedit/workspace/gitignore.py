"""gitignore patterns, compiled to a few table look-ups per name.

Our own translation, since importing pathspec costs 80 ms, a fifth of a whole search.
What git does is the reference: `tests/unit/test_gitignore.py` compares with
`git check-ignore` on generated patterns.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

_POSIX_CLASSES = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": " \t",
    "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9",
    "graph": "\\x21-\\x7e",
    "lower": "a-z",
    "print": "\\x20-\\x7e",
    "punct": "!-/:-@\\[-`{-~",
    "space": " \\t-\\r",
    "upper": "A-Z",
    "xdigit": "0-9a-fA-F",
}
LONGEST_PATH = 4_096  # bytes; PATH_MAX of Linux
_SPECIAL = re.compile(r"[*?\[\\]")


class IgnorePattern(NamedTuple):
    """One line of an ignore file.

    `anchored` patterns are matched against the path relative to the file's directory, the
    others against the last component alone. `include` is a line that begins with `!`.
    """

    text: str
    include: bool
    directories_only: bool
    anchored: bool


def parse(line: str) -> IgnorePattern | None:
    """A line of an ignore file; None for a comment or a blank one."""
    line = line.rstrip("\r\n")
    if line.startswith("#"):
        return None
    include = line.startswith("!")
    text = _without_trailing_spaces(line[include:])
    directories_only = text.endswith("/")
    text = text[:-1] if directories_only else text
    if not text:
        return None
    return IgnorePattern(text.removeprefix("/"), include, directories_only, "/" in text)


def matches_nothing(glob: str) -> bool:
    """Whether git would overlook a pattern in silence: it is blank, or a bracket is open."""
    pattern = parse(f"\\{glob}" if glob[:1] == "#" else glob)
    return pattern is None or translate(pattern.text) is None


def _without_trailing_spaces(text: str) -> str:
    """Trailing spaces do not count unless a backslash protects them."""
    bare = text.rstrip(" ")
    escapes = len(bare) - len(bare.rstrip("\\"))
    return bare + " " if escapes % 2 and len(bare) < len(text) else bare


class Ignore:
    """The patterns of one ignore file: the last one that matches decides.

    Paths are relative to the directory of the file; a directory's path ends with `/`. An
    entry is looked at on its own: that everything below an ignored directory is ignored
    too is for the caller, who knows where it began.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        patterns = [parsed for line in lines if (parsed := parse(line))]
        self.include = [pattern.include for pattern in patterns]
        self._names = _Table(
            [(i, pattern) for i, pattern in enumerate(patterns) if not pattern.anchored]
        )
        self._paths = _Table(
            [(i, pattern) for i, pattern in enumerate(patterns) if pattern.anchored]
        )

    def last(self, path: str) -> int:
        """The number of the last pattern that matches this very entry, or -1."""
        return max(self._names.last(path[path.rfind("/", 0, -1) + 1 :]), self._paths.last(path))

    def verdict(self, path: str) -> bool | None:
        """True: ignored; False: included again by a `!` line; None: no line matches."""
        last = self.last(path)
        return None if last < 0 else not self.include[last]


class Globs:
    """Patterns over whole paths, `--glob` for one: the last that matches decides.

    Plain patterns admit, `!` patterns exclude; one that matches a directory counts for all
    that lies below it. Without a plain pattern whatever is not excluded is admitted.
    """

    def __init__(self, patterns: Iterable[str]) -> None:
        # A pattern of `--glob` is never a comment.
        self._patterns = Ignore(
            f"\\{pattern}" if pattern[:1] == "#" else pattern for pattern in patterns
        )
        self._default = all(self._patterns.include)
        self._directories: dict[str, int] = {"": -1}

    def admits(self, path: str) -> bool:
        """Whether a file, its path relative to the root, is asked for."""
        verdict = self.verdict(path)
        return self._default if verdict is None else verdict

    def verdict(self, path: str) -> bool | None:
        """True: the last pattern that matches is plain; False: a `!` one; None: no match."""
        last = max(self._patterns.last(path), self._directory(path[: path.rfind("/") + 1]))
        return None if last < 0 else not self._patterns.include[last]

    def _directory(self, path: str) -> int:
        """The last pattern that matches a directory or one above it."""
        if (last := self._directories.get(path)) is None:
            last, end = -1, 0
            while end < len(path):
                end = path.index("/", end) + 1
                last = max(last, self._patterns.last(path[:end]))
            self._directories[path] = last
        return last


class _Table:
    """Numbered patterns over one kind of key: literals in a dict, the rest in one regex."""

    def __init__(self, patterns: Iterable[tuple[int, IgnorePattern]]) -> None:
        self._literals: dict[str, int] = {}
        last: dict[str, int] = {}  # of equal ones only the last decides
        for number, pattern in patterns:
            if _SPECIAL.search(pattern.text):
                regex = translate(pattern.text)
                if regex is not None:
                    last[regex + ("/" if pattern.directories_only else "/?")] = number
                continue
            self._literals[pattern.text + "/"] = number
            if not pattern.directories_only:
                self._literals[pattern.text] = number
        # The first alternative that matches is the last line.
        globs = sorted(last.items(), key=lambda item: -item[1])
        self._numbers = [number for _, number in globs]
        self._regex = re.compile("|".join(f"({regex})" for regex, _ in globs)) if globs else None

    def last(self, key: str) -> int:
        """The number of the last pattern that matches, or -1."""
        number = self._literals.get(key, -1)
        match = self._regex.fullmatch(key) if self._regex else None
        if match is None or match.lastindex is None:
            return number
        return max(number, self._numbers[match.lastindex - 1])


def translate(glob: str) -> str | None:
    """The regular expression of a glob, None if it matches no path that there can be.

    Git lets some match nothing, and what needs more characters than a path can have is left
    out: compiling a long one takes seconds.
    Takes linear time per star: what stands between two stars is taken at its first place
    and never tried again (atomic groups), so `*a*a*a*a*b` cannot be made slow.
    """
    if (segments := _segments(glob)) is None or [] in segments:
        return None
    if sum(len(tokens) - tokens.count("*") for tokens in segments) > LONGEST_PATH:
        return None
    runs: list[list[str]] = [[]]
    for tokens in segments:
        if len(tokens) > 1 and set(tokens) == {"*"}:
            runs.append([])
        else:
            runs[-1].append(_segment(tokens))
    if len(runs) == 1:
        return "/".join(runs[0])
    first, *middle, last = ("/".join(run) for run in runs)
    start = first + "/" if first else ""
    between = "".join(f"(?>(?:[^/]+/)*?{run}/)" for run in middle if run)
    return start + between + (f"(?:[^/]+/)*{last}" if last else ".+")


def _segment(tokens: list[str]) -> str:
    """The regex of one path component; a `*` is a token of its own."""
    if set(tokens) == {"*"}:
        return "[^/]+"
    chunks = [""]
    for token in tokens:
        if token == "*":
            chunks.append("")
        else:
            chunks[-1] += token
    if len(chunks) == 1:
        return chunks[0]
    first, *middle, last = chunks
    return first + "".join(f"(?>[^/]*?{chunk})" for chunk in middle if chunk) + "[^/]*" + last


def _segments(glob: str) -> list[list[str]] | None:
    """Components as lists of one-character regexes and `*`; None if malformed."""
    segments: list[list[str]] = [[]]
    at = 0
    while at < len(glob):
        char = glob[at]
        at += 1
        if char == "[":
            if (match := _bracket(glob, at)) is None:
                return None
            token, at = match
            segments[-1].append(token)
            continue
        if char == "\\":
            if at == len(glob):
                return None
            char, token = glob[at], re.escape(glob[at])
            at += 1
        else:
            token = {"*": "*", "?": "[^/]"}.get(char) or re.escape(char)
        if char == "/":
            segments.append([])
        else:
            segments[-1].append(token)
    return segments


def _bracket(glob: str, at: int) -> tuple[str, int] | None:
    """The regex of a `[...]` whose inside starts at `at`, and where it ends."""
    negated = glob[at : at + 1] in ("!", "^")
    at += negated
    members: list[str] = []
    start = at
    while at < len(glob):
        if glob[at] == "]" and at > start:
            inside = "".join(members)
            if negated:
                return f"[^/{inside}]", at + 1
            return (f"(?!/)[{inside}]" if inside else "(?!)"), at + 1
        if (
            glob.startswith("[:", at)
            and (end := glob.find("]", at + 2)) > 0
            and glob[end - 1] == ":"
            and end > at + 2
        ):
            members_of_class = _POSIX_CLASSES.get(glob[at + 2 : end - 1])
            if members_of_class is None:
                return None
            members.append(members_of_class)
            at = end + 1
            continue
        low, at = _member(glob, at)
        high = low
        if glob[at : at + 1] == "-" and glob[at + 1 : at + 2] not in ("", "]"):
            high, at = _member(glob, at + 1)
        # To git the lower end is a member even of an empty range.
        members.append(f"{re.escape(low)}-{re.escape(high)}" if low <= high else re.escape(low))
    return None


def _member(glob: str, at: int) -> tuple[str, int]:
    """One character of a bracket, a backslash taken as quoting the next, and the place after it."""
    if glob[at] == "\\" and at + 1 < len(glob):
        at += 1
    return glob[at], at + 1
