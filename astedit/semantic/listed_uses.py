"""Uses that a change leaves and lists, and those of them that a person wants to have changed."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from astedit.errors import PreconditionError, RequestError
from astedit.text import first_lines, number
from astedit.text.source import Change, Lines, line_end, line_start

_LEFT = "not changed: "
_LOOK = "not changed; look at each before you apply:"
_ALSO = f"{_LOOK[:-1]} (--also FILE:LINE and --also-all change them, too):"
_SHOWN = 20  # uses that an error lists


class UsePlace(NamedTuple):
    """Where a use stands, and why it may mean the definition.

    `span` are the bytes of its name in the file's code, where that stands there.
    """

    path: str
    line: int
    why: str
    column: int = 0
    span: tuple[int, int] = (0, 0)


class CannotFollow(Exception):
    """A use that cannot follow; says why."""


def standing(
    path: str, text: bytes, word: re.Pattern[bytes], changes: Iterable[Change], why: str
) -> list[UsePlace]:
    """Where a word, or its last group, stands in a text, but for what changes."""
    lines, changes = Lines(text), list(changes)
    return [
        UsePlace(path, line, why, column, (start, end))
        for start, end in (found.span(word.groups) for found in word.finditer(text))
        if not any(low <= start < high or low <= end <= high for low, high, _ in changes)
        for line, column in [lines.place(start)]
    ]


class ListedHint(str):
    """The line about one use, which knows its place."""

    place: UsePlace


class AlsoUses:
    """Which of the listed uses a person wants to have changed, too.

    `also` is what an operation keeps of that: `*`, or `FILE:LINE[:COL]` a line.
    """

    def __init__(self, arguments: Mapping[str, str]) -> None:
        text = arguments.get("also", "")
        self.everything = text == "*"
        self._left = {} if self.everything else dict.fromkeys(filter(None, text.split("\n")))

    def takes(self, place: UsePlace) -> bool:
        """Whether this one is meant, and can be changed in its place."""
        names = (f"{place.path}:{place.line}", f"{place.path}:{place.line}:{place.column}")
        meant = [name for name in names if name in self._left]
        if place.span[1] and meant:
            self._left |= dict.fromkeys(meant, place)
        return bool(place.span[1]) and (self.everything or bool(meant))

    def write(
        self, places: Iterable[UsePlace], edits: dict[str, set[Change]], new: str
    ) -> list[UsePlace]:
        """Adds to the edits that those which are meant become `new`; the others, once checked."""
        others = []
        for place in places:
            if self.takes(place):
                edits.setdefault(place.path, set()).add((*place.span, new.encode()))
            else:
                others.append(place)
        self.check(others)
        return others

    def check(self, others: Iterable[UsePlace]) -> None:
        """Raises for what was named and is not changed: `not_listed`, or `cannot_follow`."""
        known = {f"{each.path}:{each.line}" for each in others}
        known |= {f"{each.path}:{each.line}:{each.column}" for each in others}
        for name, place in self._left.items():
            if place is not None:
                continue
            if name in known:
                raise PreconditionError(
                    f"{name} cannot be changed with the rest; nothing was staged.",
                    code="cannot_follow",
                    hint="Change it by hand, and leave out its --also.",
                )
            raise RequestError(
                f"{name} is not listed; nothing was staged.",
                code="not_listed",
                hint="Without --also the command lists what it leaves, each as FILE:LINE.",
            )


def refuse_listed(name: str, places: Sequence[UsePlace], arguments: Mapping[str, str]) -> None:
    """Raises `PreconditionError` (`listed_uses`) while uses are listed, without `--even-so`."""
    if not places or "even_so" in arguments:
        return
    raise with_places(
        f"{counted(len(places))} of {name!r} would be left",
        (f"{each.path}:{each.line}: {each.why}" for each in places),
        code="listed_uses",
        hint="Look at each. --even-so removes it all the same.",
    )


def with_places(
    what: str, lines: Iterable[str], *, code: str, hint: str, path: str | None = None
) -> PreconditionError:
    """The refusal of a change because of places, each a line; too many are counted."""
    shown = "\n".join(first_lines([f"  {line}" for line in lines], _SHOWN, indent="  "))
    message = f"{what}; nothing was staged:\n{shown}"
    return PreconditionError(message, path=path, code=code, hint=hint)


def code_at(path: str, code: bytes, start: int, width: int) -> str:
    """`shop/cart.py:12: total = add(1)`: a place with its line of code, if that is short."""
    text = code[line_start(code, start) : line_end(code, start)].strip().decode("utf-8", "replace")
    return f"{path}:{Lines(code).row(start) + 1}: {text[:width]}"


def in_use(name: str, path: str, left: Sequence[tuple[str, bytes, int]]) -> PreconditionError:
    """The refusal of a removal, with the path, the code and the start of each evident use."""
    return with_places(
        f"{name} has {number(len(left), 'evident use')}",
        (code_at(*use, 80) for use in left),
        path=path,
        code="in_use",
        hint="Change these first; what overrides it and what exports it count as uses.",
    )


def _hint(name: str, place: UsePlace) -> ListedHint:
    hint = ListedHint(f"{_LEFT}{place.path}:{place.line}: {name} may be this one ({place.why})")
    hint.place = place
    return hint


def listed(name: str, places: Sequence[UsePlace], *, also: bool = False) -> list[str]:
    """The hints about every such use of `name`, and first how many; with `also` its flags."""
    if not places:
        return []
    changeable = also and any(place.span[1] for place in places)
    head = f"{counted(len(places))} of {name!r} {_ALSO if changeable else _LOOK}"
    return [head, *(_hint(name, place) for place in places)]


def is_listing(hint: str) -> bool:
    """Whether a hint is one of those that `listed` makes."""
    return hint.startswith(_LEFT) or hint.endswith((_LOOK, _ALSO))


def count(hints: Iterable[str]) -> int:
    """How many uses the hints of a plan list."""
    return sum(hint.startswith(_LEFT) for hint in hints)


def counted(uses: int) -> str:
    """`1 possible use`, `7 possible uses`."""
    return number(uses, "possible use")
