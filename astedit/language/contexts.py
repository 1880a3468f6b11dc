"""Where a piece of code may stand: the texts the doctor tries around a pattern.

A grammar parses whole files. `"a": $V` is no JSON file and `foo($A)` no C file, though
people write both to find one. Each line of a language's contexts is a place in a small
whole file; `…` is where the pattern goes. The first place where it parses is the best
suggestion, so the likelier ones come first.
"""

from collections.abc import Iterator

PLACE = "…"


def contexts(lines: str) -> Iterator[tuple[str, str]]:
    """Pairs of what a place is called and the text around `PLACE`, in the order of the lines.

    A line is `title | text`; `\\n` in it is a line break of the text.
    """
    for line in filter(None, lines.splitlines()):
        title, _, template = line.partition(" | ")
        yield title, template.replace("\\n", "\n")
